"""The tables of the study: classes, numbers, and tests with prices.

Defaults of the library may be decided on half of the sets of classes, which was named beforehand: those at
even places (0, 2, …) in the order of the alphabet. The other half only shows.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from studies import price_sets
from studies.harness.tables import MOST_ROWS, Kind, StudyTable, load_table
from thriftree.costs import TestCosts

# All sets of classes of the shared folder, which give the halves their places.
ALL_CLASSES = (
    *(
        "abalone",
        "ann-thyroid-train",
        "bank-marketing",
        "bioresponse",
        "breast-w",
        "bupa",
        "covertype-sample",
    ),
    *("default-credit", "diabetic", "dna-statlog", "dota2", "electricity", "firewall", "heart-cleveland"),
    *(
        "house-votes-84",
        "ilpd",
        "ionosphere",
        "iris",
        "letter",
        "magic",
        "mammographic-830",
        "musk",
        "obesity",
    ),
    *("optdigits", "page-blocks", "phishing-websites", "phoneme", "pima", "robot-wall-24", "satellite"),
    *("segment", "shoppers", "shuttle", "sonar", "soybean-307", "spambase", "speed-dating", "tic-tac-toe"),
    *("wdbc", "wine-quality-red", "wine-quality-white", "yeast"),
)
# Not in the study unless asked for: with hundreds of columns the peers that search in Python take hours.
WIDE = ("bioresponse", "dna-statlog", "dota2", "musk")
CLASSES = tuple(name for name in ALL_CLASSES if name not in WIDE)
NUMBERS = (
    "abalone-reg",
    "boston",
    "bundled:diabetes",
    "wine-quality-red:numbers",
    "wine-quality-white:numbers",
)
REAL_PRICES = tuple(price_sets.SOURCES)
MADE_PRICES = ("breast-w", "ilpd", "mammographic-830", "page-blocks", "segment", "wdbc")

QUICK_CLASSES = ("breast-w", "heart-cleveland", "iris", "sonar")
QUICK_NUMBERS = ("boston",)
QUICK_PRICES = ("heart",)

# Columns that are no knowledge at the time of the answer, or number the rows.
LEFT_OUT = {"diabetic": ("encounter_id", "patient_nbr"), "bank-marketing": ("duration",)}


def decides(name: str) -> bool:
    """Whether defaults may be decided on this set of classes."""
    return ALL_CLASSES.index(name) % 2 == 0 if name in ALL_CLASSES else False


def load(name: str, kind: Kind, folder: Path | None, max_rows: int | None = MOST_ROWS) -> StudyTable:
    """A table by its name here."""
    source = name.removesuffix(":numbers")
    return load_table(source, folder, kind, LEFT_OUT.get(source, ()), max_rows)


@dataclass(frozen=True, eq=False)
class PricedTable:
    """A table of classes and what its tests cost."""

    table: StudyTable
    costs: TestCosts
    real: bool  # whether people were asked these prices

    @property
    def everything(self) -> float:
        """The price of all tests together."""
        bound = self.costs.bind([str(name) for name in self.table.X.columns])
        return bound.together(range(len(bound.names)))


@cache
def load_priced(name: str, folder: Path, max_rows: int | None = MOST_ROWS) -> PricedTable:
    """With the prices of Turney (1995) where there are, else with made ones: whole numbers from 1 to 10,
    drawn by the name of the set.
    """
    if name in price_sets.SOURCES:
        source = price_sets.SOURCES[name]
        table = load_table(source.file, folder, "classes", source.left_out, max_rows)
        return PricedTable(table, price_sets.load(folder, name).costs, real=True)
    table = load(name, "classes", folder, max_rows)
    drawn = np.random.default_rng(zlib.crc32(name.encode())).integers(1, 11, table.X.shape[1])
    prices = {str(column): float(price) for column, price in zip(table.X.columns, drawn, strict=True)}
    return PricedTable(table, TestCosts(prices), real=False)
