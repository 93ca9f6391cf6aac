"""The ONNX model of a tree with linear leaves answers as `Tree.predict` does."""

from __future__ import annotations

import pytest
from onnx_runs import run

from thriftree.testing.random_documents import frame_of, random_document, random_rows
from thriftree.tree import Tree


@pytest.mark.parametrize("seed", [1, 2, 4, 7])
def test_the_numbers_are_the_same_to_the_last_bit(seed: int) -> None:
    document = random_document(seed, n_classes=0, linear=True, kinds=("number", "ordered"))
    assert any("linear" in node for node in document["nodes"])
    rows = random_rows(document, seed, 500)
    tree = Tree.from_dict(document)
    said = run(tree.to_onnx(missing_inputs=True), rows)["variable"][:, 0]
    assert said.tolist() == tree.predict(frame_of(document, rows)).tolist()


def test_a_tree_of_one_linear_leaf() -> None:
    document = random_document(1, n_columns=3, n_tests=0, n_classes=0, linear=True, kinds=("number",))
    document["nodes"][0].setdefault(
        "linear",
        {"columns": [0, 2], "coefficients": [1.5, -2.0], "means": [0.0, 1.0], "lowest": -9.0, "highest": 9.0},
    )
    rows = random_rows(document, 1, 50)
    tree = Tree.from_dict(document)
    assert (
        run(tree.to_onnx(), rows)["variable"][:, 0].tolist()
        == tree.predict(frame_of(document, rows)).tolist()
    )
