"""Exported source answers as `Tree.predict` does: at cuts, beside them, to missing and unseen values."""

import numpy as np
import pytest
from agreement import (
    check_agreement,
    deep_document,
    document_of_many_branches,
    one_leaf,
    oracle,
    random_case,
)
from programs import run_c, run_node, run_python
from sql_engines import run_duckdb, run_sqlite

from thriftree import C45Classifier, CARTClassifier, CARTRegressor
from thriftree.datasets import heart_prices, load_heart
from thriftree.testing.random_documents import random_document, random_rows


@pytest.fixture(params=["python", "sqlite", "duckdb", "c", pytest.param("node", marks=pytest.mark.full)])
def answers(request, tmp_path):
    """Runs a document's export on rows, and compares."""
    name = request.param
    node = request.getfixturevalue("require")("node") if name == "node" else None

    def run(document, rows, **options):
        match name:
            case "python":
                return run_python(document, rows, **options)
            case "sqlite":
                return run_sqlite(document, rows, **options)
            case "duckdb":
                return run_duckdb(document, rows, **options)
            case "c":
                return run_c(document, rows, tmp_path, **options)
        return run_node(document, rows, tmp_path, node, **options)

    def check(document, rows, **options):
        got = run(document, rows, **options)
        check_agreement(document, rows, got, typed=name == "python", **options)

    check.target = name
    return check


@pytest.mark.parametrize("seed", [0, 1, 4, 19])  # numbers, texts, many branches, a column named "true"
def test_random_trees_agree_in_every_row(answers, seed):
    answers(*random_case(seed))


@pytest.mark.full
@pytest.mark.parametrize("seed", range(100, 150))
def test_many_random_trees_agree_in_every_row(answers, seed):
    answers(*random_case(seed, n_tests=5 + seed % 20))


def test_the_random_rows_reach_most_leaves():
    document, rows = random_case(4)
    n_leaves = sum("test" not in node for node in document["nodes"])
    assert len(set(oracle(document, rows).leaf)) > n_leaves / 2


def test_one_wrong_answer_in_ten_thousand_is_noticed():
    document, rows = random_case(4)
    got = oracle(document, rows)
    got.label[9_999] = "something else"
    with pytest.raises(AssertionError, match="row 9999: predict says"):
        check_agreement(document, rows, got)


@pytest.mark.parametrize("n_levels", [13, 300])
def test_deep_trees_agree(answers, n_levels):
    document = deep_document(n_levels)
    answers(document, random_rows(document, 0, 500))


@pytest.mark.full
def test_trees_of_thousands_of_levels_or_nodes_agree(answers):
    document = deep_document(3000)
    answers(document, random_rows(document, 0, 1000))
    if answers.target != "duckdb":  # which takes minutes to plan such a query
        document = random_document(3, n_tests=4000, n_columns=6, n_classes=2)
        assert len(document["nodes"]) > 10_000
        answers(document, random_rows(document, 1, 1000))


@pytest.mark.parametrize("classes", [None, [True], ["it's */ ?>", "b"], [{"float": 0.5}]])
def test_a_tree_that_asks_nothing_agrees(answers, classes):
    answers(one_leaf(classes), {"*/ x": [1.0, None, 2.5]})


@pytest.mark.parametrize("learner", [CARTClassifier, C45Classifier, CARTRegressor])
def test_trees_of_the_heart_table_agree(answers, learner):
    X, y = load_heart()
    tree = (
        learner(costs=heart_prices())
        .fit(X, y if learner is not CARTRegressor else (y == "present") * 0.1)
        .tree_
    )
    document = tree.to_dict()
    answers(document, random_rows(document, 5, 1000))


@pytest.mark.parametrize("categories", [[], ["a", "b"]])
@pytest.mark.parametrize("branches", [(0, 1, 0), (0, 0, 1), (0, 1, 1), (0, 1, 2)])
def test_a_test_may_ask_only_whether_a_category_is_known(answers, categories, branches):
    to, missing, other = branches
    test = {"column": 0, "kind": "ordered", "keys": [], "to": [to], "missing": missing, "other": other}
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0, "value": [0.5, 0.0]}
    document = one_leaf(None)
    document["columns"] = [{"name": "it's", "kind": "category", "categories": categories}]
    leaves = [{**leaf, "value": [float(branch), 0.0]} for branch in range(max(branches) + 1)]
    document["nodes"] = [{**leaf, "test": test, "children": list(range(1, len(leaves) + 1))}, *leaves]
    answers(document, {"it's": [*categories, "unseen", None]})


def test_a_test_of_thousands_of_branches_agrees(answers):
    # Python's parser overflows at some 1,500 nested "elif", that of Node at several thousand "else if".
    n_branches = {"duckdb": 500, "node": 10_000}.get(answers.target, 3000)  # DuckDB plans for minutes
    document = document_of_many_branches(n_branches)
    some = [f"id {i}" for i in range(0, n_branches, n_branches // 50)]
    answers(document, {"id": [*some, f"id {n_branches - 1}", "unseen", None]})


def test_cuts_of_every_size_are_written_exactly(answers):
    cuts = [-1.7976931348623157e308, -1e-300, -5e-324, 5e-324, 2.5e-310, 2.2250738585072014e-308, 1e-291]
    cuts += [1e-7, 0.1, 0.1 + 0.2, 1.55, 2 / 3, 9007199254740993.0, 1e22, 1e23, 1.7976931348623157e308]
    cuts.sort()
    document = random_document(0, n_columns=1, n_tests=1, n_classes=0, kinds=("number",))
    test = {
        "column": 0,
        "kind": "ordered",
        "keys": cuts,
        "to": list(range(len(cuts) + 1)),
        "missing": 0,
        "other": 0,
    }
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0}
    document["nodes"] = [
        {**leaf, "value": [0.0, 0.0], "test": test, "children": list(range(1, len(cuts) + 2))}
    ]
    document["nodes"] += [{**leaf, "value": [(i - 8) / 3, 0.0]} for i in range(len(cuts) + 1)]
    with np.errstate(over="ignore", under="ignore"):  # beside the largest number is infinity
        rows = random_rows(document, 0, 3000)
    answers(document, rows)


@pytest.mark.parametrize("labels", [[2**53 + 1, 2**63 - 1, -(2**63)], [2**64 - 1, 2**53 + 1, 0]])
def test_integer_classes_beyond_two_to_the_53_stay_what_they_are(answers, labels):
    document = random_document(6, n_classes=3, hostile=False)
    # SQLite's integers end at 2^63 - 1.
    document["classes"] = [min(label, 2**63 - 1) if answers.target == "sqlite" else label for label in labels]
    answers(document, random_rows(document, 0, 500))


def test_integer_categories_beyond_two_to_the_53_stay_apart(answers):
    document = random_document(6, n_columns=1, n_tests=1, n_classes=2, kinds=("category",), hostile=False)
    big = [2**53, 2**53 + 1, 2**53 + 2, 7]
    document["columns"] = [{"name": "id", "kind": "category", "categories": big}]
    test = {"column": 0, "kind": "category", "keys": [1, 3], "to": [0, 0], "missing": 1, "other": 1}
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0, "value": [1.0, 0.0]}
    document["nodes"] = [
        {**leaf, "label": 0, "test": test, "children": [1, 2]},
        {**leaf, "label": 0},
        {**leaf, "label": 1},
    ]
    answers(document, {"id": [*big, 2**53 + 3, 0]})


@pytest.mark.parametrize("smoothing", [0.0, 1.5])
def test_probabilities_can_be_smoothed_and_leaves_without_weight_know_nothing(answers, smoothing):
    document = random_document(9, n_classes=3, hostile=False)
    leaf = next(node for node in document["nodes"] if "test" not in node)
    leaf["value"] = [0.0, 0.0, 0.0]
    answers(document, random_rows(document, 0, 300), smoothing=smoothing)
