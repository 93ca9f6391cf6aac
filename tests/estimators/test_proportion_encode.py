"""Columns of many categories, put in the order of the target and tested by cuts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from thriftree import C45Classifier, CARTClassifier, CARTRegressor, ID3Classifier


def postcodes(seed: int) -> tuple[pd.DataFrame, Any]:
    """Forty postcodes, some of which like the thing sold, and a column that does not matter."""
    random = np.random.default_rng(seed)
    place = random.integers(0, 40, size=400)
    likes = random.random(40)
    y = (random.random(400) < likes[place]).astype(int)
    return pd.DataFrame({"code": [f"P{p:02d}" for p in place], "noise": random.integers(0, 2, 400)}), y


def assert_divided_in_order(model: Any, X: pd.DataFrame, figure: Any) -> None:
    """The two leaves hold the categories of small and of large mean figure."""
    leaf = model.apply(X)
    means = pd.Series(np.asarray(figure)).groupby(X["code"].to_numpy()).mean()
    sides = [means[X["code"][leaf == node].unique()] for node in np.unique(leaf)]
    assert len(sides) == 2
    low, high = sorted(sides, key=min)
    assert max(low) <= min(high)


@pytest.mark.parametrize("cls", [CARTClassifier, ID3Classifier, C45Classifier])
def test_a_test_divides_categories_by_their_share_of_the_second_class(cls: Any) -> None:
    X, y = postcodes(0)
    assert_divided_in_order(cls(proportion_encode=10, max_depth=1).fit(X, y), X, y)


def test_in_a_regression_categories_are_in_the_order_of_their_mean() -> None:
    X, y = postcodes(1)
    target = y * 3.0 + X["noise"]
    assert_divided_in_order(CARTRegressor(proportion_encode=["code"], max_depth=1).fit(X, target), X, target)


def test_a_column_of_many_categories_no_longer_gets_a_branch_each() -> None:
    X, y = postcodes(2)
    assert ID3Classifier(max_depth=1).fit(X, y).tree_.n_leaves == 40
    assert ID3Classifier(max_depth=1, proportion_encode=39).fit(X, y).tree_.n_leaves == 2
    assert ID3Classifier(max_depth=1, proportion_encode=40).fit(X, y).tree_.n_leaves == 40


def test_the_tree_shows_sets_of_categories_and_survives_its_json_form() -> None:
    X, y = postcodes(3)
    model = CARTClassifier(proportion_encode=10, max_depth=3).fit(X, y)
    tree = model.tree_
    again = type(tree).from_json(tree.to_json())
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert "P0" in tree.to_text()
