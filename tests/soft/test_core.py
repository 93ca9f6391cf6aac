"""The core of soft trees against their definition, and its gradients against differences."""

from __future__ import annotations

import math

import numpy as np
import pytest
from oracles import soft_trees
from soft_problems import check_gradient, random_problem
from thoroughness import tries

from thriftree import _core

KINDS = [
    pytest.param({"gates": gates, "n_classes": n_classes, "linear": linear}, id=f"{gates}-{of}-{leaves}")
    for gates in ("oblique", "axis")
    for n_classes, of in ((0, "numbers"), (2, "two"), (3, "three"))
    for linear, leaves in ((False, "constant"), (True, "linear"))
]


def shares_for(problem):
    """What each parameter pays of its penalty: some nothing."""
    rng = np.random.default_rng(len(problem.parameters))
    return rng.choice([0.0, 0.3, 1.0, 2.5], len(problem.parameters))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("l2", [0.0, 0.3])
def test_the_objective_is_its_definition(kind, l2):
    for seed in range(tries(40, 4)):
        problem = random_problem(seed, **kind)
        for sharpness in (0.5, 3.0, math.inf):
            several = {"l2": l2, "leaf_l2": 0.7 * l2, "output_l2": 0.2 * l2}
            for penalties in ({"l2": l2}, several, {**several, "shares": shares_for(problem)}):
                value, _ = problem.core(sharpness=sharpness, **penalties)
                assert value == pytest.approx(problem.slow(sharpness, **penalties), rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("l2", [0.0, 0.3])
@pytest.mark.parametrize("sharpness", [0.5, 2.0])
def test_the_gradient_is_the_central_difference(kind, l2, sharpness):
    for seed in range(tries(60, 2)):
        problem = random_problem(seed, **kind)
        penalties = {"l2": l2, "leaf_l2": 0.7 * l2, "output_l2": 0.2 * l2}
        check_gradient(problem, sharpness=sharpness, **penalties)
        check_gradient(problem, sharpness=sharpness, **penalties, shares=shares_for(problem))


@pytest.mark.parametrize("kind", KINDS)
def test_answers_and_reaches_are_their_definition_and_sum_to_one(kind):
    for seed in range(tries(40, 4)):
        problem = random_problem(seed, **kind)
        for sharpness in (1.5, math.inf):
            given = problem.shape, problem.core_rows, problem.parameters, sharpness
            answers, reach = _core.soft_answers(*given), _core.soft_reaches(*given)
            for r, row in enumerate(problem.rows):
                of_gate, of_leaf = soft_trees.reaches(
                    problem.left, problem.right, problem.gates(), row, sharpness
                )
                np.testing.assert_allclose(reach[r], of_gate + of_leaf, rtol=1e-12, atol=1e-15)
                expected = soft_trees.answer(
                    problem.left,
                    problem.right,
                    problem.gates(),
                    problem.leaves(),
                    row,
                    sharpness,
                    bool(kind["n_classes"]),
                )
                np.testing.assert_allclose(answers[r], expected, rtol=1e-12, atol=1e-15)
            np.testing.assert_allclose(reach[:, problem.shape.n_gates :].sum(axis=1), 1, atol=1e-14)
            if kind["n_classes"]:
                np.testing.assert_allclose(answers.sum(axis=1), 1, atol=1e-14)


@pytest.mark.parametrize("kind", KINDS)
def test_no_digit_depends_on_the_number_of_threads(kind):
    problem = random_problem(5, **kind, n_rows=40_000)
    one, four = problem.core(n_threads=1), problem.core(n_threads=4)
    assert one[0] == four[0]
    np.testing.assert_array_equal(one[1], four[1])
    given = problem.shape, problem.core_rows, problem.parameters
    found = [
        _core.soft_descend(
            *given, weights=problem.weights, l2=1e-3, max_iter=5, n_threads=n, **problem.target
        )
        for n in (1, 3)
    ]
    np.testing.assert_array_equal(found[0].parameters, found[1].parameters)


@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_never_rises_and_its_last_value_is_that_of_the_parameters(kind):
    for seed in range(tries(40, 4)):
        problem = random_problem(seed, **kind)
        given = problem.shape, problem.core_rows, problem.parameters
        options = {"weights": problem.weights, "l2": 1e-2, "tol": 1e-9, "max_iter": 300}
        found = _core.soft_descend(*given, **options, **problem.target)
        assert (np.diff(found.losses) < 0).all()
        assert found.losses[-1] == problem.core(found.parameters, l2=1e-2)[0]
        assert found.ended_by in ("converged", "max_iter")
        assert found.losses[0] == problem.core(l2=1e-2)[0]


@pytest.mark.parametrize("n_classes", [0, 3])
def test_the_minimum_is_that_of_another_minimiser(n_classes):
    from scipy.optimize import minimize

    problem = random_problem(11, gates="oblique", n_classes=n_classes, n_rows=200)
    given = problem.shape, problem.core_rows, problem.parameters
    options = {"weights": problem.weights, "l2": 0.05, "tol": 1e-12, "max_iter": 5000}
    ours = _core.soft_descend(*given, **options, **problem.target)
    there = minimize(
        lambda x: problem.core(x, l2=0.05), ours.parameters, jac=True, method="BFGS", options={"gtol": 1e-9}
    )
    assert ours.losses[-1] == pytest.approx(there.fun, abs=1e-8)  # nothing lower is near


def test_a_logistic_regression_is_one_gate_with_sure_leaves():
    """With leaves that answer one class each, the best gate is the logistic regression of scikit-learn."""
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 3))
    labels = (rows @ [1.0, -2.0, 0.5] + rng.logistic(size=500) > 0).astype(np.int32)
    l2 = 0.01
    there = LogisticRegression(C=1 / (l2 * 500), tol=1e-10, max_iter=1000).fit(rows, labels)
    weights = -there.coef_[0]  # left is class 0
    sure = [40.0, -40.0, -40.0, 40.0]
    shape = _core.SoftShape([-1], [-2], [0], [3], 3, 2)
    core_rows = _core.SoftRows(np.ascontiguousarray(rows.T), np.zeros(3), np.ones(3))
    given = np.array([*weights, -there.intercept_[0], *sure])
    _, gradient = _core.soft_objective(shape, core_rows, given, labels=labels, l2=l2)
    assert np.abs(gradient[:4]).max() < 1e-6
    proba = _core.soft_answers(shape, core_rows, given)
    np.testing.assert_allclose(proba, there.predict_proba(rows), atol=1e-12)


def test_a_time_limit_of_nothing_leaves_the_start():
    problem = random_problem(2, gates="oblique", n_classes=2, n_rows=1000)
    found = _core.soft_descend(
        problem.shape,
        problem.core_rows,
        problem.parameters,
        labels=problem.targets.astype(np.int32),
        limits=_core.Limits(time_limit_s=0.0),
    )
    assert found.ended_by == "time_limit"
    np.testing.assert_array_equal(found.parameters, problem.parameters)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"left": [0, -1]}, "gate 0 of the soft tree has a child"),
        ({"left": [1, -1, 5]}, "one entry a gate"),
        ({"first": [0, 3]}, "gate 1 of the soft tree weighs columns"),
        ({"n_classes": -1}, "n_classes must be 0 or more"),
    ],
    ids=lambda value: value if isinstance(value, str) else next(iter(value)),
)
def test_a_shape_that_is_no_tree_is_refused(change, message):
    good = {
        "left": [1, -1],
        "right": [-3, -2],
        "first": [0, 0],
        "count": [2, 2],
        "n_columns": 2,
        "n_classes": 2,
    }
    _core.SoftShape(**good)
    with pytest.raises(ValueError, match=message):
        _core.SoftShape(**{**good, **change})


def test_bad_numbers_are_refused():
    problem = random_problem(3, gates="oblique", n_classes=2, n_rows=10)
    with pytest.raises(ValueError, match="parameters, not 1"):
        problem.core(np.zeros(1))
    with pytest.raises(ValueError, match="sharpness must be greater than 0"):
        problem.core(sharpness=0.0)
    with pytest.raises(ValueError, match="l2 must be finite"):
        problem.core(l2=math.nan)
    with pytest.raises(ValueError, match="shares must be finite"):
        problem.core(shares=np.full(len(problem.parameters), -1.0))
    with pytest.raises(ValueError, match="one entry a parameter"):
        problem.core(shares=np.ones(1))
    problem.targets[3] = 2
    with pytest.raises(ValueError, match="a label is not among the classes"):
        problem.core()


def test_spread_is_the_weighted_mean_and_deviation_of_known_values():
    for seed in range(tries(200, 40)):
        rng = np.random.default_rng(seed)
        values = (rng.normal(size=rng.integers(2, 50)) + rng.normal()) * 10.0 ** rng.integers(-150, 150)
        weights = rng.uniform(0.1, 2, len(values))
        centre, scale = _core.soft_spread(np.append(values, np.nan), np.append(weights, 1.0))
        mean = np.average(values, weights=weights)
        assert centre == pytest.approx(mean, rel=1e-9, abs=1e-12 * np.abs(values).max())
        assert 1 / scale == pytest.approx(
            math.sqrt(np.average((values - mean) ** 2, weights=weights)), rel=1e-6
        )
    assert _core.soft_spread(np.full(5, 0.1)) == (pytest.approx(0.1), 0.0)
    with pytest.raises(ValueError, match="infinity"):
        _core.soft_spread(np.array([1.0, np.inf]))
