"""Certificates: how far trees for the four data sets with real prices can be from the best of their class."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from studies.price_sets import PricedSet
from thriftree import (
    CARTClassifier,
    EnhancedTreeClassifier,
    HingedPairs,
    LimitReachedWarning,
    Pairs,
    WorstCaseTreeClassifier,
    certify,
)

MAX_BINS = 10
MIN_MASS = 0.01
EPSILON = 0.02
OBJECTIVES: tuple[Literal["worst_case", "expected"], ...] = ("worst_case", "expected")


@dataclass(frozen=True)
class Certified:
    """One tree and one objective."""

    data: str
    tree: str
    objective: str
    lower_bound: float
    reached: float
    ratio: float
    bound: str
    trees: str
    exact: bool
    leaves: int


@dataclass(frozen=True)
class CertifiedLearner:
    """An unfitted estimator, and what its certificate must be told of when it stops."""

    model: Any
    parameters: Mapping[str, Any]


def learners(data: PricedSet) -> dict[str, CertifiedLearner]:
    """Each learner grown out, and as one would use it."""
    parameters: dict[str, Any] = {"costs": data.costs, "max_bins": MAX_BINS}
    hinged = HingedPairs(epsilon=EPSILON)
    pruned = CARTClassifier(pruning="cost_complexity", alpha="cv", random_state=0, **parameters)
    light = EnhancedTreeClassifier(impurity="entropy", min_mass=MIN_MASS, **parameters)
    return {
        "CART": CertifiedLearner(CARTClassifier(**parameters), {}),
        "CART, pruned": CertifiedLearner(pruned, {}),
        "EC4.5": CertifiedLearner(EnhancedTreeClassifier(impurity="entropy", **parameters), {}),
        f"EC4.5, θ = {MIN_MASS:.0%}": CertifiedLearner(light, {"min_mass": MIN_MASS}),
        "GreedyTree": CertifiedLearner(WorstCaseTreeClassifier(**parameters), {"impurity": Pairs()}),
        f"GreedyTree, ε = {EPSILON:.0%}": CertifiedLearner(
            WorstCaseTreeClassifier(impurity=hinged, **parameters), {"impurity": hinged}
        ),
    }


def certificates(data: PricedSet, seconds: float) -> Iterator[Certified]:
    """A certificate for each learner and objective, each with this much time to search."""
    for name, learner in learners(data).items():
        model = learner.model.fit(data.X, data.y)
        for objective in OBJECTIVES:
            with warnings.catch_warnings():  # the search is to use its time up
                warnings.simplefilter("ignore", LimitReachedWarning)
                found = certify(
                    model, data.X, data.y, objective=objective, time_limit_s=seconds, **learner.parameters
                )
            yield Certified(
                data.name,
                name,
                objective,
                found.lower_bound,
                found.reached,
                found.ratio,
                found.bound,
                found.trees,
                found.exact,
                model.tree_.n_leaves,
            )


def about() -> Iterator[str]:
    """What the table says."""
    yield "Certificates for trees with real prices (in dollars; paid once, set-ups shared, delays ordered)."
    yield f"Numbers have {MAX_BINS} bins. No tree of the class costs less than the lower bound: a class is"
    yield "pure (every leaf of one label), mass (pure, or a leaf of at most θ), tolerance (F of every leaf at"
    yield "most δ) or error (at most this tree's errors). = marks a bound that some tree reaches, at the"
    yield "least prices of its tests."


def of_set(data: PricedSet, found: Sequence[Certified]) -> Iterator[str]:
    """One data set."""
    yield f"{data.name}: {len(data.y):,} rows, {data.columns} tests"
    yield (
        f"  {'':<18}{'leaves':>7}  {'objective':<11}{'lower bound':>12}{'reached':>9}{'ratio':>8}"
        f"  {'bound':<19} class"
    )
    for one in found:
        mark = "=" if one.exact else " "
        yield (
            f"  {one.tree:<18}{one.leaves:>7}  {one.objective.replace('_', ' '):<11}"
            f"{one.lower_bound:>11.2f}{mark}{one.reached:>9.2f}{one.ratio:>8.2f}"
            f"  {one.bound:<19} {one.trees}"
        )
