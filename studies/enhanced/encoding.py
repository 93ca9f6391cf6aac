"""The paper's pre-processing: five bins a number, a binary column a category, equal rows one object."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import KBinsDiscretizer

from studies.enhanced.sets import TABLES, PaperTable
from studies.harness.tables import SAMPLE_SEED, divide, load_table

Bits = NDArray[np.uint8]
Codes = NDArray[np.intp]
Floats = NDArray[np.float64]

N_BINS = 5
TEST_SHARE, VALIDATION_SHARE = 0.2, 0.1
THETA = 0.005
LEAST_LEAF = 2  # rows: θ of small tables
MISSING = "missing"


@dataclass(frozen=True, eq=False)
class BinaryTable:
    """A table as the paper's learners see it."""

    source: PaperTable
    X: Bits  # rows x binary columns
    y: Codes  # of the classes, which are 0, 1, …
    all_rows: int  # before the limit

    @property
    def facts(self) -> dict[str, Any]:
        """What a report says of it."""
        return {
            "rows": len(self.y),
            "all_rows": self.all_rows,
            "tests": self.X.shape[1],
            "classes": int(self.y.max()) + 1,
        }


@cache
def load(folder: Path, name: str, max_rows: int | None) -> BinaryTable:
    """Binned and binarized with all its rows, once a process; of more than `max_rows` then as many are
    drawn, the same for all.
    """
    source = TABLES[name]
    table = load_table(name, folder, "classes", source.left_out, None)
    X = binarized(table.X, source)
    y = np.unique(table.y, return_inverse=True)[1]
    if max_rows is not None and len(y) > max_rows:
        kept = np.sort(np.random.default_rng(SAMPLE_SEED).choice(len(y), max_rows, replace=False))
        X, y = X[kept], np.unique(y[kept], return_inverse=True)[1]
    return BinaryTable(source, X, y, table.all_rows)


def binarized(frame: pd.DataFrame, source: PaperTable) -> Bits:
    """A binary column for each bin and each category; of two values one column says which it is."""
    columns = [_binary(frame[name], source.read_as.get(name, source.read_as.get("*"))) for name in frame]
    return np.concatenate(columns, axis=1)


def _binary(column: pd.Series, reading: str | None) -> Bits:
    if reading == "numbers":
        column = pd.to_numeric(column, errors="coerce")
    is_number = pd.api.types.is_numeric_dtype(column) and reading != "categories"
    if is_number and column.nunique() > 2:
        # The paper does not say what it does with missing numbers; its counts of rows say that they stay.
        codes = _bins(column.fillna(column.median()).to_numpy(dtype=np.float64))
    else:
        codes = np.unique(
            column.astype(object).where(column.notna(), MISSING).astype(str), return_inverse=True
        )[1]
    n_codes = int(codes.max()) + 1
    bits: Bits = (codes[:, np.newaxis] == np.arange(n_codes)).astype(np.uint8)
    return bits[:, -1:] if n_codes == 2 else bits


def _bins(values: Floats) -> Codes:
    """The bin of each number, by one-dimensional k-means."""
    binner = KBinsDiscretizer(N_BINS, encode="ordinal", strategy="kmeans", subsample=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # fewer values than bins
        warnings.filterwarnings("ignore", message="Bins whose width are too small")
        codes = binner.fit_transform(values[:, np.newaxis])[:, 0]
    return np.unique(codes, return_inverse=True)[1]


@dataclass(frozen=True, eq=False)
class PaperObjects:
    """The distinct rows of a part of the table: what trees are grown on."""

    X: Bits
    weight: Floats  # rows of each object
    counts: Floats  # objects x classes: rows of each class

    @property
    def label(self) -> Codes:
        """The most frequent class of each object, the first of equals."""
        classes: Codes = self.counts.argmax(axis=1)
        return classes

    @property
    def theta(self) -> float:
        """The share of the rows at which a node is not divided: 0.005, or two rows of a small table."""
        return max(THETA, LEAST_LEAF / float(self.weight.sum()))


def coalesced(X: Bits, y: Codes, n_classes: int) -> PaperObjects:
    """Equal rows as one object."""
    packed = np.ascontiguousarray(np.packbits(X, axis=1))
    as_bytes = packed.view(np.dtype((np.void, packed.shape[1])))[:, 0]
    _, first, object_of_row = np.unique(as_bytes, return_index=True, return_inverse=True)
    counts = np.zeros((len(first), n_classes))
    np.add.at(counts, (object_of_row.ravel(), y), 1)
    return PaperObjects(X[first], counts.sum(axis=1), counts)


def parts(y: Codes, split: int) -> tuple[Codes, Codes, Codes]:
    """Rows to train, to validate and to test, 70/10/20, by class."""
    rest, test = divide(y, split, "classes", TEST_SHARE)
    train, validation = divide(y[rest], split, "classes", VALIDATION_SHARE / (1 - TEST_SHARE))
    return rest[train], rest[validation], test


def prices(n_tests: int, name: str, split: int) -> Floats:
    """Each test's price, drawn from 1 to 10; another draw for each split."""
    seed = [SAMPLE_SEED, split, *name.encode()]
    return np.random.default_rng(seed).integers(1, 11, n_tests).astype(np.float64)
