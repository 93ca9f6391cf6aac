"""From a sample to a grown tree: hand its codes to the core, keep what came back."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from itertools import pairwise
from math import inf
from typing import Any, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema
from thriftree.costs import BoundCosts, PathState, TestCosts
from thriftree.document.leaf_models import LeafModel
from thriftree.learning import counting
from thriftree.learning.allowance import Budget, bound_costs
from thriftree.learning.criteria import CriterionFunction
from thriftree.learning.leaf_rule import LeafRule
from thriftree.learning.limits import INTERRUPT, Limits
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats, Labels
from thriftree.table.encoded_table import EncodedTable

# Kinds of tests a column can be offered; a column's candidates are a sum of these.
THRESHOLD: Final = _core.THRESHOLD
ONE_VS_REST: Final = _core.ONE_VS_REST
SUBSET: Final = _core.SUBSET
MULTIWAY: Final = _core.MULTIWAY


@dataclass(frozen=True)
class Start:
    """The node of a larger tree at which a tree begins: what parameters say of a tree, they say of the
    larger one.
    """

    depth: int
    other_leaves: int  # of the larger tree
    sample_share: float  # of the larger tree's weight, what reaches the node,
    growth_share: float  # and the same as growing counts it
    impurity_share: float  # the node's impurity over that of the larger tree's root
    bought: PathState  # by the path to the node,
    paid: float  # and for how much
    asked: frozenset[int] = frozenset()  # columns that the path asks for

    def for_core(self) -> _core.Start:
        """As the core takes it: all but what pruning alone needs."""
        return _core.Start(
            depth=self.depth,
            other_leaves=self.other_leaves,
            sample_share=self.sample_share,
            growth_share=self.growth_share,
            bought=self.bought,
            paid=self.paid,
        )


_ROOT: Final = Start(0, 0, 1.0, 1.0, 1.0, PathState(), 0.0)
# What most fits tell the core, made once: to make it anew takes as long as growing a small tree.
_CORE_ROOT: Final = _ROOT.for_core()
_NO_PARTS: Final = _core.Parts()
_NO_PRICES: Final = _core.Pricing()


@dataclass(frozen=True)
class Plan:
    """Everything but the rows that decides a tree."""

    criterion: str | CriterionFunction
    n_classes: int  # 0: the target is a number
    ordered_tests: int
    category_tests: int
    class_weight: Floats | None = None  # factor of each class in growing, labelling and validating
    priors: Floats | None = None  # further factor of each class in growing only, from error_costs
    error_costs: Floats | None = None  # [true class, predicted class]
    proportion_encode: Any = None  # category columns to put in the order of the target, or None
    rules: Mapping[str, Any] = field(default_factory=dict)  # when a node is split
    prices: TestCosts | None = None  # scores are divided by these; None: they are not
    # What no path may cost more than. Where scores are divided by prices, these differ from the budget's in
    # the price of asking at most.
    budget: Budget | None = None
    scoring: Mapping[str, Any] = field(default_factory=dict)  # what makes a test good; empty: the criterion
    parts: Mapping[str, Any] = field(default_factory=dict)  # parts of the loop in Python: chooser, grower
    # Parts that must know the values behind the codes: each is made anew for the table that is grown on.
    table_parts: Mapping[str, Callable[[EncodedTable], Any]] = field(default_factory=dict)
    trade_off: float = 1.0  # λ, what a unit of impurity is worth to the score "enhanced"
    # Bins of a numeric target, so many or by the last number of each; numbers of different bins are in
    # conflict.
    target_bins: int | Floats | None = None
    # The size that weakest links go by; None: the price, where scores are divided by prices, else leaves.
    pruned_by: Literal["leaves", "price"] | None = None
    start: Start = _ROOT  # where the tree begins; else than here it is a part of another

    @property
    def is_of_part(self) -> bool:
        """Whether the tree is a part of another."""
        return self.start != _ROOT

    @property
    def sample_share(self) -> float:
        """Of the weight that parameters speak of, what the rows have that the plan is for."""
        return self.start.sample_share

    @property
    def leaf_rule(self) -> LeafRule:
        """What a branch must keep; its share is of the weight of the rows that the plan is for."""
        return LeafRule(self.rules["min_leaf_rows"], self.rules["min_leaf_share"] / self.sample_share)

    def prices_of(self, costs: TestCosts | None, columns: Sequence[ColumnSchema]) -> BoundCosts:
        """What tests of these columns cost where the tree begins: what was bought on the path is free."""
        bound = bound_costs(costs, columns)
        return bound.below(self.start.bought) if self.is_of_part else bound

    def admits(self, budget: Budget, amount: float) -> bool:
        """Whether a path of the tree may cost this much, beside what was paid above it."""
        return budget.admits(self.start.paid + amount)

    @property
    def impurity_name(self) -> str:
        """Name of the criterion, for pruning that measures it on other rows."""
        if not isinstance(self.criterion, str):
            raise ValueError(
                "this pruning needs an impurity by name, not a function: name one, or choose another pruning"
            )
        return self.criterion


@dataclass(frozen=True)
class Grown:
    """A tree with the columns it was grown on."""

    core: _core.Tree
    columns: tuple[ColumnSchema, ...]
    stopped_by: str | None  # "time_limit" or "interrupt", where it is not grown and pruned to the end
    alpha: float | None = None  # what cost-complexity pruning used,
    pruned_by: Literal["leaves", "price"] | None = None  # and what it charged for, where there are prices
    models: Mapping[int, LeafModel] | None = None  # of leaves that are linear, by node
    penalty: float | None = None  # of these models


class Stopped(NamedTuple):
    """What ended a search early, and the tree to take then: the best it measured, or else the one that was
    growing; None: there is none.
    """

    by: str
    tree: Grown | None


def grow(rows: Sample, plan: Plan, limits: Limits) -> Grown:
    """The tree of these rows under this plan, before any pruning."""
    return _grown(partial(_grow, rows, plan, limits), limits)[0]


def grow_path(rows: Sample, plan: Plan, limits: Limits, trade_offs: Sequence[float]) -> list[Grown]:
    """The tree of each trade-off, before any pruning. What the trees have in common is counted once."""
    return _grown(partial(_grow, rows, plan, limits, list(trade_offs)), limits)


def grow_on(table: EncodedTable, rows: Sample, plan: Plan, limits: Limits) -> Grown:
    """The tree of these rows where their codes are those of this table. Ctrl-C is raised."""
    return _grown_on(table, rows, plan, limits, None)[0]


def _grow(rows: Sample, plan: Plan, limits: Limits, trade_offs: list[float] | None = None) -> list[Grown]:
    try:
        return _grown_on(table_of(rows, plan, limits), rows, plan, limits, trade_offs)
    except MemoryError:
        if limits.memory_limit_mb is None:
            raise
    no_limit = replace(limits, memory_limit_mb=None)  # there are the rows, but no room to divide them
    leaves = _grown_on(rows.codes.untested(), rows, plan, no_limit, trade_offs)
    return [replace(leaf, stopped_by="memory_limit") for leaf in leaves]


def _grown_on(
    table: EncodedTable, rows: Sample, plan: Plan, limits: Limits, trade_offs: list[float] | None
) -> list[Grown]:
    options = _options(table, plan, limits, _memory_left_mb(rows, limits))
    elsewhere = rows.counted_elsewhere(plan, options)
    if elsewhere is not None and trade_offs is None:
        grown = [counting.grow_counted(elsewhere, options)]
    elif elsewhere is not None:
        grown = counting.grow_path_counted(elsewhere, options, trade_offs or []).grown
    elif trade_offs is None:
        grown = [counting.grow(table.core, _target(rows, plan), options)]
    else:
        grown = counting.grow_path(table.core, _target(rows, plan), options, trade_offs).grown
    return [Grown(growth.tree, table.columns, growth.stopped_by) for growth in grown]


def _grown(work: Callable[[], list[Grown]], limits: Limits) -> list[Grown]:
    """What `work` grows, as far as it came when Ctrl-C ended it: in the core, which keeps what it has, or
    outside, where nothing has been grown yet, and a single leaf takes no time.
    """
    grown = limits.attempt(work, work)
    if limits.interrupt is None and any(one.stopped_by == INTERRUPT for one in grown):
        limits.note(KeyboardInterrupt())
    if limits.interrupt is None:
        return grown
    return [replace(one, stopped_by=one.stopped_by and INTERRUPT) for one in grown]


def table_of(rows: Sample, plan: Plan, limits: Limits) -> EncodedTable:
    """The codes of these rows, categories in the order that the plan asks for."""
    return rows.table(plan.proportion_encode, plan.n_classes, _memory_left_mb(rows, limits))


def _memory_left_mb(rows: Sample, limits: Limits) -> float | None:
    """For the table of these rows and what grows from it."""
    left = limits.memory_left_mb
    return None if left is None else max(0.0, left - rows.bytes_behind / 2**20)


def _target(rows: Sample, plan: Plan) -> _core.Target:
    if plan.n_classes:
        return _core.Target.classes(rows.y, plan.n_classes, rows.weight, plan.class_weight, plan.priors)
    if plan.target_bins is None or not plan.scoring.get("objects"):  # only objects are told apart by bins
        return _core.Target.numbers(rows.y, rows.weight)
    bins = bins_of(rows, plan.target_bins)
    return _core.Target.numbers(rows.y, rows.weight, bins, int(bins.max()) + 1)


def bins_of(rows: Sample, target_bins: int | Floats) -> Labels:
    """The bin of each row's number."""
    if isinstance(target_bins, int):
        return rows.target_bins(target_bins)
    return np.searchsorted(target_bins, rows.y, side="left").astype(np.int32)


def _options(
    table: EncodedTable, plan: Plan, limits: Limits, memory_left_mb: float | None
) -> _core.GrowOptions:
    """The plan and the limits in the groups that the core knows."""
    tests, seconds_left = _tests_on_offer(table.core, plan), limits.seconds_left
    if memory_left_mb is None and seconds_left is None and _is_plain(plan):
        return _plain_options(
            plan.criterion,
            plan.trade_off,
            limits.n_threads,
            limits.is_any_time,
            tuple(tests),
            tuple(plan.rules.items()),
        )
    return _core.GrowOptions(
        scoring=_core.Scoring(criterion=plan.criterion, trade_off=plan.trade_off, **plan.scoring),
        limits=_core.Limits(
            n_threads=limits.n_threads,
            time_limit_s=seconds_left,
            memory_limit_mb=memory_left_mb,
            keep_interrupted=limits.is_any_time,
        ),
        pricing=_pricing(table, plan),
        parts=_parts(table, plan),
        start=_CORE_ROOT if plan.start is _ROOT else plan.start.for_core(),
        candidates=tests,
        **plan.rules,
    )


def _is_plain(plan: Plan) -> bool:
    """Whether an impurity by name, stop rules and the tests on offer are all that decides a tree."""
    return (
        isinstance(plan.criterion, str)
        and plan.start is _ROOT
        and plan.prices is None
        and plan.budget is None
        and plan.error_costs is None
        and not (plan.scoring or plan.parts or plan.table_parts)
    )


@lru_cache(maxsize=16)
def _plain_options(
    criterion: str,
    trade_off: float,
    n_threads: int,
    keep_interrupted: bool,
    candidates: tuple[int, ...],
    rules: tuple[tuple[str, Any], ...],
) -> _core.GrowOptions:
    """The options of a fit without limits, made once for all that are alike: nothing changes them."""
    return _core.GrowOptions(
        scoring=_core.Scoring(criterion=criterion, trade_off=trade_off),
        limits=_core.Limits(n_threads=n_threads, keep_interrupted=keep_interrupted),
        pricing=_NO_PRICES,
        parts=_NO_PARTS,
        start=_CORE_ROOT,
        candidates=list(candidates),
        **dict(rules),
    )


def _parts(table: EncodedTable, plan: Plan) -> _core.Parts:
    if not plan.parts and not plan.table_parts:
        return _NO_PARTS
    made = {parameter: make(table) for parameter, make in plan.table_parts.items()}
    return _core.Parts(**plan.parts, **made)


def _pricing(table: EncodedTable, plan: Plan) -> _core.Pricing:
    price_model = _price_model(table, plan)
    if plan.prices is None and price_model is None and plan.error_costs is None:
        return _NO_PRICES
    return _core.Pricing(
        cost_benefit=plan.prices is not None, price_model=price_model, error_costs=plan.error_costs
    )


def _price_model(table: EncodedTable, plan: Plan) -> _core.PriceRules | None:
    if plan.prices is None and plan.budget is None:
        return None
    costs = plan.budget.costs if plan.prices is None and plan.budget is not None else plan.prices
    return price_rules(bound_costs(costs, table.columns), table, plan.budget)


def price_rules(prices: BoundCosts, table: EncodedTable, budget: Budget | None = None) -> _core.PriceRules:
    """The prices of a table's columns as the core takes them."""
    limit = inf if budget is None else float(budget.limit)
    return prices.rules.for_growing(_prices_by_code(prices, table), limit)


def _prices_by_code(prices: BoundCosts, table: EncodedTable) -> list[list[float]]:
    """The own price of every code, for the columns whose price depends on the outcome; empty for the others.
    A code that stands for a range of numbers costs as much as the most expensive of them.
    """
    by_code: list[list[float]] = [[] for _ in table.columns] if prices.outcomes else []
    for j, outcomes in prices.outcomes.items():
        edges = table.edges(j).tolist()
        if edges:
            by_code[j] = [outcomes.highest_between(low, high) for low, high in pairwise([-inf, *edges, inf])]
        else:
            by_code[j] = outcomes.of(table.numbers(j)).tolist()
        if table.missing(j) is not None:
            by_code[j].append(outcomes.highest)
    return by_code


def _tests_on_offer(table: _core.Table, plan: Plan) -> list[int]:
    """By column. A category column put in the order of the target is tested by cuts, as numbers are."""
    offered = [plan.category_tests if kind == "category" else plan.ordered_tests for kind in table.kinds]
    given_up = plan.budget.given_up if plan.budget is not None else frozenset()
    return [0 if j in given_up else tests for j, tests in enumerate(offered)]


def leaves(grown: Grown, rows: Sample, n_threads: int) -> NDArray[np.int32]:
    """The leaf each row reaches."""
    return grown.core.apply(rows.codes.inputs(grown.columns), n_threads)


def growth_weight(core: _core.Tree, plan: Plan) -> Floats:
    """Weight of each node as the criterion saw it: class weights and priors included."""
    if not plan.n_classes:
        return core.weight
    value = core.value.reshape(-1, plan.n_classes)
    weighed = value if plan.priors is None else value * plan.priors  # a product of BLAS depends on the CPU
    return np.asarray(weighed.sum(axis=1), dtype=np.float64)
