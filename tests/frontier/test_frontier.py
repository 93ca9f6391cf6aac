"""The frontier: nothing in it is beaten, its figures are true, and bad input is named."""

from __future__ import annotations

import pickle
import signal
import time

import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_wine
from sklearn.metrics import accuracy_score, r2_score, roc_auc_score

from thriftree import CARTClassifier, Frontier, LimitReachedWarning, frontier
from thriftree.datasets import heart_prices, load_heart
from thriftree.learning import pruning
from thriftree.learning.holdout import validation_part
from thriftree.learning.limits import Limits
from thriftree.tuning.frontier.points import unbeaten
from thriftree.tuning.resamples import Resamples
from thriftree.tuning.trials import Trials

QUICK = {"trade_offs": [1.0, float("inf")], "min_masses": [0.0], "askings": [3.0]}


@pytest.fixture(scope="module")
def heart():
    X, y = load_heart()
    return frontier(X, y, heart_prices(), random_state=0, **QUICK)


def held_out(X, y, seed=0):
    """The rows that the frontier of this seed measures on."""
    model = CARTClassifier()
    rows = model._read(X, y, None, Limits.of(1, None, None))
    return validation_part(rows, model._plan(rows), 0.25, np.random.RandomState(seed))[1].codes.rows


def test_the_figures_of_a_point_are_those_of_its_tree_on_the_held_out_rows(heart):
    X, y = load_heart()
    rows = held_out(X, y)
    X, y = X.iloc[rows], y[rows]
    assert len(heart) > 3
    for point in heart:
        assert point.measured["accuracy"] == pytest.approx(accuracy_score(y, point.tree.predict(X)))
        assert point.measured["auc"] == pytest.approx(roc_auc_score(y, point.tree.predict_proba(X)[:, 1]))
        assert point.expected_cost == pytest.approx(point.tree.expected_cost(X))
        assert point.worst_case_cost == pytest.approx(point.tree.worst_case_cost())
        assert point.leaves == point.tree.n_leaves
        assert point.r2 is None


def measured_figures(found):
    return np.array([(point.measured["accuracy"], *point.figures("accuracy")[1:]) for point in found])


@pytest.mark.parametrize("which", ["corrected", "measured"])
def test_no_point_is_beaten_by_another_or_by_what_was_left_out(heart, which):
    points = np.array([point.figures("accuracy") for point in heart])
    others = np.empty((0, 4))
    if which == "measured":
        points, others = measured_figures(heart), np.array(heart.dominated)
    everything = np.vstack([points, others]) * [-1, 1, 1, 1]
    for one in points * [-1, 1, 1, 1]:
        as_good = (everything <= one + 1e-9).all(axis=1)
        better = as_good & (everything < one - 1e-9).any(axis=1)
        assert not better.any()


def test_what_was_left_out_is_beaten_or_equalled(monkeypatch):
    monkeypatch.setattr(Resamples, "of", lambda *_: None)  # by what is measured
    X, y = load_heart()
    found = frontier(X, y, heart_prices(), random_state=0, **QUICK)
    points = np.array([point.figures("accuracy") for point in found]) * [-1, 1, 1, 1]
    for beaten in np.array(found.dominated) * [-1, 1, 1, 1]:
        assert (points <= beaten + 1e-9).all(axis=1).any()


def test_unbeaten_rows_are_those_of_the_definition():
    rng = np.random.default_rng(0)
    for _ in range(50):
        figures = rng.integers(0, 4, (25, 4)).astype(float)
        kept = unbeaten(figures)
        worth = figures * [1, -1, -1, -1]
        expected = [
            i
            for i, one in enumerate(worth)
            if not any(
                (other >= one).all() and ((other > one).any() or j < i) for j, other in enumerate(worth)
            )
        ]
        assert sorted(kept) == expected


def test_the_points_come_by_rising_price_and_start_with_no_test_at_all(heart):
    prices = [point.expected_cost for point in heart]
    assert prices == sorted(prices)
    assert heart[0].leaves == 1
    assert heart[0].expected_cost == 0


def test_the_same_seed_gives_the_same_frontier():
    X, y = load_heart()
    a, b = (frontier(X, y, heart_prices(), random_state=1, n_jobs=jobs, **QUICK) for jobs in (1, 2))
    assert a.table() == b.table()
    assert [p.tree for p in a] == [p.tree for p in b]


def test_cross_validation_measures_trees_of_all_rows():
    X, y = load_wine(return_X_y=True)
    found = frontier(X, y, cv=3, random_state=0, metric="auc", **QUICK)
    assert found.metric == "auc"
    for point in found:
        assert point.tree.core.rows[0] == len(y)
        assert point.expected_cost == pytest.approx(point.tree.expected_cost(X))
    assert max(point.auc for point in found) > 0.9


def test_without_prices_questions_are_counted():
    X, y = load_wine(return_X_y=True)
    for point in frontier(X, y, random_state=0, **QUICK):
        assert point.worst_case_cost == point.tree.depth


def test_numbers_are_scored_by_r2():
    X, y = load_diabetes(return_X_y=True)
    found = frontier(X, y, random_state=0, **QUICK)
    assert found.metric == "r2"
    X = np.ascontiguousarray(X)
    order = np.random.RandomState(0).permutation(len(y))
    counted = np.floor(np.arange(len(y) + 1) * 0.25)
    chosen = np.zeros(len(y), dtype=bool)
    chosen[order] = np.diff(counted) > 0
    for point in found:
        assert point.measured["r2"] == pytest.approx(r2_score(y[chosen], point.tree.predict(X[chosen])))
        assert point.accuracy is point.auc is None


def test_what_a_target_holds_can_be_said():
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) // 20
    assert frontier(X, y, random_state=0, **QUICK).metric == "accuracy"
    assert frontier(X, y.astype(float), random_state=0, **QUICK).metric == "accuracy"
    assert frontier(X, y + 0.5, random_state=0, **QUICK).metric == "r2"
    assert frontier(X, y, random_state=0, target="numbers", **QUICK).metric == "r2"


def test_a_row_of_weight_2_counts_twice_where_it_measures():
    X, y = load_heart()
    weight = np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
    rows = held_out(X, y)
    for point in frontier(X, y, heart_prices(), random_state=0, sample_weight=weight, **QUICK):
        right = point.tree.predict(X.iloc[rows]) == y[rows]
        assert point.measured["accuracy"] == pytest.approx(np.average(right, weights=weight[rows]))
        paid = point.tree.predict_cost(X.iloc[rows])
        assert point.expected_cost == pytest.approx(np.average(paid, weights=weight[rows]))


def test_progress_is_told_and_ends_at_its_total():
    X, y = load_wine(return_X_y=True)
    seen = []
    frontier(X, y, random_state=0, progress=lambda done, total: seen.append((done, total)), **QUICK)
    assert [done for done, _ in seen] == list(range(1, len(seen) + 1))
    assert {total for _, total in seen} == {len(seen)}


@pytest.mark.parametrize("how", [{}, {"cv": 3}])
def test_a_time_limit_returns_what_there_is_and_warns(how):
    X, y = load_heart()
    with pytest.warns(LimitReachedWarning, match="frontier stopped at its time_limit_s"):
        found = frontier(X, y, heart_prices(), time_limit_s=0.0, random_state=0, **how)
    assert found.stopped_by == "time_limit"
    assert len(found) >= 1


def test_it_survives_a_pickle_and_cannot_be_changed(heart):
    again = pickle.loads(pickle.dumps(heart))
    assert again.table() == heart.table()
    assert again.dominated == heart.dominated
    with pytest.raises(AttributeError):
        heart.metric = "auc"
    with pytest.raises(TypeError):
        heart.points[0].settings["alpha"] = 0.0


def test_a_table_has_a_line_for_each_point(heart):
    lines = str(heart).splitlines()
    assert len(lines) == len(heart) + 1
    names = "accuracy measured auc measured expected at worst leaves best of method"
    assert lines[0].split() == names.split()
    assert [line.index("  " + point.method) > 0 for line, point in zip(lines[1:], heart, strict=True)]
    assert f"{len(heart)} trees by accuracy" in repr(heart)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"methods": ["kart"]}, r"methods has 'kart'.*did you mean 'cart'"),
        ({"methods": []}, "methods is empty"),
        ({"trade_offs": [-1.0]}, r"trade_offs has -1.0: give a float in the range \[0.0, inf\]"),
        ({"trade_offs": []}, "trade_offs is empty"),
        ({"min_masses": [2.0]}, r"min_masses has 2.0: give a float in the range \[0.0, 1.0\]"),
        ({"askings": [0.0]}, "askings has 0.0"),
        ({"askings": [float("nan")]}, "askings has nan"),
        ({"metric": "r2"}, "metric is 'r2', but this target has accuracy and auc"),
        ({"validation_fraction": 0.0}, "'validation_fraction' parameter"),
        ({"validation_fraction": 0.001}, "leaves none to measure on"),
        ({"cv": 1}, "'cv' parameter"),
        ({"costs": {"age": 1}}, "prices has the feature 'age', but the table's 13 columns do not"),
        ({"target": "numbers", "class_weight": "balanced"}, "for classes, but y holds numbers"),
    ],
)
def test_bad_input_is_named(parameters, message):
    X, y = load_wine(return_X_y=True)
    with pytest.raises(ValueError, match=message):
        frontier(X, y.astype(int), **parameters)


def test_an_empty_frontier_says_so():
    empty = Frontier.among([], "accuracy")
    assert str(empty) == "no trees"
    with pytest.raises(ValueError, match="no trees to choose from"):
        empty.best()


@pytest.mark.parametrize("how", [{}, {"cv": 2}], ids=["held out", "folds"])
def test_ctrl_c_hands_over_the_frontier_of_the_trees_measured_so_far(how):
    X, y = load_heart()
    n_recipes, words = 4, {"methods": ["cart", "c45"], "random_state": 0, **how}
    at = n_recipes + 2 if how else 3  # where folds measure, in the second recipe of the first

    def interrupted(done, total):
        if done == at:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        frontier(X, y, heart_prices(), progress=interrupted, **words)
    found, whole = caught.value.partial, frontier(X, y, heart_prices(), **words)
    assert found.stopped_by == "interrupt"
    assert 1 < len(found) + len(found.dominated) < len(whole) + len(whole.dominated)
    assert found.best().tree.predict(X).shape == y.shape
    if not how:  # the same rows measured them
        known = {tuple(figures) for figures in measured_figures(whole)} | set(whole.dominated)
        assert {point.figures("accuracy") for point in found} <= known
    assert found.corrected == ()
    assert str(found).splitlines()[-1].startswith("scores as measured, not corrected")


def test_a_limit_before_the_first_fold_leaves_the_first_tree_as_it_was_grown(monkeypatch):
    X, y = load_heart()
    measure = Trials.measure

    def without_time(self, parts):
        self.loop.limits.ends_at = time.monotonic() - 1
        measure(self, parts)

    monkeypatch.setattr(Trials, "measure", without_time)
    with pytest.warns(LimitReachedWarning, match="or the first as far as it was grown"):
        found = frontier(X, y, heart_prices(), cv=3, time_limit_s=1000.0, random_state=0)
    check_it_was_not_measured(found, X, y)
    assert found.stopped_by == "time_limit"


def check_it_was_not_measured(found, X, y):
    assert [point.tree for point in found] == [CARTClassifier(costs=heart_prices()).fit(X, y).tree_]
    assert not found.measured
    assert (found[0].accuracy, found[0].auc, found.dominated) == (None, None, ())
    assert found.best() is found[0]
    assert "expected" in str(found)
    with pytest.raises(ValueError, match="min_accuracy asks for accuracy, which was not measured"):
        found.best(min_accuracy=0.5)
    with pytest.raises(ValueError, match="no score to plot"):
        found.plot()


def test_ctrl_c_before_the_first_fold_leaves_the_first_tree_as_it_was_grown():
    X, y = load_heart()

    def interrupted(done, total):
        if done == total / 4:  # the trees of all rows are grown, and three folds are to measure them
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        frontier(X, y, heart_prices(), methods=["cart"], cv=3, random_state=0, progress=interrupted)
    check_it_was_not_measured(caught.value.partial, X, y)
    assert caught.value.partial.stopped_by == "interrupt"


def test_ctrl_c_in_the_first_tree_hands_over_a_leaf(monkeypatch):
    X, y = load_heart()
    calls = []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return grow(*arguments)

    grow = pruning.grow
    monkeypatch.setattr(pruning, "grow", interrupted)
    with pytest.raises(KeyboardInterrupt) as caught:
        frontier(X, y, heart_prices(), random_state=0)
    assert [point.leaves for point in caught.value.partial] == [1]
