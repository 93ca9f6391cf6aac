"""A time limit covers measuring and choosing, and what was measured by then counts."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from clocks import Clock
from sklearn.datasets import load_wine

import thriftree as tt
from thriftree.estimators.pruning_parameters import pruning_asked_of
from thriftree.learning.limits import SHARE_TO_GROW, Limits
from thriftree.learning.pruning import Pruning, grow_and_prune
from thriftree.learning.prunings import prunings
from thriftree.tuning import resamples
from thriftree.tuning import trials as trials_module
from thriftree.tuning.loop import TuningLoop
from thriftree.tuning.measures import Held, scores
from thriftree.tuning.recipe import Recipe
from thriftree.tuning.selection import candidates
from thriftree.tuning.trials import Trials, _Holding

UNLIMITED = Limits.of(1, None, None)


@pytest.fixture
def recipe():
    """A recipe of CART, the rows to grow on, and those to measure on."""
    X, y = load_wine(return_X_y=True)
    X = X + np.random.default_rng(0).normal(size=X.shape) * X.std(axis=0)  # so that trees have many leaves
    model = tt.CARTClassifier()
    rows = model._read(X, y, None, UNLIMITED)
    half = np.arange(len(y)) % 2 == 0
    parts = rows.take(np.flatnonzero(half)), rows.take(np.flatnonzero(~half))
    return Recipe("cart", {}, model._plan(rows), Pruning()), *parts


def test_a_search_has_time_left_when_its_growing_ends():
    assert 0 < Limits.of_search(1, 100.0, None).seconds_left <= 100 * SHARE_TO_GROW
    assert Limits.of_search(1, None, None).seconds_left is None


@pytest.mark.parametrize(
    ("model", "searches"),
    [
        (tt.CARTClassifier(), False),
        (tt.CARTClassifier(pruning="cost_complexity", alpha=0.1), False),
        (tt.CARTClassifier(pruning="cost_complexity"), True),
        (tt.EnhancedTreeClassifier(trade_off=1.0), False),
        (tt.EnhancedTreeClassifier(trade_off="auto"), True),
        (tt.WorstCaseTreeClassifier(), False),
        (tt.WorstCaseTreeClassifier(impurity="search"), True),
    ],
    ids=["cart", "given alpha", "alpha by folds", "given trade-off", "auto", "pairs", "search"],
)
def test_an_estimator_knows_whether_it_searches(model, searches):
    assert model._searches() == searches


def test_without_time_the_smallest_prunings_are_measured(recipe):
    how, growing, measuring = recipe
    (grown,) = how.grow(growing, UNLIMITED)
    tree = prunings(grown, how.plan, "leaves", None)
    held = Held(grown.core, measuring, measuring.codes.inputs(grown.columns), how.plan)
    whole = scores(tree, held, "auc", tree.alphas, 0.0, UNLIMITED)
    assert len(whole) > 5
    for looks in (0, 1, 3):
        some = scores(tree, held, "auc", tree.alphas, 0.0, Clock(looks))
        assert np.isnan(some).tolist() == [True] * (len(whole) - looks - 1) + [False] * (looks + 1)
        assert some[-looks - 1 :].tolist() == whole[-looks - 1 :].tolist()


def test_prunings_that_were_not_measured_are_no_candidates(recipe):
    how, growing, measuring = recipe
    found = {}
    for name, limits in {"whole": UNLIMITED, "cut": Clock(4)}.items():
        trials = Trials([how], growing, ("accuracy", "auc"), None, TuningLoop(limits))
        trials.grow(measuring)
        found[name] = list(trials)
    assert 1 == len(found["cut"]) < len(found["whole"])  # the first is measured in part, the next not at all
    for whole, cut in zip(found["whole"], found["cut"], strict=False):
        n = len(cut.prunings)
        assert 0 < n < len(whole.prunings)
        assert cut.prunings.alphas.tolist() == whole.prunings.alphas[-n:].tolist()
        for metric in ("accuracy", "auc"):
            assert cut.fold_scores(metric).tolist() == whole.fold_scores(metric)[:, -n:].tolist()


def test_trees_that_there_is_no_time_to_measure_are_not_even_followed(recipe, monkeypatch):
    how, growing, measuring = recipe
    followed, of = [], _Holding.of

    def counted(self, tree, plan):
        followed.append(tree)
        return of(self, tree, plan)

    monkeypatch.setattr(_Holding, "of", counted)
    loop = TuningLoop(Clock(1))
    trials = Trials([how], growing, ("accuracy",), None, loop)
    trials.grow(measuring)
    assert len(followed) == len(list(trials)) == 1
    assert loop.stopped_by == "time_limit"


def test_a_tree_that_the_time_was_over_for_is_neither_pruned_nor_are_rows_led_down_it(recipe, monkeypatch):
    how, growing, _ = recipe
    monkeypatch.setattr(trials_module, "prunings", lambda *_, **__: pytest.fail("there is no time to prune"))
    trials = Trials([how], growing, ("accuracy",), None, TuningLoop(Clock(1)), may_stay_unpruned=True)
    trials.grow()
    (trial,) = trials
    grown = trial.prunings.grown
    (chosen,) = candidates([trial], "accuracy", 0.0, None)
    assert chosen.grown.core == grown.core
    assert "leaf" not in trial.held.__dict__
    assert trial.prunings.tree_at(1.0).core.n_leaves == 1  # for those who cannot pay for more
    paid = np.bincount(trial.held.leaf, minlength=grown.core.n_nodes) * grown.core.depths
    assert chosen.expected_cost == pytest.approx(paid.sum() / len(growing))


def test_scores_on_resampled_rows_look_at_the_clock_for_every_block_of_rows(monkeypatch):
    monkeypatch.setattr(resamples, "_BLOCK", 64)
    rng = np.random.default_rng(0)
    values, times = rng.random((3, 200)), rng.integers(0, 3, size=(200, 4)).astype(np.uint8)
    clock = Clock(1000)
    found = resamples._exact_product(values, times, True, clock)
    assert 1000 - clock.looks == 25  # 8 rows at a time
    assert found == pytest.approx(values @ np.hstack([times == 0, times]))
    with pytest.raises(TimeoutError):
        resamples._exact_product(values, times, True, Clock(7))


def test_the_words_of_an_estimator_say_who_finds_alpha():
    assert pruning_asked_of(tt.CARTClassifier(alpha=0.5), None).alpha == 0.5
    assert pruning_asked_of(tt.CARTClassifier(alpha=0.5), None).alpha_rule is None
    assert pruning_asked_of(tt.CARTClassifier(alpha="cv"), None).alpha_rule is None  # it is not pruned
    found = pruning_asked_of(tt.CARTClassifier(alpha="cv_1se", cv=3), "cost_complexity").alpha_rule
    assert (found.rule, found.cv) == ("cv_1se", 3)


def test_pruning_that_runs_out_of_time_raises_no_branch():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(400, 4))
    model = tt.C45Classifier()
    rows = model._read(X, X[:, 0] + rng.normal(size=400) > 0, None, UNLIMITED)
    raising, plain = Pruning(method="error_based"), Pruning(method="error_based", raising=False)
    grown = partial(grow_and_prune, rows, model._plan(rows))
    whole, unraised = grown(UNLIMITED, raising), grown(UNLIMITED, plain)
    assert whole.core != unraised.core
    for looks in (1, 2, 4):  # the first is that of the growth, the others are those of branches to raise
        cut = grown(Clock(looks), raising)
        assert cut.stopped_by == "time_limit"
        assert cut.core == unraised.core
    in_time = grown(Clock(10**6), raising)
    assert in_time.stopped_by is None
    assert in_time.core == whole.core
