"""The recommended default: several methods, tuned against each other, and the cheapest that is as good."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import inf
from numbers import Integral, Real
from typing import Any, ClassVar, Final, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from thriftree.costs import as_costs, within_budget
from thriftree.distributed.engines import closing_parts
from thriftree.estimators.base import OfClasses, OfNumbers, TreeEstimator
from thriftree.estimators.fitted import keep_tree
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, TREE_PARAMETERS, Constraints
from thriftree.estimators.recipes import Grid, learner, recipes
from thriftree.learning.allowance import Budget, bound_costs
from thriftree.learning.budget import warn_of_nothing_bought
from thriftree.learning.budget_grid import budgets_up_to
from thriftree.learning.growth import Plan
from thriftree.learning.holdout import folds
from thriftree.learning.leaf_models import LeafReading, models_of_leaves
from thriftree.learning.leaf_rule import LeafRule
from thriftree.learning.limits import Limits, warn_of_limit
from thriftree.learning.progress import Steps, steps_of_fit
from thriftree.learning.pruning import grow_and_prune
from thriftree.learning.regrowth import Learner
from thriftree.learning.sample import Sample
from thriftree.tuning.loop import TuningLoop
from thriftree.tuning.measures import Metric
from thriftree.tuning.selection import candidates, least_expected, table_of
from thriftree.tuning.trials import Part, Trial, Trials

# Which trees compete: with prices, and for numbers; and of classes without prices, where impurities that
# differ are worth more than trade-offs, and λ = inf is the impurity alone. Decision 026 has the figures.
GRID: Final = Grid(
    methods=("cart", "ecart"), trade_offs=(1.0, 10.0, inf), askings=(3.0,), impurities=("gini", "entropy")
)
WITHOUT_PRICES: Final = Grid(
    methods=("cart", "ec45"), trade_offs=(1.0,), impurities=("gini", "entropy", "gain_ratio")
)
MOST_FOR_ALL: Final = 10_000  # rows: beyond, what takes long is left out
COARSE_LEAF: Final = 0.02  # share of the weight: leaves of at least this compete with those asked for

_TUNING_PARAMETERS: Constraints = {
    "budget": [Interval(Real, 0.0, None, closed="left"), None],
    "max_expected": [Interval(Real, 0.0, None, closed="left"), None],
    "tolerance": [Interval(Real, 0.0, None, closed="left")],
    "cv": ["cv_object"],
    "repeats": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
    "random_state": ["random_state"],
    **{
        name: allowed for name, allowed in TREE_PARAMETERS.items() if name not in ("min_mass", "min_decrease")
    },
}
_OWN_PARAMETERS: Final = frozenset(
    (
        "budget",
        "max_expected",
        "tolerance",
        "cv",
        "repeats",
        "random_state",
        "metric",
        "smoothing",
        "shrinkage",
        "leaves",
    )
)
_ENOUGH_MEASURED: Final = 20_000  # rows, over all folds: fewer are measured again, in other folds
_MOST_REPEATS: Final = 4


class _Thrift(TreeEstimator):
    """What the classifier and the regressor share: the tuning."""

    _learns_from_parts = True

    @_fit_context(prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose a method and its settings, and learn the tree from all rows.

        Parameters
        ----------
        X : frame or array of shape (n_rows, n_columns)
            Numbers, strings, booleans and categoricals, from pandas, polars, pyarrow or numpy. Values may be
            missing.
        y : array of shape (n_rows,)
            The target.
        sample_weight : array of shape (n_rows,), optional
            How much each row counts. Rows of weight 0 are left out.
        """
        limits = Limits.of_search(self.n_jobs, self.time_limit_s, self.memory_limit_mb)
        costs = None if self.costs is None else as_costs(self.costs)
        with (
            closing_parts(),
            limits.any_time(),
            steps_of_fit(self, X, y, sample_weight, self._max_steps()) as steps,
        ):
            rows = self._read(X, y, sample_weight, limits)
            parameters = {
                name: value for name, value in self.get_params().items() if name not in _OWN_PARAMETERS
            }
            reading = self._linear_leaves(rows)
            todo = recipes(self, rows, parameters, self._grid(len(rows)), self._budgets(rows), reading)
            loop = TuningLoop(limits, part_step=partial(steps.step, "fold"))
            only, unpruned = self._labels_only, self.max_expected is None and not self._labels_only
            trials = Trials(todo, rows, (self._metric(),), costs, loop, only, unpruned)
            learn = partial(self._learn, trials, steps)
            limits.attempt(learn, steps.untold(learn))
            if self.tree_.n_leaves == 1:
                self._warn_if_it_buys_nothing(trials, limits)
        if self.stopped_by_ is not None:
            warn_of_limit(self.stopped_by_, type(self).__name__)
        return self

    def _learn(self, trials: Trials, steps: Steps) -> None:
        limits = trials.loop.limits
        limits.attempt(trials.grow, trials.grow, step=partial(steps.step, "grow"))
        trials.measure(self._parts(trials.kept, trials.recipes[0].plan))
        keep = partial(self._keep, trials)
        limits.attempt(keep, keep)
        self._choose_shrinkage(trials.kept, trials.recipes[0].plan, limits)

    def _keep(self, trials: Trials) -> None:
        """Sets the fitted attributes: those of the best candidate."""
        wanted = self._competing(list(trials))
        found = candidates(wanted, self._metric(), self.tolerance, trials.costs, self.max_expected)
        chosen = found[0]
        self.method_ = chosen.trial.recipe.method
        self.settings_ = chosen.settings
        self.cv_results_ = table_of(found)
        grown = replace(chosen.grown, stopped_by=trials.loop.stopped_by)
        reading, linear = chosen.trial.recipe.linear, chosen.trial.prunings.linear
        if reading is not None and linear is not None:
            models = models_of_leaves(grown, trials.kept, reading, linear.penalty)
            grown = replace(grown, models=models, penalty=linear.penalty)
        keep_tree(self, grown, trials.kept, chosen.trial.recipe.plan)

    def _linear_leaves(self, rows: Sample) -> LeafReading | None:
        """What linear leaves may read, where they compete."""
        return None

    def _linear_found(self, rows: Sample, penalty: float | None) -> tuple[LeafReading, float] | None:
        """The same with the penalty that was taken; None where leaves are constant."""
        reading = None if penalty is None else self._linear_leaves(rows)
        return None if reading is None or penalty is None else (reading, penalty)

    def _competing(self, trials: list[Trial]) -> list[Trial]:
        """The trees that one is chosen of: at least one."""
        return trials

    def _parts(self, rows: Sample, plan: Plan) -> Iterator[Part]:
        """(growing, measuring) for every fold. A number of folds is repeated, given folds are not."""
        random = check_random_state(self.random_state)
        given = self.cv is not None and not isinstance(self.cv, Integral)
        for _ in range(1 if given else self._n_repeats(len(rows))):
            yield from folds(rows, plan, self.cv, random)

    def _n_repeats(self, n_rows: int) -> int:
        if self.repeats != "auto":
            return int(self.repeats)
        return int(np.clip(_ENOUGH_MEASURED // n_rows, 1, _MOST_REPEATS))

    def _max_steps(self) -> int | None:
        """Growing, and a step a fold at most; None: not known."""
        n_folds = 5 if self.cv is None else self.cv
        if not isinstance(n_folds, Integral):
            return None
        return 1 + int(n_folds) * (_MOST_REPEATS if self.repeats == "auto" else int(self.repeats))

    def _grid(self, n_rows: int) -> Grid:
        """The grid, with the leaves asked for and coarser ones, unless those asked for are. Without prices
        large tables of classes have neither coarser leaves nor gain ratio, which take time.
        """
        if self.costs is None and self._metric() != "r2":
            if n_rows > MOST_FOR_ALL:
                return replace(WITHOUT_PRICES, impurities=("gini", "entropy"), min_leaves=(self.min_leaf,))
            grid = WITHOUT_PRICES
        else:
            grid = GRID
        asked_for = LeafRule.of(self.min_leaf, self.min_weight_fraction_leaf)
        coarser = asked_for.rows == 1 and asked_for.share < COARSE_LEAF
        return replace(grid, min_leaves=(self.min_leaf, COARSE_LEAF) if coarser else (self.min_leaf,))

    def _plan_again(self, rows: Sample) -> Plan:
        return self._learner(rows, {}).plan

    def _learner(self, rows: Sample, changed: dict[str, Any]) -> Learner:
        """The method that was taken, with its settings."""
        model = self._with_parameters(changed)
        parameters = {
            name: value for name, value in model.get_params().items() if name not in _OWN_PARAMETERS
        }
        of_tree = ("alpha", "pruned_by", "budget", "leaves", "ridge")  # and not of the method
        settings = {
            name: value
            for name, value in self.settings_.items()
            if name not in of_tree and name not in changed
        }
        taken_by = learner(self.method_, model, parameters, settings)
        budget = None if model.budget is None else float(model.budget)
        return Learner(
            taken_by,
            taken_by._plan(rows),
            self,
            budget=budget,
            grown_within=budget if "budget" in changed else self.settings_.get("budget", budget),
            pruned_by=self.settings_["pruned_by"],
            alpha=self.settings_["alpha"],
            labels_only=model._labels_only,
            linear=model._linear_found(rows, self.settings_.get("ridge")),
            max_expected=None if model.max_expected is None else float(model.max_expected),
        )

    def _budgets(self, rows: Sample) -> tuple[Budget, ...]:
        """Those at which trees are grown; none without a budget."""
        if self.budget is None:
            return ()
        costs = None if self.costs is None else as_costs(self.costs)
        grid = budgets_up_to(float(self.budget), bound_costs(costs, rows.codes.columns), len(rows))
        return tuple(Budget(limit, costs) for limit in grid)

    @property
    def _labels_only(self) -> bool:
        """Whether a test that changes no label is worth nothing. Without prices it may tell how sure a label
        is.
        """
        return self._metric() == "accuracy" and self.costs is not None

    def _warn_if_it_buys_nothing(self, trials: Trials, limits: Limits) -> None:
        """Where no tree within the bounds has a test, but one without bounds has."""
        if self.budget is not None and all(trial.prunings.grown.core.n_leaves == 1 for trial in trials):
            recipe = trials.recipes[0]
            free = grow_and_prune(trials.kept, recipe.plan, limits, recipe.how)
            if free.core.n_leaves > 1:
                warn_of_nothing_bought(Budget(float(self.budget), trials.costs), free.columns, stacklevel=4)
        elif self.max_expected is not None:
            least = least_expected(trials, trials.costs)
            if least is not None and not within_budget(least, float(self.max_expected)):
                warnings.warn(
                    f"max_expected={self.max_expected:g} pays for no useful test, so the tree is one leaf: "
                    f"the cheapest tree with a test costs {least:g} on average. Raise max_expected",
                    UserWarning,
                    stacklevel=3,
                )

    @abstractmethod
    def _metric(self) -> Metric:
        """The score that is measured."""


class ThriftTreeClassifier(OfClasses, _Thrift):
    """The recommended classification tree: as accurate as the best of several, and the cheapest of those.

    Without `costs`, CART by gini, by entropy and (up to 10,000 rows) by gain ratio and EC4.5
    (`EnhancedTreeClassifier`) compete; with `costs`, CART by gini and by entropy and ECART, with several
    trade-offs between accuracy and price; all of them with all their weakest-link prunings, by leaves and by
    price. Each is measured by cross-validation. Of those that score as well as the best, within `tolerance`,
    the one with the least expected price is learnt from all rows; without `costs` that is the one with the
    fewest questions. With `costs` and `metric="accuracy"`, no tree has a test that changes no label.

    Parameters
    ----------
    costs : TestCosts, dict, array or None, default=None
        Price of each test. None: every test costs 1.
    budget : float or None, default=None
        What no path through the tree may cost more than: a bound on `worst_case_cost_`, under every rule of
        `costs`. Trees are grown within budgets of a grid that the prices make, and those up to this one
        compete: a larger budget never has a lower best score. If it pays for no useful test, the tree is one
        leaf, with a warning.
    max_expected : float or None, default=None
        What a row of `fit` may cost on average: a bound on `expected_cost_`. If it pays for no useful test,
        the tree is one leaf, with a warning.
    metric : {"accuracy", "auc"}, default="accuracy"
        The score. With `class_weight` rows count by class; with `error_costs` "accuracy" is 1 minus the
        mean cost of a mistake.
    tolerance : float, default=0.005
        How far below the best score a cheaper tree may lie, though never by more than the standard error of
        the difference. 0 takes the best score whatever its price.
    cv : int, splitter, list of (training, held out) positions or None, default=5
        Folds that measure, stratified.
    repeats : int or "auto", default="auto"
        How often the rows are divided anew into `cv` folds. "auto": until 20,000 rows have been measured, at
        most 4 times.
    min_leaf : int or float, default=1
        What a branch must keep: int, rows of positive weight; float, a share of the total weight. At 1 or
        below 0.02, trees whose branches keep 0.02 of the weight compete too, unless
        `min_weight_fraction_leaf` is as large (without `costs` up to 10,000 rows).
    shrinkage : float, "cv" or None, default=10.0
        λ by which the probabilities of leaves are drawn towards those of the nodes above them, as in
        `CARTClassifier`; labels stay. It comes last: candidates are measured and chosen without it, also by
        "auc", which ranks by the shares that were seen. None: the probabilities are those shares.
    random_state : int, RandomState or None, default=None
        Seed of the folds.
    time_limit_s, memory_limit_mb : float or None, default=None
        A fit that reaches a limit takes the best tree it has measured, warns, and says so in `stopped_by_`.

    The other parameters mean what they mean in `CARTClassifier`.

    Attributes
    ----------
    method_ : str
        The method that was taken: "cart", "ecart" or "ec45".
    settings_ : dict
        Its settings; `budget` is the one of the grid that the tree was grown within.
    cv_results_ : dict of lists
        The best pruning of each tree that competed, and the one of best score, the best first: `method`, its
        settings, `mean_score`, `standard_error` (of the difference to the best score), `expected_cost`,
        `worst_case_cost`, `leaves`.

    The others are those of `CARTClassifier`.

    Examples
    --------
    >>> from thriftree import ThriftTreeClassifier
    >>> from thriftree.datasets import heart_prices, load_heart
    >>> X, y = load_heart()
    >>> model = ThriftTreeClassifier(costs=heart_prices(), budget=100, random_state=0).fit(X, y)
    >>> model.worst_case_cost_ <= 100
    True
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "metric": [StrOptions({"accuracy", "auc"})],
        **_TUNING_PARAMETERS,
        **CLASSIFIER_PARAMETERS,
    }

    def __init__(
        self,
        *,
        costs: Any = None,
        budget: float | None = None,
        max_expected: float | None = None,
        metric: Metric = "accuracy",
        tolerance: float = 0.005,
        cv: Any = 5,
        repeats: int | str = "auto",
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bins: int | None = None,
        binning: str = "quantile",
        categorical_features: Any = "auto",
        proportion_encode: Any = None,
        one_vs_rest: bool = True,
        subset_smoothing: float | None = 10.0,
        subset_min_rows: int | None = 3,
        subset_max_categories: int | None = 32,
        subset_correction: float | None = 1.0,
        class_weight: Any = None,
        error_costs: Any = None,
        smoothing: float = 0.0,
        shrinkage: float | str | None = 10.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.max_expected = max_expected
        self.metric = metric
        self.tolerance = tolerance
        self.cv = cv
        self.repeats = repeats
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bins = max_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.proportion_encode = proportion_encode
        self.one_vs_rest = one_vs_rest
        self.subset_smoothing = subset_smoothing
        self.subset_min_rows = subset_min_rows
        self.subset_max_categories = subset_max_categories
        self.subset_correction = subset_correction
        self.class_weight = class_weight
        self.error_costs = error_costs
        self.smoothing = smoothing
        self.shrinkage = shrinkage
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _metric(self) -> Metric:
        return self.metric


class ThriftTreeRegressor(OfNumbers, _Thrift):
    """The recommended regression tree: as good as the best of several, and the cheapest of those.

    CART and the enhanced tree (`EnhancedTreeRegressor`) compete as in `ThriftTreeClassifier` with `costs`, by
    r2; CART's trees also with linear leaves. The parameters mean what they mean there; the score is r2, so
    there is no `metric`. What a constant leaf predicts is shrunk as probabilities are (`shrinkage`), after
    the choice.

    Parameters
    ----------
    leaves : {"auto", "constant", "linear"}, default="auto"
        Whether trees with linear leaves (as in `CARTRegressor`) compete with those of constant ones, or only
        one kind does. Within a `budget` or `max_expected` leaves read what their path asks for.

    Examples
    --------
    >>> import numpy as np
    >>> from thriftree import ThriftTreeRegressor
    >>> X = np.arange(40.0).reshape(-1, 1)
    >>> model = ThriftTreeRegressor(random_state=0).fit(X, np.repeat([1.0, 5.0], 20))
    >>> model.predict([[3.0], [30.0]]).tolist()  # 1 and 5, drawn towards the mean of all: 3
    [1.4, 4.6]
    """

    _parameter_constraints: ClassVar[Constraints] = {
        "leaves": [StrOptions({"auto", "constant", "linear"})],
        **_TUNING_PARAMETERS,
    }

    def __init__(
        self,
        *,
        leaves: str = "auto",
        costs: Any = None,
        budget: float | None = None,
        max_expected: float | None = None,
        tolerance: float = 0.005,
        cv: Any = 5,
        repeats: int | str = "auto",
        min_leaf: float = 1,
        min_weight_fraction_leaf: float = 0.0,
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_bins: int | None = None,
        binning: str = "quantile",
        categorical_features: Any = "auto",
        proportion_encode: Any = None,
        shrinkage: float | str | None = 10.0,
        one_vs_rest: bool = True,
        subset_smoothing: float | None = 10.0,
        subset_min_rows: int | None = 3,
        subset_max_categories: int | None = 32,
        subset_correction: float | None = 1.0,
        random_state: Any = None,
        n_jobs: int | None = None,
        time_limit_s: float | None = None,
        memory_limit_mb: float | None = None,
    ) -> None:
        self.leaves = leaves
        self.costs = costs
        self.budget = budget
        self.max_expected = max_expected
        self.tolerance = tolerance
        self.cv = cv
        self.repeats = repeats
        self.min_leaf = min_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_bins = max_bins
        self.binning = binning
        self.categorical_features = categorical_features
        self.proportion_encode = proportion_encode
        self.shrinkage = shrinkage
        self.one_vs_rest = one_vs_rest
        self.subset_smoothing = subset_smoothing
        self.subset_min_rows = subset_min_rows
        self.subset_max_categories = subset_max_categories
        self.subset_correction = subset_correction
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.time_limit_s = time_limit_s
        self.memory_limit_mb = memory_limit_mb

    def _metric(self) -> Metric:
        return "r2"

    def _linear_leaves(self, rows: Sample) -> LeafReading | None:
        if self.leaves == "constant":
            return None
        costs = None if self.costs is None else as_costs(self.costs)
        bounded = self.budget is not None or self.max_expected is not None
        reading = LeafReading.of(rows.codes.columns, costs, asked_only=bounded)
        return reading if reading.columns else None

    def _competing(self, trials: list[Trial]) -> list[Trial]:
        linear = [trial for trial in trials if trial.prunings.linear is not None and trial.is_measured]
        return linear if self.leaves == "linear" and linear else trials
