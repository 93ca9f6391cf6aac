"""`near_optimal`: all trees that are nearly as good as the best, to count, draw from and choose among."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import islice
from numbers import Integral, Real
from typing import Any, Final, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions, validate_params

from thriftree.costs import TestCosts, as_costs
from thriftree.estimators.fitted import stored_prices
from thriftree.estimators.optimal import OptimalTreeClassifier
from thriftree.estimators.parameters import CLASSIFIER_PARAMETERS, TREE_PARAMETERS
from thriftree.learning.allowance import bound_costs
from thriftree.learning.limits import INTERRUPT, Limits, searched_any_time
from thriftree.learning.sample import Sample
from thriftree.messages import did_you_mean
from thriftree.methods.near_optimal.cheapest import cheapest, share_asked
from thriftree.methods.near_optimal.near_set import NearSet, SearchedTests, searched_tests, stop, without
from thriftree.methods.optimal.core_search import search
from thriftree.methods.optimal.finish import finished
from thriftree.methods.optimal.outline import Outline
from thriftree.methods.optimal.prices import PriceTerms, ProblemPrices
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.rounds import INTERRUPTED, OPTIMAL
from thriftree.methods.optimal.solve import Task
from thriftree.tree import Tree

_SHARED: Final = (
    "min_leaf", "min_weight_fraction_leaf", "max_depth", "max_leaves", "categorical_features", "costs",
    "n_jobs", "time_limit_s", "memory_limit_mb",
)  # fmt: skip
_CONSTRAINTS = {
    "slack": [Interval(Real, 0.0, None, closed="left")],
    "thresholds": [StrOptions({"auto", "all"})],
    "leaf_penalty": [Interval(Real, 0.0, None, closed="left")],
    **{name: TREE_PARAMETERS[name] for name in _SHARED},
    "class_weight": CLASSIFIER_PARAMETERS["class_weight"],
    "error_costs": CLASSIFIER_PARAMETERS["error_costs"],
    "price_weight": [Interval(Real, 0.0, None, closed="left")],
    "budget": [Interval(Real, 0.0, None, closed="left"), None],
}


@validate_params(_CONSTRAINTS, prefer_skip_nested_validation=True)  # type: ignore[untyped-decorator]
def near_optimal(
    X: Any,
    y: Any,
    *,
    slack: float = 0.01,
    max_depth: int | None = 4,
    max_leaves: int | None = None,
    min_leaf: float = 1,
    min_weight_fraction_leaf: float = 0.0,
    thresholds: str = "auto",
    leaf_penalty: float = 0.01,
    categorical_features: Any = "auto",
    sample_weight: Any = None,
    class_weight: Any = None,
    error_costs: Any = None,
    costs: Any = None,
    price_weight: float = 0.0,
    budget: float | None = None,
    n_jobs: int | None = None,
    time_limit_s: float | None = None,
    memory_limit_mb: float | None = None,
) -> NearOptimalTrees:
    """All classification trees whose objective is at most `slack` above the least: how many there are, which
    questions they can do without, and which of them is cheapest.

    The objective is that of `OptimalTreeClassifier`: the share of the weight that a tree gets wrong, or the
    mean cost of a mistake, plus `leaf_penalty` for each leaf, plus `price_weight` times the expected price.
    Which trees count as different, docs/guide/near_optimal.md says.

    Parameters
    ----------
    X : frame or array of shape (n_rows, n_columns)
        As `OptimalTreeClassifier.fit` takes it.
    y : array of shape (n_rows,)
        The target.
    slack : float, default=0.01
        In units of the objective: 0.01 is one row in a hundred.
    max_depth, max_leaves, min_leaf, min_weight_fraction_leaf, thresholds, categorical_features, \
class_weight, error_costs, n_jobs
        As in `OptimalTreeClassifier`. `thresholds="all"` takes every test, of tables that have up to 256.
    leaf_penalty : float, default=0.01
        What a leaf must gain. With 0 there are far more trees.
    sample_weight : array of shape (n_rows,), optional
        How much each row counts. Weights that are no multiples of a common unit make nearly every objective
        different, which takes memory.
    costs : TestCosts, dict, array or None, default=None
        Price of each test, for `cheapest` and for the trees' own prices. None: every test costs 1.
    price_weight, budget : float, default=0.0 and None
        As in `OptimalTreeClassifier`: what an expected price of 1 counts in the objective, and what no path
        may cost more than. Delayed tests can be weighed by `cheapest` only. Prices make most objectives
        different, which takes memory.
    time_limit_s, memory_limit_mb : float or None, default=None
        At a limit the set is that of a smaller slack (`slack` of the result, with a warning) or, where the
        best tree was not proved by then, it is TimeoutError or MemoryError.

    Returns
    -------
    NearOptimalTrees

    Examples
    --------
    >>> from thriftree import near_optimal
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> found = near_optimal(X, y, slack=0.0)
    >>> found.count(), found.best
    (2, 0.04)
    """
    limits = Limits.of(n_jobs, time_limit_s, memory_limit_mb)
    model = OptimalTreeClassifier(
        max_depth=max_depth,
        max_leaves=max_leaves,
        min_leaf=min_leaf,
        min_weight_fraction_leaf=min_weight_fraction_leaf,
        thresholds=thresholds,
        leaf_penalty=float(leaf_penalty),
        categorical_features=categorical_features,
        class_weight=class_weight,
        error_costs=error_costs,
        costs=costs,
        price_weight=price_weight,
        budget=budget,
    )
    work = partial(_searched, model, X, y, sample_weight, float(slack), limits)
    return searched_any_time(
        work,
        limits,
        "near_optimal",
        "the trees are those of a smaller slack, which `slack` of the result says",
        "ask for less (a smaller slack or max_depth, a larger leaf_penalty)",
        stacklevel=5,
    )


def _searched(
    model: OptimalTreeClassifier, X: Any, y: Any, sample_weight: Any, slack: float, limits: Limits
) -> NearOptimalTrees:
    rows = model._read(X, y, sample_weight, limits).for_many_trees()
    if limits.stopped_by is not None:  # what was not read in time has no tests
        stop(limits.stopped_by, limits)
    task = model._task(rows)
    problem = task.problem(rows, limits, float(model.leaf_penalty))
    _refuse_orders(problem)
    prices = None if model.costs is None else as_costs(model.costs)
    bound_costs(prices, problem.seen.table.columns)  # each column has a price, and each price a column
    try:
        tests = searched_tests(task, problem, limits)
        found = NearSet.of(problem, tests.candidates, limits, slack=slack)
    except TimeoutError:
        if limits.interrupt is not None:
            raise limits.interrupt from None
        raise
    facts = _Facts(rows, task, problem, tests, tuple(model.classes_.tolist()), prices, limits.n_threads)
    return NearOptimalTrees(facts, found, found.slack)


def _is_whole(number: Any) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool)


def _checked_number(n: Any) -> int:
    if not _is_whole(n) or n < 0:
        raise ValueError(f"n is {n!r}: give a whole number of trees, 0 or more")
    return int(n)


def _refuse_orders(problem: Problem) -> None:
    """An order pays for tests anywhere below it, so a part of a tree has no price of its own."""
    if problem.prices is None:
        return
    rules = problem.prices.rules
    delayed = np.flatnonzero(np.asarray(rules.delayed) & ~np.asarray(rules.known)).tolist()
    if delayed:
        names = ", ".join(problem.seen.table.columns[j].name for j in delayed)
        raise ValueError(
            f"near_optimal weighs no delayed tests, and these are: {names}. Take price_weight=0 without a "
            "budget, and ask the result for its cheapest(), which counts orders; or give prices without delay"
        )


@dataclass(frozen=True, eq=False)
class _Facts:
    """What a set shares with its subsets."""

    rows: Sample
    task: Task
    problem: Problem
    tests: SearchedTests
    classes: tuple[Any, ...]
    prices: TestCosts | None
    n_threads: int

    @cached_property
    def names(self) -> list[str]:
        """Of the columns."""
        return [column.name for column in self.problem.seen.table.columns]

    def tree(self, outline: Outline, prices: TestCosts | None = None) -> Tree:
        """The finished tree of an outline, at these prices or those of the call."""
        prices = self.prices if prices is None else prices
        grown = finished(self.rows, self.task.plan, outline, self.n_threads)
        return Tree(grown.core, grown.columns, self.classes, stored_prices(prices))

    def problem_prices(self, prices: TestCosts | None) -> ProblemPrices:
        """What the rows pay."""
        return ProblemPrices.of(self.rows, self.problem.seen, PriceTerms(prices), None)

    def expected_cost_of(self, tree: Tree) -> float:
        """What the tree costs these rows on average."""
        priced = Tree(tree.core, tree.columns, tree.classes, stored_prices(self.prices))
        return priced.expected_cost(self.rows.codes, self.rows.weight)

    def objective_of(self, tree: Tree) -> float:
        """What the tree's answers, leaves and tests come to on these rows."""
        if tree.classes is None or not set(tree.classes) <= set(self.classes):
            raise ValueError(f"the tree's classes are {tree.classes}, and those of the rows {self.classes}")
        problem = self.problem
        place = np.array([self.classes.index(one) for one in tree.classes])
        label = place[tree.core.label[tree.apply(self.rows.codes)]]
        wrong = sum(
            float(problem.losses(np.flatnonzero(label == one), one).sum()) for one in range(len(self.classes))
        )
        objective = problem.risk(wrong + problem.core_penalty * tree.n_leaves)
        if problem.prices is None or problem.prices.terms.weight == 0:
            return objective
        return objective + problem.prices.terms.weight * self.expected_cost_of(tree)

    def numbers(self, features: Sequence[Any]) -> list[int]:
        """The positions of columns, given by name or position."""
        made = []
        for feature in features:
            if isinstance(feature, str):
                if feature not in self.names:
                    raise ValueError(f"there is no column {feature!r}{did_you_mean(feature, self.names)}")
                made.append(self.names.index(feature))
            elif not _is_whole(feature):
                raise ValueError(f"columns are given by name or position, not as {feature!r}")
            elif 0 <= feature < len(self.names):
                made.append(int(feature))
            else:
                raise ValueError(f"there is no column {feature}: X has {len(self.names)}, counted from 0")
        return made


@dataclass(frozen=True)
class CheapestTree:
    """The cheapest tree of a set, and how far that is proved."""

    tree: Tree
    objective: float
    expected_cost: float
    #: No tree of the set has a lower expected price.
    lower_bound: float

    @property
    def is_proved(self) -> bool:
        """Whether no tree of the set is cheaper."""
        return self.lower_bound >= self.expected_cost


class DrawnTrees(Sequence[Tree]):
    """Trees that are made when they are asked for, each with its objective."""

    def __init__(self, facts: _Facts, drawn: Sequence[tuple[float, Outline]]) -> None:
        self._facts, self._drawn = facts, drawn
        self.objectives: NDArray[np.float64] = np.array([objective for objective, _ in drawn])

    def __len__(self) -> int:
        return len(self._drawn)

    @overload
    def __getitem__(self, at: int) -> Tree: ...
    @overload
    def __getitem__(self, at: slice) -> DrawnTrees: ...
    def __getitem__(self, at: int | slice) -> Tree | DrawnTrees:
        if isinstance(at, slice):
            return DrawnTrees(self._facts, self._drawn[at])
        return self._facts.tree(self._drawn[at][1])

    def __repr__(self) -> str:
        return f"<{len(self)} trees>"

    @property
    def outlines(self) -> list[Outline]:
        """Which test stands where."""
        return [outline for _, outline in self._drawn]


@dataclass(frozen=True, eq=False, repr=False)
class NearOptimalTrees:
    """All trees within `slack` of the best; made by `near_optimal`.

    Iteration gives them as `Tree` in rising order of the objective, one by one, as they are asked for:
    `itertools.islice(found, 10)` are the ten best.

    Attributes
    ----------
    best : float
        The least objective.
    slack : float
        How far above it trees of the set may be. Less than was asked for if a limit was reached.
    proved_for : str
        The tests that trees may ask: "all thresholds", or "the 143 generated tests".
    stopped_by : None, "time_limit", "memory_limit" or "interrupt"
    """

    _facts: _Facts
    _set: NearSet
    slack: float
    _parent_best: float | None = field(default=None)

    @property
    def best(self) -> float:
        """The least objective of a tree over these tests: of a subset, that of its own."""
        return self._set.best

    @property
    def limit(self) -> float:
        """The largest objective that a tree of the set may have."""
        return (self.best if self._parent_best is None else self._parent_best) + self.slack

    @property
    def proved_for(self) -> str:
        """The tests that trees may ask."""
        return self._facts.tests.words

    @property
    def stopped_by(self) -> str | None:
        """What ended the search early."""
        status = self._set.status
        return None if status == OPTIMAL else INTERRUPT if status == INTERRUPTED else status

    @property
    def feature_names(self) -> list[str]:
        """The columns of X."""
        return list(self._facts.names)

    def count(self) -> int:
        """How many trees there are, exactly."""
        return self._count

    @cached_property
    def _count(self) -> int:
        return self._set.count()

    @property
    def leaf_penalty(self) -> float:
        """What a leaf counts in the objective."""
        return self._facts.problem.leaf_penalty

    @property
    def price_weight(self) -> float:
        """What an expected price of 1 counts in the objective."""
        prices = self._facts.problem.prices
        return 0.0 if prices is None else prices.terms.weight

    def objective_of(self, tree: Tree) -> float:
        """The objective of any tree of these columns, in the set or not, on the rows of the set."""
        return self._facts.objective_of(tree)

    def expected_cost_of(self, tree: Tree) -> float:
        """What any tree of these columns costs the rows of the set on average, at the set's prices."""
        return self._facts.expected_cost_of(tree)

    def count_at_most(self, objective: float) -> int:
        """How many trees of the set have at most this objective."""
        objectives, counts = self.histogram()
        return sum(counts[: int(np.searchsorted(objectives, objective + 1e-9))])

    def histogram(self) -> tuple[NDArray[np.float64], list[int]]:
        """The objectives that trees have, rising, and how many trees have each."""
        return self._set.histogram()

    def __iter__(self) -> Iterator[Tree]:
        for _, outline in self._set.outlines(0, self.count()):
            yield self._facts.tree(outline)

    def first(self, n: int) -> DrawnTrees:
        """The n best trees, or all if there are fewer, with their objectives."""
        end = min(_checked_number(n), self.count())
        return DrawnTrees(self._facts, list(islice(self._set.outlines(0, end), end)))

    def __getitem__(self, rank: int) -> Tree:
        """The tree of this rank: 0 is the best, -1 the last."""
        if not _is_whole(rank):
            raise TypeError(f"the rank is {rank!r}: give a whole number; first(n) gives the n best trees")
        count = self.count()
        at = int(rank) + count if rank < 0 else int(rank)
        if not 0 <= at < count:
            raise IndexError(f"there are {count} trees, and rank {rank} is none of them")
        return self._facts.tree(next(self._set.outlines(at, at + 1))[1])

    def sample(self, n: int = 1, random_state: Any = None) -> DrawnTrees:
        """Trees drawn with replacement, each tree of the set exactly as likely as any other.

        Parameters
        ----------
        n : int, default=1
            How many.
        random_state : int, RandomState or None, default=None
            Seed.
        """
        n = _checked_number(n)
        if self.count() == 0:
            raise ValueError("there are no trees to draw from")
        seed = check_random_state(random_state).randint(0, 2**32, size=8, dtype=np.uint64)
        return DrawnTrees(self._facts, self._set.drawn(n, seed.tolist()))

    def without(self, *features: Any, time_limit_s: float | None = None) -> NearOptimalTrees:
        """The trees of the set that never ask these features, given by name or position. `best` of the result
        is the least objective without them, of a tree in the set or not; `count()` is 0 if none is.
        """
        columns = self._facts.numbers(features)
        tests = without(self._set.candidates, columns)
        limits = Limits.of(self._facts.n_threads, time_limit_s, None)
        found = NearSet.of(self._facts.problem, tests, limits, objective=self.limit)
        if found.status != OPTIMAL:
            raise TimeoutError(
                "time_limit_s ended before the trees without these features were found: raise it"
            )
        parent = self.best if self._parent_best is None else self._parent_best
        return NearOptimalTrees(self._facts, found, self.slack, parent)

    def best_without(self) -> Mapping[str, float]:
        """By feature, the least objective of a tree that does not ask it."""
        return self._best_without

    @cached_property
    def _best_without(self) -> dict[str, float]:
        limits = Limits.of(self._facts.n_threads, None, None)
        asked = {test.column for test in self._set.candidates.tests}
        problem = self._facts.problem
        made = {}
        for column, name in enumerate(self._facts.names):
            made[name] = self.best
            if column in asked:
                tests = without(self._set.candidates, [column])
                made[name] = problem.risk(search(problem, tests, limits).objective)
        return made

    @property
    def dispensable(self) -> list[str]:
        """The features that trees of the set can do without, one at a time."""
        bound = self.limit + 1e-9
        return [name for name, best in self.best_without().items() if best <= bound]

    def cheapest(self, costs: Any = None, *, time_limit_s: float | None = None) -> CheapestTree:
        """The tree of the set with the lowest expected price, by `costs` or those given to `near_optimal`.

        Every rule of prices counts: paid once, set-ups of groups, prices by outcome, delayed tests. It is
        proved that no tree of the set is cheaper, but where more than 12 delayed tests can be asked, or
        delayed tests are paid each time: then the tree is the cheapest without delay, and `lower_bound` is
        its price without delay. Raises TimeoutError at the limit.
        """
        if self.count() == 0:
            raise ValueError("there are no trees to choose from")
        facts = self._facts
        prices = facts.prices if costs is None else as_costs(costs)
        rows = facts.rows

        def price_of(outline: Outline) -> float:
            return facts.tree(outline, prices).expected_cost(rows.codes, rows.weight)

        found = cheapest(self._set, facts.problem_prices(prices), price_of, time_limit_s)
        objective = facts.problem.risk(facts.problem.objective(found.outline))
        tree = facts.tree(found.outline, prices)
        return CheapestTree(tree, objective, found.price, found.lower_bound)

    def shares_asked(self, *, time_limit_s: float | None = None) -> Mapping[str, tuple[float, float]]:
        """By feature, the least and the largest share of the rows (by sample weight) that a tree of the set
        asks it: how important it must be, and how important it can be. Exact. (0, 0): no tree asks it. Raises
        TimeoutError at the limit.
        """
        limits = Limits.of(1, time_limit_s, None)
        made = {}
        for column, name in enumerate(self._facts.names):
            least, most = (
                share_asked(self._set, column, largest=largest, time_limit_s=limits.seconds_left)
                for largest in (False, True)
            )
            made[name] = (least, most)
        return made

    def __repr__(self) -> str:
        return f"<{self.count():,} trees of objective {self.best:.4g} to {self.limit:.4g}>"
