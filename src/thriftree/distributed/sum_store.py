"""The row store of a table in parts: what the core asks for, as few rounds as the growth allows.

A round carries all splits so far, so that a part which lost its counter makes them again. Children are not
asked for their totals where those follow from the sums of their parent, and of the children of a node the
largest is not counted: its sums are what the others leave of the parent's.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import inf
from typing import Any, Final
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.distributed.coded_part import GrowthSpec, Split, TargetSpec
from thriftree.distributed.parts import Parts
from thriftree.distributed.rounds import OpenedEntries, Round, RoundAnswer, add, answer, shrunk
from thriftree.learning.progress import told_of_rounds

_NODE_DEPENDENT: Final = frozenset({"heavy_term", "dominant_weight"})  # of the whole node, so no differences
_BYTES: Final = 4 * 2**20  # of an answer at most, about: more nodes take more than one round


@dataclass(frozen=True)
class CountedNode:
    """The sums of a node, as they came."""

    columns: tuple[int, ...]
    sums: NDArray[Any]  # codes of these columns, one after the other, x statistics that travel


@dataclass(frozen=True)
class Family:
    """The children of a node: the sums of one may be told from those of the others and of the parent."""

    parent: int
    children: tuple[int, ...]
    sizes: tuple[int, ...]  # rows of each

    @property
    def largest(self) -> int:
        """The first of the largest children."""
        return self.children[int(np.argmax(self.sizes))]


class SumStore:
    """Rows of a table in parts, counted beside them; see docs/decisions/013 for what is asked."""

    def __init__(
        self,
        parts: Parts,
        target: TargetSpec,
        header: _core.TargetHeader,
        columns: Sequence[_core.Column],
        preferred_batch_rows: float = inf,
    ) -> None:
        self.preferred_batch_rows = preferred_batch_rows
        self._parts, self._target, self._header = parts, target, header
        self._columns = list(columns)
        self._of_code: list[tuple[str, int]] = []
        self._of_node: list[tuple[str, int]] = []
        self._heavy_above = 0
        self._derived: int | None = None  # the statistic of a code that follows from others and stays away
        self._growth: GrowthSpec | None = None
        self._splits: list[Split] = []
        self._counted: dict[int, CountedNode] = {}
        self._families: dict[int, Family] = {}  # by child
        self._closed: set[int] = set()
        self._cuts: dict[int, NDArray[np.int64]] = {}  # by node: see tell_cut
        self.n_rounds = 0
        self.n_bytes: list[int] = []  # of the sums of each round, as they came to the driver

    def prepare(
        self, of_code: list[tuple[str, int]], of_node: list[tuple[str, int]], heavy_above: int
    ) -> None:
        """What will be asked for."""
        self._of_code, self._of_node, self._heavy_above = of_code, of_node, heavy_above
        if not self._header.weighted and of_code[0] == ("objects", -1):
            # Rows that weigh 1 are the weights of their classes, added; of numbers, their weight.
            self._derived = 0 if self._header.n_classes else 1
        self._growth = self._new_growth()

    def _new_growth(self) -> GrowthSpec:
        travelling = tuple(s for i, s in enumerate(self._of_code) if i != self._derived)
        return GrowthSpec(uuid4().hex, self._target, travelling, tuple(self._of_node), self._heavy_above)

    def _complete(self, sums: NDArray[Any], out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """Sums as they came, with the statistic that stayed away."""
        complete = np.empty((*sums.shape[:-1], len(self._of_code)), np.int64) if out is None else out
        if self._derived is None:
            complete[...] = sums
        elif self._derived == 0:
            complete[..., 1:] = sums
            complete[..., 0] = complete[..., 1]
            for k in range(2, self._header.n_classes + 1):
                complete[..., 0] += complete[..., k]
        else:
            complete[..., 0] = complete[..., 1] = sums[..., 0]
            complete[..., 2:] = sums[..., 1:]
        return complete

    @cached_property
    def _terms(self) -> bool:
        return any(name in _NODE_DEPENDENT for name, _ in self._of_code)

    @cached_property
    def _totals_from_codes(self) -> list[int] | None:
        """For each statistic of a node the one of a code that adds up to it; None: some have none."""
        of_code = {statistic: i for i, statistic in enumerate(self._of_code)}
        if self._terms or not self._header.n_classes:
            return None
        found = []
        for name, group in self._of_node:
            same = of_code.get((name, group))
            if same is None and name == "objects" and group >= 0 and not self._header.weighted:
                same = of_code.get(("weight", group))
            if same is None:
                return None
            found.append(same)
        return found

    def _ask(self, asked: Round) -> RoundAnswer:
        self.n_rounds += 1
        start = time.perf_counter()
        reply: RoundAnswer | None = self._parts.reduce(answer, add, self._growth, self._splits, asked)
        if reply is None:
            raise AssertionError("no part has rows")
        told = told_of_rounds()
        if told is not None:
            told(self.n_rounds, self._header.n_rows, time.perf_counter() - start)
        self.n_bytes.append(reply.nbytes)
        return reply

    def open_root(self, weight: int) -> Any:
        """The totals of all rows; the root is counted in the same round."""
        self._growth = self._new_growth()
        self._splits, self._counted, self._families, self._closed = [], {}, {}, set()
        self._cuts = {}
        weights = (weight,) if self._terms else ()
        columns = tuple(range(len(self._columns)))
        reply = self._ask(Round((0,), weights, (0,), columns, weights))
        self._keep((0,), columns, reply)
        return self._totals(reply)

    def _keep(self, nodes: Sequence[int], columns: tuple[int, ...], reply: RoundAnswer) -> None:
        for node, sums in zip(nodes, reply.counts or (), strict=True):
            self._counted[node] = CountedNode(columns, sums)

    def _totals(self, reply: RoundAnswer) -> Any:
        return reply.totals if self._header.n_classes else (reply.totals, reply.ranges)

    def count(self, nodes: list[int], columns: list[int], weights: list[int]) -> NDArray[np.int64]:
        """The sums of these nodes, in one round for what is not known yet."""
        weight_of = dict(zip(nodes, weights, strict=True)) if self._terms else {}
        self._count_missing(nodes, tuple(columns), weight_of)
        width = sum(self._columns[j].n_codes for j in columns)
        sums = np.empty((len(nodes), width, len(self._of_code)), np.int64)
        for i, node in enumerate(nodes):
            self._complete(self._slice(self._counted[node], columns), sums[i])
        self._forget()
        return sums

    def _count_missing(
        self, nodes: Sequence[int], columns: tuple[int, ...], weight_of: Mapping[int, int]
    ) -> None:
        missing = {node for node in nodes if not self._has(node, columns)}
        left_out = [node for node in nodes if node in missing and self._follows(node, missing, columns)]
        asked = [node for node in nodes if node in missing and node not in set(left_out)]
        for some in self._messages(asked, columns):
            weights = tuple(weight_of[node] for node in some) if self._terms else ()
            self._keep(some, columns, self._ask(Round(counts=some, columns=columns, counts_weights=weights)))
        for node in left_out:
            self._subtract(node, columns)

    def _has(self, node: int, columns: Sequence[int]) -> bool:
        return node in self._counted and set(columns) <= set(self._counted[node].columns)

    def _messages(self, nodes: Sequence[int], columns: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The nodes in groups whose sums make a message that is not too large."""
        some: list[int] = []
        size = 0
        for node in nodes:
            n_bytes = self._bytes_of(node, columns)
            if some and size + n_bytes > _BYTES:
                yield tuple(some)
                some, size = [], 0
            some.append(node)
            size += n_bytes
        if some:
            yield tuple(some)

    def _bytes_of(self, node: int, columns: tuple[int, ...]) -> int:
        """Of a node's sums in a message, about."""
        n_travelling = len(self._of_code) - (self._derived is not None)
        n_sums = sum(self._columns[j].n_codes for j in columns) * n_travelling
        if self._header.weighted or not self._header.n_classes:
            return 8 * n_sums
        family = self._families.get(node)
        if family is None:
            return 4 * n_sums
        n_rows = family.sizes[family.children.index(node)]
        by_rows = 1 if n_rows < 256 else 2 if n_rows < 65536 else 4
        parent = self._counted.get(family.parent)  # none of whose sums a child's exceeds
        return n_sums * (by_rows if parent is None else min(by_rows, parent.sums.dtype.itemsize))

    def _follows(self, node: int, missing: Collection[int], columns: tuple[int, ...]) -> bool:
        """Whether a node is the largest of its siblings, of which all others are counted or about to be."""
        family = self._families.get(node)
        if family is None or self._terms or family.largest != node or not self._has(family.parent, columns):
            return False
        others = [child for child in family.children if child != node]
        return all(child in missing or self._has(child, columns) for child in others)

    def _subtract(self, node: int, columns: tuple[int, ...]) -> None:
        family = self._families[node]
        sums = self._slice(self._counted[family.parent], columns).astype(np.int64)
        for child in family.children:
            if child != node:
                sums -= self._slice(self._counted[child], columns)
        self._counted[node] = CountedNode(columns, shrunk(sums))

    def _slice(self, counted: CountedNode, columns: Sequence[int]) -> NDArray[Any]:
        """The sums of some of the columns that were counted."""
        if tuple(columns) == counted.columns:
            return counted.sums
        sizes = [self._columns[j].n_codes for j in counted.columns]
        begin = dict(zip(counted.columns, accumulate(sizes, initial=0), strict=False))
        pieces = [counted.sums[begin[j] : begin[j] + self._columns[j].n_codes] for j in columns]
        return np.concatenate(pieces)

    def divide(
        self,
        nodes: list[int],
        partitions: list[_core.Partition],
        first_children: list[int],
        weights: list[int],
    ) -> Any:
        """The totals of all children: from the sums of their parents where these tell them."""
        children: list[int] = []
        known = all(node in self._counted for node in nodes)
        for node, partition, first in zip(nodes, partitions, first_children, strict=True):
            self._splits.append((node, partition, first))
            siblings = tuple(range(first, first + partition.n_branches))
            children += siblings
            if known and self._of_code[0][0] == "objects":
                sizes = tuple(self._by_branch(node, partition)[:, 0].tolist())
                self._families |= dict.fromkeys(siblings, Family(node, siblings, sizes))
        which = self._totals_from_codes
        if which is not None and known:
            pairs = zip(nodes, partitions, strict=True)
            return np.concatenate([self._by_branch(node, partition)[:, which] for node, partition in pairs])
        return self._divided_by_asking(nodes, children, weights)

    def _divided_by_asking(self, nodes: list[int], children: list[int], weights: list[int]) -> Any:
        """The totals of children in one round, in which they are counted, too, if that is not too much: of
        those that a stop rule ends it is in vain.
        """
        weight_of = dict(zip(children, weights, strict=True)) if self._terms else {}
        asked: tuple[int, ...] = ()
        columns: tuple[int, ...] = ()
        if all(child in self._families for child in children):
            columns = tuple(sorted(set.intersection(*(set(self._counted[n].columns) for n in nodes))))
            divisible = {child for child in children if max(self._families[child].sizes) > 1}
            asked = tuple(c for c in children if c in divisible and not self._follows(c, divisible, columns))
        if sum(self._bytes_of(child, columns) for child in asked) > _BYTES:
            asked = ()
        counted_weights = tuple(weight_of[child] for child in asked) if self._terms else ()
        own_weights = tuple(weights) if self._terms else ()
        reply = self._ask(Round(tuple(children), own_weights, asked, columns, counted_weights))
        if asked:
            self._keep(asked, columns, reply)
        return self._totals(reply)

    def _by_branch(self, node: int, partition: _core.Partition) -> NDArray[np.int64]:
        """The sums of the branches that a test makes of a counted node."""
        column = self._columns[partition.column]
        sums = self._complete(self._slice(self._counted[node], [partition.column]))
        missing = column.n_codes - 1 if column.has_missing else None
        to = partition.branches(np.arange(column.n_codes, dtype=np.uint32), missing)
        seen = sums[:, 0] > 0
        found = np.zeros((partition.n_branches, sums.shape[1]), np.int64)
        np.add.at(found, to[seen], sums[seen])
        below = self._cuts.get(node)
        if below is not None:  # the threshold lies inside the last code of the lower branch
            code = np.count_nonzero(to[: column.n_codes - column.has_missing] == to[0]) - 1
            found[to[0]] -= sums[code] - below
            found[1 - to[0]] += sums[code] - below
        return found

    def peek(self, node: int, partition: _core.Partition, weights: list[int]) -> Any:
        """The totals that dividing would give."""
        which = self._totals_from_codes
        if which is not None and node in self._counted:
            return self._by_branch(node, partition)[:, which]
        own_weights = tuple(weights) if self._terms else ()
        return self._totals(self._ask(Round(totals_weights=own_weights, peek=(node, partition))))

    def count_combinations(self, node: int, columns: list[int], weight: int) -> NDArray[np.int64]:
        """The sums of every combination of codes, in the order of the codes."""
        found = self._ask(Round(combinations=(node, tuple(columns), weight))).combinations or {}
        return self._complete(np.array([found[codes] for codes in sorted(found)]))

    def open_codes(self, requests: list[_core.OpenRequest]) -> list[Any]:
        """What lies behind codes of spans, by value or in finer codes: (low, high, sums) of each request."""
        opened = self._ask(Round(opens=tuple(requests))).opened
        if opened is None:
            raise AssertionError("parts answer what they are asked")
        entries = iter(self._entries(opened[1])), iter(self._entries(opened[0]))
        return [next(entries[request.by_value]) for request in requests]

    def _entries(self, opened: OpenedEntries) -> Iterator[tuple[Any, Any, Any]]:
        sums, ends = self._complete(opened.sums), np.cumsum(opened.sizes)
        low, high = (opened.key, opened.key) if opened.extent is None else opened.extent.T
        for begin, end in zip(ends - opened.sizes, ends, strict=True):
            yield low[begin:end], high[begin:end], sums[begin:end]

    def tell_cut(self, node: int, sums: list[int]) -> None:
        """The node will be divided inside a code: the sums of that code's rows in the lower branch."""
        self._cuts[node] = np.array(sums, np.int64)

    def close(self, nodes: list[int]) -> None:
        """The sums of these nodes may go, unless others follow from them."""
        self._closed.update(nodes)
        self._forget()

    def _forget(self) -> None:
        """Drops what nobody needs: sums of closed nodes, but for those from which siblings may follow."""
        needed: set[int] = set()
        for family in {family.parent: family for family in self._families.values()}.values():
            if all(child in self._counted or child in self._closed for child in family.children):
                for child in family.children:
                    self._families.pop(child, None)
            else:
                needed |= {family.parent, *family.children}
        for node in self._closed - needed:
            self._counted.pop(node, None)
            self._cuts.pop(node, None)
        self._closed &= needed
