"""Where the descent of a soft tree begins: a tree made fuzzy, or random gates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema
from thriftree.methods.soft.design import Design, Floats, column_of_inputs
from thriftree.methods.soft.distinct_rows import DistinctRows
from thriftree.table.column_values import positions
from thriftree.table.frame import Levels

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

STEEPNESS: Final = 4.0  # of a fuzzy test: weight of a spread of the number, of a category and of missing
#: The spread of the rows about a threshold: so many times the distance within which this share of them lies,
#: but no less than so many standard deviations of the column and no more than one.
NEAREST: Final = 0.25
DISTANCES: Final = 1.5
LEAST_SPREAD: Final = 0.0001
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
    shares: list[Floats] = field(default_factory=list)  # the same: of the penalty
    leaves: list[Floats] = field(default_factory=list)

    def parameters_of(self, *, linear: bool) -> Floats:
        """As the core has them; linear leaves weigh nothing yet."""
        leaves = self.leaves
        if linear:
            nothing = np.zeros(self.design.n_terms)
            leaves = [np.append(nothing, output) for leaf in self.leaves for output in leaf]
        return np.concatenate([*self.gates, *leaves])

    def penalty_shares(self, n_parameters: int) -> Floats:
        """Per parameter, of its penalty: weights are paid for in the unit that they started in."""
        of_gates = np.concatenate([np.empty(0), *self.shares])
        return np.append(of_gates, np.ones(n_parameters - len(of_gates)))

    def add_gate(self, column: int, weights: Floats, offset: float, unit: float = 1.0) -> int:
        """A gate that looks at one column so far, in this unit; its children come later."""
        begin, width = self.design.begins[column], self.design.widths[column]
        shares = np.full(width, 1 / unit**2)
        if not self.axis:
            of_column = slice(begin, begin + width)
            begin, width = 0, self.design.n_terms
            only, weights = weights, np.zeros(width)
            weights[of_column] = only
            own, shares = shares, np.ones(width)
            shares[of_column] = own
        self.first.append(begin)
        self.count.append(width)
        self.gates.append(np.append(weights, offset))
        self.shares.append(np.append(shares, 1.0))
        self.left.append(0)
        self.right.append(0)
        return len(self.left) - 1

    def add_leaf(self, outputs: Floats) -> int:
        """A leaf, as children name it."""
        self.leaves.append(outputs)
        return ~(len(self.leaves) - 1)


def fuzzy(
    core: _core.Tree,
    columns: Sequence[ColumnSchema],
    rows: DistinctRows,
    design: Design,
    *,
    axis: bool,
    local: bool,
    outputs: Sequence[Floats],
    look: Callable[[], None],
) -> SoftStart:
    """A tree of binary tests as a soft one: at a threshold, and for a category that was not seen, both ways
    are as likely. `local`: the nearer to a threshold the rows of its node lie, the sharper it is. `outputs`
    has for each node what it would hold as a leaf; `look` is called for each gate, and may raise.
    """
    start = SoftStart(design, axis)

    def visit(node: int, places: NDArray[np.intp]) -> int:
        look()
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
        terms = design.column_terms(column_of_inputs(rows.inputs, column)[places], column)
        weights, offset, unit = _fuzzy_test(
            core, node, columns[column], design, column, left, terms, rows.weight[places]
        )
        gate = start.add_gate(column, weights, offset, unit)
        goes_left = weights @ terms + offset >= 0
        start.left[gate] = visit(int(children[left]), places[goes_left])
        start.right[gate] = visit(int(children[1 - left]), places[~goes_left])
        return gate

    visit(0, np.arange(len(rows.y) if local else 0))
    return start


def _fuzzy_test(
    core: _core.Tree,
    node: int,
    theirs: ColumnSchema,
    design: Design,
    column: int,
    left: int,
    terms: Floats,
    weight: Floats,
) -> tuple[Floats, float, float]:
    """Weights of the column's terms, the offset, and the unit of the weights. `terms` and `weight` are those
    of the node's rows.
    """
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
        return np.array([*known, *missing]), 0.0, 1.0
    if len(keys) > 1:
        raise ValueError(f"init is a tree whose node {node} has {len(keys)} thresholds: gates have one")
    begin = design.begins[column]
    if not len(keys):  # is it missing?
        return np.array([0.0, *(one - STEEPNESS for one in missing)]), STEEPNESS, 1.0
    threshold = (float(keys[0]) - design.centres[begin]) * design.scales[begin]
    known_rows = terms[-1] == 0 if missing else np.ones(len(weight), bool)
    spread = _spread_about(threshold, terms[0, known_rows], weight[known_rows])
    slope = STEEPNESS / spread
    offset = slope * threshold
    return np.array([-slope, *(one - offset for one in missing)]), offset, 1 / spread


def _spread_about(threshold: float, numbers: Floats, weight: Floats) -> float:
    """Of numbers about a threshold, in standard deviations of their column. Where most lie close to it, as in
    columns with a long tail, a standard deviation would tell none of them apart.
    """
    if not len(numbers):
        return 1.0
    away = np.abs(numbers - threshold)
    order = np.argsort(away)
    within = np.cumsum(weight[order])
    nearest = away[order[np.searchsorted(within, NEAREST * within[-1])]]
    return float(np.clip(DISTANCES * nearest, LEAST_SPREAD, 1.0))


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
