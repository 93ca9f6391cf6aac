"""Every public estimator comes back from its file as it was."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sameness import same
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import thriftree
from thriftree import (
    CARTClassifier,
    CHAIDClassifier,
    EnhancedTreeClassifier,
    MSIClassifier,
    OptimalTreeClassifier,
    PUBLICClassifier,
    TestCosts,
    Tree,
    WorstCaseTreeClassifier,
)
from thriftree.datasets import load_heart
from thriftree.model_files.read import model_of
from thriftree.registry import ESTIMATORS, estimator_class
from thriftree.testing.checks import all_estimators

OnHeart = Callable[[Any], Any]
Way = Callable[[Any], Any]
X, Y = load_heart()


@pytest.mark.parametrize("cls", all_estimators(), ids=lambda cls: cls.__name__)
def test_a_loaded_estimator_answers_and_is_as_the_saved_one(
    cls: Any, on_heart: OnHeart, through_file: Way
) -> None:
    model = on_heart(cls)
    again = through_file(model)
    assert type(again) is cls
    check_is_fitted(again)
    assert same(again.get_params(), model.get_params())
    assert vars(again).keys() == vars(model).keys()
    assert all(same(vars(again)[name], vars(model)[name]) for name in vars(model))
    methods = ["predict", "apply", "predict_cost", *(["predict_proba"] if is_classifier(cls()) else [])]
    for method in methods:
        assert same(getattr(again, method)(X), getattr(model, method)(X)), method
    assert (again.decision_path(X) != model.decision_path(X)).nnz == 0
    target = Y if is_classifier(model) else (Y == "present").astype(float)
    assert again.score(X, target) == model.score(X, target)
    assert clone(again).get_params() == model.get_params()
    assert pickle.loads(pickle.dumps(again)).tree_ == model.tree_


@pytest.mark.parametrize("cls", all_estimators(), ids=lambda cls: cls.__name__)
def test_saving_what_was_loaded_writes_the_same_file(cls: Any, on_heart: OnHeart, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    on_heart(cls).save(first)
    cls.load(first).save(second)
    assert first.read_bytes() == second.read_bytes()


def test_the_names_that_files_may_hold_are_those_of_the_public_estimators() -> None:
    assert {name: estimator_class(name) for name in ESTIMATORS} == {
        cls.__name__: cls for cls in all_estimators()
    }


@pytest.mark.parametrize(
    "y",
    [
        np.array([0, 1, 2] * 10),
        np.array([0, 1, 2] * 10, dtype=np.int8),
        np.array([3, 2**63 + 5] * 15, dtype=np.uint64),
        np.array([False, True] * 15),
        np.array([0.0, 1.0] * 15),
        np.array([1.0, 2.0] * 15, dtype=np.float32),
        np.array([1, 2] * 15, dtype=">i4"),
        np.array(["a", "später"] * 15),
        np.array(["a", "b"] * 15, dtype="<U30"),
        np.array(["a", "🌳"] * 15, dtype=object),
        np.array(["a", "b"] * 15, dtype=np.dtypes.StringDType()),
        pd.Series(["a", "b"] * 15, dtype="category"),
    ],
    ids=lambda y: str(y.dtype),
)
def test_classes_keep_their_type(y: Any, through_file: Way) -> None:
    table = np.arange(30.0).reshape(-1, 1) % 7
    model = CARTClassifier().fit(table, y)
    again = through_file(model)
    assert same(again.classes_, model.classes_)
    assert again.predict(table).dtype == model.predict(table).dtype


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table, np.column_stack])
def test_tables_of_every_kind_are_known_again(frame: Any, through_file: Way) -> None:
    columns = {"a": np.arange(30.0), "b c": np.arange(30.0)[::-1] % 4}
    table = frame(list(columns.values()) if frame is np.column_stack else columns)
    model = CARTClassifier().fit(table, np.arange(30) % 3)
    again = through_file(model)
    assert same(again.predict(table), model.predict(table))
    assert hasattr(again, "feature_names_in_") == (frame is not np.column_stack)


def test_a_column_whose_name_is_no_string_is_known_again(through_file: Way) -> None:
    table = pd.DataFrame({0: np.arange(30.0), 1: np.arange(30.0) % 4})
    model = CARTClassifier().fit(table, np.arange(30) % 3)
    assert same(through_file(model).predict(table), model.predict(table))


def test_load_of_a_class_refuses_a_file_of_another(on_heart: OnHeart, tmp_path: Path) -> None:
    model = on_heart(CARTClassifier)
    model.save(tmp_path / "cart.json")
    model.tree_.save(tmp_path / "tree.json")
    with pytest.raises(ValueError, match=r"holds a CARTClassifier, not a WorstCaseTreeClassifier: use CART"):
        WorstCaseTreeClassifier.load(tmp_path / "cart.json")
    with pytest.raises(ValueError, match=r"tree\.json holds a Tree, not a CARTClassifier: use Tree\.load"):
        CARTClassifier.load(tmp_path / "tree.json")


def test_load_gives_a_tree_for_a_tree_and_the_tree_class_says_how_to_read_a_model(
    on_heart: OnHeart, tmp_path: Path
) -> None:
    model = on_heart(CARTClassifier)
    model.tree_.save(tmp_path / "tree.json")
    assert thriftree.load(tmp_path / "tree.json") == model.tree_
    model.save(tmp_path / "model.json")
    with pytest.raises(ValueError, match=r"^\$: not a tree alone but a model: read it with thriftree\.load"):
        Tree.load(tmp_path / "model.json")
    (tmp_path / "other.json").write_text('{"format": "onnx"}', encoding="utf-8")
    with pytest.raises(ValueError, match=r"^\$: neither a tree nor a model"):
        thriftree.load(tmp_path / "other.json")


def test_what_is_not_fitted_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        CARTClassifier().save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


def test_a_class_of_ones_own_is_not_saved(tmp_path: Path) -> None:
    class Mine(CARTClassifier):
        pass

    model = Mine().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(TypeError, match=r"Mine is not an estimator of thriftree itself.*save its tree"):
        model.save(tmp_path / "model.json")


def test_an_attribute_of_ones_own_is_named(tmp_path: Path) -> None:
    model = CARTClassifier().fit([[0.0], [1.0]], [0, 1])
    model.remark_ = "mine"
    with pytest.raises(TypeError, match="'remark_' of CARTClassifier is not one that a model file holds"):
        model.save(tmp_path / "model.json")


def test_a_release_that_adds_a_parameter_reads_older_files(
    on_heart: OnHeart, document_of: Callable[[Any], dict[str, Any]], tmp_path: Path
) -> None:
    document = document_of(on_heart(CARTClassifier))
    del document["params"]["smoothing"]
    (tmp_path / "older.json").write_text(json.dumps(document), encoding="ascii")
    assert CARTClassifier.load(tmp_path / "older.json").smoothing == CARTClassifier().smoothing


@pytest.mark.parametrize(
    ("cls", "lost"),
    [
        (WorstCaseTreeClassifier, ("certificate_", "error_bound_", "training_error_")),
        (CHAIDClassifier, ("split_tests_",)),
        (PUBLICClassifier, ("mdl_cost_",)),
        (MSIClassifier, ("tree_text_",)),
        (OptimalTreeClassifier, ("objective_", "lower_bound_", "gap_", "status_", "proved_for_")),
    ],
)
def test_an_estimator_whose_tree_was_edited_comes_back_too(
    cls: Any, lost: tuple[str, ...], on_heart: OnHeart, through_file: Way
) -> None:
    edited = copy.copy(on_heart(cls))
    for name in lost:
        delattr(edited, name)
    assert vars(through_file(edited)).keys() == vars(edited).keys()


def test_any_words_may_be_keys_of_a_record(
    on_heart: OnHeart, document_of: Callable[[Any], dict[str, Any]]
) -> None:
    document = document_of(on_heart(EnhancedTreeClassifier))
    document["fitted"]["trade_off_path_"]["dict"].append(["self", 1])
    assert model_of(document).trade_off_path_["self"] == 1


def test_prices_of_every_kind_come_back(through_file: Way) -> None:
    table = pd.DataFrame({"a": np.arange(30.0), "b": np.arange(30.0) % 4, "c": ["x", "y", "z"] * 10})
    costs = TestCosts.from_dict(
        {
            "prices": [
                {"feature": "a", "up_to": [10.0], "prices": [1, 2.5]},
                {"feature": "b", "price": 3},
                {"feature": "c", "outcomes": [{"value": "x", "price": 1}, {"value": "y", "price": 7}]},
            ],
            "groups": [{"name": "g", "setup": 2.0, "members": ["b", "c"]}],
            "delayed": ["c"],
            "known": ["b"],
            "pay": "each",
        }
    )
    model = CARTClassifier(costs=costs).fit(table, np.arange(30) % 3)
    again = through_file(model)
    assert again.costs == costs
    assert same(again.predict_cost(table), model.predict_cost(table))
