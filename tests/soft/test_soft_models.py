"""Soft estimators in files and pickles, and what else every estimator of this library can do."""

from __future__ import annotations

import copy
import json
import pickle
import warnings

import numpy as np
import pytest
from sklearn.base import clone
from soft_tables import mixed, spread
from test_price_term import COSTS

import thriftree
from thriftree import CARTClassifier, SoftTreeClassifier, SoftTreeRegressor
from thriftree.learning.limits import LimitReachedWarning
from thriftree.methods.soft.frequent_categories import MOST_CATEGORIES


def models():
    X, y = mixed(0)
    numbers = (y == y[0]) * 1.5
    return {
        "classes": (SoftTreeClassifier(max_iter=10), X, y),
        "linear": (
            SoftTreeClassifier(max_iter=5, leaves="linear", gates="axis", costs=[1, 2, 3, 4][: X.shape[1]]),
            X,
            y,
        ),
        "numbers": (SoftTreeRegressor(max_iter=10, l2="cv", cv=2, random_state=0), X, numbers),
        "from a tree": (
            SoftTreeClassifier(init=CARTClassifier(max_depth=2).fit(X, y).tree_, max_iter=5),
            X,
            y,
        ),
        "array": (SoftTreeClassifier(max_iter=5, sharpness=np.inf), *spread(1)),
    }


WAYS = {"file": None, "pickle": lambda model: pickle.loads(pickle.dumps(model)), "copy": copy.deepcopy}


@pytest.mark.parametrize("name", models())
@pytest.mark.parametrize("way", WAYS)
def test_what_comes_back_is_what_went(tmp_path, name, way):
    model, X, y = models()[name]
    model.fit(X, y)
    if way == "file":
        model.save(tmp_path / "model.json")
        again = thriftree.load(tmp_path / "model.json")
        again.save(tmp_path / "again.json")
        assert (tmp_path / "again.json").read_bytes() == (tmp_path / "model.json").read_bytes()
        assert type(type(model).load(tmp_path / "model.json")) is type(model)
    else:
        again = WAYS[way](model)
    assert vars(again).keys() == vars(model).keys()
    assert again.soft_tree_ == model.soft_tree_
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.predict_cost(X), model.predict_cost(X))
    np.testing.assert_array_equal(again.loss_curve_, model.loss_curve_)
    assert again.get_params().keys() == model.get_params().keys()
    assert (again.expected_cost_, again.l2_, again.converged_) == (
        model.expected_cost_,
        model.l2_,
        model.converged_,
    )
    clone(again).fit(X, y)


def test_the_state_of_a_pickle_is_the_text_of_its_file(tmp_path):
    X, y = mixed(1)
    model = SoftTreeClassifier(max_iter=3).fit(X, y)
    state = model.__getstate__()
    model.save(tmp_path / "model.json")
    assert state["thriftree_document"] == (tmp_path / "model.json").read_text(encoding="ascii")
    assert json.loads(json.dumps(state)) == state
    odd = SoftTreeClassifier(max_iter=3, random_state=np.random.RandomState(0)).fit(X, y)
    assert isinstance(odd.__getstate__()["soft_tree_"], str)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(odd)).predict(X), odd.predict(X))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["tree", "gates", 0, "offset"], None, r"\$\.tree\.gates\[0\]\.offset"),
        (["tree", "format"], "thriftree-tree", r"\$\.tree: not a soft tree"),
        (["fitted", "n_features_in_"], 9, r"\$\.fitted\.n_features_in_"),
        (["fitted", "converged_"], 1, r"\$\.fitted\.converged_"),
        (["fitted", "feature_importances_"], [], r"feature_importances_"),
        (["params", "leaves"], "cubic", r"\$\.params\.leaves"),
        (["estimator"], "SoftTreeRegressor", r"\$\.params"),
    ],
    ids=lambda value: "-".join(map(str, value)) if isinstance(value, list) else "",
)
def test_a_file_that_is_not_as_the_spec_says_is_refused(tmp_path, path, value, message):
    X, y = mixed(2)
    file = tmp_path / "model.json"
    SoftTreeClassifier(max_iter=2).fit(X, y).save(file)
    document = json.loads(file.read_text())
    part = document
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    file.write_text(json.dumps(document))
    with pytest.raises(ValueError, match=message):
        thriftree.load(file)


def test_a_soft_tree_alone_is_loaded_too(tmp_path):
    X, y = mixed(3)
    tree = SoftTreeClassifier(max_iter=2).fit(X, y).soft_tree_
    tree.save(tmp_path / "soft.json")
    assert thriftree.load(tmp_path / "soft.json") == tree


def test_the_penalty_by_folds_is_that_of_the_least_loss():
    X, y = spread(4, numbers=True)
    model = SoftTreeRegressor(l2="cv", cv=3, random_state=1, max_iter=60).fit(X, y)
    results = model.cv_results_
    assert results["l2"].tolist() == sorted(results["l2"]) == [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]
    assert model.l2_ == results["l2"][results["mean_loss"].argmin()]
    again = SoftTreeRegressor(l2=model.l2_, max_iter=60).fit(X, y)
    np.testing.assert_array_equal(again.soft_tree_.parameters, model.soft_tree_.parameters)
    places = np.arange(len(y))
    folds = [(places[places % 3 != k], places[places % 3 == k]) for k in range(3)]
    stated = SoftTreeRegressor(l2="cv", cv=folds, max_iter=60).fit(X, y).cv_results_
    slow = [
        np.mean(
            [
                np.mean((SoftTreeRegressor(l2=l2, max_iter=60).fit(X[a], y[a]).predict(X[b]) - y[b]) ** 2)
                for a, b in folds
            ]
        )
        for l2 in stated["l2"]
    ]
    np.testing.assert_allclose(stated["mean_loss"], slow, rtol=1e-9)


def test_max_leaves_bounds_the_leaves():
    X, y = spread(5)
    for init in ("tree", "random"):
        for most in (1, 3, 7):
            model = SoftTreeClassifier(init=init, max_leaves=most, max_iter=3, random_state=0).fit(X, y)
            assert model.get_n_leaves() == most
            assert model.get_depth() <= 4
    assert SoftTreeClassifier(init="random", max_iter=0).fit(X, y).get_n_leaves() == 16


def test_a_table_that_does_not_fit_is_refused_with_a_remedy():
    X, y = spread(6)
    with pytest.raises(MemoryError, match="memory_limit_mb allows"):
        SoftTreeClassifier(memory_limit_mb=0.01).fit(X, y)
    SoftTreeClassifier(memory_limit_mb=200, max_iter=2).fit(X, y)


def test_without_time_there_is_a_leaf():
    X, y = mixed(7)
    for model, target in ((SoftTreeClassifier, y), (SoftTreeRegressor, (y == y[0]) * 2.0)):
        for l2 in (1e-3, "cv"):
            with pytest.warns(LimitReachedWarning):
                found = model(time_limit_s=0.0, l2=l2).fit(X, target)
            assert found.stopped_by_ == "time_limit"
            assert found.get_n_leaves() == 1
            assert len(found.predict(X)) == len(y)
    assert found.predict(X)[0] == pytest.approx(target.mean())


def test_of_very_many_categories_the_heaviest_have_a_weight():
    import pandas as pd

    rng = np.random.default_rng(0)
    code = np.concatenate([np.arange(400), rng.integers(0, 300, 2000)])
    X = pd.DataFrame({"many": [f"c{value:03d}" for value in code], "x": rng.normal(size=len(code))})
    y = np.where(code % 2 == 0, "even", "odd")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SoftTreeClassifier(max_depth=1).fit(X, y)
    kept = model.soft_tree_.design.columns[0].categories
    assert len(kept) == MOST_CATEGORIES
    assert set(kept) <= {f"c{value:03d}" for value in range(300)}
    assert model.score(X[code < 300], y[code < 300]) > 0.85
    unseen = model.predict_proba(pd.DataFrame({"many": ["c399", "new"], "x": [0.0, 0.0]}))
    np.testing.assert_array_equal(unseen[0], unseen[1])


def test_an_explanation_says_how_a_row_flows():
    X, y = mixed(8)
    model = SoftTreeClassifier(max_iter=20, max_depth=2, costs=[1.0] * X.shape[1]).fit(X, y)
    said = model.explain(X[3:4])
    proba = model.predict_proba(X[3:4])[0]
    assert said.answer == model.predict(X[3:4])[0]
    assert list(said.probabilities.values()) == proba.tolist()
    reach = model.path_probabilities(X[3:4])[0]
    assert [step.reach for step in said.gates] + [leaf.reach for leaf in said.leaves] == reach.tolist()
    assert said.expected_cost == pytest.approx(model.predict_cost(X[3:4])[0])
    for step in said.gates:
        total = step.offset + sum(step.pushes.values())
        assert step.left == pytest.approx(1 / (1 + np.exp(-total)), abs=1e-9)
    mixed_by_leaf = sum(leaf.reach * np.array(list(leaf.says.values())) for leaf in said.leaves)
    np.testing.assert_allclose(mixed_by_leaf, proba, atol=1e-12)
    assert "expected price" in str(said)
    assert json.dumps(said.to_dict())


def test_an_explanation_names_the_likeliest_classes_first_and_counts_the_others():
    X, y = spread(8)
    model = SoftTreeClassifier(max_iter=5, max_depth=2).fit(X, np.arange(len(y)) % 7)
    said = model.explain(X[0])
    first = str(said).split("\n")[0]
    shares = sorted(said.probabilities.items(), key=lambda pair: -pair[1])
    told = [f"{name} {share:.0%}" for name, share in shares[:4]]
    rest = sum(share for _, share in shares[4:])
    assert first == f"{said.answer}: {', '.join(told)}, 3 others {rest:.0%}"


def test_an_explanation_of_linear_leaves_mixes_to_the_answer():
    X, y = spread(9, numbers=True)
    model = SoftTreeRegressor(max_iter=20, max_depth=2, leaves="linear").fit(X, y)
    said = model.explain(X[0])
    assert said.answer == pytest.approx(model.predict(X[:1])[0])
    assert sum(leaf.reach * leaf.says for leaf in said.leaves) == pytest.approx(said.answer)
    assert "gates to pass" in str(said)


def test_prices_by_name_are_those_of_the_columns():
    X, y = mixed(0)
    assert set(COSTS["once"].prices) == {"a", "b", "c", "d"}
    with pytest.raises(ValueError, match="no price for"):
        SoftTreeClassifier(costs={X.columns[0]: 1.0}).fit(X, y)
