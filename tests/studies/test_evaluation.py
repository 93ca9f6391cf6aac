"""Folds, scores and intervals that every study shares."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from studies.evaluation import FoldResults, FoldScore, area_under_curve, estimate, folds_of_repeat


def score(accuracy, price):
    return FoldScore(accuracy, 0.5, price, price, 2)


def test_folds_cover_every_row_once_and_do_not_change():
    y = np.repeat(["a", "b"], [30, 20])
    folds = list(folds_of_repeat(y, 3))
    assert np.sort(np.concatenate([fold.test for fold in folds])).tolist() == list(range(50))
    for fold, again in zip(folds, folds_of_repeat(y, 3), strict=True):
        assert not set(fold.train) & set(fold.test)
        assert np.mean(y[fold.test] == "a") == pytest.approx(0.6)
        assert fold.test.tolist() == again.test.tolist()
    other = [fold.test.tolist() for fold in folds_of_repeat(y, 4)]
    assert other != [fold.test.tolist() for fold in folds]
    assert len({fold.seed for repeat in range(10) for fold in folds_of_repeat(y, repeat)}) == 50


def test_the_error_counts_the_overlap_of_training_rows():
    values = np.random.default_rng(0).normal(size=50)
    # Nadeau and Bengio: the variance over J folds times (1/J + test/train), here 1/50 + 1/4.
    assert estimate(values).error == pytest.approx(np.sqrt(values.var(ddof=1) * (1 / 50 + 1 / 4)))
    assert estimate(values).high - estimate(values).mean == pytest.approx(
        2.0096 * estimate(values).error, rel=1e-4
    )


def test_differences_are_taken_fold_by_fold():
    ours = [score(0.5 + 0.1 * i, 10 + i) for i in range(5)]
    theirs = [score(0.4 + 0.1 * i, 12 + i) for i in range(5)]
    results = FoldResults(5, {"ours": ours, "theirs": theirs})
    accuracy, price = (results.difference("ours", "theirs", figure) for figure in ("accuracy", "price"))
    assert (accuracy.mean, accuracy.error) == pytest.approx((0.1, 0))
    assert accuracy.is_above_zero
    assert (price.mean, price.error) == pytest.approx((-2, 0))
    assert price.is_below_zero
    assert not results.difference("ours", "ours", "price").is_below_zero


def test_who_is_not_beaten_on_accuracy_and_price():
    means = {
        "expensive": (0.9, 50),
        "middle": (0.8, 20),
        "beaten": (0.8, 30),
        "cheap": (0.6, 1),
        "worse": (0.5, 1),
    }
    results = FoldResults(5, {name: [score(*mean)] * 5 for name, mean in means.items()})
    assert results.not_beaten() == ["cheap", "middle", "expensive"]


def test_who_is_not_better_than_no_test_is_beaten_by_it():
    means = {"expensive": (0.9, 50), "free but useless": (0.6, 0), "cheap and useless": (0.55, 1)}
    results = FoldResults(5, {name: [score(*mean)] * 5 for name, mean in means.items()}, without_tests=0.6)
    assert results.useful() == results.not_beaten() == ["expensive"]


def test_equals_are_both_kept():
    results = FoldResults(5, {"one": [score(0.8, 20)] * 5, "two": [score(0.8, 20)] * 5})
    assert results.not_beaten() == ["one", "two"]


def test_auc_of_many_classes_is_the_mean_over_classes_that_can_be_told():
    random = np.random.default_rng(2)
    y = np.array([0, 1, 2] * 10)
    shares = random.dirichlet([1, 1, 1], 30)
    expected = roc_auc_score(y, shares, multi_class="ovr", average="macro")
    assert area_under_curve(y, shares, np.arange(3)) == pytest.approx(expected)
    with_a_class_unseen = np.column_stack([shares, np.zeros(30)])
    assert area_under_curve(y, with_a_class_unseen, np.arange(4)) == pytest.approx(expected)


def test_one_class_alone_has_no_auc():
    with pytest.raises(ValueError, match="all of one class"):
        area_under_curve(np.zeros(3), np.full((3, 2), 0.5), np.array([0, 1]))
