"""Files of every version of the formats load, and answer what they did when they were written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import make_compat_files
import numpy as np
import pytest

import thriftree
from thriftree.document import FORMAT, MODEL_FORMAT, MODEL_VERSION, VERSION
from thriftree.model_files.read import model_of
from thriftree.model_files.write import model_text
from thriftree.tree import Tree

FILES = sorted((Path(__file__).parent / "files").glob("*.json"))


def answers_of(file: Path) -> dict[str, Any]:
    answers: dict[str, Any] = json.loads(file.with_suffix(".answers").read_text(encoding="utf-8"))
    return answers


WITH_ROWS = [file for file in FILES if "rows" in answers_of(file)]
WITH_CODES = [file for file in FILES if "inputs" in answers_of(file)]


def test_there_is_a_file_of_each_version() -> None:
    documents = [json.loads(file.read_text(encoding="utf-8")) for file in FILES]
    found = {(document["format"], document["version"]) for document in documents}
    expected = {(FORMAT, version) for version in range(1, VERSION + 1)}
    assert found == expected | {(MODEL_FORMAT, version) for version in range(1, MODEL_VERSION + 1)}
    assert len(WITH_ROWS) + len(WITH_CODES) == len(FILES)


@pytest.mark.parametrize("file", WITH_ROWS, ids=lambda file: file.stem)
def test_an_old_file_answers_as_it_did(file: Path) -> None:
    found, answers = thriftree.load(file), answers_of(file)
    X = make_compat_files.table_for(found, answers.pop("rows"))
    assert answers.keys() >= {"apply", "predict", "predict_cost"}
    for method, expected in answers.items():
        given = getattr(found, method)(X).tolist()
        assert given == expected, method
        assert list(map(type, given)) == list(map(type, expected)), method


@pytest.mark.parametrize("file", WITH_CODES, ids=lambda file: file.stem)
def test_an_old_tree_predicts_codes_as_it_did(file: Path) -> None:
    tree, answers = Tree.load(file), answers_of(file)
    inputs = [
        np.array(values, dtype=np.float64 if column.kind == "number" else np.int32)
        for column, values in zip(tree.columns, answers["inputs"], strict=True)
    ]
    assert tree.core.apply(inputs).tolist() == answers["leaves"]
    assert tree.core.predict(inputs).tolist() == answers["predictions"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_old_file_can_be_saved_again(file: Path) -> None:
    found = thriftree.load(file)
    if isinstance(found, Tree):
        assert Tree.from_json(found.to_json()) == found
        return
    text = model_text(found)
    again = model_of(json.loads(text))
    assert again.tree_ == found.tree_
    assert model_text(again) == text


def test_a_parameter_that_an_old_file_lacks_has_its_default() -> None:
    lacking = 0
    for file in FILES:
        found = thriftree.load(file)
        if isinstance(found, Tree):
            continue
        written = json.loads(file.read_text(encoding="utf-8"))["params"]
        defaults = type(found)().get_params()
        lacking += "min_weight_fraction_leaf" in defaults and "min_weight_fraction_leaf" not in written
        assert all(getattr(found, name) == defaults[name] for name in defaults.keys() - written.keys())
    assert lacking > 5


def test_the_maker_leaves_files_that_exist_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make_compat_files, "FILES", tmp_path)
    monkeypatch.setattr(make_compat_files, "MODELS", {})
    (tmp_path / "texts_v1.json").write_text("older", encoding="ascii")
    assert make_compat_files.main() == 0
    assert (tmp_path / "texts_v1.json").read_text(encoding="ascii") == "older"
    printed = capsys.readouterr().out
    assert "texts_v1.json: kept" in printed
    assert "prices_v1.json: written" in printed
    assert (tmp_path / "prices_v1.answers").exists()
