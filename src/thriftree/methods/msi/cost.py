"""The cost of a tree in MSI: how much its errors and its text say, measured by a compressor.

Paper 002, section III-D: inaccuracy |C(E)| / |C(X)|, surfeit 1 - |C(M)| / |M|, and a mean of the two. X are
the features, E the rows of X that the tree gets wrong, M the text of the tree (`msi_text`).
"""

from __future__ import annotations

import bz2
import lzma
import time
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf, sqrt
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.learning.limits import Limits
from thriftree.methods.msi.features import FeatureRows
from thriftree.methods.msi.stopping import Look

Combine: TypeAlias = Callable[[float, float], float]

# Each makes a compressor that takes its input in pieces; pieces do not change what comes out.
COMPRESSORS: Final[Mapping[str, Callable[[], Any]]] = {
    "bz2": partial(bz2.BZ2Compressor, 9),
    "zlib": partial(zlib.compressobj, 9),
    "lzma": partial(lzma.LZMACompressor, preset=9),
}
_PIECE: Final = 1 << 17  # characters
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
class TreeCost:
    """What a tree costs, and of what."""

    cost: float
    inaccuracy: float
    surfeit: float  # as it counts, after the treatment of short models


class CostFunction:
    """The cost of trees that predict the rows of one table."""

    def __init__(
        self,
        features: FeatureRows,
        compressor: str,
        combine: str,
        short_models: str,
        look: Look = lambda seconds: None,
    ) -> None:
        """`look` is called between pieces of what is compressed."""
        self._features = features
        self._compressor = COMPRESSORS[compressor]
        self._look = look
        self._combine = COMBINATIONS[combine]
        self._treat = SHORT_MODELS[short_models]
        self._signed = short_models == "literal"  # whether a negative surfeit stays negative
        self._slowest = 0.0  # seconds that a piece took
        self._all = self.length(features.pieces())
        # No stream of the three formats is shorter than the one of no bytes.
        self._least = self.length([]) / self._all

    def length(self, pieces: Iterable[bytes | NDArray[np.float64]]) -> int:
        """Bytes after compression."""
        compressor = self._compressor()
        length = 0
        for piece in pieces:
            self._look(self._slowest)
            start = time.perf_counter()
            length += len(compressor.compress(piece))
            self._slowest = max(self._slowest, time.perf_counter() - start)
        self._look(self._slowest)
        return length + len(compressor.flush())

    def inaccuracy(self, wrong: NDArray[np.bool_]) -> float:
        """|C(E)| / |C(X)| of a tree that gets these rows wrong."""
        return self.length(self._features.pieces(wrong)) / self._all

    def surfeit(self, text: str) -> float:
        """1 - |C(M)| / |M|, as the formula has it: below 0 where the compressor lengthens the text."""
        pieces = (text[at : at + _PIECE].encode("ascii") for at in range(0, len(text), _PIECE))
        return 1 - self.length(pieces) / len(text)

    def combined(self, inaccuracy: float, surfeit: float) -> TreeCost:
        """The cost from its two parts, short models treated."""
        surfeit = self._treat(inaccuracy, surfeit)
        return TreeCost(self._combine(inaccuracy, surfeit), inaccuracy, surfeit)

    def at_least(self, surfeit: float) -> float:
        """What a tree of this surfeit costs at least, whatever its errors."""
        if surfeit < 0 and self._signed:
            return -inf
        return self.combined(self._least, surfeit).cost


def affordable_threads(compressor: str, limits: Limits) -> int:
    """Threads that may compress at the same time. Raises MemoryError if the memory limit is too little for
    one.
    """
    if limits.memory_limit_mb is None:
        return limits.n_threads
    each = _WORKING_MB[compressor]
    if each > limits.memory_limit_mb:
        raise MemoryError(
            f"compressing with {compressor} needs {each} MB, but memory_limit_mb allows "
            f"{limits.memory_limit_mb:g} MB: raise the limit, or take another compressor (zlib needs least)"
        )
    return min(limits.n_threads, int(limits.memory_limit_mb / each))
