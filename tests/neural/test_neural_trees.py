"""Neural trees: with nothing in front they are soft trees; what limits, seeds and weights promise holds."""

from __future__ import annotations

import builtins
import math
import pickle
import signal
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from soft_problems import random_problem
from soft_tables import answers, mixed, spread
from thoroughness import tries

from thriftree import LimitReachedWarning, NeuralTreeClassifier, NeuralTreeRegressor, SoftTree, load
from thriftree.methods.neural.backbones import HiddenLayer, design_of_units
from thriftree.methods.soft.design import Design

BOTH = pytest.mark.parametrize("cls", [NeuralTreeClassifier, NeuralTreeRegressor])
FULL = pytest.mark.full


@pytest.fixture
def torch() -> Any:
    """What the full run installs; nothing here runs without it."""
    import torch

    return torch


def target_of(cls: Any, seed: int, **options: Any) -> Any:
    return spread(seed, numbers=cls is NeuralTreeRegressor, **options)


# --- without torch ------------------------------------------------------------------------------------------


@BOTH
def test_without_torch_all_but_fit_works_and_fit_says_what_to_install(cls, monkeypatch):
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == "torch":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
    model = clone(cls(hidden=3, l2=0.5))
    assert repr(model) == f"{cls.__name__}(hidden=3, l2=0.5)"
    assert pickle.loads(pickle.dumps(model)).get_params() == model.get_params()
    with pytest.raises(
        ImportError, match=rf"{cls.__name__}\.fit needs the package torch: pip install 'thrif"
    ):
        model.fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(NotFittedError):
        model.predict([[0.0]])


@BOTH
@pytest.mark.parametrize(
    "bad",
    [
        {"hidden": -1},
        {"backbone": "relu"},
        {"max_depth": 21},
        {"sharpness": 0.0},
        {"batch_size": 0},
        {"learning_rate": 0.0},
        {"patience": 0},
        {"validation_fraction": 1.0},
    ],
    ids=lambda bad: next(iter(bad)),
)
def test_parameters_out_of_range_are_refused(cls, bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        cls(**bad).fit([[0.0], [1.0]], [0, 1])


def test_a_hidden_layer_is_its_definition():
    rng = np.random.default_rng(0)
    layer = HiddenLayer(rng.normal(size=(3, 5)), rng.normal(size=3))
    terms = rng.normal(size=(4, 5))
    slow = [
        [math.tanh(sum(w * t for w, t in zip(of_unit, row, strict=True)) + b) for of_unit, b in both]
        for row in terms
        for both in [list(zip(layer.weights, layer.offsets, strict=True))]
    ]
    np.testing.assert_allclose(layer.units(terms), slow, rtol=1e-14)


# --- the oracle ---------------------------------------------------------------------------------------------


@FULL
@pytest.mark.parametrize("n_classes", [0, 2, 4])
def test_in_torch_the_loss_and_its_slopes_are_those_of_the_core(torch, n_classes):
    from thriftree.methods.neural.torch_flow import TorchFlow

    for seed in range(tries(40, 5)):
        problem = random_problem(seed, gates="oblique", n_classes=n_classes)
        sharpness, l2 = [0.5, 1.0, 3.0][seed % 3], 0.01
        tree = SoftTree(
            design_of_units(problem.rows.shape[1]),
            left=np.array(problem.left, np.int32),
            right=np.array(problem.right, np.int32),
            first=np.array(problem.first, np.int32),
            count=np.array(problem.count, np.int32),
            parameters=problem.parameters,
            sharpness=sharpness,
            classes=tuple(range(n_classes)) or None,
        )
        flow = TorchFlow(tree, "cpu", torch.float64)
        units, weights = torch.from_numpy(problem.rows), torch.from_numpy(problem.weights)
        target = torch.from_numpy(problem.targets.astype(np.int64 if n_classes else float))
        losses = flow.losses(units, target)
        loss = (weights * losses).sum() / weights.sum() + l2 / 2 * flow.penalty()
        loss.backward()
        value, slopes = problem.core(sharpness=sharpness, l2=l2, output_l2=2 * l2 / max(2, n_classes))
        assert float(loss.detach()) == pytest.approx(value, rel=1e-12)
        found = flow.learned(tree).parameters
        np.testing.assert_array_equal(found, tree.parameters)
        gradient = tree.with_parameters(tree.parameters)
        for one in flow.parameters:
            one.data = one.grad if one.grad is not None else torch.zeros_like(one)
        np.testing.assert_allclose(flow.learned(gradient).parameters, slopes, rtol=1e-9, atol=1e-12)
        slow = tree.predict_proba(problem.rows) if n_classes else tree.predict(problem.rows)[:, None]
        for one, value in zip(flow.parameters, TorchFlow(tree, "cpu", torch.float64).parameters, strict=True):
            one.data = value.data
        np.testing.assert_allclose(flow.answers(units).detach().numpy(), slow, rtol=1e-10, atol=1e-13)


@FULL
@BOTH
def test_with_nothing_in_front_it_is_a_soft_tree_of_the_table(torch, cls):
    X, y = target_of(cls, 0)
    model = cls(hidden=0, random_state=0, max_epochs=5).fit(X, y)
    assert model.backbone_ is None
    np.testing.assert_array_equal(answers(model, X), answers_of(model.soft_tree_, X))
    again = SoftTree.from_dict(model.soft_tree_.to_dict())
    np.testing.assert_array_equal(answers_of(again, X), answers(model, X))


def answers_of(tree: SoftTree, X: Any) -> Any:
    return tree.predict(X) if tree.classes is None else tree.predict_proba(X)


# --- learning -----------------------------------------------------------------------------------------------


@FULL
@BOTH
@pytest.mark.parametrize("hidden", [0, 16])
def test_it_learns_what_no_single_leaf_does(torch, cls, hidden):
    X, y = target_of(cls, 1, n_rows=800)
    model = cls(hidden=hidden, random_state=0).fit(X[:600], y[:600])
    stump = cls(hidden=hidden, max_depth=0, random_state=0, max_epochs=30).fit(X[:600], y[:600])
    assert model.score(X[600:], y[600:]) > stump.score(X[600:], y[600:]) + 0.15
    assert model.get_n_leaves() == 16
    assert model.get_depth() == 4
    assert stump.get_n_leaves() == 1
    np.testing.assert_allclose(model.path_probabilities(X)[:, 15:].sum(axis=1), 1, atol=1e-12)


@FULL
@BOTH
def test_the_epoch_that_stays_is_the_best_of_the_rows_kept_aside(torch, cls):
    X, y = target_of(cls, 2, n_rows=400)
    model = cls(random_state=0, patience=5, learning_rate=0.05, l2=0.0).fit(X, y)
    curve = model.validation_loss_curve_
    assert model.n_iter_ == len(curve) == len(model.loss_curve_)
    assert model.best_epoch_ == curve.argmin() + 1
    assert model.stopped_early_
    assert model.n_iter_ == model.best_epoch_ + 5
    same = cls(random_state=0, patience=5, learning_rate=0.05, l2=0.0, max_epochs=model.best_epoch_).fit(X, y)
    np.testing.assert_array_equal(answers(model, X), answers(same, X))


@FULL
def test_the_rows_kept_aside_have_every_class_in_its_share(torch):
    from thriftree.methods.neural.training import NeuralRows, divided

    y = np.repeat([0, 1, 2], [100, 50, 30])
    rows = NeuralRows(np.zeros((180, 1)), y, np.ones(180))
    used, aside = divided(rows, 0.1, np.random.RandomState(0))
    assert np.bincount(y[aside]).tolist() == [10, 5, 3]
    assert sorted([*used, *aside]) == list(range(180))
    assert len(divided(rows, 0.0, np.random.RandomState(0))[1]) == 0


@FULL
@BOTH
def test_a_seed_gives_the_same_digits_and_nobody_elses_chance_is_disturbed(torch, cls):
    X, y = target_of(cls, 0)
    torch.manual_seed(5)
    before = torch.random.get_rng_state()
    module = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.2), torch.nn.Tanh())
    state = {name: value.clone() for name, value in module.state_dict().items()}
    torch.random.set_rng_state(before)
    for settings in ({}, {"hidden": 0}, {"backbone": module}):
        one, two = (cls(random_state=7, max_epochs=8, **settings).fit(X, y) for _ in range(2))
        np.testing.assert_array_equal(answers(one, X), answers(two, X))
        other = cls(random_state=8, max_epochs=8, **settings).fit(X, y)
        assert not np.array_equal(answers(one, X), answers(other, X))
    assert torch.equal(torch.random.get_rng_state(), before)
    for name, value in module.state_dict().items():
        assert torch.equal(value, state[name])  # the caller's is copied


@FULL
@BOTH
def test_a_module_of_yours_is_learned_and_kept(torch, cls):
    X, y = target_of(cls, 1, n_rows=600)
    module = torch.nn.Sequential(torch.nn.Linear(4, 12), torch.nn.ReLU(), torch.nn.Linear(12, 6))
    model = cls(backbone=module, random_state=0, max_epochs=60).fit(X, y)
    assert model.soft_tree_.design.n_terms == 6
    assert model.score(X, y) > 0.5
    np.testing.assert_array_equal(answers(pickle.loads(pickle.dumps(model)), X), answers(model, X))
    np.testing.assert_array_equal(answers(clone(model).fit(X, y), X), answers(model, X))
    with pytest.raises(ValueError, match=r"backbone made \(2, 4, 1\) of a batch of \(2, 4\)"):
        cls(backbone=torch.nn.Unflatten(1, (4, 1))).fit(X, y)


@FULL
@BOTH
@pytest.mark.parametrize("hidden", [0, 4])
def test_a_whole_weight_is_a_repetition_to_the_last_digit(torch, cls, hidden):
    X, y = target_of(cls, 3, n_rows=60)
    times = np.random.default_rng(3).integers(0, 4, len(X))
    rows = np.random.default_rng(1).permutation(np.repeat(np.arange(len(X)), times))
    once = cls(hidden=hidden, random_state=0, max_epochs=20).fit(X, y, sample_weight=times)
    often = cls(hidden=hidden, random_state=0, max_epochs=20).fit(X[rows], y[rows])
    np.testing.assert_array_equal(answers(once, X), answers(often, X))


@FULL
def test_class_weights_weigh_rows(torch):
    X, y = spread(4)
    plain = NeuralTreeClassifier(random_state=0, max_epochs=30).fit(X, y)
    heavy = NeuralTreeClassifier(random_state=0, max_epochs=30, class_weight={0: 1, 1: 20, 2: 1}).fit(X, y)
    assert heavy.predict_proba(X)[:, 1].mean() > plain.predict_proba(X)[:, 1].mean() + 0.1


@FULL
def test_categories_and_missing_values_are_read_as_they_are(torch):
    X, y = mixed(7)
    model = NeuralTreeClassifier(random_state=0).fit(X, y)
    assert model.score(X, y) > 0.8
    assert model.design_.n_terms == 7
    import polars as pl

    np.testing.assert_array_equal(model.predict_proba(pl.from_pandas(X)), model.predict_proba(X))
    new = pd.DataFrame({"colour": ["violet", None], "size": [0.1, np.nan], "weight": [np.nan, 1.0]})
    np.testing.assert_allclose(model.predict_proba(new).sum(axis=1), 1)


@FULL
@BOTH
def test_predicting_with_a_hidden_layer_needs_no_torch(torch, cls, monkeypatch):
    X, y = target_of(cls, 0)
    model = cls(random_state=0, max_epochs=3).fit(X, y)
    wanted = answers(model, X)
    kept = pickle.dumps(model)
    assert b"torch" not in kept
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    np.testing.assert_array_equal(answers(pickle.loads(kept), X), wanted)


# --- limits -------------------------------------------------------------------------------------------------


@FULL
@BOTH
def test_a_time_limit_leaves_a_model_and_says_so(torch, cls):
    X, y = target_of(cls, 0)
    with pytest.warns(LimitReachedWarning, match="stopped at its time_limit_s"):
        model = cls(time_limit_s=0, random_state=0).fit(X, y)
    assert model.stopped_by_ == "time_limit"
    assert np.isfinite(answers(model, X)).all()


@FULL
@BOTH
@pytest.mark.parametrize("ended", ["time_limit", "interrupt"])
def test_a_fit_that_ends_among_its_rows_leaves_a_leaf(torch, cls, ended, monkeypatch, tmp_path):
    X, y = target_of(cls, 0, n_rows=2000)
    matrix = Design.matrix

    def late(self, inputs, look):
        if ended == "interrupt":
            signal.raise_signal(signal.SIGINT)
        look.__self__.ends_at = 0.0
        return matrix(self, inputs, look)

    monkeypatch.setattr(Design, "matrix", late)
    model = cls(time_limit_s=100.0)
    with pytest.raises(KeyboardInterrupt) if ended == "interrupt" else pytest.warns(LimitReachedWarning):
        model.fit(X, y)
    monkeypatch.undo()
    assert (model.stopped_by_, model.soft_tree_.n_leaves, model.backbone_) == (ended, 1, None)
    shares = np.bincount(y) / len(y) if cls is NeuralTreeClassifier else y.mean()
    np.testing.assert_allclose(answers(model, X), np.broadcast_to(shares, answers(model, X).shape), rtol=0.01)
    model.save(tmp_path / "leaf.json")
    np.testing.assert_array_equal(answers(load(tmp_path / "leaf.json"), X), answers(model, X))


@FULL
@BOTH
def test_of_very_many_categories_only_the_heaviest_have_a_term(torch, cls):
    """Each takes a float of every row: of 50,000 categories a table of 100,000 rows had no room."""
    X = pd.DataFrame({"place": [f"p{i // 2}" for i in range(1000)] + ["p0"] * 20, "a": np.arange(1020.0) % 7})
    y = X["a"].to_numpy() > 3
    model = cls(random_state=0, max_epochs=2).fit(X, y.astype(float) if cls is NeuralTreeRegressor else y)
    assert model.design_.widths == [256, 1]  # and one for the others
    assert "p0" in model.design_.columns[0].categories
    assert np.isfinite(answers(model, pd.DataFrame({"place": ["p499", "nowhere"], "a": [1.0, 2.0]}))).all()


@FULL
@BOTH
def test_ctrl_c_leaves_the_best_so_far(torch, cls, monkeypatch):
    from thriftree.methods.neural.torch_flow import TorchFlow

    X, y = target_of(cls, 0, n_rows=3000)
    calls = iter(range(10**9))
    losses = TorchFlow.losses

    def interrupted(self: Any, *rest: Any) -> Any:
        if next(calls) == 60:
            signal.raise_signal(signal.SIGINT)
        return losses(self, *rest)

    monkeypatch.setattr(TorchFlow, "losses", interrupted)
    model = cls(random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.stopped_by_ == "interrupt"
    assert 0 < model.n_iter_ < 60
    monkeypatch.undo()
    same = cls(random_state=0, max_epochs=model.n_iter_).fit(X, y)
    np.testing.assert_array_equal(answers(model, X), answers(same, X))


# --- odd input ----------------------------------------------------------------------------------------------


@FULL
@BOTH
def test_one_row_one_class_and_constant_columns_are_learned(torch, cls):
    assert cls(random_state=0).fit([[1.0, 2.0]], [1]).predict([[5.0, 6.0]]) == pytest.approx([1])
    same = cls(random_state=0).fit([[1.0], [1.0], [1.0]], [2, 2, 2])
    assert same.predict([[0.0], [1.0]]) == pytest.approx([2, 2])


@FULL
@BOTH
def test_bad_rows_are_refused(torch, cls):
    with pytest.raises(ValueError, match="Input y contains NaN"):
        cls().fit([[0.0], [1.0]], [0.0, np.nan])
    X, y = target_of(cls, 0)
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match=r"column 'x2'.* holds infinity"):
        cls().fit(X, y)


# --- balance ------------------------------------------------------------------------------------------------


@FULL
def test_imbalance_is_the_weighted_cross_entropy_of_what_goes_left(torch):
    from thriftree.methods.neural.torch_flow import TorchFlow

    for seed in range(tries(20, 3)):
        problem = random_problem(seed, gates="oblique", n_classes=2)
        tree = SoftTree(
            design_of_units(problem.rows.shape[1]),
            left=np.array(problem.left, np.int32),
            right=np.array(problem.right, np.int32),
            first=np.array(problem.first, np.int32),
            count=np.array(problem.count, np.int32),
            parameters=problem.parameters,
            sharpness=1.5,
            classes=(0, 1),
        )
        reach, expected = tree.path_probabilities(problem.rows), 0.0
        depth = np.zeros(tree.n_gates)
        for gate in range(tree.n_gates):
            for child in (tree.left[gate], tree.right[gate]):
                if child >= 0:
                    depth[child] = depth[gate] + 1
            child = int(tree.left[gate])
            to_left = problem.weights @ reach[:, child if child >= 0 else tree.n_gates + ~child]
            share = to_left / (problem.weights @ reach[:, gate])
            expected -= 0.5 ** depth[gate] * 0.5 * (math.log(share) + math.log(1 - share))
        flow = TorchFlow(tree, "cpu", torch.float64)
        found = flow.imbalance(torch.from_numpy(problem.rows), torch.from_numpy(problem.weights))
        assert float(found.detach()) == pytest.approx(expected, rel=1e-9)


@FULL
def test_balance_keeps_leaves_for_ten_classes_whatever_the_seed(torch):
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    scores = {balance: [] for balance in (0.0, 0.1)}
    for seed in range(3):
        for balance, found in scores.items():
            model = NeuralTreeClassifier(balance=balance, random_state=seed).fit(X[:1000], y[:1000])
            found.append(model.score(X[1000:], y[1000:]))
    assert min(scores[0.1]) > 0.85
    assert np.mean(scores[0.1]) > np.mean(scores[0.0]) + 0.1
