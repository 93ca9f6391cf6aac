"""The nine data sets of paper 001 as it used them: numbers at ten levels, equal rows as one object."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studies.price_sets import TARGET
from thriftree.table.frame import Numbers
from thriftree.table.frames import read_frame
from thriftree.table.making_frames import read_parquet, without_columns

LEVELS = 10
MISSING = -1  # a code like any other: a missing answer is an answer


@dataclass(frozen=True)
class PaperSource:
    """A data set by its file, and how many rows and objects the paper says it has."""

    file: str
    title: str
    rows: int
    objects: int | None = None  # None: the paper does not say
    quartiles: bool = False  # whether the classes are quarters of a numeric target


SOURCES = {
    source.file: source
    for source in (
        PaperSource("house-votes-84", "House votes", 435, 342),
        PaperSource("sonar", "Sonar", 208, 208),
        PaperSource("ionosphere", "Ionosphere", 351, 350),
        PaperSource("dna-statlog", "Statlog DNA", 3186, 3001),
        PaperSource("boston", "Boston housing", 506, 469, quartiles=True),
        PaperSource("soybean-307", "Soybean", 307, 303),
        PaperSource("pima", "Pima", 768, 753),
        PaperSource("wdbc", "Breast cancer (WBCD)", 569),
        PaperSource("mammographic-830", "Mammography", 830),
    )
}


@dataclass(frozen=True, eq=False)
class ObjectSet:
    """Distinct objects, a code for each answer of each test, and the most common label of each object."""

    source: PaperSource
    X: NDArray[np.int64]
    y: NDArray[Any]
    n_rows: int


@cache
def load(folder: Path, name: str) -> ObjectSet:
    """One of `SOURCES`, read once a process."""
    source = SOURCES[name]
    file = folder / f"{source.file}.parquet"
    if not file.is_file():
        raise FileNotFoundError(f"{file} is missing: --data must name the folder that holds it")
    table = read_parquet(file)
    y = np.asarray(table[TARGET])
    if source.quartiles:
        y = quarters(y)
    X, labels = merge(coded(without_columns(table, [TARGET])), y)
    return ObjectSet(source, X, labels, len(y))


def coded(X: Any) -> NDArray[np.int64]:
    """Categories by number; numbers of more than ten values by the nearest of ten levels."""
    frame = read_frame(X)
    columns = []
    for j in range(len(frame.names)):
        column = frame.column(j)
        columns.append(nearest_level(column.values) if isinstance(column, Numbers) else column.codes)
    return np.column_stack(columns).astype(np.int64)


def nearest_level(values: NDArray[Any]) -> NDArray[np.int64]:
    """The nearest of ten levels, uniformly spaced from the least value to the largest.

    This reading of "quantizing to 10 uniformly spaced levels" gives the paper's numbers of unique objects.
    Values that are at most ten already stay as they are.
    """
    numbers = np.asarray(values, dtype=np.float64)
    known = ~np.isnan(numbers)
    codes = np.full(len(numbers), MISSING, dtype=np.int64)
    distinct, place = np.unique(numbers[known], return_inverse=True)
    if len(distinct) <= LEVELS:
        codes[known] = place
        return codes
    low, high = distinct[0], distinct[-1]
    codes[known] = np.rint((numbers[known] - low) / (high - low) * (LEVELS - 1))
    return codes


def quarters(target: NDArray[Any]) -> NDArray[np.int64]:
    """The quarter (0 to 3) that each number is in; the cuts belong to the lower one."""
    cuts = np.quantile(target, [0.25, 0.5, 0.75])
    return np.searchsorted(cuts, target, side="left").astype(np.int64)


def merge(codes: NDArray[np.int64], y: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The distinct rows, in their order of codes, and the most common label of each, the first of equals."""
    objects, object_of_row = np.unique(codes, axis=0, return_inverse=True)
    classes, label = np.unique(y, return_inverse=True)
    counts = np.zeros((len(objects), len(classes)), dtype=np.int64)
    np.add.at(counts, (object_of_row.ravel(), label), 1)
    return objects, classes[counts.argmax(axis=1)]
