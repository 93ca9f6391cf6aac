"""The best tree over every threshold of a small table of ranks, by trying all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

Node = tuple[int, ...]  # (column, cut), or (-1, label) for a leaf
Preorder = tuple[Node, ...]


@dataclass(frozen=True)
class RankedTable:
    """Ranks column by column, with what the rows cost and which trees are allowed."""

    ranks: tuple[tuple[int, ...], ...]
    labels: tuple[int, ...]
    n_classes: int
    weights: tuple[int, ...]
    error_costs: tuple[tuple[int, ...], ...]
    leaf_penalty: float = 0.0
    max_depth: int = 2
    max_leaves: int | None = None
    min_leaf: int = 1
    min_leaf_weight: int = 0


@dataclass(frozen=True)
class Best:
    """The first of the best trees, in the order: objective, leaves, depth, column and cut in pre-order."""

    objective: Fraction
    cost: int
    leaves: int
    depth: int
    nodes: Preorder


def best_tree(table: RankedTable) -> Best:
    """All trees of a table, the best of them. A root that must be a leaf is one, however small."""
    rows = tuple(range(len(table.labels)))

    def leaf(at: Sequence[int]) -> tuple[int, Preorder]:
        costs = [
            sum(table.weights[i] * table.error_costs[table.labels[i]][p] for i in at)
            for p in range(table.n_classes)
        ]
        return min(costs), ((-1, costs.index(min(costs))),)

    def is_allowed(at: Sequence[int]) -> bool:
        return len(at) >= table.min_leaf and sum(table.weights[i] for i in at) >= table.min_leaf_weight

    def divisions(at: Sequence[int]) -> Iterator[tuple[Node, tuple[int, ...], tuple[int, ...]]]:
        for c, ranks in enumerate(table.ranks):
            for cut in sorted({ranks[i] for i in at})[:-1]:
                left = tuple(i for i in at if ranks[i] <= cut)
                yield (c, cut), left, tuple(i for i in at if ranks[i] > cut)

    @cache
    def trees(at: tuple[int, ...], depth: int) -> dict[tuple[int, int], tuple[int, Preorder]]:
        """By leaves and exact depth: the least cost, and the first tree that has it."""
        found: dict[tuple[int, int], tuple[int, Preorder]] = {}
        if is_allowed(at):
            found[1, 0] = leaf(at)
        if depth == 0:
            return found
        for test, left, right in divisions(at):
            for (l_leaves, l_depth), (l_cost, l_nodes) in trees(left, depth - 1).items():
                for (r_leaves, r_depth), (r_cost, r_nodes) in trees(right, depth - 1).items():
                    shape = (l_leaves + r_leaves, 1 + max(l_depth, r_depth))
                    tree = (l_cost + r_cost, (test, *l_nodes, *r_nodes))
                    if shape not in found or tree < found[shape]:
                        found[shape] = tree
        return found

    def as_best(leaves: int, depth: int, cost: int, nodes: Preorder) -> Best:
        return Best(cost + Fraction(table.leaf_penalty) * leaves, cost, leaves, depth, nodes)

    candidates = [as_best(1, 0, *leaf(rows))]
    for (leaves, depth), (cost, nodes) in trees(rows, table.max_depth).items():
        if table.max_leaves is None or leaves <= table.max_leaves:
            candidates.append(as_best(leaves, depth, cost, nodes))
    return min(candidates, key=lambda best: (best.objective, best.leaves, best.depth, best.nodes))
