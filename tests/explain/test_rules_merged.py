"""Rules joined by what they say: fewer, still exact, with the numbers of all their leaves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thriftree import CARTClassifier, CARTRegressor, Tree
from thriftree.datasets import heart_prices, load_heart
from thriftree.document.follow import MISSING, OTHER, answer_of, path_of
from thriftree.estimators.category_tests import FREE_SETS
from thriftree.explain.intervals import wilson
from thriftree.explain.rules import Rule
from thriftree.testing.random_documents import random_document, random_rows


def fits(document: dict[str, Any], rule: Rule, row: dict[str, Any]) -> bool:
    columns = {column["name"]: column for column in document["columns"]}
    for condition in rule.conditions:
        value = row[condition.column]
        answer = answer_of(columns[condition.column], value)
        if answer is MISSING:
            passes = condition.missing
        elif answer is OTHER:
            passes = condition.other
        elif condition.intervals:
            passes = any(low < answer <= high for low, high in condition.intervals)
        else:
            passes = value in condition.categories
        if not passes:
            return False
    return True


@pytest.mark.parametrize("n_classes", [0, 1, 2, 3])
def test_every_row_fits_one_joined_rule_and_it_says_what_the_tree_says(n_classes: int) -> None:
    fewer = 0
    for seed in range(25):
        document = random_document(seed, n_classes=n_classes, hostile=seed % 2 == 1)
        rules = Tree.from_dict(document).rules(simplify="labels")
        leaves = [leaf for rule in rules for leaf in rule.leaves]
        assert len(leaves) == len(set(leaves))
        fewer += len(rules) < sum("test" not in node for node in document["nodes"])
        rows = random_rows(document, seed, 60, infinite=False)
        for i in range(60):
            row = {name: values[i] for name, values in rows.items()}
            (rule,) = [rule for rule in rules if fits(document, rule, row)]
            assert path_of(document, row)[-1] in rule.leaves
    assert fewer > 5
    if n_classes == 1:
        assert [str(rule)[:6] for rule in rules] == ["always"]


def test_leaves_that_say_the_same_below_one_test_are_one_rule_with_their_numbers_together() -> None:
    X, y = load_heart(as_frame="pandas")
    tree = CARTClassifier(max_leaves=9).fit(X, y).tree_
    merged = tree.rules(simplify="labels")
    assert len(merged) == tree.n_leaves - 1
    (rule,) = [rule for rule in merged if len(rule.leaves) > 1]
    assert (rule.rows, rule.label, rule.cover) == (91, "present", pytest.approx(91 / 303))
    assert rule.probability == pytest.approx(81 / 91)
    assert rule.interval == wilson(81 / 91, 91)
    assert dict(rule.counts.classes) == {"absent": 10.0, "present": 81.0}


def test_the_mean_and_spread_of_joined_leaves_are_those_of_their_rows() -> None:
    # Both leaves of x1 have the mean 2, with another spread.
    X = np.array([[0, 0], [0, 0], [0, 1], [0, 1], [0, 1], [1, 0], [1, 1]], dtype=float)
    y = np.array([1.0, 3.0, 2.0, 0.0, 4.0, 9.0, 9.0])
    tree = CARTRegressor().fit(X, y).tree_
    (joined,) = [rule for rule in tree.rules(simplify="labels") if rule.label == 2.0]
    assert joined.counts.deviation == pytest.approx(np.std(y[:5]))


def test_rules_can_be_ordered_by_label_or_by_cover() -> None:
    X, y = load_heart(as_frame="pandas")
    tree = CARTClassifier(max_leaves=6).fit(X, y).tree_
    by_cover = tree.rules(order="cover")
    assert [rule.rows for rule in by_cover] == sorted((rule.rows for rule in by_cover), reverse=True)
    by_label = tree.rules(order="label")
    assert [rule.label for rule in by_label] == ["absent"] * 3 + ["present"] * 3
    assert by_label[0].probability == max(rule.probability or 0 for rule in by_label[:3])
    with pytest.raises(ValueError, match="order is 'size': write 'tree' or 'label' or 'cover'"):
        tree.rules(order="size")  # type: ignore[arg-type]


def test_the_table_of_rules_is_aligned_and_shows_prices() -> None:
    X, y = load_heart(as_frame="pandas")
    tree = CARTClassifier(max_leaves=4, costs=heart_prices(), **FREE_SETS).fit(X, y).tree_
    abnormal = "(thallium_scan is one of: fixed defect, reversible defect or is missing)"
    milder = "(chest_pain is one of: atypical angina, non-anginal pain, typical angina)"
    assert tree.to_rules().split("\n") == [
        "says     share  95% interval  rows  cover    pays  when",
        "absent     78%    71% to 83%   166    55%  203.80  thallium_scan is normal",
        f"absent     54%    40% to 68%    46    15%  204.80  {abnormal} and {milder}",
        f"present    89%    81% to 94%    91    30%  204.80  {abnormal} and chest_pain is asymptomatic",
    ]
    assert len(tree.to_rules(simplify="paths").split("\n")) == 5


def test_the_table_of_a_numeric_target_has_no_shares() -> None:
    tree = CARTRegressor(max_leaves=2).fit([[0.0], [0.0], [1.0], [1.0]], [1.0, 2.0, 5.0, 5.0]).tree_
    assert tree.to_rules() == (
        "says     95% interval  rows  cover  when\n"
        "1.5   -4.853 to 7.853     2    50%  x0 <= 0.5\n"
        "5              5 to 5     2    50%  x0 > 0.5"
    )
