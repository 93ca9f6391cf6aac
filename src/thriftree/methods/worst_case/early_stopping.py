"""Worst-case trees that stop early: those of all tolerances at once, and how wrong hinged ones can be."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from thriftree.costs import BoundCosts, price
from thriftree.learning.growth import Grown
from thriftree.learning.prunings import Nested, gone_from
from thriftree.learning.targets import Floats


def by_tolerance(grown: Grown, values: Floats) -> Nested:
    """The tree of every tolerance at which it changes, given the tree of tolerance 0 and F of its nodes.

    A test is chosen by what is at its node, so a larger tolerance only leaves tests out, and the tree of
    tolerance δ is this one cut at the nodes of F <= δ. (Not so where `max_leaves` ended the growth, or where
    a budget gave up delayed tests: there the cut tree is still a tree of its δ, but growing anew might find
    another.)
    """
    is_leaf = grown.core.column < 0
    leaf_from = np.where(is_leaf, -np.inf, values)
    tolerances = np.unique(np.append(leaf_from[~is_leaf], 0.0))
    return Nested(grown, tolerances, leaf_from, gone_from(grown.core, leaf_from))


def worst_cases(trees: Nested, costs: BoundCosts | None) -> Floats:
    """The largest price of a path, of each of the nested trees; without costs every test costs 1."""
    if costs is not None and costs.delayed.any():
        # What an order costs depends on what is below it, so that every tree has prices of its own.
        cut = (trees.tree_at(alpha).core for alpha in trees.alphas.tolist())
        return np.array([price(core, costs).worst_case for core in cut], dtype=np.float64)
    arrived = price(trees.grown.core, costs).accumulated
    appears = np.searchsorted(trees.alphas, trees.leaf_from, side="left")
    vanishes = np.searchsorted(trees.alphas, trees.gone_from, side="left")
    return _largest_over(len(trees), arrived, appears, vanishes)


def _largest_over(n: int, values: Floats, first: NDArray[np.intp], end: NDArray[np.intp]) -> Floats:
    """For each of 0 .. n - 1 the largest of the values (0 or more) whose range [first, end) it is in.

    A range is two blocks of a power of two that may overlap; blocks are halved down to single places.
    """
    some = end > first
    values, first, end = values[some], first[some], end[some]
    power = np.frexp(end - first)[1] - 1
    top = int(power.max(initial=0))
    blocks = np.zeros((top + 1, n))
    np.maximum.at(blocks, (power, first), values)
    np.maximum.at(blocks, (power, end - (1 << power)), values)
    for k in range(top, 0, -1):
        half = 1 << (k - 1)
        np.maximum(blocks[k - 1], blocks[k], out=blocks[k - 1])
        np.maximum(blocks[k - 1, half:], blocks[k, :-half], out=blocks[k - 1, half:])
    return np.asarray(blocks[0], dtype=np.float64)


def lemma_bound(leaf_sizes: ArrayLike, n_objects: int, alpha: float, n_classes: int) -> float:
    """How large a share of the objects can at most be of another class than most of their leaf: Lemma 4.4 of
    paper 001, at the η that makes it smallest.

    A leaf of hinged-Pairs 0 has at most k(k-1)α objects that are not of its largest class, and any leaf at
    most (k-1)/k of its objects. The largest leaves are counted by the first, the others by the second.

    Parameters
    ----------
    leaf_sizes : objects of each leaf whose hinged-Pairs is 0. Leaves that were cut short may be left out.
    n_objects : objects in all leaves.
    alpha : α of the hinged-Pairs.
    n_classes : k, the classes that the objects have.

    >>> lemma_bound([600, 400], 1000, 1.0, 2)
    0.004
    """
    largest_first = np.sort(np.asarray(leaf_sizes, dtype=np.float64))[::-1]
    held = np.concatenate([[0.0], np.cumsum(largest_first)])
    n_leaves = np.arange(len(held))
    k = n_classes
    bounds = k * (k - 1) * n_leaves * (alpha / n_objects) + (k - 1) / k * (1.0 - held / n_objects)
    return float(bounds.min())
