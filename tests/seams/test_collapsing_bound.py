"""A grower that prunes while it builds, as PUBLIC does: bounds say when a leaf is as cheap as a subtree."""

from __future__ import annotations

import pytest
from seam_tables import children, random_fit, test_of

PER_LEAF = 2.5  # in rows misclassified


class CollapsingGrower:
    """Depth-first. An open leaf may yet become pure: it costs at least PER_LEAF. A closed one has errors."""

    def __init__(self):
        self.splits = 0

    def as_leaf(self, node):
        return node.sums.sum() - node.sums.max() + PER_LEAF

    def bound(self, growth, i):
        if growth[i].is_open:
            return PER_LEAF
        below = [self.bound(growth, child) for child in growth[i].children]
        return min(self.as_leaf(growth[i]), sum(below)) if below else self.as_leaf(growth[i])

    def select(self, growth):
        newest = [i for i in range(len(growth)) if growth[i].is_open][-1:]
        self.splits += len(newest)
        return newest

    def collapse(self, growth, just_split):
        collapsed, node = [], just_split[0]
        while node >= 0:
            if self.bound(growth, node) == self.as_leaf(growth[node]):
                collapsed = [node]  # the highest one holds the others
            node = growth[node].parent
        return collapsed


def pruned_afterwards(full, node=0):
    """The tests, in preorder, and the cost of the full tree pruned from the bottom up by the same prices."""
    as_leaf = full.value[node].sum() - full.value[node].max() + PER_LEAF
    below = [pruned_afterwards(full, child) for child in children(full, node)]
    cost = sum(cost for _, cost in below)
    if not below or cost >= as_leaf:
        return [], as_leaf
    return [test_of(full, node), *(test for tests, _ in below for test in tests)], cost


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_collapsing_while_growing_gives_the_tree_that_pruning_afterwards_gives_with_fewer_splits(
    seed, weighted
):
    fit = random_fit(seed, n=150, weighted=weighted)
    full = fit.tree()
    grower = CollapsingGrower()
    tree = fit.tree(grower=grower)
    tests = [test_of(tree, i) for i in range(tree.n_nodes) if tree.column[i] >= 0]
    wanted, _ = pruned_afterwards(full)
    assert tests == wanted
    assert 0 < len(tests) < grower.splits < full.n_nodes - full.n_leaves
