"""Ctrl-C at chosen moments: every learner has a tree when KeyboardInterrupt reaches the caller.

Rows are counted by a store in Python, which sends itself the signal at one of its counts; and a tracer raises
KeyboardInterrupt at one of the calls of the library. Both are the same moments in every run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from inspect import CO_GENERATOR

import numpy as np
import pytest
from cut_off import interrupting, moments, table_for
from thoroughness import tries

import thriftree as tt
from thriftree.comparison import compare
from thriftree.learning.limits import Limits
from thriftree.testing.checks import all_estimators, estimators_with

COSTS = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 4.0}
SEARCHING = {
    "CART, alpha by folds": tt.CARTClassifier(pruning="cost_complexity", cv=2, random_state=0),
    "CART, pruned on other rows": tt.CARTClassifier(pruning="reduced_error", random_state=0),
    "numbers, alpha by folds": tt.CARTRegressor(pruning="cost_complexity", cv=2, random_state=0),
    "enhanced, auto": tt.EnhancedTreeClassifier(trade_off="auto", max_bins=6, random_state=0),
    "enhanced, cv, alpha by folds": tt.EnhancedTreeClassifier(
        trade_off="cv", cv=2, max_bins=6, pruning="cost_complexity", random_state=0
    ),
    "worst case, by training error": tt.WorstCaseTreeClassifier(impurity="search", cv=None, max_bins=6),
    "worst case, by folds, within a budget": tt.WorstCaseTreeClassifier(
        impurity="search", cv=2, max_bins=6, costs=COSTS, budget=6.0, random_state=0
    ),
    "thrift within a budget": tt.ThriftTreeClassifier(
        costs=COSTS, budget=6.0, cv=2, repeats=1, max_bins=6, random_state=0
    ),
}
SEEDED, REPEATED = estimators_with("random_state"), estimators_with("repeats")
QUICK = {"cv": 2, "repeats": 1}
LEARNERS = {
    cls.__name__: cls(**({"random_state": 0} if cls in SEEDED else {}), **(QUICK if cls in REPEATED else {}))
    for cls in all_estimators()
}
LEARNERS |= SEARCHING
every_learner = pytest.mark.parametrize("name", LEARNERS)


def check_it_answers(model, X):
    assert model.predict(X).shape == (len(X),)
    core = model.tree_.core
    assert core.rows[core.column < 0].sum() == core.rows[0] > 0
    assert model.expected_cost_ <= model.worst_case_cost_ + 1e-9


@every_learner
def test_ctrl_c_while_rows_are_counted_leaves_a_tree(name):
    model = LEARNERS[name]
    X, y = table_for(model)
    with interrupting(None) as counts:
        whole = type(model)(**model.get_params()).fit(X, y)
    for at in moments(len(counts), tries(5, 3)):
        cut = type(model)(**model.get_params())
        with interrupting(at), pytest.raises(KeyboardInterrupt):
            cut.fit(X, y)
        check_it_answers(cut, X)
        assert cut.stopped_by_ == "interrupt", at
        assert vars(cut).keys() >= vars(whole).keys() - {"alpha_", "ridge_"}
    assert whole.stopped_by_ is None


class Tracer:
    """Raises KeyboardInterrupt at the `at`-th call of the library's functions after a fit's checks."""

    def __init__(self, at: int | None = None) -> None:
        self.at, self.calls, self.checked = at, 0, False

    def __call__(self, frame, event, arg):
        is_ours = frame.f_globals.get("__name__", "").startswith("thriftree.")
        if (
            is_ours and not frame.f_code.co_flags & CO_GENERATOR
        ):  # an error in one that is closed goes nowhere
            self.checked = self.checked or frame.f_code is Limits.attempt.__code__
            self.calls += self.checked and event == "call"
            if self.calls == self.at:
                sys.settrace(None)
                raise KeyboardInterrupt

    @contextmanager
    def tracing(self) -> Iterator[None]:
        before = sys.gettrace()
        sys.settrace(self)
        try:
            yield
        finally:
            sys.settrace(before)


@every_learner
def test_ctrl_c_between_any_two_calls_after_the_checks_leaves_a_tree(name):
    model = LEARNERS[name]
    X, y = table_for(model)
    whole = type(model)(**model.get_params()).fit(X, y)  # what is cached is in the cache from now on
    counting = Tracer()
    with counting.tracing():
        type(model)(**model.get_params()).fit(X, y)
    # The first call is the attempt itself; the last ones tell that the fit is over.
    for at in moments(counting.calls, tries(60, 12))[1:]:
        cut = type(model)(**model.get_params())
        with Tracer(at).tracing(), pytest.raises(KeyboardInterrupt):
            cut.fit(X, y)
        check_it_answers(cut, X)
        assert cut.stopped_by_ in ("interrupt", None)
        assert cut.stopped_by_ is not None or cut.tree_ == whole.tree_


def test_ctrl_c_between_any_two_calls_of_a_comparison_leaves_what_was_measured():
    X, y = table_for(tt.CARTClassifier())
    words = {"methods": ["c45", "id3", "chaid"], "cv": 2}
    compare(X, y, **words)  # what is cached is in the cache from now on
    counting = Tracer()
    with counting.tracing():
        whole = compare(X, y, **words)
    names = [result.method for result in whole.results]
    n_found = []
    for at in moments(counting.calls, tries(60, 20))[1:-1]:
        with Tracer(at).tracing(), pytest.raises(KeyboardInterrupt) as caught:
            compare(X, y, **words)
        found = [result.method for result in caught.value.partial.results]
        assert found == names[: len(found)]
        n_found.append(len(found))
    assert n_found == sorted(n_found)  # what was measured is not lost again
    assert set(n_found) >= {0, 1, 2}


def test_ctrl_c_during_the_checks_is_raised_at_once(monkeypatch):
    monkeypatch.setattr(tt.CARTClassifier, "_plan", interrupted)
    model = tt.CARTClassifier()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*table_for(model))
    assert not hasattr(model, "tree_")


def interrupted(*_):
    raise KeyboardInterrupt


def test_a_second_ctrl_c_is_raised_at_once(monkeypatch):
    monkeypatch.setattr(tt.CARTClassifier, "_keep", interrupted)
    model = tt.CARTClassifier()
    with pytest.raises(KeyboardInterrupt):
        model.fit(*table_for(model))
    assert not hasattr(model, "tree_")


def test_an_edit_that_is_interrupted_is_none():
    model = tt.CARTClassifier(max_depth=3)
    X, y = table_for(model)
    model.fit(X, y)
    before = model.tree_
    with interrupting(1), pytest.raises(KeyboardInterrupt):
        model.refit_below(0, X, y)
    assert model.tree_ == before
    assert model.stopped_by_ is None


def test_trees_that_were_measured_are_chosen_from():
    """Ctrl-C in the last fold of two repeats: what the others measured decides."""
    model = tt.ThriftTreeClassifier(cv=3, repeats=2, max_bins=6, random_state=0)
    X, y = table_for(model)
    with interrupting(None) as counts:
        whole = type(model)(**model.get_params()).fit(X, y)
    with interrupting(len(counts)), pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.stopped_by_ == "interrupt"
    assert model.tree_.n_leaves > 1
    assert len(model.cv_results_["mean_score"]) == len(whole.cv_results_["mean_score"])
    assert not np.isnan(model.cv_results_["mean_score"]).any()
