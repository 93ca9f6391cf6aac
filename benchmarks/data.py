"""Tables with a planted signal, so that trees on them look like trees on real data.

The score is x0 + x1 + x1 x2 + x3 / 2 + noise; all other columns say nothing. Column 2 matters only below a
test on column 1, as in real tables, but a greedy tree need not be lucky to find it, as with x1 x2 alone: so
two libraries that do the same find equally good trees. The classes are equal shares of the rows by score.
The noise keeps full-depth trees deep and leaves impure. Every table is a C-ordered float32 array, the format
that scikit-learn's trees use without converting. Each is made once a run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

LEVELS = 16
_LEVELS_REACH = 3.0  # standard deviations on each side of 0 that the levels cover


@dataclass(frozen=True, eq=False)  # compared by identity, so that a table can be the key of a cache
class Data:
    """A table, its target, and perhaps weights of the rows."""

    X: Array
    y: Array
    sample_weight: Array | None = None

    @property
    def n_classes(self) -> int:
        return int(self.y.max()) + 1


@cache
def floats(rows: int, columns: int, classes: int, *, weighted: bool = False) -> Data:
    """Normal values, all distinct but for chance."""
    random = np.random.default_rng(1)
    X = random.standard_normal((rows, columns), dtype=np.float32)
    y = _classes(_score(X, random), classes)
    return Data(X, y, random.uniform(0.5, 2.0, rows) if weighted else None)


@cache
def levels(rows: int, columns: int, classes: int) -> Data:
    """Normal values rounded to ``LEVELS`` levels in every column."""
    random = np.random.default_rng(2)
    X = random.standard_normal((rows, columns), dtype=np.float32)
    step = 2 * _LEVELS_REACH / LEVELS
    np.floor((X + np.float32(_LEVELS_REACH)) / np.float32(step), out=X)
    np.clip(X, 0, LEVELS - 1, out=X)
    return Data(X, _classes(_score((X - X.mean(axis=0)) * np.float32(step), random), classes))


@cache
def two_valued(rows: int, columns: int, classes: int) -> Data:
    """Zeros and ones. Columns 4 to 11 matter a little too: four such columns alone could not fill a tree."""
    random = np.random.default_rng(3)
    X = random.integers(0, 2, (rows, columns), dtype=np.uint8).astype(np.float32)
    signs = 2 * X[:, :12] - 1
    weak = signs[:, 4:] @ np.linspace(0.4, 0.1, 8, dtype=np.float32)
    return Data(X, _classes(_score(signs, random) + weak, classes))


@cache
def numeric_target(rows: int, columns: int) -> Data:
    """Normal values with the score itself as the target."""
    random = np.random.default_rng(4)
    X = random.standard_normal((rows, columns), dtype=np.float32)
    return Data(X, _score(X, random).astype(np.float64))


def _score(X: Array, random: np.random.Generator) -> Array:
    noise = random.standard_normal(len(X), dtype=np.float32)
    return np.asarray(X[:, 0] + X[:, 1] + X[:, 1] * X[:, 2] + np.float32(0.5) * X[:, 3] + noise)


def _classes(score: Array, classes: int) -> Array:
    edges = np.quantile(score, np.arange(1, classes) / classes)
    return np.searchsorted(edges, score)
