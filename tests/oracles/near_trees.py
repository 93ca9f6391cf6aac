"""Every tree within a slack of the best, one after the other, as docs/guide/near_optimal.md defines them.

A tree is a leaf, or a test with two trees. A test must leave rows on both sides, as many as leaves need;
tests of one feature that divide the rows of a node into the same two parts are one, the first of them;
and a test whose branches are leaves with the same answer is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

from oracles.exhaustive_trees import ExhaustiveTrees, Rows, TreeProblem

# (cost, leaves, tests in pre-order with -1 at leaves)
PlainTree: TypeAlias = "tuple[int, int, tuple[int, ...]]"


class NearTrees:
    """All trees of a small problem."""

    def __init__(self, problem: TreeProblem, features: list[int]):
        self.problem, self.features = problem, features
        self.trees = ExhaustiveTrees(problem)

    def label(self, rows: Rows) -> int:
        """The answer of a leaf: of least cost, the smallest of several."""
        members = [costs for row, costs in enumerate(self.problem.row_costs) if rows >> row & 1]
        sums = [sum(costs[p] for costs in members) for p in range(self.problem.n_classes)]
        return sums.index(min(sums))

    def tests(self, rows: Rows) -> Iterator[tuple[int, Rows, Rows]]:
        """The tests of a node, in the order of (feature, test)."""
        seen = set()
        for test in sorted(range(len(self.features)), key=lambda t: (self.features[t], t)):
            first, second = rows & self.problem.answers[test], rows & ~self.problem.answers[test]
            if not (first and second and self.trees.may_be_leaf(first) and self.trees.may_be_leaf(second)):
                continue
            parts = (self.features[test], frozenset((first, second)))
            if parts not in seen:
                seen.add(parts)
                yield test, first, second

    def all(self, rows: Rows, depth: int, leaves: int) -> list[PlainTree]:
        """Every tree of these rows with at most so many levels and leaves."""
        made: list[PlainTree] = [(self.trees.leaf_cost(rows), 1, (-1,))]
        if depth == 0 or leaves < 2:
            return made
        for test, first, second in self.tests(rows):
            same = self.label(first) == self.label(second)
            lefts, rights = self.all(first, depth - 1, leaves - 1), self.all(second, depth - 1, leaves - 1)
            for a in lefts:
                for b in rights:
                    if a[1] + b[1] > leaves or (same and a[1] == b[1] == 1):
                        continue
                    made.append((a[0] + b[0], a[1] + b[1], (test, *a[2], *b[2])))
        return made

    def objective(self, tree: PlainTree) -> Fraction:
        """What the tree comes to."""
        return tree[0] + self.problem.leaf_penalty * tree[1]

    def within(self, slack: Fraction) -> list[PlainTree]:
        """The trees at most so much above the best, in no particular order."""
        most = self.problem.max_leaves or len(self.problem.labels)
        every = self.all(self.problem.all_rows, self.trees.depth, most)
        best = min(map(self.objective, every))
        return [tree for tree in every if self.objective(tree) <= best + slack]
