"""The cost of a tree in MSI: how much its errors and its text say, measured by a compressor.

Paper 002, section III-D: inaccuracy |C(E)| / |C(X)|, surfeit 1 - |C(M)| / |M|, and a mean of the two. X are
the features, E the rows of X that the tree gets wrong, M the text of the tree (`msi_text`).
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import ceil, inf, sqrt
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.learning.limits import Limits

Floats = NDArray[np.float64]
Combine: TypeAlias = Callable[[float, float], float]

COMPRESSORS: Final[Mapping[str, Callable[[bytes | Floats], bytes]]] = {
    "bz2": partial(bz2.compress, compresslevel=9),
    "zlib": partial(zlib.compress, level=9),
    "lzma": partial(lzma.compress, preset=9),
}
# What one call needs beside its input and output, by the libraries' manuals.
_WORKING_MB: Final = {"bz2": 8, "zlib": 1, "lzma": 675}


def _harmonic(inaccuracy: float, surfeit: float) -> float:
    if surfeit == 0:
        return 0.0
    reciprocals = 1 / inaccuracy + 1 / surfeit
    return 2 / reciprocals if reciprocals else inf


def _geometric(inaccuracy: float, surfeit: float) -> float:
    return sqrt(inaccuracy * surfeit) if surfeit >= 0 else inf


# How inaccuracy (always positive) and surfeit become one number. A mean that does not exist is inf: no tree
# is preferred for it. Every one is made of correctly rounded steps that are each monotone, so while the
# surfeit is not negative the computed number, too, never falls when either of the two rises:
# `CostFunction.at_least` needs that.
COMBINATIONS: Final[Mapping[str, Combine]] = {
    "harmonic": _harmonic,
    "arithmetic": lambda inaccuracy, surfeit: (inaccuracy + surfeit) / 2,
    "geometric": _geometric,
    "euclidean": lambda inaccuracy, surfeit: sqrt(inaccuracy * inaccuracy + surfeit * surfeit),
    "sum": lambda inaccuracy, surfeit: inaccuracy + surfeit,
    "product": lambda inaccuracy, surfeit: inaccuracy * surfeit,
}

# What the surfeit of a model counts as that is too short for its compressed text to mean anything: paper 002
# does not consider models with |M| < K(X), and does not say how it finds them.
SHORT_MODELS: Final[Mapping[str, Combine]] = {
    "clip": lambda inaccuracy, surfeit: max(surfeit, inaccuracy),
    "reject": lambda inaccuracy, surfeit: 1.0 if surfeit < inaccuracy else surfeit,
    "literal": lambda inaccuracy, surfeit: surfeit,
}


@dataclass(frozen=True)
class Cost:
    """What a tree costs, and of what."""

    cost: float
    inaccuracy: float
    surfeit: float  # as it counts, after the treatment of short models


class CostFunction:
    """The cost of trees that predict the rows of one table."""

    def __init__(self, features: Floats, compressor: str, combine: str, short_models: str) -> None:
        """`features` are as `feature_matrix` makes them."""
        self._features = features
        self._compress = COMPRESSORS[compressor]
        self._combine = COMBINATIONS[combine]
        self._treat = SHORT_MODELS[short_models]
        self._signed = short_models == "literal"  # whether a negative surfeit stays negative
        self._all = self.length(features)
        # No stream of the three formats is shorter than the one of no bytes.
        self._least = self.length(b"") / self._all

    def length(self, data: bytes | Floats) -> int:
        """Bytes after compression."""
        return len(self._compress(data))

    def inaccuracy(self, wrong: NDArray[np.bool_]) -> float:
        """|C(E)| / |C(X)| of a tree that gets these rows wrong."""
        return self.length(self._features[wrong]) / self._all

    def surfeit(self, text: str) -> float:
        """1 - |C(M)| / |M|, as the formula has it: below 0 where the compressor lengthens the text."""
        return 1 - self.length(text.encode("ascii")) / len(text)

    def combined(self, inaccuracy: float, surfeit: float) -> Cost:
        """The cost from its two parts, short models treated."""
        surfeit = self._treat(inaccuracy, surfeit)
        return Cost(self._combine(inaccuracy, surfeit), inaccuracy, surfeit)

    def at_least(self, surfeit: float) -> float:
        """What a tree of this surfeit costs at least, whatever its errors."""
        if surfeit < 0 and self._signed:
            return -inf
        return self.combined(self._least, surfeit).cost


def feature_matrix(inputs: Any, n_columns: int) -> Floats:
    """The features as rows of little-endian float64: equal tables have equal bytes, whatever they came as.

    `inputs` is what `prediction_inputs` gives: one array of numbers, or an array a column, where integers are
    codes of categories. Codes count as numbers, missing values are one NaN, and -0 is 0.
    """
    columns = [inputs[:, j] for j in range(n_columns)] if isinstance(inputs, np.ndarray) else list(inputs)
    matrix = np.empty((len(columns[0]), n_columns), dtype="<f8")
    for j, column in enumerate(columns):
        matrix[:, j] = np.where(column < 0, np.nan, column) if column.dtype.kind == "i" else column
    matrix += 0.0
    matrix[np.isnan(matrix)] = np.nan
    return matrix


def affordable_threads(compressor: str, shape: tuple[int, int], limits: Limits) -> int:
    """Threads that may compress rows of a table of this shape at the same time. Raises MemoryError if the
    memory limit is too little for one.
    """
    if limits.memory_limit_mb is None:
        return limits.n_threads
    table = shape[0] * shape[1] * 8 / 1e6
    each = table + _WORKING_MB[compressor]
    if table + each > limits.memory_limit_mb:
        raise MemoryError(
            f"compressing {shape[0]} rows of {shape[1]} columns with {compressor} needs "
            f"{ceil(table + each)} MB in all, but memory_limit_mb allows {limits.memory_limit_mb:g} MB: "
            "raise the limit, or take another compressor (zlib needs least)"
        )
    return min(limits.n_threads, int((limits.memory_limit_mb - table) / each))
