"""The JSON Schemas in docs/spec: every file that is read is valid by them, so what they refuse is refused."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import make_neural_compat_files
import pytest
from file_mutations import CHANGES
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from thriftree import CARTClassifier, WorstCaseTreeClassifier
from thriftree.document.checks import TreeFormatError
from thriftree.model_files.attributes import attributes_of
from thriftree.model_files.read import model_of
from thriftree.model_files.values import _READERS
from thriftree.model_files.write import model_text
from thriftree.registry import LEARNERS
from thriftree.testing.checks import all_estimators
from thriftree.testing.random_documents import random_document
from thriftree.tree import Tree

ROOT = Path(__file__).resolve().parent.parent.parent
COMPAT = sorted((ROOT / "tests" / "compat" / "files").glob("*.json"))
Schema = dict[str, Any]


def schema(name: str) -> Schema:
    read: Schema = json.loads((ROOT / "docs" / "spec" / f"{name}.schema.json").read_text(encoding="utf-8"))
    return read


TREE, MODEL = schema("tree-v1"), schema("model-v1")
REGISTRY: Registry[Any] = Registry().with_resources(
    (one["$id"], Resource.from_contents(one)) for one in (TREE, MODEL)
)
BY_FORMAT = {
    "thriftree-tree": Draft202012Validator(TREE, registry=REGISTRY),
    "thriftree-model": Draft202012Validator(MODEL, registry=REGISTRY),
}


def is_valid(document: dict[str, Any], format_: str | None = None) -> bool:
    return bool(BY_FORMAT[format_ or document["format"]].is_valid(document))


def is_read(document: Any, format_: str) -> bool:
    try:
        Tree.from_dict(document) if format_ == "thriftree-tree" else model_of(document)
    except TreeFormatError:
        return False
    return True


@pytest.mark.parametrize("one", [TREE, MODEL], ids=["tree", "model"])
def test_the_schemas_are_schemas(one: Schema) -> None:
    Draft202012Validator.check_schema(one)


def test_the_schema_knows_every_estimator() -> None:
    assert MODEL["properties"]["estimator"]["enum"] == sorted(LEARNERS)


def test_the_example_of_the_spec_is_a_model_that_is_valid_and_predicts() -> None:
    text = (ROOT / "docs" / "spec" / "model-v1.md").read_text(encoding="utf-8")
    document = json.loads(text.partition("```json")[2].partition("```")[0])
    BY_FORMAT["thriftree-model"].validate(document)
    model = model_of(document)
    assert model.predict([[1.0], [2.0]]).tolist() == ["no", "yes"]
    assert model.class_weight == {"no": 1, "yes": 2.5}
    assert model.worst_case_cost_ == model.tree_.worst_case_cost() == 3.5


def test_the_spec_lists_every_attribute_and_every_tag() -> None:
    text = (ROOT / "docs" / "spec" / "model-v1.md").read_text(encoding="utf-8")
    names = {name for cls in LEARNERS for part in attributes_of(cls, classifies=True) for name in part}
    assert {"classes_", "alpha_", "certificate_", "n_expanded_"} <= names
    assert [name for name in names if f"`{name}`" not in text] == []
    assert [tag for tag in _READERS if f'`{{"{tag}": ' not in text] == []


@pytest.mark.parametrize("cls", all_estimators(), ids=lambda cls: cls.__name__)
def test_a_saved_estimator_is_valid(
    cls: Any, on_heart: Callable[[Any], Any], document_of: Callable[[Any], dict[str, Any]]
) -> None:
    BY_FORMAT["thriftree-model"].validate(document_of(on_heart(cls)))


@pytest.mark.parametrize(
    "make", make_neural_compat_files.MODELS.values(), ids=make_neural_compat_files.MODELS
)
def test_a_saved_neural_tree_is_valid_and_says_whether_it_has_a_network(make: Callable[[], Any]) -> None:
    document = json.loads(model_text(make()))
    BY_FORMAT["thriftree-model"].validate(document)
    del document["network"]
    assert not BY_FORMAT["thriftree-model"].is_valid(document)


@pytest.mark.parametrize("seed", range(25))
def test_a_random_tree_is_valid(seed: int) -> None:
    document = Tree.from_dict(random_document(seed, prices=seed % 2 == 0)).to_dict()
    BY_FORMAT["thriftree-tree"].validate(document)


@pytest.mark.parametrize("file", COMPAT, ids=lambda file: file.stem)
def test_a_file_of_the_version_is_valid(file: Path) -> None:
    document = json.loads(file.read_text(encoding="utf-8"))
    BY_FORMAT[document["format"]].validate(document)


@pytest.mark.parametrize("file", COMPAT, ids=lambda file: file.stem)
def test_a_mutated_document_that_is_read_is_valid(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    format_ = json.loads(text)["format"]
    n_read = n_invalid = 0
    for seed in range(60):
        rng = random.Random(seed)
        document = json.loads(text)
        rng.choice(CHANGES)(document, rng, [text])
        read, valid = is_read(document, format_), is_valid(document, format_)
        assert valid or not read, seed
        n_read += read
        n_invalid += not valid
    assert n_read  # so that the test says something
    assert n_invalid


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(version=2),
        lambda d: d.update(colour=1),
        lambda d: d.pop("classes"),
        lambda d: d.update(classes=[]),
        lambda d: d.update(classes=["a", 0.5]),
        lambda d: d.update(classes=["a", 2**70]),
        lambda d: d.update(classes=None),
        lambda d: d.update(nodes=[]),
        lambda d: d.update(prices=[]),
        lambda d: d["columns"][0].update(kind="date"),
        lambda d: d["columns"][0].update(name=3),
        lambda d: d["columns"][0].update(categories=[]),
        lambda d: d["columns"][2].pop("categories"),
        lambda d: d["nodes"][0].update(rows=-1),
        lambda d: d["nodes"][0].update(rows=2**63),
        lambda d: d["nodes"][0].update(weight=-1),
        lambda d: d["nodes"][0].update(weight="1"),
        lambda d: d["nodes"][0].pop("label"),
        lambda d: d["nodes"][0].pop("children"),
        lambda d: d["nodes"][0].update(children=[1, 1]),
        lambda d: d["nodes"][0].update(value=[-1.0, 1.0]),
        lambda d: d["nodes"][0]["test"].update(kind="leaf"),
        lambda d: d["nodes"][0]["test"].update(kind="category", keys=[0.5]),
        lambda d: d["nodes"][0]["test"].update(to=[]),
        lambda d: d["nodes"][0]["test"].update(missing=-1),
        lambda d: d["nodes"][0]["test"].update(score="high"),
    ],
)
def test_the_schema_of_trees_refuses_what_the_reader_refuses(
    on_heart: Callable[[Any], Any], change: Callable[[dict[str, Any]], Any]
) -> None:
    document = on_heart(CARTClassifier).tree_.to_dict()
    assert is_valid(document)
    change(document)
    assert not is_valid(document)
    assert not is_read(document, "thriftree-tree")


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(estimator="os.system"),
        lambda d: d.update(tree=None),
        lambda d: d["tree"].update(nodes=[]),
        lambda d: d.pop("params"),
        lambda d: d["params"].update(max_depth={}),
        lambda d: d["params"].update(max_depth={"eval": "1"}),
        lambda d: d["params"].update(max_depth=[{"float": "one"}]),
        lambda d: d["params"].update({"__class__": "x"}),
        lambda d: d["params"].update(costs={"costs": {}}),
        lambda d: d["params"].update(costs={"costs": {"prices": [], "pay": "never"}}),
        lambda d: d["params"].update(costs={"costs": {"prices": [], "known": {"a": 1}}}),
        lambda d: d["params"].update(cv={"tuple": 1}),
        lambda d: d["params"].update(class_weight={"dict": [[1]]}),
        lambda d: d["params"].update(class_weight={"dict": [[[], 1]]}),
        lambda d: d["params"].update(impurity={"impurity": {"kind": "Powers"}}),
        lambda d: d["params"].update(impurity={"impurity": {"kind": "Powers", "l": 1}}),
        lambda d: d["params"].update(impurity={"impurity": {"kind": "HingedPairs", "epsilon": 2}}),
        lambda d: d["fitted"].pop("expected_cost_"),
        lambda d: d["fitted"].update(predict=1),
        lambda d: d["fitted"].update(classes_=["a"]),
        lambda d: d["fitted"]["classes_"]["array"].update(dtype="M8[s]"),
        lambda d: d["fitted"]["classes_"]["array"].update(shape=[-1]),
    ],
)
def test_the_schema_of_models_refuses_what_the_reader_refuses(
    on_heart: Callable[[Any], Any],
    document_of: Callable[[Any], dict[str, Any]],
    change: Callable[[dict[str, Any]], Any],
) -> None:
    document = copy.deepcopy(document_of(on_heart(WorstCaseTreeClassifier)))
    assert is_valid(document)
    change(document)
    assert not is_valid(document)
    assert not is_read(document, "thriftree-model")
