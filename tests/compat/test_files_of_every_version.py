"""Files of every version of the format load, and predict what they did when they were written."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from thriftree.tree import Tree

FILES = sorted((Path(__file__).parent / "files").glob("*.json"))


def test_there_is_a_file_of_each_version() -> None:
    assert {json.loads(file.read_text(encoding="utf-8"))["version"] for file in FILES} == {1}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_old_file_predicts_as_it_did(file: Path) -> None:
    tree = Tree.load(file)
    answers = json.loads(file.with_suffix(".answers").read_text(encoding="utf-8"))
    inputs = [
        np.array(values, dtype=np.float64 if column.kind == "number" else np.int32)
        for column, values in zip(tree.columns, answers["inputs"], strict=True)
    ]
    assert tree.core.apply(inputs).tolist() == answers["leaves"]
    assert tree.core.predict(inputs).tolist() == answers["predictions"]
    assert Tree.from_json(tree.to_json()) == tree
