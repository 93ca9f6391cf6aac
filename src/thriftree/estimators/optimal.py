"""Optimal trees: the least regularised risk, with a proof or with a bound, at any time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from numbers import Real
from typing import Any, ClassVar, Final, Literal

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from thriftree import _core
from thriftree.estimators.base import OfClasses, OfNumbers
from thriftree.estimators.fitted import stored_prices
from thriftree.estimators.optimal_base import OPTIMAL_PARAMETERS, OptimalTree
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, Constraints
from thriftree.learning import growth, targets
from thriftree.learning.growth import Grown, Plan
from thriftree.learning.limits import Limits
from thriftree.learning.pruning import node_cost
from thriftree.learning.sample import Sample
from thriftree.methods.optimal.finish import finished
from thriftree.methods.optimal.price_path import PricePath, PricePoint
from thriftree.methods.optimal.prices import PriceTerms
from thriftree.methods.optimal.rounds import Solution
from thriftree.methods.optimal.solve import solved, solved_within
from thriftree.tree import Tree

_TARGET_BINS: Final = 20  # as EnhancedTreeRegressor has them, whose tree is among the first
_LEAST_RANGE: Final = 1e-140  # of a target: below it squares may vanish, beyond its inverse overflow


@dataclass(frozen=True)
class ProvenPoint:
    """A tree of least risk for its expected price, or cheapest for its risk."""

    tree: Tree
    error: float  # share of the weight, or mean cost of mistakes
    risk: float  # error + leaf_penalty · leaves
    expected_cost: float
    proved: bool  # whether every search of the path came to its end


class OptimalTreeClassifier(OfClasses, OptimalTree):
    """Classification tree of least regularised risk: the weight it gets wrong plus a penalty for each leaf.

    Of all trees of the given shape over some tests there is none better, and the fit proves it; stopped
    early, it gives the best tree so far and a bound on what any other could gain. Tests have two branches:
    `x <= t`, sets of categories, missing values on either side or on their own.

    Parameters
    ----------
    max_depth : int or None, default=4
        Tests on a path at most. A proof takes about as many times longer as there are tests with every
        further level.
    max_leaves : int or None, default=None
        Leaves at most.
    min_leaf : int or float, default=1
        What a branch must keep: int, rows of positive weight; float, a share of the total weight.
    min_weight_fraction_leaf : float, default=0.0
        The same as a float `min_leaf`, at most 0.5, under scikit-learn's name. Both hold.
    thresholds : {"auto", "all"}, default="auto"
        "auto" takes all tests where they are few; else the thresholds and subsets of greedy trees and
        quantiles, searches, chooses every threshold anew among all values, and searches again with what it
        found, until nothing improves. "all" proves over every threshold, for `max_depth` up to 3.
    leaf_penalty : float or "cv", default="cv"
        λ, what a leaf must gain: a share of the weight, or a mean cost with `error_costs`. "cv" takes the
        penalty of least cross-validated error along the path of penalties. 0 is error alone, which overfits
        small tables.
    cv : int, splitter or None, default=5
        Folds for `leaf_penalty`, stratified.
    lookahead : int or None, default=None
        None proves. A number chooses each test by the best tree of so many levels below it, without a proof;
        3 is quick and mostly finds the optimum. For tables that are too large for a proof: of more than a
        million rows the tests are chosen on a sample, thresholds and leaves on all.
    beam : int or None, default=None
        Tests that a look-ahead tries at each node. None: as many as about 30 ms of one CPU allow, by a count
        of the work, so that the tree is the same on every machine.
    warm_start : Tree or None, default=None
        A tree to begin with: the result is no worse than what pruning to the limits makes of it. False, of
        scikit-learn's own meaning, is None.
    categorical_features : "auto", list of names or positions, or None, default="auto"
        Columns whose values are only names. "auto": strings, booleans and categoricals.
    class_weight : dict, "balanced" or None, default=None
        Factor on the weight of each class. "balanced" gives all classes the same total.
    error_costs : array of shape (n_classes, n_classes) or None, default=None
        Cost of predicting column j for a row of class i, in place of 1 for every mistake.
    costs : TestCosts, dict, array or None, default=None
        Price of each test, for `expected_cost_`, `worst_case_cost_` and `predict_cost`. None: every test
        costs 1.
    price_weight : float, default=0.0
        What a price of 1 for every row is worth, as a share of the weight (or a mean cost of mistakes):
        `price_weight` times the expected price joins the objective. Paying once, groups with set-up prices,
        known features, prices by outcome and delayed results count as in `predict_cost`.
    budget : float or None, default=None
        What no path may cost more than, each test at its most expensive outcome. None: no limit.
    max_expected : float or None, default=None
        What the tree may cost on average over the rows of fit. The best trees along rising weights of price
        are searched, and the best that is cheap enough is taken; another may be better by `gap_` at most (the
        duality gap: limits on a mean do not part into branches). `status_` is "optimal" where it is 0.
    smoothing : float, default=0.0
        Added to the weight of every class at a node before probabilities are taken (Laplace: 1).
    shrinkage : float, "cv" or None, default=None
        λ by which the probabilities of leaves are drawn towards those of the nodes above them, as in
        `CARTClassifier`. The objective does not depend on it. "cv" measures it on the trees of folds that a
        look-ahead finds; where the search has used up the time, λ is 10.
    random_state : int, RandomState or None, default=None
        Seed of folds and samples.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all; never more than there are CPUs. The tree does not depend on it.
    time_limit_s, memory_limit_mb : float or None, default=None
        A fit that reaches a limit keeps the best tree so far, warns, and says so in `stopped_by_`.

    Attributes
    ----------
    tree_ : Tree
    objective_ : float
        Share of the weight (sample x class weight) that the tree gets wrong on the rows of fit, plus
        `leaf_penalty_` times its leaves, plus `price_weight` times `expected_cost_`; with `error_costs` the
        first term is the mean cost of a mistake.
    lower_bound_ : float
        No tree of this shape over the tests of `proved_for_` has a smaller objective. Never above
        `objective_`; equal to it if `status_` is "optimal", but for what prices in fixed point round (about
        1e-11, with weights of many digits 1e-6).
    gap_ : float
        (objective_ - lower_bound_) / objective_, 0 where the objective is 0.
    status_ : {"optimal", "time_limit", "memory_limit", "interrupted", "heuristic"}
        "heuristic" also where more than 8 features may be ordered together as delayed tests, or delayed tests
        are paid each time: then `lower_bound_` is about prices without delay.
    proved_for_ : str
        The tests that `lower_bound_` is about: "all thresholds", or "the 143 generated tests".
    history_ : dict of arrays
        `seconds`, `incumbent` and `bound`, each time one of them changed. Where polished thresholds join the
        tests the bound begins anew.
    leaf_penalty_ : float
        The penalty that was used.
    cv_results_ : dict of arrays, or None
        What "cv" measured: `leaf_penalty`, `mean_loss`, `standard_error`, `mean_leaves`.
    stopped_by_ : None, "time_limit", "memory_limit" or "interrupt"
        What ended the fit early. After Ctrl-C the attributes are set before KeyboardInterrupt is raised.

    The others are those of `CARTClassifier`.

    References
    ----------
    Paper 004 of docs/papers.md; docs/guide/optimal.md says when an optimal tree is worth it,
    docs/guide/optimal_bounds.md how it is proved.

    Examples
    --------
    >>> from thriftree import OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> model = OptimalTreeClassifier(leaf_penalty=0.01).fit(X, y)
    >>> model.status_, model.objective_, model.tree_.n_leaves
    ('optimal', 0.04, 4)
    """

    _refits_below = "CARTClassifier"
    _parameter_constraints: ClassVar[Constraints] = {
        **OPTIMAL_PARAMETERS,
        **CLASSIFIER_PARAMETERS,
        "price_weight": [Interval(Real, 0.0, None, closed="left")],
        "budget": [Interval(Real, 0.0, None, closed="left"), None],
        "max_expected": [Interval(Real, 0.0, None, closed="left"), None],
    }

    def __init__(
        self,
        *,
        max_depth: int | None = 4,
        max_leaves: int | None = None,
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        thresholds: str = "auto",
        leaf_penalty: float | str = "cv",
        cv: Any = 5,
        lookahead: int | None = None,
        beam: int | None = None,
        warm_start: Tree | Literal[False] | None = None,
        categorical_features: Any = "auto",
        class_weight: Any = None,
        error_costs: Any = None,
        costs: Any = None,
        price_weight: float = 0.0,
        budget: float | None = None,
        max_expected: float | None = None,
        smoothing: float = 0.0,
        shrinkage: float | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.thresholds = thresholds
        self.leaf_penalty = leaf_penalty
        self.cv = cv
        self.lookahead = lookahead
        self.beam = beam
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.class_weight = class_weight
        self.error_costs = error_costs
        self.costs = costs
        self.price_weight = price_weight
        self.budget = budget
        self.max_expected = max_expected
        self.smoothing = smoothing
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def price_path(self, X: Any, y: Any, sample_weight: Any = None) -> list[ProvenPoint]:
        """The trees that are best at some weight of price, by falling expected price: the corners of the
        lower hull of error + `leaf_penalty` · leaves against expected price. `leaf_penalty` must be a number;
        `price_weight` is the least weight. The limits are for each search.
        """
        if self.leaf_penalty == "cv":
            raise ValueError('price_path needs a penalty: give leaf_penalty as a number, not "cv"')
        limits = Limits.of_search(self.n_jobs, self.time_limit_s, self.memory_limit_mb)
        rows = self._read(X, y, sample_weight, limits).for_many_trees()
        terms = PriceTerms(self._prices(), float(self.price_weight), self.budget)
        task = replace(self._task(rows), terms=terms)
        path = PricePath(
            task.problem(rows, limits, float(self.leaf_penalty)),
            lambda problem, warm: solved(
                task,
                problem,
                Limits.of_search(self.n_jobs, self.time_limit_s, self.memory_limit_mb),
                check_random_state(self.random_state),
                lambda _: warm,
            ),
            terms.weight,
        )
        points = path.hull()
        return [self._proven(one, rows, task.plan, path.proved) for one in points]

    def _proven(self, point: PricePoint, rows: Sample, plan: Plan, proved: bool) -> ProvenPoint:
        grown = finished(rows, plan, point.outline)
        classes = tuple(self.classes_.tolist())
        tree = Tree(grown.core, grown.columns, classes, stored_prices(self.costs))
        return ProvenPoint(tree, _error(grown, plan), point.risk, point.price, proved)

    def _plan_again(self, rows: Sample) -> Plan:
        error_costs = targets.cost_matrix(self.error_costs, self.classes_)
        totals_of = partial(rows.class_totals, self.n_classes_)
        return Plan(
            criterion="gini",
            n_classes=self.n_classes_,
            ordered_tests=growth.THRESHOLD,
            category_tests=growth.SUBSET,
            class_weight=targets.class_weights(self.class_weight, self.classes_, totals_of),
            priors=targets.altered_priors(error_costs, totals_of),
            error_costs=error_costs,
            rules=self._rules(),
        )

    def _price_terms(self) -> PriceTerms | None:
        if self.price_weight == 0 and self.budget is None and self.max_expected is None:
            return None
        budget = None if self.budget is None else float(self.budget)
        return PriceTerms(self._prices(), float(self.price_weight), budget)

    def _solver(self) -> Callable[..., Solution]:
        if self.max_expected is None:
            return solved
        return partial(solved_within, float(self.max_expected))

    def _loss(self, grown: Grown, plan: Plan) -> float:
        """The error, and what prices count."""
        paid = 0.0 if self._price_terms() is None else self.price_weight * self.expected_cost_
        return _error(grown, plan) + float(paid)

    def _rounds(self) -> bool:
        return self._price_terms() is not None


def _error(grown: Grown, plan: Plan) -> float:
    """The share of the weight that the tree gets wrong, or the mean cost of its mistakes."""
    core = grown.core
    leaf = core.column < 0
    value = core.value.reshape(-1, plan.n_classes)[leaf]
    label = core.label[leaf]
    if plan.error_costs is None:
        wrong = value.sum() - value[np.arange(len(label)), label].sum()
    else:
        wrong = (value * plan.error_costs[:, label].T).sum()
    return float(wrong / value.sum())


class OptimalTreeRegressor(OfNumbers, OptimalTree):
    """Regression tree of least mean squared error plus a penalty for each leaf.

    Of all trees of the given shape over some tests there is none better, and the fit proves it; stopped
    early, it gives the best tree so far and a bound on what any other could gain.

    Parameters
    ----------
    leaf_penalty : float or "cv", default="cv"
        λ, what a leaf must gain, in the unit of the objective: mean squared error, so the square of the
        target's unit. `0.01 * y.var()` asks each leaf for one hundredth of the variance, as rpart's `cp` and
        others' relative penalties do. "cv" takes the penalty of least cross-validated squared error along
        the path of penalties. 0 is squared error alone, which overfits small tables.
    cv : int, splitter or None, default=5
        Folds for `leaf_penalty`.
    thresholds : {"auto", "all"}, default="auto"
        "auto" takes all tests where they are few; else the thresholds and subsets of greedy trees and
        quantiles, searches, chooses every threshold anew among all values, and searches again with what it
        found, until nothing improves. "all" proves over every test of every column, where there are at most
        256, or 1,000 for `max_depth` up to 3.
    shrinkage : float, "cv" or None, default=None
        λ by which the means that leaves predict are drawn towards those of the nodes above them, as in
        `CARTRegressor`. The objective does not depend on it.

    The other parameters are those of `OptimalTreeClassifier`, but for those about classes.

    Attributes
    ----------
    objective_ : float
        Mean squared error on the rows of fit (weighted), plus `leaf_penalty_` times the leaves.
    lower_bound_ : float
        No tree of this shape over the tests of `proved_for_` has a smaller objective. Squared errors are
        compared in fixed point: where `status_` is "optimal" the bound is below `objective_` by what that can
        have rounded, mostly less than 1e-9 of it.
    gap_ : float
        (objective_ - lower_bound_) / objective_, 0 where `status_` is "optimal" or the objective is 0.

    The others are those of `OptimalTreeClassifier`, but for those about classes.

    References
    ----------
    docs/guide/optimal.md says when an optimal tree is worth it, docs/guide/optimal_bounds.md how it is
    proved.

    Examples
    --------
    >>> from thriftree import OptimalTreeRegressor
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [1.0, 5.0, 5.0, 1.0]
    >>> model = OptimalTreeRegressor(leaf_penalty=0.5).fit(X, y)
    >>> model.status_, model.objective_, model.predict([[0, 1]]).tolist()
    ('optimal', 2.0, [5.0])
    """

    _refits_below = "CARTRegressor"
    _parameter_constraints: ClassVar[Constraints] = OPTIMAL_PARAMETERS

    def __init__(
        self,
        *,
        max_depth: int | None = 4,
        max_leaves: int | None = None,
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        thresholds: str = "auto",
        leaf_penalty: float | str = "cv",
        cv: Any = 5,
        lookahead: int | None = None,
        beam: int | None = None,
        warm_start: Tree | Literal[False] | None = None,
        categorical_features: Any = "auto",
        costs: Any = None,
        shrinkage: float | str | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.thresholds = thresholds
        self.leaf_penalty = leaf_penalty
        self.cv = cv
        self.lookahead = lookahead
        self.beam = beam
        self.warm_start = warm_start
        self.categorical_features = categorical_features
        self.costs = costs
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _read_target(self, y: targets.AnyArray) -> targets.Floats:
        numbers = super()._read_target(y)
        if (
            len(numbers)
            and not _LEAST_RANGE < float(numbers.max() / 2 - numbers.min() / 2) < 1 / _LEAST_RANGE
        ):
            _core.Target.numbers(numbers)  # which says what is wrong, if anything is
        return numbers

    def _plan_again(self, rows: Sample) -> Plan:
        return Plan(
            criterion="squared_error",
            n_classes=0,
            ordered_tests=growth.THRESHOLD,
            category_tests=growth.SUBSET,
            target_bins=_TARGET_BINS,
            rules=self._rules(),
        )

    def _loss(self, grown: Grown, plan: Plan) -> float:
        """The mean squared error of the tree."""
        cost = node_cost(grown.core, plan)
        return float(cost[grown.core.column < 0].sum())

    def _rounds(self) -> bool:
        return True
