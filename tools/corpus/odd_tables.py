"""Tables at the edges: forms of frames, few rows, constant and equal columns, extreme and tied values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from corpus import tables
from corpus.learners import fit_recipe
from corpus.recipe import CorpusFit
from corpus.tables import Rows

_LEARNERS = ("CARTClassifier", "C45Classifier", "EnhancedTreeClassifier", "WorstCaseTreeClassifier")
_MORE = ("CHAIDClassifier", "PUBLICClassifier", "ID3Classifier", "BalancedClassifier")


def recipes() -> Iterator[CorpusFit]:
    """A few learners on each odd table, all learners on the oddest."""
    yield from _forms()
    for name, rows in {**_TINY, **_ODD}.items():
        for learner in (*_LEARNERS, *(_MORE if name in _TINY else ())):
            yield fit_recipe(f"odd/{name}/{learner}", learner, {}, rows)
    for name, rows in _NUMERIC.items():
        for learner in ("CARTRegressor", "EnhancedTreeRegressor"):
            yield fit_recipe(f"odd/{name}/{learner}", learner, {}, rows)
    for binning in ("quantile", "uniform", "kmeans"):
        for name in ("denormals", "near 2**53", "infinite range"):
            parameters = {"max_bins": 5, "binning": binning}
            yield fit_recipe(f"odd/{name}/{binning} bins", "CARTClassifier", parameters, _ODD[name])


def _forms() -> Iterator[CorpusFit]:
    people = partial(tables.people, 300, 41, 0.1)
    for form, convert in {"polars": tables.in_polars, "arrow": tables.in_arrow}.items():
        for learner in (*_LEARNERS, "QUESTClassifier"):
            yield fit_recipe(f"form/{form}/{learner}", learner, {}, partial(_converted, convert, people))
    for name, change in _ARRAYS.items():
        same_as = None if name in ("C order", "float32", "integers") else "form/C order/CARTClassifier"
        for learner in ("CARTClassifier", "EnhancedTreeClassifier"):
            same = None if same_as is None else f"form/C order/{learner}"
            yield fit_recipe(f"form/{name}/{learner}", learner, {}, partial(_changed, change), same_as=same)
    yield fit_recipe("form/texts in an array", "C45Classifier", {"categorical_features": [0, 1]}, _texts)


_ARRAYS: dict[str, Callable[[Any], Any]] = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "every second row of a larger array": lambda X: np.repeat(X, 2, axis=0)[::2],
    "lists": lambda X: X.tolist(),
    "float32": lambda X: X.astype(np.float32),
    "integers": lambda X: np.floor(X * 100).astype(np.int64),
}


def _converted(convert: Callable[[Rows], Rows], rows: Callable[[], Rows]) -> Rows:
    return convert(rows())


def _changed(change: Callable[[Any], Any]) -> Rows:
    X, y = tables.numbers(300, 5, 3, 42)
    return Rows(change(X), y)


def _texts() -> Rows:
    X, y = tables.people(200, 43)
    return Rows(X[["region", "town"]].to_numpy(dtype=object), y)


@cache
def _labelled(seed: int, columns: Callable[[np.random.RandomState, int], list[Any]], n: int = 200) -> Rows:
    """Columns of a maker, and two classes that follow the first column's ranks with some noise."""
    random = np.random.RandomState(seed)
    X = np.column_stack(columns(random, n))
    rank = np.argsort(np.argsort(X[:, 0], kind="stable"), kind="stable") / n
    return Rows(X, (rank + random.random_sample(n) / 2 > 0.7).astype(np.int64))


def _extreme(random: np.random.RandomState, n: int) -> list[Any]:
    return [tables.bell(random, n) * 8.9e307, np.where(random.randint(0, 2, n) == 1, 1e308, -1e308)]


def _denormal(random: np.random.RandomState, n: int) -> list[Any]:
    return [random.randint(0, 40, n) * 5e-324, random.randint(-9, 9, n) * 1e-310]


def _huge_integers(random: np.random.RandomState, n: int) -> list[Any]:
    return [2.0**53 - random.randint(0, 30, n), 2.0**53 + 2.0 * random.randint(0, 9, n)]


def _neighbours(random: np.random.RandomState, n: int) -> list[Any]:
    return [1 + random.randint(0, 12, n) * 2.0**-52, np.where(random.randint(0, 2, n) == 1, 0.0, -0.0)]


def _constant(random: np.random.RandomState, n: int) -> list[Any]:
    return [tables.bell(random, n), np.full(n, 7.0), np.full(n, np.nan), random.randint(0, 3, n)]


def _equal_columns(random: np.random.RandomState, n: int) -> list[Any]:
    first = np.round(tables.bell(random, n), 1)
    return [first, first, first * 2, -first, random.randint(0, 3, n)]


def _tied(random: np.random.RandomState, n: int) -> list[Any]:
    return [random.randint(0, 2, n) for _ in range(12)]


def _half_missing(random: np.random.RandomState, n: int) -> list[Any]:
    return [np.where(random.random_sample(n) < 0.5, np.nan, tables.bell(random, n)) for _ in range(4)]


def _exclusive_or() -> Rows:
    X = np.array([[i & 1, i >> 1 & 1, i >> 2] for i in range(4)] * 5 + [[0, 1, 1]] * 2, dtype=float)
    return Rows(X, (X[:, 0] != X[:, 1]).astype(np.int64))


def _many_categories() -> Rows:
    random = np.random.RandomState(52)
    code = random.randint(0, 150, 600)
    frame = pd.DataFrame(
        {"code": np.char.add("k", code.astype(str)), "x": np.round(tables.bell(random, 600), 2)}
    )
    return Rows(frame, np.where((code % 7 < 3) ^ (random.random_sample(600) < 0.1), "b", "a"))


def _missing_in_every_kind() -> Rows:
    X, y = tables.people(250, 53, 0.4)
    return Rows(X.assign(member=X["member"].astype("boolean").where(X["noise"] > -0.5)), y)


def _rows(X: list[list[float]], y: list[Any]) -> Rows:
    return Rows(np.array(X, dtype=float), np.array(y))


_TINY: dict[str, Callable[[], Rows]] = {
    "one row": partial(_rows, [[1.0, 2.0]], ["a"]),
    "two rows": partial(_rows, [[1.0, 2.0], [3.0, 2.0]], ["b", "a"]),
    "one class": partial(_rows, [[1.0], [2.0], [3.0]], ["a", "a", "a"]),
    "one value": partial(_rows, [[4.0], [4.0], [4.0]], [1, 0, 1]),
    "exclusive or": _exclusive_or,
    "booleans": partial(
        _rows, [[0.0, 1.0], [1.0, 1.0], [0.0, 0.0], [1.0, 0.0]] * 6, [False, True, True, True] * 6
    ),
}
_ODD: dict[str, Callable[[], Rows]] = {
    "infinite range": partial(_labelled, 61, _extreme),
    "denormals": partial(_labelled, 62, _denormal),
    "near 2**53": partial(_labelled, 63, _huge_integers),
    "neighbouring floats": partial(_labelled, 64, _neighbours),
    "constant columns": partial(_labelled, 65, _constant),
    "equal columns": partial(_labelled, 66, _equal_columns),
    "ties galore": partial(_labelled, 67, _tied, 400),
    "half missing": partial(_labelled, 68, _half_missing),
    "many categories": _many_categories,
    "missing in every kind": _missing_in_every_kind,
}


def _number(seed: int, scale: float, shift: float) -> Rows:
    X, y = tables.amounts(200, 4, seed)
    return Rows(X, y * scale + shift)


_NUMERIC: dict[str, Callable[[], Rows]] = {
    "one number": partial(_rows, [[1.0], [2.0], [3.0]], [2.5, 2.5, 2.5]),
    "two numbers": partial(_rows, [[1.0], [2.0], [3.0], [4.0]], [0.0, 0.0, 1.0, 1.0]),
    "large numbers": partial(_number, 71, 1e70, 0.0),
    "small differences": partial(_number, 72, 1e-9, 1e6),
    "negative numbers": partial(_number, 73, -1.0, -3.0),
}
