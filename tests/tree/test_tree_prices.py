"""A tree with prices pays them; the prices themselves are tested with thriftree.costs."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from thriftree.tree import Tree


@pytest.fixture
def rows() -> pd.DataFrame:
    return pd.DataFrame(
        {"age": [50.0, None, 60.0], "thal": ["normal", "normal", "fixed"], "pain": ["mild", None, "none"]}
    )


def priced(document: dict[str, Any], **rules: Any) -> Tree:
    own = {"age": 2.0, "thal": 100.0, "pain": 5.0}
    prices = [{"feature": feature, "price": price} for feature, price in own.items()]
    return Tree.from_dict({**document, "prices": {"prices": prices, "pay": "once", **rules}})


def test_each_row_pays_the_tests_on_its_path(spec_document: dict[str, Any], rows: pd.DataFrame) -> None:
    tree = priced(spec_document)
    assert tree.predict_cost(rows).tolist() == [102.0, 102.0, 105.0]
    assert tree.expected_cost(rows) == pytest.approx(103.0)
    assert tree.expected_cost(rows, sample_weight=[1, 0, 1]) == pytest.approx(103.5)
    assert tree.worst_case_cost() == 105.0


def test_a_known_feature_is_free(spec_document: dict[str, Any], rows: pd.DataFrame) -> None:
    tree = priced(spec_document, known=["thal"])
    assert tree.predict_cost(rows).tolist() == [2.0, 2.0, 5.0]
    assert tree.worst_case_cost() == 5.0


def test_prices_survive_a_file(spec_document: dict[str, Any]) -> None:
    tree = priced(spec_document, groups=[{"name": "visit", "setup": 7.0, "members": ["age", "pain"]}])
    again = Tree.from_json(tree.to_json())
    assert again == tree
    assert again.worst_case_cost() == tree.worst_case_cost() == 112.0
