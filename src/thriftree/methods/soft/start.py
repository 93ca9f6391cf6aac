"""Where the descent of a soft tree begins: a tree made fuzzy, or random gates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema
from thriftree.methods.soft.design import Design, Floats
from thriftree.table.column_values import positions
from thriftree.table.frame import Levels

if TYPE_CHECKING:
    from collections.abc import Sequence

STEEPNESS: Final = 4.0  # of a fuzzy test: weight of a standard deviation, of a category and of missing
BLUR: Final = (
    0.01  # share of a leaf's probability that all classes have in common, so that no logit is infinite
)

_ORDERED, _CATEGORY = 1, 2  # kinds of tests in the core


@dataclass
class SoftStart:
    """Gates and leaves as they are made."""

    design: Design
    axis: bool  # whether a gate weighs the terms of one column only
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    first: list[int] = field(default_factory=list)
    count: list[int] = field(default_factory=list)
    gates: list[Floats] = field(default_factory=list)  # per gate: weights, then its offset
    leaves: list[Floats] = field(default_factory=list)

    def parameters_of(self, *, linear: bool) -> Floats:
        """As the core has them; linear leaves weigh nothing yet."""
        leaves = self.leaves
        if linear:
            nothing = np.zeros(self.design.n_terms)
            leaves = [np.append(nothing, output) for leaf in self.leaves for output in leaf]
        return np.concatenate([*self.gates, *leaves])

    def add_gate(self, column: int, weights: Floats, offset: float) -> int:
        """A gate that looks at one column so far; its children come later."""
        begin, width = self.design.begins[column], self.design.widths[column]
        if not self.axis:
            spread = np.zeros(self.design.n_terms)
            spread[begin : begin + width] = weights
            begin, width, weights = 0, self.design.n_terms, spread
        self.first.append(begin)
        self.count.append(width)
        self.gates.append(np.append(weights, offset))
        self.left.append(0)
        self.right.append(0)
        return len(self.left) - 1

    def add_leaf(self, outputs: Floats) -> int:
        """A leaf, as children name it."""
        self.leaves.append(outputs)
        return ~(len(self.leaves) - 1)


def fuzzy(
    core: _core.Tree, columns: Sequence[ColumnSchema], design: Design, axis: bool, outputs: Sequence[Floats]
) -> SoftStart:
    """A tree of binary tests as a soft one: at a threshold, and for a category that was not seen, both ways
    are as likely. `outputs` has for each node what it would hold as a leaf.
    """
    start = SoftStart(design, axis)

    def visit(node: int) -> int:
        children = core.children[core.child_begin[node] : core.child_begin[node + 1]]
        if not len(children):
            return start.add_leaf(outputs[node])
        if len(children) != 2:
            raise ValueError(
                f"init is a tree whose node {node} has {len(children)} branches, and gates have 2: give a "
                "tree of binary tests, as CARTClassifier learns"
            )
        column = int(core.column[node])
        # x <= t goes left, whatever branch it is, as a sum of 0 does.
        left = int(core.to[core.to_begin[node]]) if core.kind[node] == _ORDERED else 0
        gate = start.add_gate(column, *_fuzzy_test(core, node, columns[column], design, column, left))
        start.left[gate] = visit(int(children[left]))
        start.right[gate] = visit(int(children[1 - left]))
        return gate

    visit(0)
    return start


def _fuzzy_test(
    core: _core.Tree, node: int, theirs: ColumnSchema, design: Design, column: int, left: int
) -> tuple[Floats, float]:
    """Weights of the column's terms, and the offset."""
    keys = core.keys[core.key_begin[node] : core.key_begin[node + 1]]
    to = core.to[core.to_begin[node] : core.to_begin[node + 1]]
    side = np.where(np.arange(2) == left, STEEPNESS, -STEEPNESS)  # of branches 0 and 1
    missing = [side[core.missing[node]]] if design.has_missing[column] else []
    if core.kind[node] == _CATEGORY:
        mine = design.columns[column].categories
        place = positions(Levels(np.arange(len(mine), dtype=np.int32), list(mine)), theirs.categories)
        branch = dict(zip(keys.astype(int).tolist(), to.tolist(), strict=True))
        other = int(core.other[node])
        known = [side[branch.get(int(code), other)] for code in place]
        return np.array([*known, *missing]), 0.0
    if len(keys) > 1:
        raise ValueError(f"init is a tree whose node {node} has {len(keys)} thresholds: gates have one")
    begin = design.begins[column]
    if not len(keys):  # is it missing?
        return np.array([0.0, *(weight - STEEPNESS for weight in missing)]), STEEPNESS
    threshold = (float(keys[0]) - design.centres[begin]) * design.scales[begin]
    offset = STEEPNESS * threshold
    return np.array([-STEEPNESS, *(one - offset for one in missing)]), offset


def logits(weights: NDArray[np.float64]) -> Floats:
    """Of classes that have these weights, blurred, with mean 0."""
    total = weights.sum()
    n = len(weights)
    shares = weights / total if total > 0 else np.full(n, 1 / n)
    blurred = np.log((1 - BLUR) * shares + BLUR / n)
    return np.asarray(blurred - blurred.mean())


def random(
    design: Design, axis: bool, depth: int, max_leaves: int, leaf: Floats, rng: np.random.RandomState
) -> SoftStart:
    """A tree of random gates, as even as it can be; axis gates look at random columns. Leaves differ from
    `leaf` a little.
    """
    start = SoftStart(design, axis)

    def grow(n_leaves: int) -> int:
        if n_leaves == 1:
            return start.add_leaf(leaf + 0.1 * rng.standard_normal(len(leaf)))
        column = int(rng.randint(len(design.columns)))
        width = design.widths[column] if axis else design.n_terms
        gate = start.add_gate(column, np.zeros(design.widths[column]), 0.0)
        start.gates[gate][:-1] = rng.standard_normal(width) / np.sqrt(max(width, 1))
        start.left[gate] = grow((n_leaves + 1) // 2)
        start.right[gate] = grow(n_leaves // 2)
        return gate

    grow(min(2**depth, max_leaves))
    return start
