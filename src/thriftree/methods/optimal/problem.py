"""The problem: least cost of mistakes plus a penalty for each leaf, over trees of a limited shape.

Everything is counted in whole numbers. A cost of the search is weight x error cost in the units here, and
`Problem.risk` turns it into the share of the weight (or mean error cost) that people know.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, isfinite
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.learning.growth import Plan
from thriftree.learning.leaf_rule import LeafRule
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats, Labels
from thriftree.methods.optimal.binary_tests import BinaryTest, SeenColumn, SeenTable
from thriftree.methods.optimal.outline import Outline, in_preorder
from thriftree.methods.optimal.prices import PriceTerms, ProblemPrices

Integers = NDArray[np.int64]

# Weights and error costs that are multiples of one of these stay exact; others are rounded to shares of the
# largest sums that are sure to fit into 62 bits, with room for a class's weight in a double.
UNITS: Final = (1, 2, 4, 5, 8, 10, 16, 20, 25, 32, 50, 64, 100, 128, 256, 512, 1000, 1024, 10_000)
_MOST_WEIGHT: Final = 2.0**40
_MOST_WEIGHT_BESIDE_COSTS: Final = 2.0**36
_MOST_WEIGHT_BESIDE_PRICES: Final = 2.0**28
_MOST_COST: Final = 2.0**60
_MOST_COST_BESIDE_PRICES: Final = 2.0**36


@dataclass(frozen=True)
class Shape:
    """What a tree may be. A branch keeps so many rows, and so much weight in the problem's units."""

    max_depth: int | None
    max_leaves: int | None
    min_leaf: int
    min_leaf_weight: int = 0


@dataclass(frozen=True, eq=False)
class Problem:
    """Rows, what mistakes about them cost, and the trees to choose among."""

    rows: Sample
    seen: SeenTable
    n_classes: int
    weights: Integers | None  # of the rows, sample x class weight; None: 1 each
    error_costs: Integers | None  # [true, predicted]; None: 1 for every mistake
    cost_unit: float  # what a mistake of cost 1 per unit of weight costs in people's units
    shape: Shape
    leaf_penalty: float  # λ, in people's units
    prices: ProblemPrices | None = None  # None: tests cost nothing

    @classmethod
    def of(
        cls,
        rows: Sample,
        plan: Plan,
        rule: LeafRule,
        leaf_penalty: float,
        seen: SeenTable,
        terms: PriceTerms | None = None,
    ) -> Problem:
        """The problem of these rows. `plan` has class weights, costs of mistakes and the shape."""
        most = _MOST_WEIGHT if plan.error_costs is None else _MOST_WEIGHT_BESIDE_COSTS
        if terms is not None:
            most = _MOST_WEIGHT_BESIDE_PRICES
        weights = whole_weights(rows, plan.class_weight, most)
        total = len(rows) if weights is None else int(weights.sum())
        costs, cost_unit = None, 1.0
        if plan.error_costs is not None:
            most_cost = _MOST_COST if terms is None else _MOST_COST_BESIDE_PRICES
            costs, cost_unit = _whole(plan.error_costs, most_cost / total)
        shape = shape_of(rows, plan, rule, weights)
        prices = None
        if terms is not None:
            payers = whole_weights(rows, None, _MOST_WEIGHT_BESIDE_PRICES)
            prices = ProblemPrices.of(rows, seen, terms, payers)
        made = cls(rows, seen, plan.n_classes, weights, costs, cost_unit, shape, leaf_penalty, prices)
        made.check_penalty("what a leaf of all rows loses")
        if terms is not None and not isfinite(made.core_price_weight):
            raise ValueError(f"price_weight is {terms.weight:g}, too much to be added up: give less")
        return made

    def check_penalty(self, most: str) -> None:
        """Raises ValueError where the penalty of as many leaves as there are rows, and once more, is no
        number. `most` says which penalty makes every tree a leaf.
        """
        if not isfinite(2 * len(self.rows) * self.core_penalty):
            raise ValueError(
                f"leaf_penalty is {self.leaf_penalty:g}, too much to be added up over the rows: give less; a "
                f"tree is one leaf as soon as it is above {most}"
            )

    @cached_property
    def labels(self) -> Labels:
        """The class of each row."""
        return np.ascontiguousarray(self.rows.y, dtype=np.int32)

    @cached_property
    def total(self) -> int:
        """The weight of all rows."""
        return len(self.rows) if self.weights is None else int(self.weights.sum())

    @property
    def core_penalty(self) -> float:
        """The penalty of a leaf as the core takes it: in units of weight x error cost."""
        return self.leaf_penalty * self.total / self.cost_unit

    @property
    def least_objective(self) -> float:
        """What no tree is below, in the core's units: one leaf without mistakes."""
        return self.core_penalty

    def bound(self, core_bound: float, core_objective: float) -> float:
        """What no tree is below in people's units, if none is below `core_bound` in the core's, and one has
        this objective.
        """
        return self.risk(min(core_bound, core_objective)) - self.rounded

    def risk(self, core_objective: float) -> float:
        """What the core's objective, cost + penalties, is in people's units."""
        return core_objective * self.cost_unit / self.total

    def at(self, leaf_penalty: float) -> Problem:
        """The same problem with another penalty."""
        return replace(self, leaf_penalty=leaf_penalty)

    def with_price_weight(self, weight: float) -> Problem:
        """The same problem where a price counts otherwise."""
        assert self.prices is not None
        terms = replace(self.prices.terms, weight=weight)
        return replace(self, prices=replace(self.prices, terms=terms))

    def arguments(self) -> dict[str, Any]:
        """What all searches of the core are told of the problem."""
        return {
            "labels": self.labels,
            "n_classes": self.n_classes,
            "weights": self.weights,
            "error_costs": self.error_costs,
            "leaf_penalty": self.core_penalty,
            "min_leaf": self.shape.min_leaf,
            "min_leaf_weight": self.shape.min_leaf_weight,
        }

    def class_weights(self, at: NDArray[np.intp] | None = None) -> Integers:
        """The weight of each class among the rows at these positions; None: all rows."""
        labels = self.labels if at is None else self.labels[at]
        weights = self.weights if self.weights is None or at is None else self.weights[at]
        counted = np.bincount(labels, weights=weights, minlength=self.n_classes)
        return counted.astype(np.int64)  # exact: sums of doubles below 2**53

    def leaf_costs(self, class_weights: Integers) -> Integers:
        """What leaves of these class weights (the last axis) cost under their best labels."""
        if self.error_costs is None:
            return np.asarray(class_weights.sum(axis=-1) - class_weights.max(axis=-1))
        return np.asarray((class_weights @ self.error_costs).min(axis=-1))

    def cost_at(self, at: NDArray[np.intp] | None = None) -> int:
        """What a leaf of the rows at these positions costs; None: of all rows."""
        return int(self.leaf_costs(self.class_weights(at)))

    def answer_at(self, at: NDArray[np.intp]) -> float:
        """What a leaf of these rows says: the label of least cost."""
        weights = self.class_weights(at)
        if self.error_costs is None:
            return int(weights.argmax())
        return int((weights[:, None] * self.error_costs).sum(axis=0).argmin())

    def losses(self, at: NDArray[np.intp], answer: float) -> Floats:
        """What each of these rows costs a leaf that says this."""
        truth, label = self.labels[at], int(answer)
        cost = truth != label if self.error_costs is None else self.error_costs[truth, label]
        return np.asarray(cost * (1 if self.weights is None else self.weights[at]), dtype=np.float64)

    def category_order(self, column: SeenColumn) -> tuple[Floats, Floats]:
        """Of each code of the column the weight of its rows, and by what categories are put in order: the
        share of the heaviest class.
        """
        codes, weights = column.fetched_codes(), self.weights
        of_class = self.labels == int(self.class_weights().argmax())
        weights_of_class = None if weights is None else weights[of_class]
        weight = np.bincount(codes, weights=weights, minlength=column.n_codes).astype(np.float64)
        hits = np.bincount(codes[of_class], weights=weights_of_class, minlength=column.n_codes)
        return weight, hits / np.maximum(weight, 1)

    def division_gain(self, column: SeenColumn, test: BinaryTest) -> float:
        """How much a test alone tells: the decrease of gini, up to what all tests share."""
        left = self.class_weights(np.flatnonzero(column.bits(test))).astype(np.float64)
        right = self.class_weights().astype(np.float64) - left
        return float(sum((side**2).sum() / max(side.sum(), 1.0) for side in (left, right)))

    def admits(self, rows: int, weight: int) -> bool:
        """Whether a branch may have so little."""
        return rows >= self.shape.min_leaf and weight >= self.shape.min_leaf_weight

    @property
    def core_price_weight(self) -> float:
        """What a price of 1 is worth for one payer, in units of weight x error cost."""
        if self.prices is None:
            return 0.0
        return self.prices.terms.weight * self.total / self.cost_unit / self.prices.n_payers

    @property
    def rounded(self) -> float:
        """What rounding of the weights of payers can make of an objective, in people's units."""
        return 0.0 if self.prices is None else self.prices.rounded

    @property
    def can_be_proved(self) -> bool:
        """Whether a search looks at every order of delayed tests."""
        return self.prices is None or self.prices.of_columns(range(len(self.seen)))

    def cost(self, outline: Outline) -> float:
        """What an outline's mistakes and tests cost; infinity beyond the budget."""
        if self.prices is not None and outline.asked:
            return self.evaluated(outline)[1]
        leaves = (rows for node, rows in self.walk(outline) if outline.tests[node] is None)
        return sum(map(self.cost_at, leaves))

    def evaluated(self, outline: Outline, *, cut: bool = False) -> tuple[Outline, float]:
        """The outline and what its mistakes and tests cost by the core's rules of prices. `cut`: what is left
        of it within the limits, where a part that is not worth its price is a leaf.
        """
        assert self.prices is not None
        tests = outline.asked
        number = {test: n for n, test in enumerate(tests)} | {None: -1}
        asked = np.array([number[test] for test in outline.tests], dtype=np.int32)
        left, right = (np.array(part, dtype=np.int32) for part in (outline.left, outline.right))
        found = _core.evaluate_tree(
            tests=np.array([self.seen.bits(test) for test in tests], dtype=np.uint8),
            features=np.array([test.column for test in tests], dtype=np.int32),
            tree=(asked, left, right, np.zeros(len(asked), dtype=np.int32)),
            max_depth=self.shape.max_depth,
            max_leaves=self.shape.max_leaves,
            cut=cut,
            **self.arguments(),
            **self.prices.arguments(self.core_price_weight),
        )
        kept = [tests[n] if n >= 0 else None for n in found.test.tolist()]
        made = in_preorder(kept, found.left.tolist(), found.right.tolist())
        return made, float(found.objective) - self.core_penalty * found.leaves

    def walk(
        self, outline: Outline, top: int = 0, rows: NDArray[np.intp] | None = None
    ) -> Iterator[tuple[int, NDArray[np.intp]]]:
        """Each node below `top`, before its children, with the positions of those of `rows` (None: all) that
        come to it.
        """
        at = [(top, np.arange(len(self.rows)) if rows is None else rows)]
        while at:
            node, here = at.pop()
            yield node, here
            test = outline.tests[node]
            if test is not None:
                goes_left = test.mask.take(self.seen[test.column].codes.take(here))
                at.append((outline.right[node], here.compress(~goes_left)))
                at.append((outline.left[node], here.compress(goes_left)))

    def objective(self, outline: Outline) -> float:
        """Cost and penalties of an outline, in the core's units."""
        return self.cost(outline) + self.core_penalty * outline.n_leaves


def shape_of(rows: Sample, plan: Plan, rule: LeafRule, weights: Integers | None) -> Shape:
    """What a tree of these rows may be, by the plan's limits; `weights` are whole numbers."""
    share = rule.share * (1 - 1e-12)  # slack for shares that are met exactly but for rounding
    max_depth = int(plan.rules["max_depth"])
    max_leaves = int(plan.rules["max_leaves"])
    return Shape(
        None if max_depth < 0 else max_depth,
        None if max_leaves < 0 else max_leaves,
        max(rule.rows, ceil(share * len(rows))) if weights is None else rule.rows,
        0 if weights is None else ceil(share * int(weights.sum())),
    )


def whole_weights(rows: Sample, class_weight: Floats | None, most: float = _MOST_WEIGHT) -> Integers | None:
    """Sample times class weight as whole numbers of some unit, in sum at most `most`; None where all rows
    weigh the same.
    """
    if rows.weight is None and class_weight is None:
        return None
    weight = rows.weights if class_weight is None else rows.weights * class_weight[rows.y]
    if (weight == weight[0]).all():
        return None
    whole, _ = _whole(weight, most, float(weight.sum()))
    return np.maximum(whole, 1)  # none vanishes


def _whole(values: Floats, most: float, total: float | None = None) -> tuple[Integers, float]:
    """Values as whole numbers of which the largest (or the total) is at most `most`, and the unit."""
    largest = float(values.max()) if total is None else total
    for unit in UNITS:
        scaled = values * unit
        if largest * unit <= most and (scaled == np.round(scaled)).all():
            return scaled.astype(np.int64), 1 / unit
    if total is None:
        most = min(most, 2.0**30)
    scale = 2.0 ** np.floor(np.log2(most / largest))
    return np.round(values * scale).astype(np.int64), float(1 / scale)
