"""Accuracy, its interval and the confusion matrix, against scikit-learn and scipy."""

import numpy as np
import pytest
from report_cases import classifier, table, weights
from scipy.stats import binomtest
from sklearn.metrics import accuracy_score, confusion_matrix

from thriftree import CARTClassifier, Tree
from thriftree.report.facts import facts_of
from thriftree.report.facts.classes import MOST_CLASSES


@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_confusion_matrix_is_scikit_learns(n_classes):
    model, X, y = classifier(1, n_classes)
    facts = facts_of(model.tree_, X, y)["classes"]
    labels = list(model.classes_)
    assert facts["truths"] == facts["answers"] == labels
    assert facts["counts"] == confusion_matrix(y, model.predict(X), labels=labels).tolist()
    expected = confusion_matrix(y, model.predict(X), labels=labels, normalize="true")
    assert np.asarray(facts["shares"]) == pytest.approx(expected)


def test_weights_count_in_accuracy_and_shares_and_rows_of_no_weight_are_left_out():
    model, X, y = classifier(2)
    weight = weights(2, len(y))
    facts = facts_of(model.tree_, X, y, sample_weight=weight)
    assert facts["classes"]["accuracy"] == pytest.approx(
        accuracy_score(y, model.predict(X), sample_weight=weight)
    )
    expected = confusion_matrix(
        y, model.predict(X), labels=list(model.classes_), sample_weight=weight, normalize="true"
    )
    assert np.asarray(facts["classes"]["shares"]) == pytest.approx(expected)
    assert facts["rows"]["n"] == np.asarray(facts["classes"]["counts"]).sum() == (weight > 0).sum()
    assert facts["rows"]["effective"] < (weight > 0).sum()


def test_the_interval_is_scipys_wilson_interval():
    model, X, y = classifier(3)
    facts = facts_of(model.tree_, X, y)["classes"]
    right = int((model.predict(X) == y).sum())
    expected = binomtest(right, len(y)).proportion_ci(method="wilson")
    assert facts["interval"] == pytest.approx([expected.low, expected.high])


def test_equal_weights_change_nothing():
    model, X, y = classifier(4)
    plain, weighted = (facts_of(model.tree_, X, y, sample_weight=w) for w in (None, np.full(len(y), 7.0)))
    assert plain["classes"]["interval"] == pytest.approx(weighted["classes"]["interval"])
    assert plain["paid"]["interval"] == pytest.approx(weighted["paid"]["interval"])
    assert not weighted["rows"]["weighted"]


def test_the_commonest_class_is_the_share_of_always_answering_it():
    model, X, y = classifier(5, n_classes=3)
    y = np.where(np.arange(len(y)) < 200, "yes", y)
    assert facts_of(model.tree_, X, y)["classes"]["commonest"] == pytest.approx(np.mean(y == "yes"))


def test_a_label_that_the_tree_does_not_know_is_a_mistake_with_a_row_of_its_own():
    model, X, y = classifier(6)
    y = y.astype(object)
    y[:20] = "perhaps"
    facts = facts_of(model.tree_, X, y)["classes"]
    assert facts["truths"] == ["no", "yes", "perhaps"]
    assert facts["answers"] == ["no", "yes"]
    assert sum(facts["counts"][2]) == 20
    assert facts["strangers"] == ["perhaps"]
    assert facts["accuracy"] == pytest.approx(accuracy_score(list(y), list(model.predict(X))))


def test_of_many_classes_the_rarest_are_taken_together_and_no_row_is_lost():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(2000, 4)), rng.integers(0, 20, 2000)
    model = CARTClassifier(max_leaves=30).fit(X, y)
    facts = facts_of(model.tree_, X, y)["classes"]
    assert len(facts["truths"]) == len(facts["answers"]) == MOST_CLASSES
    assert facts["truths"][-1] == "all others"
    assert facts["folded"] == 20 - (MOST_CLASSES - 1)
    assert np.asarray(facts["counts"]).sum() == 2000
    for name, counts in zip(facts["truths"][:-1], facts["counts"], strict=False):
        assert sum(counts) == (y == int(name)).sum()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda y: y[:-1], "y has the shape"),
        (lambda y: ["what"] * len(y), "no row of y has a class of the tree"),
        (lambda y: [None, *y[1:]], "y is missing in 1 rows"),
    ],
)
def test_answers_that_do_not_fit_are_refused(change, message):
    model, X, y = classifier()
    with pytest.raises(ValueError, match=message):
        facts_of(model.tree_, X, change(y))


@pytest.mark.parametrize(
    ("weight", "message"),
    [([1.0], "shape"), (np.full(300, -1.0), "not negative"), (np.zeros(300), "0 for every row")],
)
def test_weights_that_do_not_fit_are_refused(weight, message):
    model, X, y = classifier()
    with pytest.raises(ValueError, match=message):
        facts_of(model.tree_, X, y, sample_weight=weight)


def test_training_rows_are_found_out_and_said_loudly():
    X, y = table(0, 300)
    model = CARTClassifier(max_leaves=8, class_weight="balanced").fit(X, y)
    assert facts_of(model.tree_, X, y)["rows"]["seen_in_training"]
    said = facts_of(model.tree_, X, y, rows="held out")["rows"]
    assert said["caution"]
    assert "said to be held out, but" in said["note"]
    training = facts_of(model.tree_, X, y, rows="training")["rows"]
    assert training["caution"]
    assert "that the tree was grown from: on new rows expect it to do worse" in training["note"]


def test_other_rows_are_not_taken_for_training_rows():
    model, X, y = classifier(7)
    unsaid, said = (facts_of(model.tree_, X, y, rows=rows)["rows"] for rows in (None, "held out"))
    assert not unsaid["seen_in_training"]
    assert unsaid["caution"]
    assert "was not said" in unsaid["note"]
    assert not said["caution"]
    assert said["note"] == "Measured on 300 rows that were held out: the tree was grown from 300 others."
    assert facts_of(model.tree_, X, y, rows="patients of 2024")["rows"]["note"].endswith(
        ": patients of 2024."
    )


@pytest.mark.parametrize(("start", "wide"), [("", False), ("proliferative retinopathy ", True)])
def test_a_matrix_of_long_names_gets_the_whole_width(start, wide):
    model, X, y = classifier(2, n_classes=4)
    names = {label: f"{start}{'abcd'[k]}" for k, label in enumerate(model.classes_)}
    tree = Tree.from_dict(model.tree_.to_dict() | {"classes": list(names.values())})
    assert facts_of(tree, X, np.array([names[label] for label in y]))["classes"]["wide"] == wide
