"""Trees as good as the report's: what the section says is what the set says, and what counting finds."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from thriftree import CARTClassifier, Tree, near_optimal, regularised_risk, write_report
from thriftree.report.facts import facts_of


def table() -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 4, size=(80, 4)).astype(float), columns=["<b>a", "b", "c", "d"])
    X["d"] = X["b"]
    y = np.where((X["<b>a"] > 1) ^ (X["c"] > 2) ^ (rng.random(80) < 0.1), "yes", "no")
    return X, y


def test_the_section_counts_trees_that_are_as_good_and_names_what_they_can_do_without() -> None:
    X, y = table()
    prices = {"<b>a": 3.0, "b": 2.0, "c": 5.0, "d": 1.0}
    model = CARTClassifier(max_depth=2, costs=prices).fit(X, y)
    found = near_optimal(X, y, slack=0.05, max_depth=2, leaf_penalty=0.005, costs=prices)
    facts = facts_of(model.tree_, X, y, near_optimal=found)["near_optimal"]

    trees = list(found)
    risks = np.array([regularised_risk(tree, X, y, 0.005) for tree in trees])
    mine = regularised_risk(model.tree_, X, y, 0.005)
    assert facts["objective"] == pytest.approx(mine)
    assert facts["count"] == f"{len(trees):,}"
    assert facts["as_good"] == f"{(risks <= mine + 1e-9).sum():,}"
    here = {X.columns[j] for j in model.tree_.core.column if j >= 0}
    asked = [{X.columns[j] for j in tree.core.column if j >= 0} for tree in trees]
    for question in facts["questions"]:
        assert question["dispensable"] == any(question["name"] not in one for one in asked)
        assert question["here"] == (question["name"] in here)
    assert {q["name"] for q in facts["questions"]} == set().union(*asked)
    assert set(facts["unasked"]) == set(X.columns) - set().union(*asked)
    assert facts["cheapest"]["expected"] == pytest.approx(min(tree.expected_cost(X) for tree in trees))
    assert facts["cheapest"]["here"] == pytest.approx(model.tree_.expected_cost(X))
    assert facts["cheapest"]["proved"]


def test_a_tree_that_is_worse_than_all_of_them_is_told_so(tmp_path) -> None:
    X, y = table()
    leaf = CARTClassifier(max_depth=0).fit(X, y)
    found = near_optimal(X, y, slack=0.0, max_depth=2, leaf_penalty=0.005)
    write_report(tmp_path / "report.html", leaf, X, y, near_optimal=found)
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Trees as good as this one" in page
    assert "all of them are better" in page
    assert "&lt;b&gt;a" in page
    assert "<b>a" not in page


def test_counts_beyond_all_digits_are_rounded() -> None:
    X = pd.DataFrame(np.array([[i >> b & 1 for b in range(5)] * 4 for i in range(32)], dtype=float))
    X.columns = [f"x{j}" for j in range(20)]
    y = np.array([bin(i).count("1") % 2 for i in range(32)])
    found = near_optimal(X, y, slack=0.0, max_depth=5, leaf_penalty=0.0)
    tree = found[0]
    facts = facts_of(Tree.from_dict(tree.to_dict()), X, y, near_optimal=found)["near_optimal"]
    assert facts["count"] == facts["as_good"]
    power = len(str(found.count())) - 1
    assert facts["count"].endswith(f"× 10^{power}")
    assert power > 20
