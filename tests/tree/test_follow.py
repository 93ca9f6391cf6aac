"""One row's way through the JSON form is the native tree's way."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from thriftree import Tree
from thriftree.document.follow import MISSING, OTHER, answer_of, path_of
from thriftree.explain.prices import node_prices
from thriftree.testing.random_documents import frame_of, random_document, random_rows


@pytest.mark.parametrize("hostile", [False, True])
@pytest.mark.parametrize("seed", range(30))
def test_a_row_passes_the_nodes_of_the_native_tree(seed: int, hostile: bool) -> None:
    document = random_document(seed, hostile=hostile)
    rows = random_rows(document, seed, 200)
    tree = Tree.from_dict(document)
    paths = tree.decision_path(frame_of(document, rows))
    for i in range(200):
        row = {name: values[i] for name, values in rows.items()}
        assert path_of(document, row) == paths[i].indices.tolist()


@pytest.mark.parametrize("prices", [False, True])
def test_node_prices_are_the_prices_of_rows(prices: bool) -> None:
    for seed in range(20):
        document = random_document(seed, prices=prices)
        rows = frame_of(document, random_rows(document, seed, 100))
        tree = Tree.from_dict(document)
        of_nodes = node_prices(document)
        assert tree.predict_cost(rows).tolist() == pytest.approx([of_nodes[i].paid for i in tree.apply(rows)])


def test_random_trees_have_every_kind_of_test() -> None:
    seen = set()
    for seed in range(30):
        document = random_document(seed)
        for node in document["nodes"]:
            if "test" in node:
                column = document["columns"][node["test"]["column"]]
                seen.add((column["kind"], node["test"]["kind"], len(node["children"]) > 2))
    kinds = [("number", "ordered"), ("ordered", "ordered"), ("ordered", "category"), ("category", "category")]
    assert seen == {(*kind, many) for kind in kinds for many in (False, True)}


def test_categories_are_matched_by_value_and_numbers_must_be_numbers() -> None:
    column = {"name": "size", "kind": "ordered", "categories": [1, {"float": 2.5}]}
    assert [answer_of(column, v) for v in (True, 1.0, 2.5, "1", None, float("nan"))] == [
        0,
        0,
        1,
        OTHER,
        MISSING,
        MISSING,
    ]
    age = {"name": "age", "kind": "number"}
    assert [answer_of(age, v) for v in (3, np.True_, np.float32(0.5), Decimal("1.5"))] == [3.0, 1.0, 0.5, 1.5]
    with pytest.raises(TypeError, match="column 'age' takes numbers, not 'old'"):
        answer_of(age, "old")
