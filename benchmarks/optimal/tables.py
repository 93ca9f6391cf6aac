"""The tables of `make bench-optimal`, each with its recipe: shared sets as two-valued columns, made ones, and
numbers as they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

# Columns of 0 and 1 (uint8) or numbers (float64), and classes or numbers.
Table = tuple[NDArray[Any], NDArray[Any]]
Recipe = Callable[[Path], Table]

_FEW: Final = 3  # numbers: a column of no more has a cut after each


@dataclass(frozen=True)
class BenchTable:
    """A table of the benchmark."""

    name: str
    recipe: Recipe
    of: str  # what it is, in words

    @property
    def is_numeric(self) -> bool:
        return self.name in NUMERIC


def _two_valued(
    folder: Path, *, of: str, cuts: int, most: int, rows: int | None = None, numbers: bool = False
) -> Table:
    """Numbers by `x <= t` at so many quantiles, categories by one column each; constant columns and copies
    left out; of more than `most` columns those of the largest minority.
    """
    frame = pd.read_parquet(folder / f"{of}.parquet").head(rows or 10**9)
    target = frame.pop("target")
    labels = np.unique(target.astype(str), return_inverse=True)[1].astype(np.int32)
    columns: list[NDArray[np.uint8]] = []
    for name in frame:
        values = frame[name]
        if values.dtype.kind in "if":
            known = values.to_numpy(np.float64)
            at = np.unique(known[~np.isnan(known)])
            if len(at) > _FEW:
                at = np.unique(np.nanquantile(known, np.arange(1, cuts + 1) / (cuts + 1)))
            columns += [(known <= cut).astype(np.uint8) for cut in at]
        else:
            columns += [
                (values == one).to_numpy().astype(np.uint8) for one in sorted(values.dropna().unique())
            ]
    distinct = {column.tobytes(): column for column in columns if 0 < column.sum() < len(column)}
    kept = sorted(distinct.values(), key=lambda c: -min(int(c.sum()), int(len(c) - c.sum())))[:most]
    return np.ascontiguousarray(np.array(kept).T), target.to_numpy(np.float64) if numbers else labels


def _correlated(_: Path) -> Table:
    """10,000 rows of 40 columns that share hidden factors; the class follows two interactions, with noise."""
    random = np.random.default_rng(5)
    factors = random.normal(size=(10_000, 8))
    X = (factors @ random.normal(size=(8, 40)) + 0.7 * random.normal(size=(10_000, 40)) > 0).astype(np.uint8)
    signal = (X[:, 0] ^ X[:, 7]) + (X[:, 3] & X[:, 12]) + 0.8 * X[:, 20] - 0.5 * X[:, 31]
    y = (signal + random.normal(scale=0.8, size=10_000) > 1.2).astype(np.int32)
    return X, y


def _random(_: Path) -> Table:
    """4,000 rows of 60 fair coins, and a class of its own."""
    random = np.random.default_rng(6)
    return random.integers(0, 2, (4_000, 60)).astype(np.uint8), random.integers(0, 2, 4_000).astype(np.int32)


def _numbers(folder: Path, *, of: str) -> Table:
    frame = pd.read_parquet(folder / f"{of}.parquet")
    labels = np.unique(frame.pop("target").astype(str), return_inverse=True)[1].astype(np.int32)
    return np.ascontiguousarray(frame.to_numpy(np.float64)), labels


def _smooth(_: Path) -> Table:
    """10,000 rows of 32 columns, four cuts of eight numbers each, and a smooth function with noise."""
    random = np.random.default_rng(7)
    numbers = random.normal(size=(10_000, 8))
    cuts = np.quantile(numbers, (0.2, 0.4, 0.6, 0.8), axis=0)
    X = (numbers[:, :, None] <= cuts.T[None]).reshape(10_000, 32).astype(np.uint8)
    y = numbers[:, 0] * numbers[:, 1] + np.sin(2 * numbers[:, 2]) + 0.5 * numbers[:, 3] ** 2
    return X, np.round(y + random.normal(scale=0.5, size=10_000), 3)


def _shared(name: str, of: str, cuts: int, most: int, words: str, rows: int | None = None) -> BenchTable:
    return BenchTable(name, partial(_two_valued, of=of, cuts=cuts, most=most, rows=rows), words)


def _of_numbers(name: str, of: str, cuts: int, most: int) -> BenchTable:
    recipe = partial(_two_valued, of=of, cuts=cuts, most=most, numbers=True)
    return BenchTable(name, recipe, f"{cuts} quantiles, a number as target")


OF_NUMBERS: Final = ("abalone", "boston", "wine", "smooth")
NUMERIC: Final = ("magic", "phoneme", "pima", "electricity")
TABLES: Final = {
    table.name: table
    for table in (
        _shared("spambase", "spambase", 1, 57, "medians"),
        _shared("letter", "letter", 4, 60, "four quantiles, 26 classes"),
        _shared("bank", "bank-marketing", 2, 57, "two quantiles and categories"),
        _shared("dota2", "dota2", 2, 60, "heroes", rows=40_000),
        _shared("wdbc150", "wdbc", 5, 150, "five quantiles"),
        _shared("heart", "heart-cleveland", 3, 40, "three quantiles and categories"),
        _shared("speed-dating", "speed-dating", 1, 80, "medians and categories"),
        _shared("phishing", "phishing-websites", 2, 46, "a cut after each value"),
        BenchTable("correlated", _correlated, "10,000 x 40 with interactions"),
        BenchTable("random", _random, "4,000 x 60 fair coins"),
        _of_numbers("abalone", "abalone-reg", 5, 50),
        _of_numbers("boston", "boston", 5, 60),
        _of_numbers("wine", "wine-quality-white", 5, 60),
        BenchTable("smooth", _smooth, "10,000 x 32 cuts of numbers, a number as target"),
        *(BenchTable(name, partial(_numbers, of=name), "numbers as they are") for name in NUMERIC),
    )
}


def write(name: str, data: Path, into: Path) -> Path:
    """The table as a file that every environment reads."""
    path = into / f"{name}.npz"
    if not path.exists():
        X, y = TABLES[name].recipe(data)
        np.savez(path, X=X, y=y)
    return path
