"""Files of neural trees load without torch, and answer what they did when they were written."""

from __future__ import annotations

import json
from pathlib import Path

import make_neural_compat_files
import make_soft_compat_files
import numpy as np
import pytest

import thriftree
from thriftree.model_files.write import model_text

FILES = sorted((Path(__file__).parent / "neural").glob("*.json"))


def test_there_is_a_file_of_each_kind() -> None:
    assert {file.stem for file in FILES} >= set(make_neural_compat_files.MODELS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_old_neural_tree_answers_as_it_did(file: Path) -> None:
    model = thriftree.load(file)
    answers = json.loads(file.with_suffix(".answers").read_text(encoding="ascii"))
    assert answers.keys() >= {"predict", "path_probabilities"}
    for method, expected in answers.items():
        found = getattr(model, method)(make_soft_compat_files.table())
        if found.dtype.kind == "f":  # the sums of a matrix product differ by CPU in their last digits
            np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)
        else:
            assert found.tolist() == expected
    written, kept = json.loads(model_text(model)), json.loads(file.read_text(encoding="utf-8"))
    for one in (written, kept):
        del one["thriftree"], one["params"]  # a later release may have more of them
    assert written == kept
