"""ROC curves and the area under them, against scikit-learn; DeLong's variance, against its definition."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_cases import classifier, weights
from sklearn.metrics import roc_auc_score, roc_curve

from thriftree.report.facts import facts_of
from thriftree.report.facts.ranking import LEAST_ROWS, area_and_parts, area_interval, roc_points


@pytest.mark.parametrize("weighted", [False, True])
def test_the_area_for_two_classes_is_scikit_learns(weighted):
    model, X, y = classifier(1)
    weight = weights(1, len(y)) if weighted else None
    facts = facts_of(model.tree_, X, y, sample_weight=weight)["classes"]["ranking"]
    expected = roc_auc_score(y == "yes", model.predict_proba(X)[:, 1], sample_weight=weight)
    assert facts["auc"] == pytest.approx(expected)
    assert [curve["label"] for curve in facts["curves"]] == ["yes"]
    assert facts["interval"][0] < facts["auc"] < facts["interval"][1]


def test_the_area_for_many_classes_is_scikit_learns_one_against_the_rest():
    model, X, y = classifier(2, n_classes=4)
    facts = facts_of(model.tree_, X, y)["classes"]["ranking"]
    expected = roc_auc_score(y, model.predict_proba(X), multi_class="ovr", labels=model.classes_)
    assert facts["auc"] == pytest.approx(expected)
    assert facts["n_classes"] == len(facts["curves"]) == 4


def test_smoothing_ranks_as_the_estimator_does():
    model, X, y = classifier(3, smoothing=5.0)
    facts = facts_of(model.tree_, X, y, smoothing=5.0)["classes"]["ranking"]
    assert facts["auc"] == pytest.approx(roc_auc_score(y == "yes", model.predict_proba(X)[:, 1]))


def test_the_curve_is_scikit_learns():
    model, X, y = classifier(4)
    (curve,) = facts_of(model.tree_, X, y)["classes"]["ranking"]["curves"]
    alarms, hits, _ = roc_curve(y == "yes", model.predict_proba(X)[:, 1], drop_intermediate=False)
    assert np.asarray(curve["points"]) == pytest.approx(np.column_stack([alarms, hits]), abs=1e-5)


def test_a_thinned_curve_keeps_its_ends_and_strays_little():
    rng = np.random.default_rng(0)
    positive = rng.random(20_000) < 0.4
    score = rng.normal(size=20_000) + positive
    thin = np.asarray(roc_points(score, positive, np.ones(20_000), 200))
    assert len(thin) <= 200
    assert thin[0].tolist() == [0, 0]
    assert thin[-1].tolist() == [1, 1]
    assert np.trapezoid(thin[:, 1], thin[:, 0]) == pytest.approx(roc_auc_score(positive, score), abs=1e-3)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=4, max_size=30))
def test_the_variance_is_delongs(rows):
    score = np.array([s for s, _ in rows], dtype=float)
    positive = np.array([p for _, p in rows])
    if min(positive.sum(), (~positive).sum()) < 2:
        return
    area, parts = area_and_parts(score, positive, np.ones(len(rows)))

    def wins(x, y):
        return 1.0 if x > y else 0.5 if x == y else 0.0

    v10 = [np.mean([wins(x, y) for y in score[~positive]]) for x in score[positive]]
    v01 = [np.mean([wins(x, y) for x in score[positive]]) for y in score[~positive]]
    assert area == pytest.approx(np.mean(v10))
    variance = np.var(v10, ddof=1) / len(v10) + np.var(v01, ddof=1) / len(v01)
    assert (parts**2).sum() == pytest.approx(variance, abs=1e-12)


def test_a_weight_of_two_ranks_like_two_rows():
    rng = np.random.default_rng(1)
    score, positive = rng.integers(0, 6, 40).astype(float), rng.random(40) < 0.5
    doubled = np.repeat(np.arange(40), 1 + (np.arange(40) % 2))
    area, _ = area_and_parts(score, positive, 1.0 + np.arange(40) % 2)
    assert area == pytest.approx(area_and_parts(score[doubled], positive[doubled], np.ones(len(doubled)))[0])


def test_the_interval_is_delongs_on_the_scale_of_log_odds():
    parts = np.array([0.03, 0.04])
    low, high = area_interval(0.8, parts)
    half = 1.959964 * 0.05 / (0.8 * 0.2)
    assert math.log(low / (1 - low)) == pytest.approx(math.log(4) - half, rel=1e-5)
    assert math.log(high / (1 - high)) == pytest.approx(math.log(4) + half, rel=1e-5)


def test_the_interval_covers_the_true_area_nineteen_times_in_twenty():
    # Normal scores one deviation apart, rounded to make ties as leaves do: the true area by many rows.
    rng = np.random.default_rng(2)

    def rows(n):
        positive = np.arange(n) % 2 == 0
        return np.round(rng.normal(size=n) + positive), positive, np.ones(n)

    truth, _ = area_and_parts(*rows(400_000))
    covered = 0
    for _ in range(400):
        low, high = area_interval(*area_and_parts(*rows(80)))
        covered += low <= truth <= high
    assert 0.92 <= covered / 400 <= 0.98


def test_without_rows_of_both_kinds_there_is_no_curve():
    model, X, y = classifier(5)
    assert facts_of(model.tree_, X[y == "yes"], y[y == "yes"])["classes"]["ranking"] is None


def test_a_perfect_ranking_has_no_interval():
    model, X, _ = classifier(6)
    perfect = model.predict(X)
    share = model.predict_proba(X)[:, 1]
    y = np.where(share > np.median(share), "yes", "no")
    ranking = facts_of(model.tree_, X, y)["classes"]["ranking"]
    assert len(set(perfect)) == 2
    assert ranking["auc"] == 1
    assert ranking["interval"] is None


def test_leaves_promise_their_training_share_and_show_the_share_of_the_rows():
    model, X, y = classifier(7)
    leaf, proba = model.apply(X), model.predict_proba(X)
    for promise in facts_of(model.tree_, X, y)["classes"]["promises"]:
        here = leaf == promise["leaf"]
        assert promise["said"] == pytest.approx(proba[here].max())
        assert promise["seen"] == pytest.approx(np.mean(model.predict(X)[here] == y[here]))
        assert promise["share"] == pytest.approx(here.mean())
        assert promise["interval"][0] <= promise["seen"] <= promise["interval"][1]


@pytest.mark.parametrize("n_rare", [2, LEAST_ROWS - 1, LEAST_ROWS])
def test_a_class_of_a_few_rows_has_an_area_but_no_interval(n_rare):
    model, X, y = classifier(2, n_classes=4)
    rare = model.classes_[0]
    kept = np.sort(np.concatenate([np.flatnonzero(y == rare)[:n_rare], np.flatnonzero(y != rare)]))
    assert (y[kept] == rare).sum() == n_rare
    facts = facts_of(model.tree_, X.iloc[kept], y[kept])["classes"]["ranking"]
    (curve,) = [curve for curve in facts["curves"] if curve["label"] == str(rare)]
    assert 0 < curve["auc"] <= 1
    told = n_rare >= LEAST_ROWS
    assert (curve["interval"] is not None) == told
    assert (facts["interval"] is not None) == told
