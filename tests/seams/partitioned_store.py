"""A row store in numpy whose rows lie in several partitions, each counted by itself."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from seam_tables import missing_code


class PartitionedStore:
    """Sums are integers, so it does not matter where they are added."""

    def __init__(self, fit, n_classes, n_parts):
        self.table, self.n_classes = fit.table, n_classes
        columns = [fit.table.codes(j) for j in range(fit.table.n_columns)]
        self.parts = []  # a partition: its codes, labels and weights, and the rows of each node
        for rows in np.array_split(np.arange(fit.table.n_rows), n_parts):
            part = SimpleNamespace(codes=[c[rows] for c in columns], nodes={0: np.arange(len(rows))})
            part.labels, part.weight = fit.labels[rows], fit.weight[rows].astype(np.int64)
            self.parts.append(part)

    def totals(self, node):
        sums = sum(self.class_sums(p, p.nodes[node]) for p in self.parts)
        return SimpleNamespace(rows=sum(len(p.nodes[node]) for p in self.parts), sums=sums)

    def class_sums(self, part, rows):
        sums = np.zeros(self.n_classes, np.int64)
        np.add.at(sums, part.labels[rows], part.weight[rows])
        return sums

    def open_root(self):
        return self.totals(0)

    def count(self, nodes):
        self.sums = {}  # one pass over each partition; the results are added
        for node in nodes:
            for j in range(self.table.n_columns):
                self.sums[node, j] = sum(self.count_part(p, p.nodes[node], j) for p in self.parts)

    def count_part(self, part, rows, column):
        sums = np.zeros((self.table.column(column).n_codes, 1 + self.n_classes), np.int64)
        codes = part.codes[column][rows]
        np.add.at(sums, (codes, 0), 1)
        np.add.at(sums, (codes, 1 + part.labels[rows]), part.weight[rows])
        return sums

    def runs(self, node, column):
        sums = self.sums[node, column]
        seen = np.flatnonzero(sums[:, 0])
        return seen, sums[seen, 0], sums[seen, 1:]

    def divide(self, node, partition, first_child):
        for part in self.parts:
            rows = part.nodes.pop(node)
            codes = part.codes[partition.column][rows]
            branch = partition.branches(codes, missing_code(self.table, partition.column))
            for v in range(partition.n_branches):
                part.nodes[first_child + v] = rows[branch == v]
        return [self.totals(first_child + v) for v in range(partition.n_branches)]
