"""All the trees that pruning makes of one grown tree, without building each of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.costs import BoundCosts
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.pruning import last_of_equals, node_cost
from thriftree.learning.targets import Floats
from thriftree.learning.tree_sizes import Size, sizes

MOST: Final = 64  # trees of one sequence: more would differ by less than rows can tell


@dataclass(frozen=True, eq=False)
class Nested:
    """Trees each of which is a top part of the one before, from the whole tree down: a node is a leaf from
    some level on. None of them is built until it is asked for.
    """

    grown: Grown
    alphas: Floats  # ascending: the level of each tree
    leaf_from: Floats  # per node: the level from which on it is a leaf, -inf at the leaves of the whole tree
    gone_from: Floats  # per node: the level from which on an ancestor is a leaf, inf at the root

    def __len__(self) -> int:
        return len(self.alphas)

    def sums_over_leaves(self, figure: Floats, alphas: Floats) -> Floats:
        """For the tree at each of the ascending `alphas`, the sum of a figure per node over its leaves."""
        appears = np.searchsorted(alphas, self.leaf_from, side="left")
        vanishes = np.maximum(np.searchsorted(alphas, self.gone_from, side="left"), appears)
        change = np.bincount(appears, weights=figure, minlength=len(alphas) + 1)
        change -= np.bincount(vanishes, weights=figure, minlength=len(alphas) + 1)
        return np.asarray(np.cumsum(change)[:-1], dtype=np.float64)

    def leaves_at(self, alpha: float) -> NDArray[np.intp]:
        """The nodes of the grown tree that are leaves at `alpha`."""
        return np.flatnonzero((self.leaf_from <= alpha) & (alpha < self.gone_from))

    def tree_at(self, alpha: float) -> Grown:
        """The tree cut at `alpha`."""
        core = _core.prune_collapse(self.grown.core, self.leaf_from <= alpha)
        return replace(self.grown, core=core, alpha=float(alpha))


@dataclass(frozen=True, eq=False)
class Prunings(Nested):
    """The nested trees that minimise impurity + alpha * size, from the whole tree down to its root; of very
    many a choice.

    Size is the number of leaves, or what a row is expected to pay for its tests. The alphas ascend from 0.
    """

    size: Size
    between: Floats  # ascending: for each tree an alpha to prune the trees of other rows by
    linear: LinearNodes | None = None  # where leaves are linear


@dataclass(frozen=True, eq=False)
class LinearNodes:
    """The nodes of a tree as linear leaves of one penalty."""

    penalty: float
    errors: Floats  # per node: what it loses on the rows that measure the tree
    extra: NDArray[np.int64]  # per node: questions that only its model asks


def gone_from(core: _core.Tree, leaf_from: Floats) -> Floats:
    """Per node, the least level from which on an ancestor is a leaf, inf at the root."""
    gone = np.full(core.n_nodes, np.inf)
    for nodes in _below_the_root(core):
        above = core.parent[nodes]
        gone[nodes] = np.minimum(gone[above], leaf_from[above])
    return gone


def says_one_thing_from(core: _core.Tree, leaf_from: Floats) -> Floats:
    """Per node, the least level from which on all leaves below it have its own label, -inf at leaves: the
    levels of nested trees that predict as those of `leaf_from` do, and ask nothing that changes no label.

    A label that is best in every leaf below a node is best at the node, so what says one thing at a level
    says it at every higher one. Where rounding made a node's own label another, it is kept as it is.
    """
    level = leaf_from.copy()
    below = np.full(core.n_nodes, -np.inf)  # the largest level of a child, inf where one has another label
    for nodes in reversed(_below_the_root(core)):
        level[nodes] = np.minimum(leaf_from[nodes], below[nodes])
        above = core.parent[nodes]
        same = core.label[nodes] == core.label[above]
        np.maximum.at(below, above, np.where(same, level[nodes], np.inf))
    level[0] = min(leaf_from[0], below[0])
    return level


def _below_the_root(core: _core.Tree) -> list[NDArray[np.intp]]:
    """The nodes of each depth, from 1 on."""
    by_depth = np.argsort(core.depths, kind="stable")
    return np.split(by_depth, np.cumsum(np.bincount(core.depths))[:-1])[1:]


def prunings(
    grown: Grown,
    plan: Plan,
    size: Size,
    prices: BoundCosts | None,
    *,
    labels_only: bool = False,
    cost: Floats | None = None,
) -> Prunings:
    """The weakest-link sequence of a tree; `prices` are those of its columns, None: every test costs 1.

    `labels_only`: in each of its trees, what lies below a node and changes no label is left out. `cost`:
    R(t) of each node as a leaf, where that is not its impurity.
    """
    core = grown.core
    own = node_cost(core, plan) if cost is None else cost
    links = _core.weakest_link_path(core, own, *sizes(core, plan, size, prices))
    is_leaf = core.column < 0
    leaf_from = np.where(is_leaf, -np.inf, np.maximum(links["collapse_alpha"], 0.0))
    gone = gone_from(core, leaf_from)
    alphas = np.unique(np.append(leaf_from[~is_leaf & (leaf_from < gone)], 0.0))
    alphas = alphas[last_of_equals(alphas)]
    # A tree is the best from its alpha up to the next; other rows' trees are pruned at the geometric mean of
    # the two, and beyond every link for the root alone (Breiman et al. 1984, section 3.4.2).
    between = np.append(np.sqrt(alphas[:-1] * alphas[1:]), np.finfo(np.float64).max)
    whole = Prunings(grown, alphas, leaf_from, gone, size, between)
    chosen = _spread(whole.sums_over_leaves(np.ones(core.n_nodes), alphas))
    some = replace(whole, alphas=alphas[chosen], between=between[chosen])
    if not labels_only:
        return some
    leaf_from = says_one_thing_from(core, leaf_from)
    return replace(some, leaf_from=leaf_from, gone_from=gone_from(core, leaf_from))


def unpruned(grown: Grown, size: Size) -> Prunings:
    """The tree as it was grown, where there is no time to prune it, and its root."""
    is_leaf = grown.core.column < 0
    leaf_from = np.where(is_leaf, -np.inf, np.inf)
    gone = np.full(len(is_leaf), 1.0)
    leaf_from[0], gone[0] = -np.inf if is_leaf[0] else 1.0, np.inf
    alphas = np.array([0.0] if is_leaf[0] else [0.0, 1.0])
    between = np.append(np.full(len(alphas) - 1, 0.5), np.finfo(np.float64).max)
    return Prunings(grown, alphas, leaf_from, gone, size, between)


def _spread(n_leaves: Floats) -> NDArray[np.intp]:
    """Positions of at most MOST trees of these falling numbers of leaves: of a long sequence those whose
    numbers fall by about equal factors, the first and the last among them.
    """
    if len(n_leaves) <= MOST:
        return np.arange(len(n_leaves))
    aimed_at = np.geomspace(n_leaves[0], n_leaves[-1], MOST)
    return np.unique(np.searchsorted(-n_leaves, -aimed_at * (1 + 1e-9)))
