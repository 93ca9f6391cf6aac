"""Paper 000 measured again: its pre-processing, its rule for λ, and what a run measures."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_results import kept_study
from sklearn.metrics import roc_auc_score

from studies.enhanced import encoding
from studies.enhanced.encoding import binarized, coalesced, parts, prices
from studies.enhanced.learners import LEARNERS, TRADE_OFFS, make
from studies.enhanced.measures import EnhancedTask, PaperTree, chosen_trade_off, measure
from studies.enhanced.plan import EnhancedPlan
from studies.enhanced.scores import EnhancedScores
from studies.enhanced.sets import TABLES, PaperTable
from studies.harness.kept import KeptRun, KeptStudy

PLAIN = PaperTable("made", "made", 0, 0, 2)


def test_numbers_are_five_bins_categories_a_column_each_and_two_values_one_column():
    frame = pd.DataFrame(
        {
            "number": [0.0, 0.1, 10.0, 10.1, 20.0, 30.0, 40.0, np.nan],
            "letter": ["a", "b", "c", None, "a", "b", "c", "a"],
            "two": [0, 1, 1, 0, 0, 0, 1, 1],
            "one": [3] * 8,
        }
    )
    bits = binarized(frame, PLAIN)
    assert bits.shape == (8, 5 + 4 + 1 + 1)
    assert bits[:, :9].reshape(8, -1)[:, :5].sum(axis=1).tolist() == [1] * 8
    bins = bits[:, :5].argmax(axis=1)
    assert bins.tolist() == [0, 0, 1, 1, 2, 3, 4, 1]  # the missing number is the median, 10.1
    assert bits[:, 9].tolist() == frame["two"].tolist()


def test_columns_are_read_against_their_type_where_the_paper_s_counts_say_so():
    frame = pd.DataFrame({"id": [str(i % 7) for i in range(40)], "count": np.arange(40) % 9})
    assert binarized(frame, PLAIN).shape[1] == 7 + 5
    other = PaperTable("made", "made", 0, 0, 2, {"id": "numbers", "count": "categories"})
    assert binarized(frame, other).shape[1] == 5 + 9


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(0, 2)), min_size=1, max_size=30))
def test_equal_rows_are_one_object_of_their_most_frequent_class(rows):
    X, y = np.array([row[:2] for row in rows], dtype=np.uint8), np.array([row[2] for row in rows])
    objects = coalesced(X, y, 3)
    slow = {tuple(x): Counter() for x in X.tolist()}
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        slow[tuple(x)][label] += 1
    assert {tuple(x) for x in objects.X.tolist()} == set(slow)
    for x, weight, label in zip(objects.X.tolist(), objects.weight, objects.label, strict=True):
        counts = slow[tuple(x)]
        assert weight == sum(counts.values())
        assert label == min(c for c in counts if counts[c] == max(counts.values()))
    assert objects.theta == max(0.005, 2 / len(rows))


def test_rows_are_divided_seventy_ten_twenty_without_a_row_twice():
    y = np.arange(1000) % 3
    train, validation, test = parts(y, 2)
    assert (len(train), len(validation), len(test)) == (700, 100, 200)
    assert sorted([*train, *validation, *test]) == list(range(1000))
    assert parts(y, 2)[2].tolist() == test.tolist() != parts(y, 3)[2].tolist()


def test_random_prices_are_whole_numbers_from_one_to_ten_the_same_in_every_run():
    drawn = prices(500, "iris", 0)
    assert set(drawn) == set(range(1, 11))
    assert drawn.tolist() == prices(500, "iris", 0).tolist() != prices(500, "iris", 1).tolist()


@given(st.lists(st.floats(0.5, 1), min_size=5, max_size=5))
def test_lambda_falls_until_validation_falls_more_than_a_point_below_the_best(aucs):
    chosen = TRADE_OFFS.index(chosen_trade_off(aucs))
    for place in range(chosen + 1):
        assert aucs[place] >= max(aucs[: place + 1]) - 0.01
    if chosen < 4:
        assert aucs[chosen + 1] < max(aucs[: chosen + 1]) - 0.01


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A made table under the name of one of the paper's."""
    random = np.random.default_rng(0)
    X = pd.DataFrame(random.normal(size=(400, 4)), columns=list("abcd"))
    target = np.where(X["a"] + (X["b"] > 0) + random.normal(0, 0.7, 400) > 0.5, "yes", "no")
    path = tmp_path_factory.mktemp("data")
    X.assign(target=target).to_parquet(path / "iris.parquet")
    return path


@pytest.mark.parametrize("learner", [name for name, one in LEARNERS.items() if not one.ours])
def test_costs_and_leaves_are_those_of_following_the_tree(folder, learner):
    table = encoding.load(folder, "iris", None)
    objects = coalesced(table.X, table.y, 2)
    costs = prices(table.X.shape[1], "iris", 0)
    tree = PaperTree.grown(make(learner, objects.theta, costs, trade_off=1.0), objects)
    paths = tree.model.decision_path(objects.X).toarray().astype(bool)
    column = [
        node["test"]["column"] if "test" in node else None for node in tree.model.tree_.to_dict()["nodes"]
    ]
    paid = [
        sum(costs[column[node]] for node in np.flatnonzero(nodes) if column[node] is not None)
        for nodes in paths
    ]
    assert tree.cost == pytest.approx(np.average(paid, weights=objects.weight))
    leaf = tree.model.apply(objects.X)
    for node in np.unique(leaf):
        at = leaf == node
        raw = objects.counts[at].sum(axis=0)
        assert tree.by_row[node] == pytest.approx(raw / raw.sum())
        label = np.bincount(objects.label[at], objects.weight[at], minlength=2)
        assert tree.by_label[node] == pytest.approx(label / label.sum())
        small = objects.weight[at].sum() <= objects.theta * objects.weight.sum()
        assert small or len(set(objects.label[at])) == 1  # a leaf is of one label, or as light as θ


def test_a_run_measures_the_tree_its_pruned_version_and_its_path(folder):
    found = measure(EnhancedTask(folder, "iris", 0, "EC4.5", "unit", None))
    assert [row[0] for row in found["path"]] == [1e4, 1e3, *TRADE_OFFS]
    assert found["cost"] == next(row[2] for row in found["path"] if row[0] == found["trade_off"])
    assert found["pruned"]["leaves"] <= found["leaves"]
    table = encoding.load(folder, "iris", None)
    train, _, test = parts(table.y, 0)
    objects = coalesced(table.X[train], table.y[train], 2)
    tree = PaperTree.grown(make("EC4.5", objects.theta, None, trade_off=found["trade_off"]), objects)
    shares = tree.by_row[tree.model.apply(table.X[test])]
    assert found["auc_raw"] == pytest.approx(roc_auc_score(table.y[test], shares[:, 1]))
    assert found["test_cost"] == pytest.approx(tree.model.predict_cost(table.X[test]).mean())


def test_ours_learn_from_the_rows_as_they_are(folder, monkeypatch):
    monkeypatch.setattr("studies.enhanced.learners.TIME_LIMIT_S", 60.0)
    found = measure(EnhancedTask(folder, "iris", 0, "Optimal", "random", None))
    assert found["auc"] == found["auc_raw"] > 0.6
    assert not found["limited"]
    assert found["leaves"] <= 16


def test_ratios_are_to_the_published_costs():
    scores = EnhancedScores(kept_study({"C4.5": 2.564, "EC4.5": 1.0}))
    assert scores.published_ratio("iris", "C4.5") == pytest.approx(1.0)
    assert scores.published_ratio("iris", "CC4.5") == pytest.approx(1.0)  # the same at unit prices
    found = scores.published_ratios("C4.5")
    assert found.mean == pytest.approx(np.sqrt(2.564 / 7.311))
    assert scores.cost_ratio("unit", "pC4.5", "C4.5") == {"iris": 0.5, "ilpd": 0.5}
    assert scores.cost_ratio("random", "EC4.5", "CC4.5")["iris"] == pytest.approx(0.5)
    assert scores.raw_gain("ASR") == pytest.approx({"iris": 5.0, "ilpd": 5.0})


def test_of_a_set_the_splits_count_that_every_learner_of_the_paper_has():
    study = kept_study({})

    def without(learner, split):
        runs = [
            KeptRun(run.part, run.data, run.split, run.learner, None, "ValueError: no")
            if (run.data, run.learner, run.split) == ("iris", learner, split)
            else run
            for run in study.runs
        ]
        return EnhancedScores(KeptStudy(study.about, runs))

    later = without("ASR", 1)
    assert later.splits == {"iris": 1, "ilpd": 2}
    assert len(later.values("unit", "iris", "C4.5", "cost")) == 1
    assert {run.split for run in later.runs("unit", ["ASR"]) if run.data == "iris"} == {0}
    assert without("ASR", 0).sets == ["ilpd"]
    ours = without("Optimal", 1)
    assert (ours.sets, ours.finished("unit", "Optimal")) == (["iris", "ilpd"], ["ilpd"])
    assert len(ours.failures()) == 2  # with unit and with random prices


def test_the_plan_has_the_small_sets_first_and_every_learner_with_its_prices(tmp_path):
    planned = list(EnhancedPlan(tmp_path).runs())
    assert [one.key.data for one in planned[:20]] == list(TABLES)  # what is known of each
    first = [one.key for one in planned[20:37]]
    assert {key.data for key in first} == {"iris"}
    of_unit = [key.learner for key in first if key.study.endswith("unit")]
    assert "CC4.5" not in of_unit
    assert len({str(one.key) for one in planned}) == len(planned)
    assert len(TABLES) == 20


@pytest.mark.parametrize("name", [name for name, one in TABLES.items() if name != "bioresponse"])
def test_the_public_tables_have_the_paper_s_binary_columns(data_dir, name):
    table = encoding.load(data_dir, name, 1000)
    source = TABLES[name]
    if "rows" not in source.differs:
        assert table.all_rows == source.rows + ("row more" in source.differs)
    if name != "speed-dating":
        assert table.X.shape[1] == source.tests
