"""Whatever ends a fit, the best tree so far is there, with a bound that holds."""

from __future__ import annotations

import signal
import time
import warnings

import numpy as np
import pytest

from thriftree import LimitReachedWarning, OptimalTreeClassifier, regularised_risk
from thriftree.learning.limits import Limits
from thriftree.learning.progress import listening
from thriftree.methods.optimal import greedy, path, rounds, solve
from thriftree.methods.optimal.binary_tests import SeenTable

RANDOM = np.random.default_rng(6)
X = RANDOM.integers(0, 2, (300, 16))
NUMBERS = RANDOM.normal(size=(200, 5)).round(2)
Y = RANDOM.integers(0, 2, 300)


def test_progress_tells_of_incumbents_and_bounds():
    told = []
    with listening(lambda *moment: told.append(moment)):
        model = OptimalTreeClassifier(leaf_penalty=0.002, max_depth=4).fit(X, Y)
    assert told
    seconds, incumbent, bound = np.array(told).T
    assert (np.diff(seconds) >= 0).all()
    assert (np.diff(incumbent) <= 1e-12).all()
    assert (bound <= incumbent + 1e-12).all()
    assert (bound <= model.objective_ + 1e-12).all()
    assert incumbent[-1] >= model.objective_ - 1e-12


def test_outside_nobody_is_told():
    with listening(lambda *_: None):
        pass
    OptimalTreeClassifier(leaf_penalty=0.01, max_depth=2).fit(X, Y)


@pytest.mark.parametrize("at", range(1, 12, 2))
def test_an_interrupt_anywhere_leaves_the_best_tree_and_is_raised(at, monkeypatch):
    """SIGINT comes when a column's codes are looked at for the `at`-th time."""
    model = OptimalTreeClassifier(leaf_penalty=0.005, max_depth=3)
    interrupt_at(monkeypatch, at)
    with pytest.raises(KeyboardInterrupt):
        model.fit(NUMBERS, Y[:200])
    assert (model.status_, model.stopped_by_) == ("interrupted", "interrupt")
    assert model.lower_bound_ <= model.objective_
    assert model.objective_ == pytest.approx(regularised_risk(model.tree_, NUMBERS, Y[:200], 0.005))
    assert model.predict(NUMBERS).shape == (200,)


def interrupt_at(monkeypatch, at):
    whole = SeenTable.__getitem__
    calls = []

    def counted(self, column):
        calls.append(column)
        if len(calls) == 40 * at:
            raise KeyboardInterrupt
        return whole(self, column)

    monkeypatch.setattr(SeenTable, "__getitem__", counted)


@pytest.mark.parametrize("at", [1, 2, 3])
def test_an_interrupt_in_the_core_ends_the_search_with_what_it_has(at):
    told = []

    def interrupt(*moment):
        told.append(moment)
        if len(told) == at:
            signal.raise_signal(signal.SIGINT)

    hard = np.random.default_rng(8).integers(0, 2, (2000, 40))
    y = np.random.default_rng(9).integers(0, 2, 2000)
    model = OptimalTreeClassifier(leaf_penalty=0.0, max_depth=6)
    with listening(interrupt), pytest.raises(KeyboardInterrupt):
        model.fit(hard, y)
    assert (model.status_, model.stopped_by_) == ("interrupted", "interrupt")
    assert model.lower_bound_ <= model.objective_
    assert model.objective_ == pytest.approx(regularised_risk(model.tree_, hard, y, 0.0))


def test_an_interrupt_in_a_search_keeps_the_greedy_trees(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(rounds, "search", interrupted)
    model = OptimalTreeClassifier(leaf_penalty=0.0, max_depth=3)
    with pytest.raises(KeyboardInterrupt):
        model.fit(NUMBERS, Y[:200])
    assert model.tree_.n_leaves > 1
    assert model.status_ == "interrupted"


@pytest.mark.parametrize(("error", "limit"), [(TimeoutError, "time_limit"), (MemoryError, "memory_limit")])
def test_a_proved_tree_stays_proved_where_only_its_polish_is_cut_off(monkeypatch, error, limit):
    def cut_off(*_, **__):
        raise error

    monkeypatch.setattr(rounds, "polished", cut_off)
    many = RANDOM.normal(size=(200, 5))
    model = OptimalTreeClassifier(leaf_penalty=0.01, max_depth=3)
    with pytest.warns(LimitReachedWarning, match=f"stopped at its {limit}"):
        model.fit(many, Y[:200])
    assert (model.status_, model.gap_, model.stopped_by_) == ("optimal", 0.0, limit)
    assert "generated tests" in model.proved_for_


def test_no_time_leaves_a_leaf_and_a_warning():
    with pytest.warns(LimitReachedWarning, match="stopped at its time_limit_s: the tree is the best so far"):
        model = OptimalTreeClassifier(time_limit_s=0).fit(NUMBERS, Y[:200])
    assert (model.status_, model.stopped_by_) == ("time_limit", "time_limit")
    assert model.lower_bound_ <= model.objective_


def test_memory_that_does_not_suffice_keeps_what_there_is(monkeypatch):
    def too_much(*_, **__):
        raise MemoryError

    monkeypatch.setattr(rounds, "search", too_much)
    with pytest.warns(LimitReachedWarning, match="stopped at its memory_limit_mb"):
        model = OptimalTreeClassifier(leaf_penalty=0.0, max_depth=3, memory_limit_mb=64).fit(NUMBERS, Y[:200])
    assert (model.status_, model.stopped_by_) == ("memory_limit", "memory_limit")
    assert model.tree_.n_leaves > 1


def test_a_search_whose_tests_do_not_fit_is_not_begun():
    with pytest.warns(LimitReachedWarning, match="stopped at its memory_limit_mb"):
        model = OptimalTreeClassifier(leaf_penalty=0.01, max_depth=3, memory_limit_mb=0.02).fit(
            NUMBERS, Y[:200]
        )
    assert model.status_ == "memory_limit"
    assert model.lower_bound_ <= model.objective_


def test_the_bound_of_tests_that_lack_the_trees_own_is_not_kept(monkeypatch):
    """Polish finds new thresholds after a proof, and the next proof is cut off: the old bound would be about
    other tests, and could be above the objective.
    """
    whole, calls = rounds.search, []

    def cut_off_after_the_first_proof(problem, candidates, limits, how, *more, **named):
        if how == rounds.PROOF:
            calls.append(how)
        if len(calls) == 2:
            raise TimeoutError
        return whole(problem, candidates, limits, how, *more, **named)

    monkeypatch.setattr(rounds, "search", cut_off_after_the_first_proof)
    monkeypatch.setattr(rounds, "_MOST_QUICK_ROUNDS", 0)
    monkeypatch.setattr(rounds, "most_tests", lambda *_, **__: 24)
    found = 0
    for seed in range(6):
        random = np.random.default_rng(seed)
        rows = random.normal(size=(150, 4))
        y = (rows[:, 0] * rows[:, 1] > 0.1 * random.normal(size=150)).astype(int)
        calls.clear()
        model = OptimalTreeClassifier(leaf_penalty=0.001, max_depth=3)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LimitReachedWarning)
            model.fit(rows, y)
        found += len(calls) == 2
        assert model.lower_bound_ <= model.objective_
        if len(calls) == 2:
            assert model.status_ == "time_limit"
            assert model.lower_bound_ == pytest.approx(0.001)
    assert found


def test_greedy_trees_are_not_grown_where_a_proof_of_all_tests_needs_none(monkeypatch):
    def grown(*_):
        raise AssertionError("a greedy tree was grown")

    monkeypatch.setattr(greedy, "grown_outline", grown)
    assert OptimalTreeClassifier(leaf_penalty=0.0, max_depth=3).fit(X, Y).status_ == "optimal"


def test_time_that_ends_while_the_penalty_is_chosen_leaves_the_trees_found_for_it(monkeypatch):
    labels = NUMBERS[:, 0] + NUMBERS[:, 1] > 0
    whole, calls = path.QuickPath.trees, []

    def only_once(self, penalties):
        calls.append(penalties)
        if len(calls) > 1:
            raise TimeoutError
        return whole(self, penalties)

    def no_time(self):
        raise TimeoutError

    monkeypatch.setattr(path.QuickPath, "trees", only_once)
    monkeypatch.setattr(rounds.Rounds, "_greedy", no_time)
    with pytest.warns(LimitReachedWarning):
        model = OptimalTreeClassifier(max_depth=3, random_state=0).fit(NUMBERS, labels)
    assert (model.status_, model.cv_results_) == ("time_limit", None)
    assert model.score(NUMBERS, labels) > 0.9


def test_the_penalty_is_chosen_in_a_part_of_the_time():
    limits = Limits(1, time.monotonic() + 1000, None)
    with limits.within(0.5):
        assert 400 < limits.seconds_left <= 500
        with limits.within(0.5):
            assert 200 < limits.seconds_left <= 250
    assert 900 < limits.seconds_left <= 1000
    without = Limits(1, None, None)
    with without.within(0.5):
        assert without.seconds_left is None


def test_of_very_many_rows_a_look_ahead_finds_its_tests_on_a_sample(monkeypatch):
    monkeypatch.setattr(solve, "MOST_ROWS", 60)
    labels = NUMBERS[:, 0] + NUMBERS[:, 1] > 0
    fits = [
        OptimalTreeClassifier(lookahead=3, leaf_penalty=0.001, max_depth=3, random_state=seed)
        for seed in (0, 0, 1)
    ]
    trees = [model.fit(NUMBERS, labels).tree_ for model in fits]
    assert trees[0].to_dict() == trees[1].to_dict()
    for model in fits:
        assert model.status_ == "heuristic"
        assert model.lower_bound_ <= model.objective_
        assert model.objective_ == pytest.approx(regularised_risk(model.tree_, NUMBERS, labels, 0.001))
        assert model.tree_.to_dict()["nodes"][0]["rows"] == 200
        assert model.score(NUMBERS, labels) > 0.85
