"""The tables of the corpus, the same to the last bit on every processor.

They are made of a random stream that numpy promises never to change (`RandomState`), and of +, -, *, / and
comparisons alone: matrix products, logarithms and the like have other last digits on other processors.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

Floats = NDArray[np.float64]

REGIONS = ("north", "east", "south", "west")
TOWNS = ("Ahl", "Bern", "Como", "Delft", "Essen", "Faro", "Gent", "Halle", "Iasi", "Jena", "Kiel", "Lund")
SIZES = ("tiny", "small", "medium", "large", "huge")


class Rows(NamedTuple):
    """Features and target."""

    X: Any
    y: Any


def bell(random: np.random.RandomState, *shape: int) -> Floats:
    """Numbers of mean 0 and variance 1/3, nearly normal: the sum of four even ones."""
    parts = random.random_sample((4, *shape))
    return np.asarray(parts[0] + parts[1] + parts[2] + parts[3] - 2)


@cache
def numbers(n: int, columns: int, classes: int, seed: int, levels: int | None = None) -> Rows:
    """An array of floats, or of integers below `levels`; classes are slices of a noisy sum of columns."""
    random = np.random.RandomState(seed)
    X = bell(random, n, columns) if levels is None else random.randint(0, levels, (n, columns)).astype(float)
    mean, scale = (0.0, 1.0) if levels is None else ((levels - 1) / 2, levels / 2)
    first, second, third = ((X[:, i % columns] - mean) / scale for i in range(3))
    signal = first + np.where(second > 0, third, -third) / 2 + bell(random, n) / 4
    return Rows(X, slices(signal, classes))


def slices(signal: Floats, classes: int) -> NDArray[np.int64]:
    """Class numbers: slices of about as many rows each."""
    place = np.argsort(np.argsort(signal, kind="stable"), kind="stable")
    return np.asarray(place * classes // len(signal), dtype=np.int64)


@cache
def amounts(n: int, columns: int, seed: int, levels: int | None = None) -> Rows:
    """An array and a target of numbers."""
    X = numbers(n, columns, 2, seed, levels).X
    random = np.random.RandomState(seed + 1)
    steps = np.where(X[:, 0] > 0.2, 3.0, 1.0) + np.where(X[:, 1 % columns] > 0.1, X[:, 2 % columns], 0.5)
    return Rows(X, np.round(steps * 4 + bell(random, n), 3))


@cache
def people(n: int, seed: int, missing: float = 0.0, classes: int = 2) -> Rows:
    """A pandas frame of every kind of column, and texts for classes; a share `missing` of values is lost."""
    random = np.random.RandomState(seed)
    age = random.randint(18, 90, n)
    income = np.round(bell(random, n) * 20 + 50, 1)
    region, town, size = random.randint(0, 4, n), random.randint(0, 12, n), random.randint(0, 5, n)
    member, visits = random.randint(0, 2, n) == 1, random.randint(0, 4, n)
    noise = np.round(bell(random, n), 1)
    signal = (
        (age > 50) * 2.0
        + (income - 50) / 20
        + np.where((region == 1) | (region == 3), 1.0, 0.0) * (size > 1)
        + (town % 5 == 2) * 1.5
        + member * (visits > 1) * 1.0
        + bell(random, n)
    )
    frame = pd.DataFrame(
        {
            "age": age,
            "income": income,
            "region": np.array(REGIONS, dtype=object)[region],
            "town": np.array(TOWNS, dtype=object)[town],
            "size": pd.Categorical(np.array(SIZES)[size], categories=list(SIZES), ordered=True),
            "member": member,
            "visits": visits,
            "noise": noise,
        }
    )
    if missing:
        for name in ("age", "income", "region", "town", "size"):
            lost = random.random_sample(n) < missing
            frame[name] = frame[name].where(~lost, None if name in ("region", "town") else np.nan)
    return Rows(
        frame, np.array(["no", "maybe", "often", "yes"][:: 3 if classes == 2 else 1])[slices(signal, classes)]
    )


@cache
def earnings(n: int, seed: int, missing: float = 0.0) -> Rows:
    """The same frame with a target of numbers."""
    X = people(n, seed, missing).X
    random = np.random.RandomState(seed + 1)
    steps = (X["age"] > 45).to_numpy() * 3.0 + X["region"].isin(["east", "west"]).to_numpy() * 2.0
    return Rows(X, np.round(steps * X["visits"].to_numpy() + bell(random, n) * 2, 2))


def in_polars(rows: Rows) -> Rows:
    """A frame of people in polars, with its sizes as an Enum."""
    X = rows.X.assign(size=rows.X["size"].astype(object).where(rows.X["size"].notna(), None))
    columns = {name: _listed(X[name]) for name in X.columns}
    frame = pl.DataFrame(columns, schema_overrides={"size": pl.Enum(SIZES)}, strict=False)
    return Rows(frame, rows.y)


def in_arrow(rows: Rows) -> Rows:
    """A frame of people as a pyarrow table, with its towns as a dictionary."""
    columns = {name: pa.array(_listed(rows.X[name])) for name in rows.X.columns}
    columns["town"] = columns["town"].dictionary_encode()
    return Rows(pa.table(columns), rows.y)


def _listed(column: Any) -> list[Any]:
    return [None if pd.isna(value) else value for value in column.tolist()]


def weights(n: int, kind: str) -> Floats:
    """Sample weights: "integer" (1 to 4), "float", or "zeros" (a third of the rows weighs nothing)."""
    random = np.random.RandomState(len(kind))
    if kind == "integer":
        return random.randint(1, 5, n).astype(float)
    if kind == "float":
        return np.asarray(random.random_sample(n) * 3 + 0.01)
    return random.randint(0, 3, n).astype(float)
