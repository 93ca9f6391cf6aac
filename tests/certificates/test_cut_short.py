"""Bounds that are cut short, at every look at the clock and by every amount of memory, are lower and hold."""

from __future__ import annotations

import signal

import numpy as np
import pytest
from small_instances import CLASSES, OBJECTIVES, Small, optimum_by_trying, random_cases
from thoroughness import tries

from thriftree import CARTClassifier, Certificate, LimitReachedWarning, WorstCaseTreeClassifier, certify
from thriftree.certificates import certified as certified_module
from thriftree.certificates import tightest as tightest_module
from thriftree.certificates.proved import Proved
from thriftree.datasets import heart_prices, load_heart
from thriftree.impurities import Pairs
from thriftree.learning.limits import Limits
from thriftree.search import cells, cheapest_sets, dual_ascent, outcomes
from thriftree.search.allowance import Allowance
from thriftree.search.instance import Goal
from thriftree.table import coding


class RunningOut:
    """A clock that runs out at a look."""

    def __init__(self, runs_out_at: int | None = None) -> None:
        self.runs_out_at, self.looks = runs_out_at, 0

    def look(self) -> None:
        if self.looks == self.runs_out_at:
            raise TimeoutError
        self.looks += 1


@pytest.fixture
def in_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is worked out in several parts, and no bound is the optimum at once."""
    for module, name, value in (
        (tightest_module, "_MOST_OBJECTS", 0),
        (tightest_module, "_COVERED_AT_ONCE", 3),
        (cheapest_sets, "_MOST_SETS", 3),
        (dual_ascent, "_CELLS", 16),
        (cells, "_NUMBERS", 6),
        (cells, "_SETS", 3),
        (outcomes, "_CODES", 8),
    ):
        monkeypatch.setattr(module, name, value)


def proved(small: Small, goal: Goal, objective: str, allowance: Allowance) -> Proved:
    found = Proved()
    objects = np.arange(len(small.labels))
    nodes = [objects, objects[::2]]
    limits = Limits.of(1, None, None)
    tightest_module.tightest(
        small.instance(), goal, objective, nodes, np.inf, found, limits, allowance, seconds=1e6
    )
    return found


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("trees", CLASSES)
def test_a_clock_that_runs_out_at_any_look_leaves_bounds_that_hold_and_rise(
    trees: str, objective: str, in_small_parts: None
) -> None:
    for _, small, goal in random_cases(tries(10, 1), trees, seed=31):
        optimum = float(optimum_by_trying(small, goal, objective))
        clock = RunningOut()
        whole = proved(small, goal, objective, Allowance(clock.look, is_limited=True))
        assert (whole.stopped_by, whole.cut_short) == (None, [])
        before: dict[str, float] = {}
        for looks in sorted({*range(min(clock.looks, 30)), *range(0, clock.looks, 1 + clock.looks // 40)}):
            cut = proved(small, goal, objective, Allowance(RunningOut(looks).look, is_limited=True))
            assert cut.stopped_by == "time_limit"
            assert cut.cut_short
            assert cut.lower <= optimum + 1e-9, (looks, small, goal)
            for name, bound in before.items():
                assert cut.by_name[name] >= bound - 1e-9, (looks, name, small, goal)
            before = cut.by_name
        for name, bound in before.items():
            assert whole.by_name[name] >= bound - 1e-9, (name, small, goal)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("trees", CLASSES)
def test_any_amount_of_memory_leaves_bounds_that_hold(
    trees: str, objective: str, in_small_parts: None
) -> None:
    for _, small, goal in random_cases(tries(30, 10), trees, seed=32):
        optimum = float(optimum_by_trying(small, goal, objective))
        for n_bytes in (0, 100, 1_000, 3_000, 10_000, 30_000, 100_000, 10_000_000):
            cut = proved(small, goal, objective, Allowance(n_bytes=n_bytes))
            assert cut.lower <= optimum + 1e-9, (n_bytes, small, goal)
            assert cut.stopped_by in (None, "memory_limit")
            assert (cut.stopped_by is None) == (not cut.cut_short)
            assert cut.stopped_by == "memory_limit" or n_bytes > 1_000 or optimum == 0
        assert cut.stopped_by is None


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("trees", CLASSES)
def test_parts_of_any_size_prove_the_same(
    trees: str, objective: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cases = [(small, goal) for _, small, goal in random_cases(tries(40, 15), trees, seed=33)]
    monkeypatch.setattr(tightest_module, "_MOST_OBJECTS", 0)
    monkeypatch.setattr(cheapest_sets, "_MOST_SETS", 3)
    whole = [proved(small, goal, objective, Allowance()) for small, goal in cases]
    for module, name in (
        (dual_ascent, "_CELLS"),
        (cells, "_NUMBERS"),
        (cells, "_SETS"),
        (outcomes, "_CODES"),
    ):
        monkeypatch.setattr(module, name, 1)
    for (small, goal), expected in zip(cases, whole, strict=True):
        in_parts = proved(small, goal, objective, Allowance())
        assert in_parts.by_name == pytest.approx(expected.by_name), (small, goal)


def heart(max_leaves: int | None = None) -> tuple[CARTClassifier, object, object]:
    X, y = load_heart()
    return CARTClassifier(max_leaves=max_leaves, costs=heart_prices()).fit(X, y), X, y


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_without_time_the_tree_s_own_price_is_there_and_nothing_is_proved(objective: str) -> None:
    model, X, y = heart(8)
    with pytest.warns(LimitReachedWarning, match="certify stopped at its time_limit_s: its bounds hold"):
        made = certify(model, X, y, objective=objective, time_limit_s=0.0)
    reached = model.worst_case_cost_ if objective == "worst_case" else model.expected_cost_
    assert made.reached == pytest.approx(reached)
    assert (made.lower_bound, made.ratio, made.trees) == (0, np.inf, "error")
    assert (made.stopped_by, made.cut_short, made.exact) == ("time_limit", ("coding",), False)
    assert "The time limit cut short: coding." in str(made)
    assert made.to_dict()["cut_short"] == ["coding"]


def test_a_class_of_trees_that_no_limit_left_time_to_look_at_is_named_so() -> None:
    model, X, y = heart()
    with pytest.warns(LimitReachedWarning):
        made = certify(model, X, y, trees="pure", time_limit_s=0.0)
    assert made.trees == "pure"
    assert "no look at whether this tree is such a tree" in str(made)


def test_codes_that_were_not_made_in_time_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Though there was time left, for a leaf: rows without codes would all be one object."""

    def too_late(*_: object, **__: object) -> None:
        raise TimeoutError

    X, y = load_heart()
    model = CARTClassifier(max_leaves=4).fit(X, y)
    monkeypatch.setattr(coding, "encode_values", too_late)
    with pytest.warns(LimitReachedWarning):
        made = certify(model, X, y, costs=heart_prices(), time_limit_s=1000)
    assert (made.lower_bound, made.stopped_by, made.cut_short) == (0, "time_limit", ("coding",))


def test_memory_that_does_not_hold_the_codes_leaves_nothing_proved() -> None:
    model, X, y = heart(8)
    with pytest.warns(LimitReachedWarning, match="certify stopped at its memory_limit_mb"):
        made = certify(model, X, y, memory_limit_mb=0.01)
    assert (made.lower_bound, made.stopped_by, made.cut_short) == (0, "memory_limit", ("coding",))


def test_a_bound_that_is_cut_short_is_named_and_the_others_are_there() -> None:
    model, X, y = heart()
    with pytest.warns(LimitReachedWarning, match="memory_limit_mb"):
        made = certify(model, X, y, memory_limit_mb=2.5)
    assert made.stopped_by == "memory_limit"
    assert "kraft" in made.cut_short
    assert "knapsack" not in made.cut_short
    assert made.lower_bound > 0


def test_limits_that_are_wide_enough_change_nothing() -> None:
    X, y = np.indices((2, 2, 2)).reshape(3, -1).T, np.array([0, 1, 1, 0, 1, 0, 0, 1])
    model = CARTClassifier().fit(X, y)
    free = certify(model, X, y)
    assert certify(model, X, y, time_limit_s=60, memory_limit_mb=100) == free
    assert (free.stopped_by, free.cut_short) == (None, ())


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("impurity", [None, Pairs()])
def test_ctrl_c_at_any_look_raises_with_the_certificate_so_far(
    objective: str, impurity: Pairs | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = load_heart()
    model = WorstCaseTreeClassifier(costs=heart_prices()).fit(X, y)
    look, looks = Allowance.look, [0]
    stop_at = [0]

    def interrupted(self: Allowance) -> None:
        looks[0] += 1
        if looks[0] == stop_at[0]:
            signal.raise_signal(signal.SIGINT)
        look(self)

    monkeypatch.setattr(Allowance, "look", interrupted)
    lower = -1.0
    for at in (1, 2, 5, 30, 200, 2000):
        looks[0], stop_at[0] = 0, at
        try:
            certify(model, X, y, objective=objective, impurity=impurity)
        except KeyboardInterrupt as interrupt:
            made = interrupt.partial  # type: ignore[attr-defined]
        else:  # its search has seconds, and how often it looks in them is a matter of the machine
            assert 200 < looks[0] < at
            break
        assert isinstance(made, Certificate)
        assert made.stopped_by == "interrupt"
        assert made.cut_short
        assert 0 <= made.lower_bound <= made.reached
        assert made.lower_bound >= lower
        assert "Ctrl-C cut short: " in str(made)
        lower = made.lower_bound
    assert lower > 0


def out_of_time(*_: object, **__: object) -> None:
    raise TimeoutError


def test_a_fit_shares_its_limits_with_its_certificate(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = load_heart()
    monkeypatch.setattr(certified_module, "objects_of", out_of_time)
    with pytest.warns(LimitReachedWarning, match="certificate_ what was proved") as caught:
        model = WorstCaseTreeClassifier(certificate=True, time_limit_s=60).fit(X, y)
    assert caught[0].filename == __file__
    assert model.stopped_by_ is None
    assert model.certificate_.cut_short == ("coding",)
    assert model.certificate_.stopped_by == "time_limit"


def test_a_fit_that_ctrl_c_ends_within_its_certificate_has_what_was_proved(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X, y = load_heart()
    look, looks = Allowance.look, [0]

    def interrupted(self: Allowance) -> None:
        looks[0] += 1
        if looks[0] == 1500:
            signal.raise_signal(signal.SIGINT)
        look(self)

    monkeypatch.setattr(Allowance, "look", interrupted)
    model = WorstCaseTreeClassifier(certificate=True, costs=heart_prices())
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.certificate_.stopped_by == "interrupt"
    assert model.certificate_.lower_bound > 0
