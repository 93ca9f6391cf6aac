"""Pickled estimators: they carry the version of their format, and hold nothing that JSON does not."""

import copy
import json
import pickle

import numpy as np
import pytest
from sameness import same

from thriftree import CARTClassifier, TestCosts
from thriftree.costs import Group, Steps
from thriftree.document import MODEL_VERSION

X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0]], ["a", "b", "a"]


def fitted(**parameters) -> CARTClassifier:
    return CARTClassifier(**parameters).fit(X, y)


def back(model):
    return pickle.loads(pickle.dumps(model))


def test_the_state_is_a_version_and_the_text_of_a_model_file(tmp_path):
    model = fitted(costs=TestCosts([1.0, 2.0]))
    state = model.__getstate__()
    assert state["thriftree_version"] == MODEL_VERSION
    model.save(tmp_path / "model.json")
    assert state["thriftree_document"] == (tmp_path / "model.json").read_text(encoding="utf-8")
    assert json.loads(json.dumps(state)) == state


@pytest.mark.parametrize("way", [back, copy.copy, copy.deepcopy], ids=["pickle", "copy", "deepcopy"])
def test_what_comes_back_has_the_same_parameters_attributes_and_answers(way):
    model = fitted(costs=TestCosts([1.0, 2.0]), max_depth=3)
    model.note = "kept as well"
    twin = way(model)
    assert vars(twin).keys() == vars(model).keys()
    assert all(same(vars(twin)[name], value) for name, value in vars(model).items())
    assert twin.predict(X).tolist() == y


def test_what_no_file_holds_is_pickled_beside_the_tree():
    model = fitted(random_state=np.random.RandomState(0))
    twin = back(model)
    assert twin.tree_ == model.tree_
    assert isinstance(twin.random_state, np.random.RandomState)
    assert type(model.__getstate__()["tree_"]) is str


def test_an_estimator_that_was_not_fitted_comes_back_as_it_was():
    model = CARTClassifier(max_depth=2, costs=TestCosts([1.0, 2.0]))
    assert back(model).get_params() == model.get_params()


def test_a_state_without_a_version_is_that_of_an_older_release():
    model = fitted()
    twin = CARTClassifier.__new__(CARTClassifier)
    twin.__setstate__(dict(vars(model)))
    assert twin.tree_ == model.tree_


def test_a_state_of_a_newer_version_is_refused_with_a_sentence():
    state = fitted().__getstate__() | {"thriftree_version": MODEL_VERSION + 1}
    with pytest.raises(ValueError, match="a newer version needs a newer thriftree"):
        CARTClassifier.__new__(CARTClassifier).__setstate__(state)


def test_prices_are_pickled_as_their_description():
    costs = TestCosts(
        {"age": 1, "scan": {"good": 1, "bad": 2}, "dose": Steps((1,), (2, 3))},
        groups={"g": Group(2, ("age", "scan"))},
    )
    twin = back(costs)
    assert twin == costs
    assert hash(twin) == hash(costs)
    assert json.loads(json.dumps(costs.__getstate__())) == costs.to_dict()


def test_depth_and_leaves_are_told_as_scikit_learn_tells_them():
    model = fitted()
    assert (model.get_depth(), model.get_n_leaves()) == (model.tree_.depth, model.tree_.n_leaves)
    with pytest.raises(ValueError, match="not fitted"):
        CARTClassifier().get_depth()
