"""One round: a question to all parts, and the sums that come back, added on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.distributed.coded_part import CodedPart, GrowthSpec, Split

Sums = NDArray[Any]  # integers
_KINDS: Final[list[Any]] = [np.uint8, np.uint16, np.uint32, np.int64]
_PLACE: Final = {1: 0, 2: 1, 4: 2, 8: 3}  # among them, by bytes


@dataclass(frozen=True)
class Round:
    """What all parts are asked at once. Weights are those of whole nodes, where figures depend on them."""

    totals: tuple[int, ...] = ()  # nodes
    totals_weights: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()  # nodes
    columns: tuple[int, ...] = ()  # that are counted
    counts_weights: tuple[int, ...] = ()
    peek: tuple[int, _core.Partition] | None = None
    combinations: tuple[int, tuple[int, ...], int] | None = None  # node, columns, its weight
    opens: tuple[_core.OpenRequest, ...] = ()


@dataclass
class OpenedEntries:
    """What lies behind codes, request after request: entries ascend by their key."""

    sizes: NDArray[np.int64]  # entries of each request
    key: NDArray[np.float64]  # a value, or the number of a finer code
    extent: (
        NDArray[np.float64] | None
    )  # of each entry the least and the largest value; None: both are the key
    sums: Sums  # entries x statistics

    @property
    def nbytes(self) -> int:
        """As it travels."""
        return self.key.nbytes + self.sums.nbytes + (0 if self.extent is None else self.extent.nbytes)


@dataclass
class RoundAnswer:
    """Sums of some parts, as small on the wire as their numbers allow."""

    totals: Sums | None = None  # nodes x statistics
    ranges: NDArray[np.float64] | None = None  # nodes x (least, greatest)
    counts: list[Sums] | None = None  # by node: codes x statistics
    combinations: dict[tuple[int, ...], Sums] | None = None
    opened: tuple[OpenedEntries, OpenedEntries] | None = None  # requests by value, and the others

    @property
    def nbytes(self) -> int:
        """Of sums, as they travel."""
        return sum(x.nbytes for x in (*(self.counts or ()), *(self.opened or ())))


def answer(part: CodedPart, growth: GrowthSpec, splits: Sequence[Split], asked: Round) -> RoundAnswer | None:
    """What one part says; None where it has no rows."""
    if part.table is None:
        return None
    with part.lock:
        counter = part.counter(growth, splits)
        reply = RoundAnswer()
        if asked.totals:
            reply.totals, reply.ranges = counter.totals(list(asked.totals), list(asked.totals_weights))
        if asked.peek is not None:
            reply.totals, reply.ranges = counter.peek(*asked.peek, list(asked.totals_weights))
        if asked.counts:
            reply.counts = counter.count(list(asked.counts), list(asked.columns), list(asked.counts_weights))
        if asked.combinations is not None:
            node, columns, weight = asked.combinations
            codes, found = counter.count_combinations(node, list(columns), weight)
            reply.combinations = dict(zip(map(tuple, codes.tolist()), found, strict=True))
        if asked.opens:
            reply.opened = (_opened(counter, asked, True), _opened(counter, asked, False))
    return reply


def _opened(counter: _core.PartCounter, asked: Round, by_value: bool) -> OpenedEntries:
    sizes, key, low, high, sums = counter.open_codes([one for one in asked.opens if one.by_value == by_value])
    return OpenedEntries(sizes, key, None if by_value else np.stack([low, high], axis=1), sums)


def _together(a: OpenedEntries, b: OpenedEntries) -> OpenedEntries:
    request = np.concatenate([np.repeat(np.arange(len(one.sizes)), one.sizes) for one in (a, b)])
    if not len(request):
        return a
    key = np.concatenate([a.key, b.key])
    order = np.lexsort((key, request))
    request, key = request[order], key[order]
    is_first = np.append(True, (request[1:] != request[:-1]) | (key[1:] != key[:-1]))
    first = np.flatnonzero(is_first)
    sums = np.add.reduceat(np.concatenate([a.sums, b.sums])[order].astype(np.int64), first, axis=0)
    extent = None
    if a.extent is not None and b.extent is not None:
        both = np.concatenate([a.extent, b.extent])[order]
        low, high = np.minimum.reduceat(both[:, 0], first), np.maximum.reduceat(both[:, 1], first)
        extent = np.stack([low, high], axis=1)
    sizes = np.bincount(request[first], minlength=len(a.sizes))
    return OpenedEntries(sizes, key[first], extent, shrunk(sums))


def add(a: RoundAnswer | None, b: RoundAnswer | None) -> RoundAnswer | None:
    """What two parts say together."""
    if a is None or b is None:
        return b if a is None else a
    if a.totals is not None and b.totals is not None:
        a.totals = a.totals + b.totals
    if a.ranges is not None and b.ranges is not None:
        a.ranges = np.stack(
            [np.minimum(a.ranges[:, 0], b.ranges[:, 0]), np.maximum(a.ranges[:, 1], b.ranges[:, 1])], axis=1
        )
    if a.counts is not None and b.counts is not None:
        a.counts = [_sum(x, y) for x, y in zip(a.counts, b.counts, strict=True)]
    if a.opened is not None and b.opened is not None:
        a.opened = (_together(a.opened[0], b.opened[0]), _together(a.opened[1], b.opened[1]))
    if a.combinations is not None and b.combinations is not None:
        for codes, sums in b.combinations.items():
            a.combinations[codes] = a.combinations[codes] + sums if codes in a.combinations else sums
    return a


def shrunk(sums: Sums) -> Sums:
    """The same integers in as few bytes each as the largest needs."""
    low, high = (int(sums.min()), int(sums.max())) if sums.size else (0, 0)
    if low < 0:
        return sums
    kind = next(kind for kind in _KINDS if high <= np.iinfo(kind).max)
    return sums if sums.dtype == kind else sums.astype(kind)


def _sum(a: Sums, b: Sums) -> Sums:
    """Of a kind that holds it: one more byte or two where either is full."""
    wider = max(_PLACE[a.dtype.itemsize], _PLACE[b.dtype.itemsize])
    if _KINDS[wider] is not np.int64:
        most = int(a.max(initial=0)) + int(b.max(initial=0))
        wider += most > np.iinfo(_KINDS[wider]).max
    return np.add(a, b, dtype=_KINDS[wider])
