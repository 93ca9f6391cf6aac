"""The search for an error-cost curve: a worst-case tree for each impurity, and where it may stop early."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from typing import Any, Final, NamedTuple

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils._param_validation import StrOptions, validate_params

from thriftree.costs import as_costs
from thriftree.estimators.fitted import stored_prices
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, TREE_PARAMETERS
from thriftree.estimators.worst_case import WorstCaseTreeClassifier
from thriftree.impurities import HingedPairs, Impurity, Pairs, Powers, name_of
from thriftree.learning.growth import Plan, grow
from thriftree.learning.limits import Limits, searched_any_time
from thriftree.learning.objects import objects_of
from thriftree.learning.pruning import node_errors
from thriftree.learning.prunings import Nested
from thriftree.learning.sample import Sample
from thriftree.methods.worst_case.early_stopping import by_tolerance, worst_cases
from thriftree.methods.worst_case.set_functions import AnyImpurity, resolved, values
from thriftree.tree import Tree
from thriftree.tuning.frontier.error_cost import ErrorCostCurve, ErrorCostPoint
from thriftree.tuning.loop import Outcome, TuningLoop
from thriftree.tuning.trials import bound_to
from thriftree.tuning.worst_case_search import mass_of_errors, with_impurity

HINGED: Final = "hinged"
IMPURITIES: Final[tuple[AnyImpurity | str, ...]] = (Pairs(), Powers(3), Powers(4), Powers(5), HINGED)
_N_EPSILONS: Final = 24

_PARAMETERS = (
    "min_mass",
    "min_leaf",
    "max_depth",
    "max_leaves",
    "max_bins",
    "binning",
    "categorical_features",
)
_CONSTRAINTS = {
    "costs": TREE_PARAMETERS["costs"],
    "impurities": ["array-like", None],
    "epsilons": ["array-like", None],
    "test": [tuple, None],
    "multiway": ["boolean", StrOptions({"all"})],
    **{name: TREE_PARAMETERS[name] for name in (*_PARAMETERS, "n_jobs", "time_limit_s", "memory_limit_mb")},
    "class_weight": CLASSIFIER_PARAMETERS["class_weight"],
    "error_costs": CLASSIFIER_PARAMETERS["error_costs"],
}


@validate_params(_CONSTRAINTS, prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
def error_cost_curve(
    X: Any,
    y: Any,
    costs: Any = None,
    *,
    impurities: Sequence[AnyImpurity | str] | None = None,
    epsilons: Sequence[float] | None = None,
    test: tuple[Any, Any] | None = None,
    sample_weight: Any = None,
    multiway: bool | str = True,
    class_weight: Any = None,
    error_costs: Any = None,
    min_mass: float = 0.0,
    min_leaf: float = 1,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    max_bins: int | None = None,
    binning: str = "quantile",
    categorical_features: Any = "auto",
    n_jobs: int | None = None,
    time_limit_s: float | None = None,
    memory_limit_mb: float | None = None,
) -> ErrorCostCurve:
    """What less error costs at worst: worst-case trees of many impurities, each from one leaf to its purest.

    Pairs, powers and impurities of one's own stop early: there is a tree for every tolerance that makes a
    difference. Hinged pairs have a tree for each α. Of the trees of one impurity those remain that err less
    than all cheaper ones.

    Parameters
    ----------
    X, y, sample_weight
        As in `fit` of the estimators.
    costs : TestCosts, dict, array or None, default=None
        Price of each test. None: every test costs 1.
    impurities : list or None, default=None
        Impurities as `WorstCaseTreeClassifier` takes them, and "hinged" for hinged pairs of all `epsilons`.
        None: pairs, powers 3 to 5, and "hinged".
    epsilons : list of float or None, default=None
        α of "hinged", as shares of the objects. None: 0, and 24 from half an object to half of all objects.
    test : (X, y) or None, default=None
        Rows to measure the test error on.
    multiway, class_weight, error_costs, min_mass, min_leaf, max_depth, max_leaves, max_bins, binning, \
categorical_features
        As in `WorstCaseTreeClassifier`. With `class_weight` or `error_costs` the training error counts
        mistakes by them.
    n_jobs, time_limit_s, memory_limit_mb
        As in the estimators. At a limit the impurities that are done are returned, with a warning; after
        Ctrl-C they are the attribute `partial` of the KeyboardInterrupt.

    Returns
    -------
    ErrorCostCurve

    Examples
    --------
    >>> from thriftree import error_cost_curve
    >>> from thriftree.datasets import heart_prices, load_heart
    >>> X, y = load_heart()
    >>> curve = error_cost_curve(X, y, heart_prices(), max_bins=10)
    >>> curve.best(budget=50).worst_case_cost <= 50
    True
    """
    given = {**locals()}
    parameters = {
        name: given[name] for name in WorstCaseTreeClassifier._parameter_constraints if name in given
    }
    model = WorstCaseTreeClassifier(**parameters)
    limits = Limits.of_search(n_jobs, time_limit_s, memory_limit_mb)
    test = _checked_test(test)
    rows = model._read(X, y, sample_weight, limits)
    work = _Work(model, rows, limits)
    members = _members(impurities, epsilons, len(work.objects))
    loop = TuningLoop(limits)

    def search() -> ErrorCostCurve:
        drafts = list(chain.from_iterable(loop.each(members, work.drafts)))
        choose = partial(_curve, drafts, model, test, loop)
        return limits.attempt(choose, choose)

    there_is = "it holds the trees that were grown by then"
    remedy = "name fewer impurities or epsilons"
    return searched_any_time(search, limits, "error_cost_curve", there_is, remedy, stacklevel=5)


def _curve(
    drafts: Sequence[_Draft], model: WorstCaseTreeClassifier, test: tuple[Any, Any] | None, loop: TuningLoop
) -> ErrorCostCurve:
    names = dict.fromkeys(draft.curve for draft in drafts)
    kept = [draft for name in names for draft in _unbeaten(one for one in drafts if one.curve == name)]
    return ErrorCostCurve(tuple(draft.finished(model, test) for draft in kept), loop.stopped_by)


@dataclass(frozen=True, eq=False)
class _Draft:
    """One tree with its figures; most are beaten, so that only those that stay become trees."""

    curve: str
    impurity: AnyImpurity
    trees: Nested
    tolerance: float
    worst_case_cost: float
    training_error: float
    leaves: int

    @property
    def rank(self) -> tuple[float, float, int]:
        """Small is better. What differs beyond ten digits does not differ: errors and prices are sums."""
        return (float(f"{self.worst_case_cost:.10g}"), float(f"{self.training_error:.10g}"), self.leaves)

    def finished(self, model: WorstCaseTreeClassifier, test: tuple[Any, Any] | None) -> ErrorCostPoint:
        grown = self.trees.tree_at(self.tolerance)
        tree = Tree(grown.core, grown.columns, tuple(model.classes_.tolist()), stored_prices(model.costs))
        return ErrorCostPoint(
            curve=self.curve,
            impurity=self.impurity,
            tolerance=self.tolerance,
            worst_case_cost=self.worst_case_cost,
            training_error=self.training_error,
            test_error=None if test is None else 1.0 - accuracy_score(test[1], tree.predict(test[0])),
            leaves=self.leaves,
            tree=tree,
        )


class _Member(NamedTuple):
    """One impurity of a curve."""

    curve: str
    named: AnyImpurity | str
    whole: bool  # whether its whole tree alone counts, since the curve has one for each of many impurities


class _Work:
    """Grows and measures the trees of one curve after the other."""

    def __init__(self, model: WorstCaseTreeClassifier, rows: Sample, limits: Limits) -> None:
        self.plan: Plan = model._plan(rows)
        self.rows, self.limits = rows, limits
        self.costs = None if model.costs is None else as_costs(model.costs)
        self.objects = objects_of(rows, self.plan, limits)
        self.mass = mass_of_errors(rows, self.plan)

    def drafts(self, member: _Member) -> Outcome[list[_Draft]]:
        """The trees of all tolerances, or the whole tree only."""
        impurity = resolved(member.named, self.plan.n_classes, len(self.objects))
        plan = with_impurity(self.plan, impurity)
        grown = grow(self.rows, plan, self.limits)
        trees = by_tolerance(grown, values(impurity, self.objects.per_node(grown)))
        errors = trees.sums_over_leaves(node_errors(grown, self.rows, plan), trees.alphas) / self.mass
        leaves = trees.sums_over_leaves(np.ones(grown.core.n_nodes), trees.alphas).astype(int)
        worst = worst_cases(trees, bound_to(self.costs, grown))
        figures = zip(trees.alphas.tolist(), worst.tolist(), errors.tolist(), leaves.tolist(), strict=True)
        counting = islice(figures, 1 if member.whole else None)
        return [_Draft(member.curve, impurity, trees, *figure) for figure in counting], grown.stopped_by


def _unbeaten(drafts: Iterable[_Draft]) -> list[_Draft]:
    """The trees that err less than all cheaper ones, by rising price."""
    least, kept = np.inf, []
    for draft in sorted(drafts, key=lambda one: one.rank):
        if draft.rank[1] < least:
            least = draft.rank[1]
            kept.append(draft)
    return kept


def _members(
    impurities: Sequence[AnyImpurity | str] | None, epsilons: Sequence[float] | None, n_objects: int
) -> list[_Member]:
    """The impurities of all curves to draw, curve by curve."""
    asked = IMPURITIES if impurities is None else impurities
    if not len(asked):
        raise ValueError("impurities is empty: name at least one, or leave it out")
    curves: dict[str, Sequence[AnyImpurity | str]] = {}
    for one in asked:
        hinged = isinstance(one, str) and one == HINGED
        name = "hinged Pairs" if hinged else _name(one)
        if name in curves:
            raise ValueError(f"impurities has two of the name {name!r}: give each its own, once")
        curves[name] = _hinged(epsilons, n_objects) if hinged else [one]
    return [_Member(name, one, len(curve) > 1) for name, curve in curves.items() for one in curve]


def _name(impurity: AnyImpurity | str) -> str:
    if isinstance(impurity, str):
        if impurity != "pairs":
            raise ValueError(
                f"impurities has {impurity!r}: give 'pairs', {HINGED!r}, an impurity or a function"
            )
        return name_of(Pairs())
    if not isinstance(impurity, Impurity) and not callable(impurity):
        raise ValueError(f"impurities has {impurity!r}: give 'pairs', {HINGED!r}, an impurity or a function")
    return name_of(impurity)


def _hinged(epsilons: Sequence[float] | None, n_objects: int) -> list[HingedPairs]:
    """Hinged pairs of each α; by default from none, by equal factors from half an object to half of all."""
    if epsilons is None:
        epsilons = [0.0, *np.geomspace(0.5 / n_objects, 0.5, _N_EPSILONS).tolist()]
    if not len(epsilons):
        raise ValueError("epsilons is empty: give at least one number from 0 to 1, or leave it out")
    return [HingedPairs(epsilon=float(epsilon)) for epsilon in dict.fromkeys(epsilons)]


def _checked_test(test: Any) -> tuple[Any, Any] | None:
    if test is not None and len(test) != 2:
        raise ValueError(f"test is a tuple of {len(test)}: give (X, y)")
    return None if test is None else (test[0], test[1])
