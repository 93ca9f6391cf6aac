"""The tree, its rows, the table, the sample and the frontier, as the page holds them."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from report_cases import classifier, hostile_case, regressor, weights

from thriftree import CARTClassifier, Tree, frontier
from thriftree.datasets import heart_prices, load_heart
from thriftree.explain.rules import rules_of
from thriftree.report.facts import facts_of
from thriftree.report.facts.frontier import frontier_facts
from thriftree.report.facts.page_tree import kept_nodes, page_tree


@pytest.mark.parametrize("seed", range(8))
def test_the_facts_are_json_whatever_the_names_and_values(seed):
    document, frame, answers = hostile_case(seed, 60)
    facts = facts_of(Tree.from_dict(document), frame, answers)
    assert json.loads(json.dumps(facts, allow_nan=False)) == json.loads(json.dumps(facts))


def test_every_node_has_its_question_numbers_and_children():
    model, _, _ = classifier(1)
    document = model.tree_.to_dict()
    names = [column["name"] for column in document["columns"]]
    tree = page_tree(document, 1000)
    assert tree["n_nodes"] == len(tree["nodes"])
    rules = {rule.leaf: rule for rule in rules_of(document)}
    for number, (fact, node) in enumerate(zip(tree["nodes"], document["nodes"], strict=True)):
        assert fact["rows"] == node["rows"]
        assert fact.get("children") == node.get("children")
        assert ("question" in fact) == ("test" in node)
        share = node["value"][node["label"]] / sum(node["value"])
        assert fact["share"] == pytest.approx(share, rel=1e-6)
        assert fact["interval"][0] <= share + 1e-6
        if "test" not in node:
            assert fact["because"] == [
                [names.index(condition.column), str(condition)] for condition in rules[number].conditions
            ]


def test_a_large_tree_keeps_the_nodes_that_most_rows_reach():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 3)), rng.integers(0, 2, 3000)
    document = CARTClassifier().fit(X, y).tree_.to_dict()
    assert len(document["nodes"]) > 400
    kept = kept_nodes(document, 101)
    assert len(kept) in (100, 101)
    place = set(kept)
    parent = {c: n for n, node in enumerate(document["nodes"]) for c in node.get("children", ())}
    assert all(parent[number] in place for number in kept[1:])
    closed = [
        n for n in kept if "test" in document["nodes"][n] and document["nodes"][n]["children"][0] not in place
    ]
    opened = [
        n for n in kept if "test" in document["nodes"][n] and document["nodes"][n]["children"][0] in place
    ]
    assert max(document["nodes"][n]["rows"] for n in closed) <= min(
        document["nodes"][n]["rows"] for n in opened
    )
    tree = page_tree(document, 101)
    assert tree["numbers"] == kept
    assert [tree["numbers"][i] for i, node in enumerate(tree["nodes"]) if node.get("cut")] == closed


@pytest.mark.parametrize("make", [classifier, regressor])
def test_the_rows_at_every_node_are_those_of_the_decision_path(make):
    model, X, y = make(2)
    weight = weights(2, len(y))
    passed = model.decision_path(X).toarray().astype(bool)
    for number, node in enumerate(facts_of(model.tree_, X, y, sample_weight=weight)["tree"]["nodes"]):
        here = passed[:, number] & (weight > 0)
        assert node["here"]["rows"] == here.sum()
        assert node["here"]["weight"] == pytest.approx(weight[here].sum())
        if here.any() and make is classifier:
            right = y[here] == model.classes_[node["label"]]
            assert node["here"]["share"] == pytest.approx(np.average(right, weights=weight[here]))
        elif here.any():
            assert node["here"]["mean"] == pytest.approx(np.average(y[here], weights=weight[here]))


def test_columns_tell_what_the_table_holds():
    model, X, y = classifier(3)
    dose, weeks, site = facts_of(model.tree_, X, y)["columns"]
    assert dose["missing"] == pytest.approx(X["dose"].isna().mean())
    assert dose["quantiles"] == pytest.approx(X["dose"].quantile([0, 0.25, 0.5, 0.75, 1]).tolist())
    assert sum(weeks["histogram"]) == len(X)
    assert weeks["distinct"] == X["weeks"].nunique()
    counts = X["site"].value_counts()
    assert site["commonest"] == [[name, pytest.approx(n / len(X))] for name, n in counts.items()]
    tests = [node["test"]["column"] for node in model.tree_.to_dict()["nodes"] if "test" in node]
    assert [column["tests"] for column in (dose, weeks, site)] == [tests.count(j) for j in range(3)]


def test_infinite_constant_and_unknown_numbers_are_told():
    X = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [5.0] * 4, "c": [0.0, 1.0, 0.0, 1.0]})
    tree = CARTClassifier().fit(X, [0, 0, 1, 1]).tree_
    rows = pd.DataFrame({"a": [1.0, math.inf, 3.0, -math.inf], "b": [5.0] * 4, "c": [math.nan] * 4})
    a, b, c = facts_of(tree, rows, [0, 0, 1, 1])["columns"]
    assert (a["infinite"], a["quantiles"][4]) == (2, 3.0)
    assert b["histogram"] == [4]
    assert (c["missing"], c["quantiles"]) == (1.0, None)


@pytest.mark.parametrize("backend", ["pandas", "polars", "array"])
def test_the_sample_holds_rows_evenly_with_the_columns_that_the_tree_asks_for(backend):
    model, X, y = classifier(4, n=500)
    rows = X
    if backend == "polars":
        pl = pytest.importorskip("polars")
        rows = pl.from_pandas(X)
    if backend == "array":
        rows = X.to_numpy(dtype=object)
    facts = facts_of(model.tree_, rows, y, sample=50)
    sample = facts["sample"]
    assert sample["rows"][0] == 0
    assert sample["rows"][-1] == 499
    assert len(sample["rows"]) == 50
    columns = model.tree_.columns
    for row, values, truth in zip(sample["rows"], sample["values"], sample["truth"], strict=True):
        assert truth == y[row]
        for j, value in zip(map(int, facts["tree"]["columns"]), values, strict=True):
            original = X.iloc[row, j]
            if value is None:
                assert pd.isna(original)
            else:
                assert (columns[j].categories[value] if columns[j].categories else value) == original


def test_no_sample_holds_no_row():
    model, X, y = classifier()
    assert facts_of(model.tree_, X, y, sample=0)["sample"] is None
    with pytest.raises(ValueError, match="sample is -1"):
        facts_of(model.tree_, X, y, sample=-1)


def test_rows_of_no_weight_are_not_in_the_sample():
    model, X, y = classifier()
    weight = np.where(np.arange(len(y)) % 3 == 0, 1.0, 0.0)
    assert facts_of(model.tree_, X, y, sample_weight=weight)["sample"]["rows"] == list(range(0, 300, 3))


def test_a_sample_with_unseen_and_infinite_values_is_told_apart_from_known_ones():
    document, frame, answers = hostile_case(3, 100)
    facts = facts_of(Tree.from_dict(document), frame, answers)
    flat = [value for row in facts["sample"]["values"] for value in row]
    assert "Infinity" in flat
    assert any(isinstance(value, str) and value not in ("Infinity", "-Infinity") for value in flat)


PAGE = {"columns": {}, "classes": None, "colours": None}  # a report whose tree has nothing to share


@pytest.fixture(scope="module")
def front():
    X, y = load_heart()
    return frontier(X, y, heart_prices(), methods=["cart", "ecart"], random_state=0)


def test_each_point_of_the_frontier_has_its_figures_and_its_tree(front):
    facts = frontier_facts(front, front[0].tree, PAGE, 10**6, 1000)
    assert [point["expected"] for point in facts["points"]] == [point.expected_cost for point in front]
    assert [point["score"] for point in facts["points"]] == [point.accuracy for point in front]
    assert [point["measured"] for point in facts["points"]] == [p.measured["accuracy"] for p in front]
    assert [point["compared"] for point in facts["points"]] == [point.compared for point in front]
    assert facts["corrected"]
    assert [len(point["tree"]["nodes"]) for point in facts["points"]] == [p.tree.n_nodes for p in front]
    assert [point["reported"] for point in facts["points"]].index(True) == 0
    assert facts["n_beaten"] == len(front.dominated)


def test_a_full_page_keeps_trees_spread_over_the_frontier_and_says_how_many(front):
    whole = frontier_facts(front, front[0].tree, PAGE, 10**9, 1000)
    size = sum(len(json.dumps(point["tree"])) for point in whole["points"])
    half = frontier_facts(front, front[0].tree, PAGE, size // 2, 1000)
    kept = [i for i, point in enumerate(half["points"]) if point["tree"]]
    assert half["n_trees"] == len(kept) < len(front)
    assert len(half["points"]) == len(front)
    assert kept[0] == 0
    assert kept[-1] == len(front) - 1


def test_trees_of_the_frontier_leave_out_what_the_reports_tree_has(front):
    X, y = load_heart()
    tree = front[len(front) - 1].tree
    facts = facts_of(tree, X, y, frontier=front)
    own = facts["tree"]
    for point, one in zip(facts["frontier"]["points"], front, strict=True):
        whole = page_tree(one.tree.to_dict(), 1000)
        assert {**{key: own[key] for key in ("classes", "colours")}, **point["tree"]}["classes"] == whole[
            "classes"
        ]
        columns = point["tree"].get("columns", own["columns"])
        assert {number: columns[number] for number in whole["columns"]} == whole["columns"]
    assert "columns" not in facts["frontier"]["points"][-1]["tree"]


def test_a_table_of_many_columns_and_a_column_of_many_categories_still_fit():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        rng.normal(size=(400, 900)), columns=[f"a column with a long name, number {j}" for j in range(900)]
    )
    X["code"] = [f"person {i:08d} of the register" for i in range(400)]
    y = np.where(X.iloc[:, 899] > 0, "yes", "no")
    with pytest.warns(UserWarning, match="code"):
        tree = CARTClassifier(max_leaves=4).fit(X, y).tree_
    facts = facts_of(tree, X, y)
    assert len(facts["columns"]) == 300
    assert [column["name"] for column in facts["columns"] if column["tests"]] != []
    assert sum(column["tests"] > 0 for column in facts["columns"]) == facts["size"]["columns_used"]
    assert len(facts["tree"]["columns"]) == facts["size"]["columns_used"]
    assert len(json.dumps(facts)) < 500_000


def test_names_from_right_to_left_do_not_turn_the_signs_beside_them():
    X = pd.DataFrame({"גיל": np.arange(20.0)})
    tree = CARTClassifier(max_leaves=2).fit(X, X["גיל"] > 9).tree_
    root, leaf = facts_of(tree, X, X["גיל"] > 9)["tree"]["nodes"][:2]
    assert root["question"] == "\u200eגיל\u200e <= 9.5?"
    assert leaf["because"] == [[0, "\u200eגיל\u200e <= 9.5"]]
