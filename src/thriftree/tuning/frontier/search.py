"""The search for a frontier: grow by many recipes, prune in every way, measure, keep what nothing beats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, nan
from numbers import Integral, Real
from typing import Any, Final

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions, validate_params

from thriftree.costs import TestCosts, as_costs
from thriftree.distributed.engines import closing_parts, parts_of
from thriftree.distributed.rows_of_parts import kind_of_parts
from thriftree.estimators.base import TreeEstimator
from thriftree.estimators.cart import CARTClassifier, CARTRegressor
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, TREE_PARAMETERS
from thriftree.estimators.reading import refuse_parts
from thriftree.estimators.recipes import METHODS, Grid, recipes
from thriftree.learning.growth import Plan
from thriftree.learning.holdout import folds, validation_part
from thriftree.learning.limits import Limits, searched_any_time
from thriftree.learning.sample import Sample
from thriftree.learning.targets import kind_of_target
from thriftree.messages import did_you_mean
from thriftree.tree import Tree
from thriftree.tuning.frontier.correction import Pool
from thriftree.tuning.frontier.points import Figures, Frontier, FrontierPoint
from thriftree.tuning.loop import Meter, TuningLoop
from thriftree.tuning.measures import Metric, Priced
from thriftree.tuning.resamples import Resamples
from thriftree.tuning.trials import Part, Trial, Trials, bound_to

TRADE_OFFS: Final = (0.0, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, inf)
MIN_MASSES: Final = (0.0, 0.02)
ASKINGS: Final = (0.3, 3.0)
SHARE_TO_CHOOSE: Final = 0.95  # of the time limit, until when scores are corrected

_PARAMETERS = ("min_leaf", "max_depth", "max_leaves", "max_bins", "binning", "categorical_features")
_CONSTRAINTS = {
    "costs": TREE_PARAMETERS["costs"],
    "methods": ["array-like", None],
    "trade_offs": ["array-like"],
    "min_masses": ["array-like"],
    "askings": ["array-like"],
    "metric": [StrOptions({"accuracy", "auc", "r2"}), None],
    "target": [StrOptions({"auto", "classes", "numbers"})],
    "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
    "cv": [Interval(Integral, 2, None, closed="left"), HasMethods(["split"]), None],
    **{name: TREE_PARAMETERS[name] for name in (*_PARAMETERS, "n_jobs", "time_limit_s", "memory_limit_mb")},
    "class_weight": CLASSIFIER_PARAMETERS["class_weight"],
    "error_costs": CLASSIFIER_PARAMETERS["error_costs"],
    "random_state": ["random_state"],
    "progress": [callable, None],
}


@validate_params(_CONSTRAINTS, prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
@closing_parts()
def frontier(
    X: Any,
    y: Any = None,
    costs: Any = None,
    *,
    methods: Sequence[str] | None = None,
    trade_offs: Sequence[float] = TRADE_OFFS,
    min_masses: Sequence[float] = MIN_MASSES,
    askings: Sequence[float] = ASKINGS,
    metric: Metric | None = None,
    target: str = "auto",
    validation_fraction: float = 0.25,
    cv: Any = None,
    sample_weight: Any = None,
    class_weight: Any = None,
    error_costs: Any = None,
    min_leaf: float = 1,
    max_depth: int | None = None,
    max_leaves: int | None = None,
    max_bins: int | None = None,
    binning: str = "quantile",
    categorical_features: Any = "auto",
    random_state: Any = None,
    n_jobs: int | None = None,
    time_limit_s: float | None = None,
    memory_limit_mb: float | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Frontier:
    """The trees that no other tree beats on score, expected price, worst-case price and leaves.

    Trees are grown by every method, with every trade-off and least mass, and pruned at every weakest link, by
    leaves and by price. Each is measured on rows that did not grow it. The best of many measured scores is
    too high, so the scores of the trees that stay are corrected: the choice is made again on bootstrap
    samples of those rows, and scored on the rows that a sample left out.

    Parameters
    ----------
    X, y, sample_weight
        As in `fit` of the estimators, tables in parts included.
    costs : TestCosts, dict, array or None, default=None
        Price of each test. None: every test costs 1.
    methods : list of str or None, default=None
        Names among `thriftree.frontier.search.METHODS`; None: all that fit the target, without "optimal":
        that finds the best trees of up to three levels, for weights of price (`OptimalTreeClassifier`).
    trade_offs : list of float
        λ of the enhanced methods: 0 looks at the price of the tree only, inf at impurity only.
    min_masses : list of float
        θ: a node with at most this share of the weight is a leaf.
    askings : list of float
        Prices of asking, in mean prices of a test, that methods which weigh tests by price add to their
        prices, beside that of `costs`. The larger, the less the price of a test matters to them.
    metric : {"accuracy", "auc", "r2"} or None, default=None
        The score that counts; None: accuracy, or r2 for numbers. With `class_weight` rows count by class,
        with `error_costs` "accuracy" is 1 minus the mean cost of a mistake.
    target : {"auto", "classes", "numbers"}, default="auto"
        What `y` holds. "auto": numbers, if they are floats of which some are not whole or more than 20 are
        distinct; else classes.
    validation_fraction : float, default=0.25
        Share of the rows that measure; the others grow the trees.
    cv : int, splitter or None, default=None
        If given, all rows grow the trees, and their scores are those of trees grown and pruned alike on the
        folds. Slower, and better for small tables.
    class_weight, error_costs, min_leaf, max_depth, max_leaves, max_bins, binning, categorical_features
        As in the estimators.
    random_state : int, RandomState or None, default=None
        Seed of the rows that measure, and of their samples.
    n_jobs : int or None, default=None
        Threads: None is 1, -1 all. The frontier does not depend on it.
    time_limit_s, memory_limit_mb : float or None, default=None
        A search that reaches a limit returns the frontier of the trees that were measured by then, warns,
        and says so in `stopped_by`. Where none was, it holds the first tree, as far as it was grown, and its
        `measured` is False. Where there was no time or memory to correct the scores, they are as measured,
        and `corrected` is empty. After Ctrl-C the frontier so far is the attribute `partial` of the
        KeyboardInterrupt.
    progress : function or None, default=None
        Called with the steps done and their total, after each step.

    Returns
    -------
    Frontier

    Examples
    --------
    >>> from thriftree import frontier
    >>> from thriftree.datasets import heart_prices, load_heart
    >>> X, y = load_heart()
    >>> front = frontier(X, y, heart_prices(), random_state=0)
    >>> front.best(budget=50).worst_case_cost <= 50
    True
    """
    limits = Limits.of_search(n_jobs, time_limit_s, memory_limit_mb)
    parameters: dict[str, Any] = {
        "costs": costs,
        "min_leaf": min_leaf,
        "max_depth": max_depth,
        "max_leaves": max_leaves,
        "max_bins": max_bins,
        "binning": binning,
        "categorical_features": categorical_features,
    }
    parts_given = parts_of(X, y, sample_weight, n_threads=limits.n_threads)
    if parts_given is not None:
        X, y, sample_weight = parts_given, None, None
    if target == "auto":
        target = kind_of_target(y) if parts_given is None else kind_of_parts(parts_given)
    if target == "classes":
        parameters |= {"class_weight": class_weight, "error_costs": error_costs}
        reader: TreeEstimator = CARTClassifier(**parameters)
        metrics: tuple[Metric, ...] = ("accuracy", "auc")
    elif class_weight is None and error_costs is None:
        reader, metrics = CARTRegressor(**parameters), ("r2",)
    else:
        raise ValueError("class_weight and error_costs are for classes, but y holds numbers: leave them out")
    counting = metrics[0] if metric is None else metric
    if counting not in metrics:
        raise ValueError(
            f"metric is {metric!r}, but this target has {' and '.join(metrics)}: name one of these"
        )

    rows = reader._read(X, y, sample_weight, limits)
    grid = Grid(
        methods=_checked_methods(methods, reader, costs is not None, parts_given is not None),
        trade_offs=_checked_numbers("trade_offs", trade_offs, Interval(Real, 0.0, inf, closed="both")),
        min_masses=_checked_numbers("min_masses", min_masses, Interval(Real, 0.0, 1.0, closed="both")),
        askings=(None, *_checked_numbers("askings", askings, Interval(Real, 0.0, inf, closed="neither"))),
    )
    todo = recipes(reader, rows, parameters, grid)
    random = check_random_state(random_state)
    kept, measuring, parts = _divided(rows, todo[0].plan, validation_fraction, cv, random)
    held = [measuring] if measuring is not None else [held_out for _, held_out in parts]
    prices = None if costs is None else as_costs(costs)
    classes = tuple(reader.classes_.tolist()) if metrics[0] == "accuracy" else None
    meter = Meter(progress, len(todo) * (1 + len(parts)))
    trials = Trials(
        todo,
        kept,
        metrics,
        prices,
        TuningLoop(limits, candidate_step=meter.step),
        resamples=Resamples.of(held, todo[0].plan, random),
        deciding=counting,
    )
    to_choose = Limits.of(n_jobs, None if time_limit_s is None else SHARE_TO_CHOOSE * time_limit_s, None)

    def search() -> Frontier:
        if not trials.found:  # else Ctrl-C came after
            trials.grow(measuring)
        trials.measure(parts)
        choose = partial(_unbeaten, trials, counting, classes)
        return limits.attempt(partial(choose, to_choose if limits.interrupt is None else None), choose)

    there_is = "it holds the trees that were measured by then, or the first as far as it was grown"
    remedy = "name fewer methods, trade_offs or min_masses"
    return searched_any_time(search, limits, "frontier", there_is, remedy, stacklevel=6)


def _unbeaten(
    trials: Trials, metric: Metric, classes: tuple[Any, ...] | None, to_correct: Limits | None = None
) -> Frontier:
    """By the measured scores first. Then these are corrected, if there is time `to_correct` them, and what
    another tree beats by the corrected ones is left out, too.
    """
    prices = None if trials.costs is None else trials.costs.to_dict()
    priced = [_PricedTrial(trial, trials.costs) for trial in trials]
    drafts = [draft for trial in priced for draft in _drafts(trial, metric)]
    if not drafts:
        drafts = [priced[0].draft(0, {})]
    front = Frontier.among(
        drafts, metric, trials.loop.stopped_by, finished=lambda draft: draft.finished(classes, prices)
    )
    pool = None if to_correct is None else _pool(priced, metric, to_correct)
    return front if pool is None else front.corrected_by(pool)


@dataclass(frozen=True, eq=False)
class _Draft:
    """A pruning with its figures; most are beaten, so that only those that stay become trees."""

    trial: Trial
    alpha: float
    scores: Mapping[str, float]
    expected_cost: float
    worst_case_cost: float

    @property
    def leaves(self) -> int:
        return len(self.trial.prunings.leaves_at(self.alpha))

    def figures(self, metric: str) -> Figures:
        return (self.scores.get(metric, nan), self.expected_cost, self.worst_case_cost, float(self.leaves))

    def finished(self, classes: tuple[Any, ...] | None, prices: dict[str, Any] | None) -> FrontierPoint:
        tree = self.trial.prunings
        return FrontierPoint(
            tree=Tree(tree.tree_at(self.alpha).core, tree.grown.columns, classes, prices),
            method=self.trial.recipe.method,
            settings={**self.trial.settings, "alpha": self.alpha, "pruned_by": tree.size},
            accuracy=self.scores.get("accuracy"),
            auc=self.scores.get("auc"),
            r2=self.scores.get("r2"),
            expected_cost=self.expected_cost,
            worst_case_cost=self.worst_case_cost,
            leaves=self.leaves,
        )


class _PricedTrial:
    """A trial with the prices of its prunings, each worked out when it is first asked for."""

    def __init__(self, trial: Trial, costs: TestCosts | None) -> None:
        self.trial = trial
        self._priced = Priced.by(trial.prunings, bound_to(costs, trial.prunings.grown))
        self._found: dict[int, tuple[float, float]] = {}

    def prices(self, number: int) -> tuple[float, float]:
        """What one of the prunings costs, on average and at worst."""
        if number not in self._found:
            alpha = float(self.trial.prunings.alphas[number])
            self._found[number] = self._priced.at(alpha, self.trial.held)
        return self._found[number]

    def draft(self, number: int, scores: Mapping[str, float]) -> _Draft:
        """One of the prunings with its figures."""
        return _Draft(self.trial, float(self.trial.prunings.alphas[number]), scores, *self.prices(number))


def _drafts(priced: _PricedTrial, metric: Metric) -> Iterator[_Draft]:
    """The prunings of one tree that no smaller one of them beats. A smaller one is never more expensive, so
    only a better score speaks for a larger one.
    """
    trial = priced.trial
    if not trial.is_measured:
        return
    mean = {name: trial.fold_scores(name).mean(axis=0) for name in trial.scores}
    best_of_smaller = -inf
    for i in reversed(range(len(trial.prunings))):
        if mean[metric][i] > best_of_smaller:
            best_of_smaller = float(mean[metric][i])
            yield priced.draft(i, {str(name): float(values[i]) for name, values in mean.items()})


def _pool(trials: Sequence[_PricedTrial], metric: Metric, limits: Limits) -> Pool | None:
    """All prunings of all trees; None where the time does not suffice to price them, or where not all have
    scores on resampled rows.
    """
    found = [one for one in trials if one.trial.is_measured]
    if not found or not all(one.trial.resampled for one in found):
        return None
    prices = []
    for one in found:
        if limits.seconds_left == 0:
            return None
        tree = one.trial.prunings
        leaves = tree.sums_over_leaves(np.ones(tree.grown.core.n_nodes), tree.alphas)
        prices += [(*one.prices(i), float(leaves[i])) for i in range(len(tree))]
    return Pool.of([one.trial for one in found], np.array(prices), metric)


def _divided(
    rows: Sample, plan: Plan, validation_fraction: float, cv: Any, random: np.random.RandomState
) -> tuple[Sample, Sample | None, list[Part]]:
    """The rows that grow the trees to keep, and what measures them: rows set aside, or folds."""
    if cv is not None:
        parts = list(folds(rows, plan, cv, random))
        if not parts:
            raise ValueError(f"cv needs two rows or more, but there are {len(rows)}: give more rows")
        return rows, None, parts
    growing, measuring = validation_part(rows, plan, validation_fraction, random)
    if not len(measuring):
        raise ValueError(
            f"validation_fraction={validation_fraction} of {len(rows)} rows leaves none to measure on: "
            "give more rows, a larger fraction, or cv"
        )
    return growing, measuring, []


def _checked_methods(
    methods: Sequence[str] | None, reader: TreeEstimator, priced: bool, in_parts: bool
) -> tuple[str, ...]:
    """The methods asked for, each of which must have a learner for this target; or all that have one and
    whose trees differ from the others'.
    """
    fitting = {name: method for name, method in METHODS.items() if method.learner(reader) is not None}
    if methods is None:
        return tuple(
            n
            for n, method in fitting.items()
            if not method.searches and (priced or not method.parameters.get("cost_benefit"))
        )
    for name in methods:
        if name not in fitting:
            known = f"for this target there are {', '.join(map(repr, fitting))}"
            raise ValueError(f"methods has {name!r}, but {known}{did_you_mean(name, fitting)}")
        learner = fitting[name].learner(reader)
        if in_parts and learner is not None and not learner._learns_from_parts:
            refuse_parts(learner)
    if not len(methods):
        raise ValueError("methods is empty: name at least one, or leave it out for all")
    return tuple(dict.fromkeys(methods))


def _checked_numbers(parameter: str, numbers: Sequence[float], allowed: Interval) -> tuple[float, ...]:
    """Numbers that are allowed, each once."""
    for number in numbers:
        if isinstance(number, bool) or not allowed.is_satisfied_by(number):
            raise ValueError(f"{parameter} has {number!r}: give {allowed}")
    if not len(numbers) and parameter != "askings":
        raise ValueError(f"{parameter} is empty: give at least one number")
    return tuple(float(number) for number in dict.fromkeys(numbers))
