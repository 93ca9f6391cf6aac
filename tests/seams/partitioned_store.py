"""A row store in numpy whose rows lie in several partitions, each counted by itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np

from thriftree import _core
from thriftree.learning.counting import CountedRows, counted_by

LOW = 2**32 - 1


class PartitionedStore:
    """Sums are integers, so it does not matter where they are added. One of several partitions is empty."""

    def __init__(self, table, target, options, n_parts, preferred_batch_rows=np.inf):
        self.preferred_batch_rows = preferred_batch_rows
        self.columns = [table.column(j) for j in range(table.n_columns)]
        counted, object_of_row = target, None
        if options.scoring.objects:  # all rows meet here: on a cluster that is a shuffle
            counted, object_of_row = target.objects(table, options.objects_weigh)
        self.target, self.rows = counted.header, None
        self.target.members = self.target.members and options.members_matter
        codes, figures = np.array([table.codes(j) for j in range(table.n_columns)]), _figures(counted)
        if object_of_row is not None:
            self.rows = target.header
            codes = codes[:, np.unique(object_of_row, return_index=True)[1]]
            figures |= _behind(target, object_of_row, counted.n_rows)
        places = np.array_split(np.arange(counted.n_rows), max(1, n_parts - 1))
        if n_parts > 1:
            places.insert(1, np.arange(0))
        self.parts = [
            SimpleNamespace(codes=codes[:, at], figures={k: v[at] for k, v in figures.items()})
            for at in places
        ]
        self.counts, self.divides = [], []  # the nodes of every call

    def prepare(self, of_code, of_node, heavy_above):
        self.of_code, self.of_node, self.heavy_above = of_code, of_node, heavy_above

    def open_root(self, weight):
        for part in self.parts:
            part.nodes = {0: np.arange(part.codes.shape[1])}
        return self.totals([[part.nodes[0] for part in self.parts]], [weight])

    def count(self, nodes, columns, weights):
        self.counts.append(nodes)
        begin = np.cumsum([0] + [self.columns[j].n_codes for j in columns])
        sums = np.zeros((len(nodes), begin[-1], len(self.of_code)), np.int64)
        for part in self.parts:
            for i, node in enumerate(nodes):
                rows = part.nodes[node]
                values = self.values(part, rows, self.of_code, weights[i] if weights else 0)
                for j, first in zip(columns, begin, strict=False):
                    np.add.at(sums[i], first + part.codes[j, rows].astype(np.intp), values)
        return sums

    def divide(self, nodes, partitions, first_children, weights):
        self.divides.append(nodes)
        children = []
        for node, partition, first in zip(nodes, partitions, first_children, strict=True):
            for v, rows in enumerate(self.branches(node, partition)):
                children.append(rows)
                for part, at in zip(self.parts, rows, strict=True):
                    part.nodes[first + v] = at
        return self.totals(children, weights)

    def peek(self, node, partition, weights):
        return self.totals(self.branches(node, partition), weights)

    def count_combinations(self, node, columns, weight):
        rows = [part.nodes[node] for part in self.parts]
        codes = np.hstack([part.codes[columns][:, at] for part, at in zip(self.parts, rows, strict=True)])
        which = np.unique(codes, axis=1, return_inverse=True)[1].reshape(-1)
        sums = np.zeros((which.max() + 1, len(self.of_code)), np.int64)
        values = [self.values(p, at, self.of_code, weight) for p, at in zip(self.parts, rows, strict=True)]
        np.add.at(sums, which, np.vstack(values))
        return sums

    def close(self, nodes):
        for part in self.parts:
            for node in nodes:
                part.nodes.pop(node, None)

    def branches(self, node, partition):
        """The rows of each branch in each partition."""
        column = self.columns[partition.column]
        missing = column.n_codes - 1 if column.has_missing else None
        to = [
            partition.branches(part.codes[partition.column][part.nodes[node]], missing) for part in self.parts
        ]
        of_parts = list(zip(self.parts, to, strict=True))
        return [
            [part.nodes[node][branch == v] for part, branch in of_parts] for v in range(partition.n_branches)
        ]

    def totals(self, nodes, weights):
        """Of nodes given by their rows in each partition."""
        weights = weights or [0] * len(nodes)
        sums = np.zeros((len(nodes), len(self.of_node)), np.int64)
        ranges = np.tile([np.inf, -np.inf], (len(nodes), 1))
        for i, (rows, weight) in enumerate(zip(nodes, weights, strict=True)):
            for part, at in zip(self.parts, rows, strict=True):
                sums[i] += self.values(part, at, self.of_node, weight).sum(axis=0)
                if not self.target.n_classes and len(at):
                    numbers = part.figures["value"][at]
                    ranges[i] = min(ranges[i, 0], numbers.min()), max(ranges[i, 1], numbers.max())
        return sums if self.target.n_classes else (sums, ranges)

    def values(self, part, rows, statistics, weight):
        """What each of these rows adds to each statistic."""
        known = {name: figure[rows] for name, figure in part.figures.items()}
        w = known["weight"]
        heavy, dominant = w > self.heavy_above, w > weight - w
        known["heavy_weight"] = np.where(heavy, w, 0)
        known["dominant_weight"] = np.where(heavy & dominant, w, 0)
        term = w / np.where(dominant, np.inf, weight - w) * 2.0**56
        known["heavy_term"] = np.where(heavy, np.floor(term) + (term % 1 >= 0.5), 0).astype(np.int64)
        columns = np.empty((len(rows), len(statistics)), np.int64)
        for i, (name, group) in enumerate(statistics):
            if name == "weight_behind" and group >= 0:
                columns[:, i] = known[f"weight_behind_{group}"]
            else:
                columns[:, i] = known[name] * (known["label"] == group if group >= 0 else 1)
        return columns


def _halves(name, figure):
    return {f"{name}_high": figure >> 32, f"{name}_low": figure & LOW}


def _figures(target):
    n, ones = target.n_rows, np.ones(target.n_rows, np.int64)
    or_ones = lambda figure: figure.astype(np.int64) if len(figure) else ones  # noqa: E731
    figures = {"objects": ones, "members": or_ones(target.multiplicity), "weight": or_ones(target.growth)}
    figures["label"] = target.labels.astype(np.int64) if len(target.labels) else np.zeros(n, np.int64)
    figures["sample_weight"] = or_ones(target.sample)
    if not target.n_classes:
        figures["value"] = target.values
        figures |= _halves("moment", target.moment) | _halves("square", target.square)
    return figures


def _behind(target, object_of_row, n_objects):
    """Sums of the rows behind each object."""
    rows = _figures(target)

    def summed(figure):
        sums = np.zeros(n_objects, np.int64)
        np.add.at(sums, object_of_row, figure)
        return sums

    behind = {"rows_behind": summed(rows["objects"]), "weight_behind": summed(rows["weight"])}
    behind["sample_weight_behind"] = summed(rows["sample_weight"])
    for k in range(target.n_classes):
        behind[f"weight_behind_{k}"] = summed(rows["weight"] * (rows["label"] == k))
    for name in () if target.n_classes else ("moment", "square"):
        behind |= {f"{name}_behind_{half}": summed(rows[f"{name}_{half}"]) for half in ("high", "low")}
    return behind


def counted_rows(store: PartitionedStore) -> CountedRows:
    return CountedRows(store, store.columns, store.target, store.rows)


@contextmanager
def counted_in_parts(n_parts: int, preferred_batch_rows: float = np.inf) -> Iterator[list[PartitionedStore]]:
    """Inside, estimators grow from partitions; what it yields is the list of the stores that were made."""
    stores = []

    def make(table: _core.Table, target: _core.Target, options: _core.GrowOptions) -> CountedRows:
        stores.append(PartitionedStore(table, target, options, n_parts, preferred_batch_rows))
        return counted_rows(stores[-1])

    with counted_by(make):
        yield stores
