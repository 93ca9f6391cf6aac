"""Neural trees as files: what is written is read back without torch, and what is not as the spec says is
refused.
"""

from __future__ import annotations

import copy
import json
import pickle
import sys

import make_neural_compat_files as made
import numpy as np
import pytest
from make_soft_compat_files import table

import thriftree
from thriftree import NeuralTreeClassifier, NeuralTreeRegressor
from thriftree.methods.neural.backbones import Module
from thriftree.model_files.read import model_of
from thriftree.model_files.write import model_text

MODELS = pytest.mark.parametrize("make", made.MODELS.values(), ids=made.MODELS)


@MODELS
def test_a_file_gives_the_same_answers_without_torch(make, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # importing it raises
    model = make()
    model.save(tmp_path / "model.json")
    again = thriftree.load(tmp_path / "model.json")
    assert type(again) is type(model)
    assert again.get_params() == model.get_params()
    assert made.answers_of(again) == made.answers_of(model)
    for name in ("loss_curve_", "validation_loss_curve_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    assert (again.best_epoch_, again.n_iter_, again.stopped_early_, again.stopped_by_) == (2, 2, False, None)
    assert again.get_depth() == 2
    assert model_text(again) == model_text(model)


@MODELS
def test_a_pickle_is_the_file(make):
    model = make()
    state = model.__getstate__()
    assert state["thriftree_document"] == model_text(model)
    assert made.answers_of(pickle.loads(pickle.dumps(model))) == made.answers_of(model)


def test_a_classifier_does_not_load_as_a_regressor(tmp_path):
    made.classifier().save(tmp_path / "model.json")
    assert isinstance(NeuralTreeClassifier.load(tmp_path / "model.json"), NeuralTreeClassifier)
    with pytest.raises(ValueError, match="holds a NeuralTreeClassifier, not a NeuralTreeRegressor"):
        NeuralTreeRegressor.load(tmp_path / "model.json")


def test_a_module_of_torch_is_refused_with_a_remedy(tmp_path):
    model = made.classifier()
    model.backbone_ = Module(object(), "cpu")
    with pytest.raises(TypeError, match=r"module of torch.*pickle the estimator"):
        model.save(tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["network"], 3, r"^\$\.network: must be an object"),
        (["network", "weights"], [], r"^\$\.network\.weights: must have the weights"),
        (["network", "weights", 1], [0.5], r"^\$\.network\.weights\[1\]: must have 6 numbers, not 1"),
        (["network", "weights", 0, 2], "1", r"^\$\.network\.weights\[0\]\[2\]"),
        (["network", "offsets"], [0.0], r"^\$\.network\.offsets: must have 2 numbers, not 1"),
        (["network", "design"], [], r"^\$\.network\.design: must have an entry"),
        (["network", "columns"], [], r"^\$\.network"),
        (["network", "more"], 1, r"the key 'more' is not known"),
        (["network"], None, r"^\$\.fitted\.n_features_in_: must be 2"),
        (
            ["tree", "design", 0, "scale"],
            2.0,
            r"^\$\.tree\.columns: must have the columns 'unit 0' to 'unit 1'",
        ),
        (["tree", "columns", 0, "name"], "age", r"^\$\.tree\.columns: must have the columns"),
        (["tree", "sharpness"], 0, r"^\$\.tree\.sharpness: must be greater than 0"),
        (["fitted", "best_epoch_"], -1, r"^\$\.fitted\.best_epoch_"),
        (["fitted", "feature_names_in_"], None, r"^\$\.fitted\.feature_names_in_"),
        (["params", "backbone"], "x", r"^\$\.params\.backbone"),
        (["estimator"], "CARTClassifier", r"the key 'network' is not known"),
    ],
)
def test_a_document_that_is_not_as_the_spec_says_is_refused_with_the_place(path, value, message):
    document = json.loads(model_text(made.classifier()))
    model_of(copy.deepcopy(document))
    part = document
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    with pytest.raises(ValueError, match=message):
        model_of(document)


def test_a_network_of_one_unit_and_a_table_of_one_row_work():
    document = json.loads(model_text(made.regressor()))
    document["network"]["weights"] = document["network"]["weights"][:1]
    document["network"]["offsets"] = document["network"]["offsets"][:1]
    for key in ("columns", "design"):
        document["tree"][key] = document["tree"][key][:1]
    for gate in document["tree"]["gates"]:
        gate["weights"] = gate["weights"][:1]
    assert np.isfinite(model_of(document).predict(table()[:1])).all()
