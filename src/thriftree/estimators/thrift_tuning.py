"""How the recommended trees are chosen: methods tuned against each other, the cheapest of the best taken."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from math import inf
from numbers import Integral, Real
from typing import Any, Final, Self

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions

from thriftree.costs import as_costs, within_budget
from thriftree.distributed.engines import closing_parts
from thriftree.estimators.base import TreeEstimator
from thriftree.estimators.fitted import keep_tree
from thriftree.estimators.parameters import TREE_PARAMETERS, Constraints
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

TUNING_PARAMETERS: Constraints = {
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


class ThriftTuning(TreeEstimator):
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
        parts = self._parts(trials.kept, trials.recipes[0].plan)
        grow = partial(trials.grow, race=parts if self._may_race else None)
        limits.attempt(grow, trials.grow, step=partial(steps.step, "grow"))
        trials.measure(parts)
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
    def _may_race(self) -> bool:
        """Whether methods that are far behind may be left out early. Within bounds of price the trees of a
        larger bound must be those of a smaller one and more, so all are measured to the end.
        """
        by_errors = self._metric() == "accuracy" and getattr(self, "error_costs", None) is None
        return by_errors and self.budget is None and self.max_expected is None

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
