"""A model file that is not as docs/spec/model-v1.md says is refused, with the JSON path of what is wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import thriftree
from thriftree import CARTClassifier, ThriftTreeRegressor, Tree, WorstCaseTreeClassifier
from thriftree.document.checks import TreeFormatError
from thriftree.model_files.read import model_of

Change = Callable[[dict[str, Any]], Any]
WORST, THRIFT = WorstCaseTreeClassifier, ThriftTreeRegressor
DocumentOf = Callable[[Any], dict[str, Any]]


@pytest.fixture
def refused(on_heart: Callable[[Any], Any], document_of: DocumentOf) -> Callable[[Any, Change], str]:
    """What is said about the file of an estimator after a change."""

    def complaint(cls: Any, change: Change) -> str:
        document = copy.deepcopy(document_of(on_heart(cls)))
        change(document)
        with pytest.raises(TreeFormatError) as error:
            model_of(document)
        return str(error.value)

    return complaint


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda d: d.update(format="thriftree-tree"), '$: not a model: the key "format" must be'),
        (lambda d: d.update(version=2), "$.version: this release reads version 1, not 2; a newer version"),
        (lambda d: d.update(version=1.0), "$.version: "),
        (lambda d: d.update(code="import os"), "$: the key 'code' is not known"),
        (lambda d: d.pop("fitted"), "$: the key 'fitted' is missing"),
        (lambda d: d.update(thriftree=1), "$.thriftree: must be a string"),
        (lambda d: d.update(estimator="os.system"), "$.estimator: 'os.system' is not an estimator"),
        (lambda d: d.update(estimator="TreeEstimator"), "$.estimator: 'TreeEstimator' is not an estimator"),
        (lambda d: d.update(estimator=["CARTClassifier"]), "$.estimator: must be a string"),
        (lambda d: d.update(estimator="CARTRegressor"), "$.params: the key 'class_weight' is not known"),
        (lambda d: d.update(params=[]), "$.params: must be an object"),
        (lambda d: d["params"].update(criterion="gini"), "$.params: the key 'criterion' is not known"),
        (lambda d: d["params"].update({"a b\n": 1}), "$.params: the key 'a b\\n' is not known"),
        (lambda d: d["params"].update(max_depth=-1), "$.params.max_depth: The 'max_depth' parameter of CART"),
        (lambda d: d["params"].update(max_depth="deep"), "$.params.max_depth: "),
        (lambda d: d["params"].update(impurity="ginni"), "$.params.impurity: The 'impurity' parameter"),
        (lambda d: d["params"].update(costs={"costs": {"pay": 1}}), "$.params.costs.costs: "),
        (lambda d: d["params"].update(n_jobs=0), "$.params.n_jobs: must be null, below 0, or from 1 to 1024"),
        (lambda d: d["params"].update(n_jobs=2**40), "$.params.n_jobs: must be null"),
        (lambda d: d["params"].update(smoothing={"float": "nan"}), "$.params.smoothing: "),
        (lambda d: d["fitted"].pop("classes_"), "$.fitted: the key 'classes_' is missing"),
        (lambda d: d["fitted"].update(predict=1), "$.fitted: the key 'predict' is not known"),
        (lambda d: d["fitted"].update(method_="cart"), "$.fitted: the key 'method_' is not known"),
        (lambda d: d["fitted"].update(tree_=1), "$.fitted: the key 'tree_' is not known"),
        (lambda d: d["fitted"].update(expected_cost_="dear"), "$.fitted.expected_cost_: must be a number"),
        (lambda d: d["fitted"].update(expected_cost_=True), "$.fitted.expected_cost_: must be a number"),
        (lambda d: d["fitted"].update(stopped_by_=3), "$.fitted.stopped_by_: must be a string"),
        (lambda d: d["fitted"].update(n_features_in_=-1), "$.fitted.n_features_in_: must be an integer"),
        (lambda d: d["fitted"].update(n_features_in_=12), "$.fitted.n_features_in_: must be 13"),
        (lambda d: d["fitted"].update(n_classes_=3), "$.fitted.n_classes_: must be 2"),
        (lambda d: d["fitted"].update(classes_=[0, 1]), "$.fitted.classes_: must be an array"),
        (lambda d: array(d, "classes_")["values"].reverse(), "$.fitted.classes_: must be the classes of the"),
        (lambda d: array(d, "classes_").update(shape=[2, 1]), "$.fitted.classes_: must be an array of one"),
        (lambda d: array(d, "feature_names_in_")["values"].reverse(), "$.fitted.feature_names_in_: must be"),
        (
            lambda d: array(d, "feature_importances_").update(shape=[1], values=[1.0]),
            "$.fitted.feature_importances_: must hold 13 numbers",
        ),
        (lambda d: d.update(tree=None), "$.tree: not a tree"),
        (lambda d: d["tree"]["nodes"][0].update(children=[0, 1]), "$.tree.nodes[0].children[0]: leads back"),
        (lambda d: d["tree"]["nodes"][0].update(weight="1"), "$.tree.nodes[0].weight: must be a finite"),
        (lambda d: d["tree"]["columns"][1].update(name="age"), "$.tree.columns[1].name: two columns have"),
        (lambda d: d["tree"]["prices"]["prices"].pop(), "$.tree.prices: "),
        (lambda d: d["tree"].update(prices={"pay": "once"}), "$.tree.prices: "),
    ],
)  # fmt: skip
def test_a_broken_document_is_refused_with_its_place(
    change: Change, complaint: str, refused: Callable[[Any, Change], str]
) -> None:
    assert refused(CARTClassifier, change).startswith(complaint)


def array(document: dict[str, Any], name: str) -> dict[str, Any]:
    described: dict[str, Any] = document["fitted"][name]["array"]
    return described


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda c: c.update(objective="best"), "objective must be one of worst_case, expected"),
        (lambda c: c.update(trees=[]), "trees must be a string"),
        (lambda c: c.update(ratio="1"), "ratio must be a float"),
        (lambda c: c.update(factor="1"), "factor must be a float or null"),
        (lambda c: c.update(exact=None), "exact must be a boolean"),
        (lambda c: c.update(bounds={"dict": [["kraft", "1"]]}), "bounds must be a dict of floats"),
        (lambda c: c.update(bounds={"dict": []}), "bound must be a key of bounds"),
        (lambda c: c.update(notes=[1]), "notes must be a list of strings"),
        (lambda c: c.pop("notes"), "must have the keys objective, trees,"),
    ],
)
def test_a_broken_certificate_is_refused(
    change: Change, complaint: str, refused: Callable[[Any, Change], str]
) -> None:
    def in_certificate(document: dict[str, Any]) -> None:
        fields = dict(document["fitted"]["certificate_"]["dict"])
        change(fields)
        document["fitted"]["certificate_"] = {"dict": [list(item) for item in fields.items()]}

    assert refused(WorstCaseTreeClassifier, in_certificate).startswith(f"$.fitted.certificate_: {complaint}")


@pytest.mark.parametrize(
    ("cls", "change", "complaint"),
    [
        (WORST, lambda d: d["fitted"].update(impurity_="pairs"), "$.fitted.impurity_: must be"),
        (WORST, lambda d: d["fitted"].update(error_bound_="x"), "$.fitted.error_bound_: must"),
        (THRIFT, lambda d: d["fitted"].update(settings_=[]), "$.fitted.settings_: must be a dict"),
        (THRIFT, lambda d: d["tree"].update(classes=["a", "b"]), "$.tree.nodes[0]: the key 'label'"),
        (
            THRIFT,
            lambda d: d["fitted"].update(settings_={"dict": [[1, 2]]}),
            "$.fitted.settings_: must be a dict whose keys are strings",
        ),
    ],
)  # fmt: skip
def test_attributes_of_one_estimator_are_checked_too(
    cls: Any, change: Change, complaint: str, refused: Callable[[Any, Change], str]
) -> None:
    assert refused(cls, change).startswith(complaint)


def test_a_regressor_does_not_take_a_tree_of_classes(
    on_heart: Callable[[Any], Any], document_of: DocumentOf
) -> None:
    of_classes = document_of(on_heart(CARTClassifier))
    of_numbers = document_of(on_heart(ThriftTreeRegressor))
    with pytest.raises(TreeFormatError, match=r"^\$\.tree\.classes: does not fit ThriftTreeRegressor"):
        model_of({**of_numbers, "tree": of_classes["tree"]})


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "not JSON"),
        (b'{"format": "thriftree-model"', "not JSON.*was the file cut"),
        (b'{"format": "thriftree-model", "version": NaN}', "NaN is not a JSON number"),
        (b'{"params": {"cv": 1, "cv": 2}}', r"^\$\.params: the key 'cv' appears twice"),
        (b"\xff\xfe", "not UTF-8"),
        (b"[" * 100_000, "nested deeper"),
        (b'{"version": ' + b"9" * 100_000 + b"}", "not JSON that can be read"),
        (b'{"' + b"k" * 10**6 + b'": {"a": 1, "a": 2}}', r"^\$\['k+\.\.\.\]: the key 'a' appears twice"),
        (b'{"a":1,' * 2 + b'"b":0}}', "not JSON"),
    ],
)
def test_a_file_that_is_no_document_is_refused(content: bytes, complaint: str, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_bytes(content)
    with pytest.raises(TreeFormatError, match=complaint):
        thriftree.load(tmp_path / "model.json")


@pytest.mark.parametrize("load", [thriftree.load, Tree.load, CARTClassifier.load])
def test_the_file_is_named_beside_the_message(load: Callable[[Path], Any], tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("[]", encoding="ascii")
    with pytest.raises(TreeFormatError) as error:
        load(tmp_path / "model.json")
    assert error.value.__notes__ == [f"in the file {tmp_path / 'model.json'}"]


def test_a_key_repeated_among_very_many_is_found_soon(tmp_path: Path) -> None:
    keys = ",".join(f'"{i}":0' for i in range(300_000))
    (tmp_path / "model.json").write_text(f'{{{keys},"299999":1}}', encoding="ascii")
    with pytest.raises(TreeFormatError, match="'299999' appears twice"):
        thriftree.load(tmp_path / "model.json")


def test_a_file_cut_anywhere_is_refused(on_heart: Callable[[Any], Any], tmp_path: Path) -> None:
    file = tmp_path / "model.json"
    on_heart(CARTClassifier).save(file)
    whole = file.read_bytes()
    for length in range(0, len(whole) - 2, 97):
        file.write_bytes(whole[:length])
        with pytest.raises(TreeFormatError, match="not JSON"):
            thriftree.load(file)


def test_a_chain_of_twenty_thousand_tests_loads_and_predicts(tmp_path: Path) -> None:
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "value": [1.0, 0.0], "impurity": 0.0}
    test = {"column": 0, "kind": "ordered", "to": [0, 1], "missing": 0, "other": 0}
    nodes: list[dict[str, Any]] = []
    for i in range(20_000):
        nodes.append({**leaf, "test": {**test, "keys": [i]}, "children": [2 * i + 1, 2 * i + 2]})
        nodes.append({**leaf, "value": [float(i), 0.0]})
    nodes.append({**leaf, "value": [-1.0, 0.0]})
    document = {
        "format": "thriftree-tree",
        "version": 1,
        "columns": [{"name": "x", "kind": "number"}],
        "classes": None,
        "nodes": nodes,
    }
    (tmp_path / "chain.json").write_text(json.dumps(document), encoding="ascii")
    tree = thriftree.load(tmp_path / "chain.json")
    assert tree.depth == 20_000
    assert tree.predict([[3.0], [19_999.0], [1e9]]).tolist() == [3.0, 19_999.0, -1.0]


def test_missing_files_and_folders_are_oserrors(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        thriftree.load(tmp_path / "none.json")
    with pytest.raises(IsADirectoryError):
        thriftree.load(tmp_path)
