"""The learners of paper 000 and two of ours, each on one thread.

"C4.5" is the paper's word for binary tests by information gain; "C" before a name divides the gain by the
test's price, "E" adds balance and efficiency, "p" prunes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any, Literal

from thriftree import (
    BalancedClassifier,
    CARTClassifier,
    EnhancedTreeClassifier,
    ImpurePairsClassifier,
    OptimalTreeClassifier,
    ThriftTreeClassifier,
)

Prices = Literal["unit", "random"]
PRICES: tuple[Prices, ...] = ("unit", "random")

# What the authors' program tries: λ from large to small, and alpha of pruning.
TRADE_OFFS = (100.0, 10.0, 1.0, 0.1, 0.01)
SWEEP = (10_000.0, 1_000.0, *TRADE_OFFS)  # of the paper's Figure 2
LARGEST_DROP = 0.01  # of validation AUC that a smaller λ may cost
ALPHAS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
TIME_LIMIT_S = 10.0  # of the two learners that search

IMPURITY = {"CART": "gini", "C4.5": "entropy"}


@dataclass(frozen=True)
class PaperLearner:
    """A learner by its name in the paper."""

    name: str
    summary: str
    prices: tuple[Prices, ...] = PRICES  # with which it is measured
    prunes: bool = False  # whether there is a version of it with "p" before its name
    enhanced: bool = False  # whether λ is tuned
    ours: bool = False  # learns from the rows as they are, by our own rules

    @property
    def impurity(self) -> str:
        """Of CART and C4.5 and what is made of them."""
        return next(impurity for name, impurity in IMPURITY.items() if self.name.endswith(name))


_ALL = (
    PaperLearner("ASR", "balance and efficiency over price (λ = 0)"),
    PaperLearner("IP", "pairs of objects of different classes, over price"),
    PaperLearner("IP weighted", "the same as the authors' program has it: pairs by weight", ("unit",)),
    PaperLearner("BAL", "the most even split, over price"),
    PaperLearner("CART", "decrease of gini", prunes=True),
    PaperLearner("C4.5", "decrease of entropy", prunes=True),
    PaperLearner("CCART", "decrease of gini over price", ("random",), prunes=True),
    PaperLearner("CC4.5", "decrease of entropy over price", ("random",), prunes=True),
    PaperLearner("ECART", "balance, efficiency and λ times gini, over price", prunes=True, enhanced=True),
    PaperLearner("EC4.5", "balance, efficiency and λ times entropy, over price", prunes=True, enhanced=True),
    PaperLearner("ThriftTree", f"ours as it comes, {TIME_LIMIT_S:g} s at most", ours=True),
    PaperLearner("Optimal", f"ours: least error of depth 4, {TIME_LIMIT_S:g} s at most", ours=True),
)
LEARNERS: Mapping[str, PaperLearner] = {one.name: one for one in _ALL}
SAME_AT_UNIT = {"CCART": "CART", "CC4.5": "C4.5"}  # dividing by 1 changes nothing


def make(learner: str, theta: float, costs: Any, trade_off: float = inf, alpha: float | None = None) -> Any:
    """Unfitted. `trade_off` is λ of the enhanced ones; `alpha` prunes."""
    shared: dict[str, Any] = {"min_mass": theta, "costs": costs}
    if alpha is not None:
        shared |= {"pruning": "cost_complexity", "alpha": alpha}
    if learner.startswith("IP"):
        return ImpurePairsClassifier(weighted="weighted" in learner, cost_benefit=True, **shared)
    if learner == "BAL":
        return BalancedClassifier(cost_benefit=True, **shared)
    if alpha is None:
        shared["pruning"] = None
    if learner == "ASR":
        return EnhancedTreeClassifier(trade_off=0.0, **shared)
    impurity = LEARNERS[learner].impurity
    if LEARNERS[learner].enhanced:
        return EnhancedTreeClassifier(impurity=impurity, trade_off=trade_off, **shared)
    return CARTClassifier(impurity=impurity, cost_benefit=learner.startswith("CC"), **shared)


def make_ours(learner: str, costs: Any, seed: int) -> Any:
    """Unfitted, of those that learn from the rows as they are."""
    shared: dict[str, Any] = {"costs": costs, "random_state": seed, "time_limit_s": TIME_LIMIT_S}
    if learner == "ThriftTree":
        return ThriftTreeClassifier(**shared)
    return OptimalTreeClassifier(max_depth=4, **shared)
