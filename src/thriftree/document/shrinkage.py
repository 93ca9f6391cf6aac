"""Hierarchical shrinkage: what a node answers is drawn towards the nodes above it (Agarwal, Tan, Ronen, Singh
and Yu 2022).

Along the path from the root, with N the sum of the sample weights of a node and λ the strength,

    answer(root) = value(root)
    answer(child) = answer(parent) + (value(child) - value(parent)) / (1 + λ/N(parent))

Here it is computed as the same sum in another order: a mean of the values on the path whose weights are never
negative, so that rounding cannot make a probability negative.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree.document.shares import class_shares

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]

#: A leaf whose label would lose is shrunk until its lead over another class is this: more than what 32-bit
#: floats and 15 decimal digits lose.
LEAST_LEAD: Final = 1e-6
#: λ where folds are to choose it and none could be measured: there was no time, or there are too few rows.
UNMEASURED: Final = 10.0


@dataclass(frozen=True)
class Shrinkage:
    """How the answers of a tree are shrunk.

    With `keeps_labels` a node is shrunk only as far as its label stays strictly the largest class, if it is
    the largest. `stated` are leaves of a numeric target whose number a person gave: they are not shrunk.
    """

    strength: float  # λ, positive and finite
    keeps_labels: bool = True
    stated: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.strength < np.inf:
            raise ValueError(
                f"shrinkage is {self.strength!r}: give a finite number above 0, or None for the shares as "
                "they were seen"
            )


def shown_shares(
    weights: Floats,
    smoothing: float,
    shrinkage: Shrinkage | None,
    node_weight: Floats,
    parent: Integers,
    label: Integers,
) -> Floats:
    """By node (row) the probability of each class (column), from the classes' `weights`: smoothed first, then
    shrunk.
    """
    raw = class_shares(weights, smoothing)
    if shrinkage is None:
        return raw
    drawn = along_paths(raw, node_weight, parent, shrinkage.strength)
    drawn /= drawn.sum(axis=1, keepdims=True)
    return _with_labels_kept(raw, drawn, label) if shrinkage.keeps_labels else drawn


def shown_numbers(
    means: Floats,
    shrinkage: Shrinkage | None,
    node_weight: Floats,
    parent: Integers,
    modelled: Iterable[int] = (),
) -> Floats:
    """By node the number that it answers, from the `means` of a numeric target. Leaves with a model of their
    own (`modelled`) are not shrunk: the penalty of the model does that.
    """
    if shrinkage is None:
        return means
    drawn = along_paths(means[:, np.newaxis], node_weight, parent, shrinkage.strength)[:, 0]
    own = [*shrinkage.stated, *modelled]
    drawn[own] = means[own]
    return drawn


def along_paths(values: Floats, node_weight: Floats, parent: Integers, strength: float) -> Floats:
    """By node the shrunk values (columns). A node counts no more than its parent: where other rows were
    counted below a node than at it, that keeps the weights of the mean from being negative.
    """
    with np.errstate(divide="ignore", over="ignore"):
        factor = 1 / (1 + strength / node_weight)  # of the step from a node to a child; 0 without weight
    own = np.ones(len(values))  # what a node's own value counts as a leaf
    above = np.zeros_like(values)  # what the values above it add
    for level in _levels(parent)[1:]:
        before = parent[level]
        own[level] = np.minimum(factor[before], own[before])
        kept = (own[before] - own[level])[:, np.newaxis]
        above[level] = above[before] + kept * values[before]
    return np.asarray(above + own[:, np.newaxis] * values, dtype=np.float64)


def _levels(parent: Integers) -> list[NDArray[np.intp]]:
    """The nodes by depth; a parent comes before its children."""
    depth = [0] * len(parent)
    for node, before in enumerate(parent.tolist()):
        if node:
            depth[node] = depth[before] + 1
    order = np.argsort(depth, kind="stable")
    return np.split(order, np.cumsum(np.bincount(depth))[:-1])


def _with_labels_kept(raw: Floats, drawn: Floats, label: Integers) -> Floats:
    """Of every node as much of the way from `raw` to `drawn` as its label stays the largest, if it is."""
    nodes = np.flatnonzero(raw.argmax(axis=1) == label)
    raw_here, to, own = raw[nodes], drawn[nodes], label[nodes]
    at = np.arange(len(nodes))
    lead_before = raw_here[at, own][:, np.newaxis] - raw_here
    lead_after = to[at, own][:, np.newaxis] - to
    least = np.minimum(lead_before, LEAST_LEAD)
    loses = lead_after < least
    loses[at, own] = False
    step = np.ones_like(raw_here)
    step[loses] = ((lead_before - least)[loses]) / (lead_before - lead_after)[loses]
    share = step.min(axis=1, keepdims=True)
    mixed = np.where(share == 1, to, raw_here + share * (to - raw_here))
    # Leads of a few units in the last place may be lost in rounding: then the node stays as it was seen.
    rest, rest_before = mixed.copy(), raw_here.copy()
    rest[at, own] = rest_before[at, own] = -1.0
    tied = rest_before.max(axis=1) == raw_here[at, own]
    leads = (mixed[at, own] > rest.max(axis=1)) | (tied & (mixed.argmax(axis=1) == own))
    shown = drawn.copy()
    shown[nodes] = np.where(leads[:, np.newaxis], mixed, raw_here)
    return shown
