"""Learners where tests have prices: for each of several budgets the most accurate tree that each finds, of
which no path costs more.

Most learners know nothing of budgets. They get every chance that a careful person would give them: candidates
of their own family, each measured by folds of the training rows; the best that costs no more than the budget
at worst is taken, and where none does the most frequent class, which costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from studies.lightgbm_tree import LightGBMTree
from thriftree import CARTClassifier, ThriftTreeClassifier, frontier
from thriftree.costs import TestCosts

Floats = NDArray[np.float64]

FOLDS = 5
ROUNDING = 1 + 1e-9  # what sums of prices may differ by
LEAVES = (2, 3, 4, 6, 8, 12, 16, 24, 32)
LIGHTGBM_LEAVES = (4, 8, 16, 32)
LIGHTGBM_PENALTIES = (0.0, 0.03, 0.1, 0.3, 1.0, 3.0)
SUBSET_FOLDS = 3
SUBSET_LEAVES = 16  # of the trees that say what one more column is worth
LEAST_GAIN = 0.001  # of accuracy, for which one more column is taken


@dataclass(frozen=True)
class PricedRows:
    """Training rows with prices."""

    X: Any
    y: NDArray[Any]
    costs: TestCosts
    seed: int


@dataclass(frozen=True)
class BudgetAnswer:
    """What a tree within a budget says of new rows, what each pays, and the most that any can pay."""

    labels: NDArray[Any]
    prices: Floats
    worst_case: float


Answers = Iterator[BudgetAnswer]


@dataclass(frozen=True)
class BudgetLearner:
    """A learner; `answers(rows, X, budgets)` are its answers for the rows X, one a budget."""

    name: str
    summary: str
    answers: Callable[[PricedRows, Any, Sequence[float]], Answers]
    settings: Mapping[str, Any] = field(default_factory=dict)
    packages: tuple[str, ...] = ("thriftree",)
    group: str = "peer"


def thrift(rows: PricedRows, X: Any, budgets: Sequence[float]) -> Answers:
    """ThriftTree keeps to a budget itself."""
    for budget in budgets:
        model = ThriftTreeClassifier(costs=rows.costs, budget=budget, random_state=rows.seed)
        yield _answer(model.fit(rows.X, rows.y), X)


def of_frontier(rows: PricedRows, X: Any, budgets: Sequence[float]) -> Answers:
    """One frontier, and its best tree for each budget."""
    found = frontier(rows.X, rows.y, rows.costs, cv=FOLDS, target="classes", random_state=rows.seed)
    for budget in budgets:
        tree = found.best(budget=budget).tree
        yield BudgetAnswer(tree.predict(X), tree.predict_cost(X), tree.worst_case_cost())


def cost_benefit(rows: PricedRows, X: Any, budgets: Sequence[float]) -> Answers:
    """CART that divides the decrease of gini by price, of several sizes."""
    family = [
        lambda leaves=leaves: CARTClassifier(cost_benefit=True, max_leaves=leaves, costs=rows.costs)
        for leaves in LEAVES
    ]
    return _best_of(family, rows, X, budgets)


def lightgbm(rows: PricedRows, X: Any, budgets: Sequence[float]) -> Answers:
    """LightGBM's one round, with several penalties on expensive features."""
    family = [
        lambda leaves=leaves, penalty=penalty: LightGBMTree(
            rows.costs, rows.seed, leaves=(leaves,), penalties=(penalty,)
        )
        for leaves in LIGHTGBM_LEAVES
        for penalty in LIGHTGBM_PENALTIES
    ]
    return _best_of(family, rows, X, budgets)


def greedy_subset(rows: PricedRows, X: Any, budgets: Sequence[float]) -> Answers:
    """Columns one by one, each time what helps most of those that can still be paid; then pruned CART."""
    for budget in budgets:
        yield _of_columns(_greedy(rows, budget), rows, X)


def cheapest(rows: PricedRows, X: Any, budgets: Sequence[float]) -> Answers:
    """As many of the cheapest columns as can all be paid; then pruned CART."""
    names = list(rows.X.columns)
    by_price = sorted(names, key=lambda name: (_together(rows, [name]), names.index(name)))
    for budget in budgets:
        kept = 0
        while kept < len(by_price) and _together(rows, by_price[: kept + 1]) <= budget * ROUNDING:
            kept += 1
        yield _of_columns(by_price[:kept], rows, X)


def _best_of(
    family: Sequence[Callable[[], Any]], rows: PricedRows, X: Any, budgets: Sequence[float]
) -> Answers:
    """For each budget the member of highest accuracy in folds; of equals the cheapest at worst."""
    fitted = [member().fit(rows.X, rows.y) for member in family]
    scores = [_accuracy(member, rows, FOLDS) for member in family]
    order = sorted(range(len(family)), key=lambda i: (-scores[i], fitted[i].worst_case_cost_, i))
    for budget in budgets:
        within = [i for i in order if fitted[i].worst_case_cost_ <= budget * ROUNDING]
        yield _answer(fitted[within[0]], X) if within else _most_frequent(rows, X)


def _accuracy(
    member: Callable[[], Any], rows: PricedRows, folds: int, columns: Sequence[str] | None = None
) -> float:
    names = list(rows.X.columns) if columns is None else list(columns)
    table = rows.X[names]
    right = np.zeros(len(rows.y), dtype=bool)
    for train, test in KFold(folds, shuffle=True, random_state=rows.seed).split(table):
        model = member().fit(table.iloc[train], rows.y[train])
        right[test] = model.predict(table.iloc[test]) == rows.y[test]
    return float(right.mean())


def _greedy(rows: PricedRows, budget: float) -> list[str]:
    taken: list[str] = []
    best = float(np.unique(rows.y, return_counts=True)[1].max() / len(rows.y))
    while True:
        offered = [
            name
            for name in rows.X.columns
            if name not in taken and _together(rows, [*taken, name]) <= budget * ROUNDING
        ]
        scores = [
            _accuracy(lambda: CARTClassifier(max_leaves=SUBSET_LEAVES), rows, SUBSET_FOLDS, [*taken, name])
            for name in offered
        ]
        if not scores or max(scores) < best + LEAST_GAIN:
            return taken
        best = max(scores)
        taken.append(offered[scores.index(best)])


def _of_columns(names: Sequence[str], rows: PricedRows, X: Any) -> BudgetAnswer:
    """Pruned CART of some columns."""
    if not names:
        return _most_frequent(rows, X)
    others = [name for name in rows.X.columns if name not in names]
    table = rows.X.assign(**dict.fromkeys(others, 0.0))  # a column of one value is never asked
    model = CARTClassifier(pruning="cost_complexity", alpha="cv", costs=rows.costs, random_state=rows.seed)
    return _answer(model.fit(table, rows.y), X.assign(**dict.fromkeys(others, 0.0)))


def _together(rows: PricedRows, names: Sequence[str]) -> float:
    every = [str(name) for name in rows.X.columns]
    return rows.costs.bind(every).together([every.index(str(name)) for name in names])


def _answer(model: Any, X: Any) -> BudgetAnswer:
    return BudgetAnswer(
        np.asarray(model.predict(X)),
        np.asarray(model.predict_cost(X), dtype=np.float64),
        float(model.worst_case_cost_),
    )


def _most_frequent(rows: PricedRows, X: Any) -> BudgetAnswer:
    labels, counts = np.unique(rows.y, return_counts=True)
    return BudgetAnswer(np.full(len(X), labels[counts.argmax()], dtype=object), np.zeros(len(X)), 0.0)


_ALL = (
    BudgetLearner("ThriftTree", "fitted anew with each budget", thrift, group="ours"),
    BudgetLearner(
        "frontier", "one search, its best tree within each budget", of_frontier, {"cv": FOLDS}, group="ours"
    ),
    BudgetLearner(
        "CART/price",
        "cost-benefit CART, its size by 5 folds",
        cost_benefit,
        {"max_leaves": list(LEAVES), "cv": FOLDS},
    ),
    BudgetLearner(
        "LightGBM/price",
        "one round with cegb_penalty_feature_lazy, leaves and penalty by 5 folds",
        lightgbm,
        {"leaves": list(LIGHTGBM_LEAVES), "penalties": list(LIGHTGBM_PENALTIES), "cv": FOLDS},
        ("lightgbm", "thriftree"),
    ),
    BudgetLearner(
        "Greedy columns",
        "columns that help most and can all be paid, then pruned CART",
        greedy_subset,
        {"cv": SUBSET_FOLDS, "max_leaves": SUBSET_LEAVES, "least_gain": LEAST_GAIN},
    ),
    BudgetLearner(
        "Cheapest columns", "the cheapest columns that can all be paid, then pruned CART", cheapest
    ),
)

BUDGET_LEARNERS: Mapping[str, BudgetLearner] = {one.name: one for one in _ALL}
