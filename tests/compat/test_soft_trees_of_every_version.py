"""Files of soft trees load, and answer what they did when they were written."""

from __future__ import annotations

import json
from pathlib import Path

import make_soft_compat_files
import pytest

from thriftree import SoftTree

FILES = sorted((Path(__file__).parent / "soft").glob("*.json"))


def test_there_is_a_file_of_each_version() -> None:
    assert {json.loads(file.read_text(encoding="ascii"))["version"] for file in FILES} == {1}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_old_soft_tree_answers_as_it_did(file: Path) -> None:
    tree = SoftTree.load(file)
    answers = json.loads(file.with_suffix(".answers").read_text(encoding="ascii"))
    assert answers.keys() >= {"predict", "path_probabilities", "predict_cost"}
    for method, expected in answers.items():
        assert getattr(tree, method)(make_soft_compat_files.table()).tolist() == expected, method
    assert tree.to_dict() == json.loads(file.read_text(encoding="ascii"))
