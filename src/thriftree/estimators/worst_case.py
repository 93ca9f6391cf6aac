"""Worst-case trees: no row pays much. GreedyTree of paper 001."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval, StrOptions

from thriftree.costs import TestCosts, as_costs
from thriftree.estimators.base import TreeClassifier
from thriftree.estimators.object_tree import ObjectTree
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, FUNCTION, TREE_PARAMETERS, Constraints
from thriftree.impurities import HingedPairs, Pairs, Polynomial, Powers
from thriftree.learning import growth
from thriftree.learning.allowance import Budget
from thriftree.learning.budget import warn_of_nothing_bought
from thriftree.learning.growth import Grown, Plan, Stopped
from thriftree.learning.leaf_rule import LeafRule
from thriftree.learning.limits import INTERRUPT, Limits, warn_of_limit
from thriftree.learning.objects import count_objects, objects_of
from thriftree.learning.progress import Steps
from thriftree.learning.pruning import Pruning
from thriftree.learning.sample import Sample
from thriftree.methods.worst_case.early_stopping import lemma_bound
from thriftree.methods.worst_case.set_functions import resolved, values
from thriftree.tuning.worst_case_search import (
    Search,
    grow_affordable,
    n_growths,
    search,
    with_impurity,
    without_idle_tests,
)

if TYPE_CHECKING:
    from thriftree.certificates import Certificate


class WorstCaseTreeClassifier(ObjectTree, TreeClassifier):
    """Classification tree of which no path costs much: GreedyTree of Nan, Wang and Saligrama.

    A test is chosen by the largest price / (F(S) - F(S_v)) over its outcomes v, the smaller the better; F is
    the impurity, a function of the objects of each class. With an admissible F the largest price of a path is
    within a factor of order log n of the least possible. Rows that are equal in all columns (after binning)
    are one object, which has the class of most of their weight; leaves predict by the rows themselves. The
    tree reports gini.

    Parameters
    ----------
    impurity : "pairs", Pairs, Powers, Polynomial, HingedPairs, function or "search", default="pairs"
        F. A function takes counts[n_sets, n_classes] to values[n_sets]; it is checked on many sets
        (`thriftree.impurities.check_admissible`), and slower. "search" tries pairs, powers 3 to 5 and hinged
        pairs of seven ε, and takes the tree of least error; of equals the one that costs least at worst, then
        the one of fewest leaves. Within a budget it tries each once more as if all tests cost the same.
    tolerance : float, default=0.0
        δ: a node of F <= δ is a leaf. With "search" it must be 0.
    budget : float or None, default=None
        What no path through the tree may cost more than: a bound on `worst_case_cost_`, under every rule of
        `costs`. If it pays for no useful test, the tree is one leaf, with a warning. With a budget, and with
        "search", tests that lower no error on the rows of fit are left out.
    multiway : bool or "all", default=True
        Whether a category column is tested by a branch for each category, not by two sets; "all": and a
        number or an ordered column by a branch for each value, as in the paper, which wants `max_bins`.
    cv : int, splitter, list of (training, held out) positions or None, default=5
        For "search": the folds whose cross-validated error chooses, the tolerance too; None, the error on the
        rows of fit, as in the paper.
    costs : TestCosts, dict, array or None, default=None
        Price of each test. None: every test costs 1.
    certificate : bool, default=False
        Whether fit also finds out how far the tree can be from the best: `certificate_`. It takes seconds, on
        large tables more, within what the growth has left of `time_limit_s`; `thriftree.certify` does the
        same later, and searches as long as it is told.
    random_state : int, RandomState or None, default=None
        Seed of the folds.

    The other parameters mean what they mean in `CARTClassifier`.

    Attributes
    ----------
    impurity_ : Pairs, Powers, Polynomial, HingedPairs or function
        The impurity that was used, with α as a number of objects.
    tolerance_ : float
        The δ that was used.
    n_objects_ : int
    training_error_ : float
        Share of the weight of the rows of fit that the tree puts into a wrong class.
    error_bound_ : float or None
        For hinged pairs, a bound on the share of objects that are not of the commonest class of their leaf
        (Lemma 4.4); None for other impurities, whose trees err only where they were cut short.
    certificate_ : Certificate or None
        Asked for by `certificate`: what the tree costs at worst, and what every tree of its class costs.
    search_results_ : dict of lists or None
        What "search" measured, the best first: `impurity`, `tolerance`, `by_price` (whether tests were
        weighed against their prices), `error`, `worst_case_cost`, `leaves`.

    The others are those of `CARTClassifier`.

    References
    ----------
    F. Nan, J. Wang and V. Saligrama, Max-cost discrete function evaluation problem under a budget
    (paper 001 of docs/papers.md). docs/guide/worst_case.md has the theory in a page.

    Examples
    --------
    >>> from thriftree import WorstCaseTreeClassifier
    >>> from thriftree.datasets import heart_prices, load_heart
    >>> X, y = load_heart()
    >>> model = WorstCaseTreeClassifier(impurity="search", costs=heart_prices(), budget=50).fit(X, y)
    >>> model.worst_case_cost_ <= 50
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "impurity": [StrOptions({"pairs", "search"}), Pairs, Powers, Polynomial, HingedPairs, FUNCTION],
        "tolerance": [Interval(Real, 0.0, None, closed="left")],
        "budget": [Interval(Real, 0.0, None, closed="left"), None],
        "multiway": ["boolean", StrOptions({"all"})],
        "cv": ["cv_object"],
        "certificate": ["boolean"],
        "random_state": ["random_state"],
        **{name: allowed for name, allowed in TREE_PARAMETERS.items() if name != "min_decrease"},
        **CLASSIFIER_PARAMETERS,
    }

    def __init__(
        self,
        *,
        impurity: Any = "pairs",
        tolerance: float = 0.0,
        budget: float | None = None,
        multiway: bool | str = True,
        cv: Any = 5,
        certificate: bool = False,
        min_mass: float = 0.0,
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bins: int | None = None,
        binning: str = "quantile",
        categorical_features: Any = "auto",
        proportion_encode: Any = None,
        class_weight: Any = None,
        error_costs: Any = None,
        costs: Any = None,
        smoothing: float = 0.0,
        shrinkage: float | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.impurity = impurity
        self.tolerance = tolerance
        self.budget = budget
        self.multiway = multiway
        self.cv = cv
        self.certificate = certificate
        self.min_mass = min_mass
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bins = max_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.proportion_encode = proportion_encode
        self.class_weight = class_weight
        self.error_costs = error_costs
        self.costs = costs
        self.smoothing = smoothing
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _criterion(self) -> str:
        return "gini"

    def _score(self, rows: Sample) -> dict[str, Any]:
        return {"score": "worst_case"}

    def _prices_to_choose_by(self) -> TestCosts | None:
        """Always: without prices every test costs 1, and dividing by 1 changes nothing."""
        return None if self.costs is None else as_costs(self.costs)

    def _pruning(self) -> Pruning:
        return Pruning()

    def _plan(self, rows: Sample) -> Plan:
        plan = super()._plan(rows)
        return replace(plan, ordered_tests=growth.MULTIWAY) if self.multiway == "all" else plan

    def _budget(self) -> Budget | None:
        return None if self.budget is None else Budget(float(self.budget), self._prices_to_choose_by())

    def _settled(self, rows: Sample, plan: Plan, limits: Limits, steps: Steps) -> tuple[Plan, Stopped | None]:
        stopped = None
        self.search_results_ = None
        if self.impurity == "search":
            if self.tolerance != 0:
                raise ValueError(
                    f"tolerance={self.tolerance} counts in the unit of one impurity, and impurity='search' "
                    "tries many: leave it at 0, and give cv if it is to be chosen"
                )
            how = Search(self._prices_to_choose_by(), self._budget(), self.cv, self.random_state)
            found = search(rows, plan, limits, how, steps)
            self.impurity_, self.tolerance_ = found.best.impurity, found.best.tolerance
            self.search_results_ = found.table()
            if found.stopped_by is not None:
                stopped = Stopped(found.stopped_by, found.best.tree)
            plan = plan if found.best.by_price else replace(plan, prices=None)
        else:
            is_share = isinstance(self.impurity, HingedPairs) and self.impurity.epsilon is not None
            n_objects = count_objects(rows, plan, limits) if is_share else 0
            self.impurity_ = resolved(self.impurity, plan.n_classes, n_objects)
            self.tolerance_ = float(self.tolerance)
        return with_impurity(plan, self.impurity_, self.tolerance_), stopped

    def _grow(self, rows: Sample, plan: Plan, limits: Limits) -> Grown:
        budget = self._budget()
        grown = grow_affordable(budget, rows, plan, limits)
        if budget is not None and grown.core.n_leaves == 1 and self._has_a_test(rows, plan, limits):
            warn_of_nothing_bought(budget, grown.columns, stacklevel=7)
        return self._trimmed(grown, rows, plan)

    def _grow_below(self, rows: Sample, plan: Plan, limits: Limits) -> Grown:
        return self._trimmed(grow_affordable(self._budget(), rows, plan, limits), rows, plan)

    def _trimmed(self, grown: Grown, rows: Sample, plan: Plan) -> Grown:
        if self.budget is None and self.search_results_ is None:
            return grown
        return without_idle_tests(grown, rows, plan)

    def _as_fit_settled(self, plan: Plan, fitted: Any) -> Plan:
        self.search_results_ = fitted.search_results_
        by_price = fitted.search_results_ is None or fitted.search_results_["by_price"][0]
        return plan if by_price else replace(plan, prices=None)

    def _has_a_test(self, rows: Sample, plan: Plan, limits: Limits) -> bool:
        """Whether there would be a test without a budget."""
        return growth.grow(rows, plan, limits).core.n_leaves > 1

    def _keep(self, grown: Grown, rows: Sample, plan: Plan, limits: Limits) -> None:
        super()._keep(grown, rows, plan, limits)
        core = grown.core
        is_leaf = core.column < 0
        weight = core.value if plan.class_weight is None else core.value / plan.class_weight
        right = weight[is_leaf, core.label[is_leaf]]
        self.n_objects_ = int(core.objects[0])
        self.training_error_ = float(1.0 - right.sum() / weight[is_leaf].sum())
        self.error_bound_ = self._error_bound(grown, rows, plan, limits)
        self.certificate_ = None
        if self.certificate and limits.interrupt is None:
            self.certificate_ = self._certificate(grown, rows, limits)

    def _certificate(self, grown: Grown, rows: Sample, limits: Limits) -> Certificate:
        from thriftree.certificates.certify import certify_fit  # they stand on our reading of targets

        found = certify_fit(self, rows.codes, self.classes_[rows.y], rows.weight, limits)
        if found.stopped_by not in (None, INTERRUPT) and grown.stopped_by is None:
            remedy, there_is = "fit without certificate", "the tree is finished, certificate_ what was proved"
            name = type(self).__name__
            warn_of_limit(found.stopped_by, name, remedy, there_is=there_is, stacklevel=9)
        return found

    def _error_bound(self, grown: Grown, rows: Sample, plan: Plan, limits: Limits) -> float | None:
        if not isinstance(self.impurity_, HingedPairs) or self.impurity_.alpha is None:
            return None
        done = grown.core.column < 0
        if self._may_stop_early(grown, plan):
            done &= values(self.impurity_, objects_of(rows, plan, limits).per_node(grown)) == 0
        n_classes = int(np.count_nonzero(grown.core.value[0]))
        if grown.stopped_by is not None and grown.core.n_leaves == 1:
            done[:] = False  # columns that no time was left to read make one object of all rows
        return lemma_bound(grown.core.objects[done], self.n_objects_, self.impurity_.alpha, n_classes)

    def _may_stop_early(self, grown: Grown, plan: Plan) -> bool:
        """Whether a leaf may have an impurity above 0: not where only the impurity stops the growth."""
        limits = (self.budget, self.max_depth, self.max_leaves, grown.stopped_by)
        at_zero = plan.leaf_rule == LeafRule() and self.min_mass == 0 and self.tolerance_ == 0
        return self.impurity == "search" or not at_zero or any(limit is not None for limit in limits)

    def _searches(self) -> bool:
        return bool(self.impurity == "search")

    def _max_steps(self) -> int | None:
        if self.impurity != "search":
            return 1
        n_trees = n_growths(self.costs is not None, self.budget is not None)
        if self.cv is None:
            return n_trees + 1
        return (int(self.cv) + 1) * n_trees + 1 if isinstance(self.cv, Integral) else None
