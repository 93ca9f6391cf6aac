"""The four data sets with real prices of tests (Turney 1995), from a folder of Parquet files.

`costs/test-costs.csv` beside them has a line for each test: full price, price once its group is set up,
group, and whether the result is delayed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.costs import TestCosts
from thriftree.table.making_frames import read_parquet, without_columns

TARGET = "target"


@dataclass(frozen=True)
class PricedSource:
    """Where a data set comes from. `left_out` are columns that are no tests, with the reason."""

    file: str
    prices: str  # its name in the price list
    left_out: tuple[str, ...] = ()
    reason: str = ""


SOURCES = {
    "heart": PricedSource("heart-cleveland", "heart-cleveland"),
    "pima": PricedSource("pima", "pima"),
    "bupa": PricedSource("bupa", "bupa"),
    "thyroid": PricedSource(
        "ann-thyroid-train",
        "ann-thyroid",
        ("FTI",),
        "FTI is computed from two tests (FTI = TT4 / T4U), so it is no test and has no price",
    ),
}


@dataclass(frozen=True, eq=False)
class PricedSet:
    """A table, its classes and what its tests cost."""

    name: str
    X: Any
    y: NDArray[Any]
    costs: TestCosts
    remark: str = ""

    @property
    def columns(self) -> int:
        """Tests on offer."""
        return int(self.X.shape[1])

    @property
    def largest_class(self) -> float:
        """The share of the most frequent class."""
        counts = np.unique(self.y, return_counts=True)[1]
        return float(counts.max() / counts.sum())


@cache
def load(folder: Path, name: str) -> PricedSet:
    """One of `SOURCES`, read once a process."""
    source = SOURCES[name]
    file, price_list = folder / f"{source.file}.parquet", folder / "costs" / "test-costs.csv"
    for needed in (file, price_list):
        if not needed.is_file():
            raise FileNotFoundError(f"{needed} is missing: --data must name the folder that holds it")
    table = read_parquet(file)
    costs = TestCosts.from_csv(price_list, where={"dataset": source.prices}, ignore=("evidence",))
    remark = f"left out {', '.join(source.left_out)}: {source.reason}" if source.left_out else ""
    return PricedSet(
        name, without_columns(table, (TARGET, *source.left_out)), np.asarray(table[TARGET]), costs, remark
    )
