"""The twelve data sets of paper 002, from a folder of Parquet files, and how their rows are divided."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from studies.price_sets import TARGET
from thriftree.table.making_frames import concat_rows, read_parquet, without_columns

TEST_SHARE = 0.3

# The paper's names and its files. Its wine is "red and white variants" in one; colour is no column of it.
SOURCES = {
    "cancer": ("wdbc",),
    "digits": ("optdigits",),
    "yeast": ("yeast",),
    "shuttle": ("shuttle",),
    "page": ("page-blocks",),
    "image": ("segment",),
    "abalone": ("abalone",),
    "wine": ("wine-quality-red", "wine-quality-white"),
    "spam": ("spambase",),
    "wall": ("robot-wall-24",),
    "landsat": ("satellite",),
    "magic": ("magic",),
}


@dataclass(frozen=True, eq=False)
class LabelledSet:
    """A table and its classes."""

    name: str
    X: Any
    y: NDArray[Any]


@cache
def load(folder: Path, name: str) -> LabelledSet:
    """One of `SOURCES`, read once a process."""
    tables = []
    for source in SOURCES[name]:
        file = folder / f"{source}.parquet"
        if not file.is_file():
            raise FileNotFoundError(f"{file} is missing: --data must name the folder that holds it")
        tables.append(read_parquet(file))
    table = concat_rows(tables)
    return LabelledSet(name, without_columns(table, [TARGET]), np.asarray(table[TARGET]))


def division(n_rows: int, repeat: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The training and the test rows of one repeat, the same for every learner; drawn at random, as in the
    paper, and not by class: some classes have a single row.
    """
    train, test = train_test_split(np.arange(n_rows), test_size=TEST_SHARE, random_state=repeat)
    return train, test
