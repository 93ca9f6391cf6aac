"""OptimalTreeClassifier: the optimum of an oracle that knows values only, and what is said of it."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from optimal_problems import best_by_oracle, table
from sklearn.base import clone
from sklearn.datasets import load_iris
from thoroughness import tries

from thriftree import C45Classifier, CARTClassifier, OptimalTreeClassifier, near_optimal, regularised_risk
from thriftree.datasets import heart_prices, load_heart

X, Y = load_iris(return_X_y=True)
HEART, SICK = load_heart()


def fit(rows, **parameters):
    parameters = {"categorical_features": list(rows.categorical), **parameters}
    return OptimalTreeClassifier(**parameters).fit(rows.X, rows.y, sample_weight=rows.sample_weight)


@pytest.mark.parametrize("thresholds", ["auto", "all"])
def test_the_objective_is_that_of_the_best_of_all_trees(thresholds):
    for seed in range(tries(400, 32)):
        rows = table(seed, n_rows=14, n_values=2 + seed % 4, n_columns=1 + seed % 3)
        shape = {"max_depth": 1 + seed % 3, "max_leaves": (None, 3, 5)[seed % 3], "min_leaf": 1 + seed % 2}
        penalty = Fraction(seed % 5, 50)
        model = fit(rows, leaf_penalty=float(penalty), thresholds=thresholds, **shape)
        wanted = best_by_oracle(rows, penalty, **shape)
        assert model.objective_ == pytest.approx(float(wanted), abs=1e-12), seed
        assert (model.status_, model.gap_, model.lower_bound_) == ("optimal", 0, model.objective_)
        assert model.proved_for_ == "all thresholds"
        assert model.tree_.depth <= shape["max_depth"]
        assert model.tree_.n_leaves <= (shape["max_leaves"] or 99)
        assert model.tree_.core.rows.min() >= shape["min_leaf"]


def test_mistakes_of_different_cost_and_classes_of_different_weight():
    for seed in range(tries(200, 16)):
        rows = table(seed, n_rows=14, n_values=3)
        n = rows.n_classes
        random = np.random.default_rng(seed)
        costs = random.integers(1, 9, (n, n))
        np.fill_diagonal(costs, 0)
        factors = tuple(random.integers(1, 4, n).tolist())
        model = fit(
            rows,
            leaf_penalty=0.02,
            max_depth=2,
            error_costs=costs,
            class_weight=dict(enumerate(factors)),
        )
        wanted = best_by_oracle(rows, Fraction(1, 50), max_depth=2, error_costs=costs, factors=factors)
        assert model.objective_ == pytest.approx(float(wanted), abs=1e-12), seed
        weight = np.array(factors)[rows.y] * (1.0 if rows.sample_weight is None else rows.sample_weight)
        risk = regularised_risk(model.tree_, rows.X, rows.y, 0.02, sample_weight=weight, error_costs=costs)
        assert risk == pytest.approx(model.objective_, abs=1e-12)


def test_the_objective_is_the_regularised_risk_of_the_tree_on_the_rows():
    model = OptimalTreeClassifier(leaf_penalty=0.01, max_depth=3).fit(X, Y)
    assert model.objective_ == pytest.approx(regularised_risk(model.tree_, X, Y, 0.01), abs=1e-15)
    wrong = float((model.predict(X) != Y).mean())
    assert model.objective_ == pytest.approx(wrong + 0.01 * model.tree_.n_leaves, abs=1e-15)


def test_all_thresholds_are_no_worse_than_those_that_were_generated():
    for depth in (1, 2):
        auto = OptimalTreeClassifier(leaf_penalty=0.01, max_depth=depth).fit(HEART, SICK)
        every = OptimalTreeClassifier(leaf_penalty=0.01, max_depth=depth, thresholds="all").fit(HEART, SICK)
        assert every.objective_ <= auto.objective_ + 1e-12
        assert every.status_ == auto.status_ == "optimal"
        assert "generated tests" in auto.proved_for_
        assert every.proved_for_.startswith("all thresholds")


def test_all_thresholds_of_deep_trees_are_refused_with_the_remedy():
    with pytest.raises(
        ValueError, match=r'max_depth <= 3, and max_depth is 4: lower it, or take thresholds="auto"'
    ):
        OptimalTreeClassifier(leaf_penalty=0.01, thresholds="all").fit(HEART, SICK)


def test_a_tree_to_begin_with_is_never_left_for_a_worse_one():
    for learner in (CARTClassifier(max_depth=4), C45Classifier()):
        warm = learner.fit(HEART, SICK).tree_
        quick = {"leaf_penalty": 0.004, "lookahead": 0, "max_depth": 4}
        begun = OptimalTreeClassifier(warm_start=warm, **quick).fit(HEART, SICK)
        assert begun.objective_ <= regularised_risk(warm, HEART, SICK, 0.004) + 1e-12 or warm.depth > 4
        assert begun.status_ == "heuristic"


def test_a_tree_of_other_columns_is_refused():
    warm = CARTClassifier().fit(X, Y).tree_
    with pytest.raises(ValueError, match="warm_start is a tree of the columns"):
        OptimalTreeClassifier(leaf_penalty=0.01, warm_start=warm).fit(HEART, SICK)
    renamed = pd.DataFrame({name: ["a", "b"] * 75 for name in ("x0", "x1", "x2", "x3")})
    with pytest.raises(ValueError, match="tests 'x0' as number, and X has it as category"):
        OptimalTreeClassifier(leaf_penalty=0.01, warm_start=warm).fit(renamed, Y)


def test_exclusive_or_which_no_greedy_tree_sees():
    random = np.random.default_rng(0)
    rows = random.normal(size=(400, 6))
    y = (rows[:, 1] > 0.2) ^ (rows[:, 4] > -0.5)
    model = OptimalTreeClassifier(leaf_penalty=0.01, max_depth=2).fit(rows, y)
    assert model.objective_ == pytest.approx(0.04)
    assert {int(c) for c in model.tree_.core.column if c >= 0} == {1, 4}


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_few_rows(rows):
    model = OptimalTreeClassifier(random_state=0).fit(X[49 : 49 + rows], Y[49 : 49 + rows])
    assert model.predict(X[49 : 49 + rows]).tolist() == Y[49 : 49 + rows].tolist() or model.leaf_penalty_ > 0


def test_rows_that_are_all_equal_and_columns_that_are_constant():
    model = OptimalTreeClassifier(leaf_penalty=0.0).fit(np.ones((6, 2)), [0, 1, 1, 1, 0, 1])
    assert (model.tree_.n_leaves, model.status_) == (1, "optimal")
    assert model.objective_ == pytest.approx(2 / 6)


def test_a_penalty_above_every_gain_leaves_one_leaf():
    model = OptimalTreeClassifier(leaf_penalty=1.5).fit(X, Y)
    assert (model.tree_.n_leaves, model.objective_) == (1, pytest.approx(1.5 + 2 / 3))


def test_numbers_that_add_up_to_no_number_are_refused_in_words():
    X, y = load_iris(return_X_y=True)

    def fitted(**given):
        return OptimalTreeClassifier(max_depth=2, **given).fit(X, y)

    for learn in (fitted, partial(near_optimal, X, y)):
        with pytest.raises(
            ValueError, match=r"leaf_penalty is 1e\+308, too much to be added up over the rows"
        ):
            learn(leaf_penalty=1e308)
        with pytest.raises(ValueError, match=r"price_weight is 1e\+308, too much to be added up: give less"):
            learn(leaf_penalty=0.01, costs=[1.0] * 4, price_weight=1e308)
    assert fitted(leaf_penalty=1e300).tree_.n_leaves == 1


def test_the_tree_does_not_depend_on_threads():
    one, two = (OptimalTreeClassifier(random_state=0, max_depth=3, n_jobs=n).fit(HEART, SICK) for n in (1, 2))
    assert one.tree_ == two.tree_
    assert one.leaf_penalty_ == two.leaf_penalty_


def test_prices_are_reported():
    model = OptimalTreeClassifier(leaf_penalty=0.01, max_depth=2, costs=heart_prices()).fit(HEART, SICK)
    assert model.worst_case_cost_ == model.tree_.worst_case_cost() > 2
    assert model.expected_cost_ == pytest.approx(model.predict_cost(HEART).mean())


def test_history_falls_and_ends_with_the_proof():
    model = OptimalTreeClassifier(leaf_penalty=0.01, max_depth=3).fit(HEART, SICK)
    history = model.history_
    assert (np.diff(history["incumbent"]) <= 1e-12).all()
    assert (history["bound"] <= history["incumbent"] + 1e-12).all()
    assert history["incumbent"][-1] == pytest.approx(model.objective_)
    assert history["bound"][-1] == pytest.approx(model.objective_)
    assert (np.diff(history["seconds"]) >= 0).all()


def test_clone_keeps_the_tree_to_begin_with():
    warm = CARTClassifier(max_depth=2).fit(X, Y).tree_
    assert clone(OptimalTreeClassifier(warm_start=warm)).warm_start == warm


def test_a_tree_to_begin_with_goes_through_a_file(tmp_path):
    warm = CARTClassifier(max_depth=2).fit(X, Y).tree_
    model = OptimalTreeClassifier(leaf_penalty=0.01, warm_start=warm).fit(X, Y)
    model.save(tmp_path / "model.json")
    again = OptimalTreeClassifier.load(tmp_path / "model.json")
    assert again.warm_start == warm
    assert again.tree_ == model.tree_
    assert again.objective_ == model.objective_


def test_an_edit_drops_what_was_proved_of_the_tree():
    model = OptimalTreeClassifier(leaf_penalty=0.01, max_depth=2).fit(X, Y)
    edited = model.collapse(0, X, Y).estimator
    assert not hasattr(edited, "objective_")
    assert edited.leaf_penalty_ == model.leaf_penalty_


@pytest.mark.parametrize(
    ("given", "message"),
    [({"leaf_penalty": -0.1}, "leaf_penalty"), ({"leaf_penalty": np.inf}, "leaf_penalty")],
)
def test_risk_refuses_a_penalty_that_is_none(given, message):
    tree = CARTClassifier(max_depth=1).fit(X, Y).tree_
    with pytest.raises(ValueError, match=message):
        regularised_risk(tree, X, Y, **given)


def test_risk_names_a_class_that_the_tree_does_not_know():
    tree = CARTClassifier(max_depth=1).fit(X, Y).tree_
    with pytest.raises(ValueError, match="y has 7, which is none of the tree's classes"):
        regularised_risk(tree, X[:1], [7], 0.1)
    with pytest.raises(ValueError, match="X has 2 rows and y 1"):
        regularised_risk(tree, X[:2], [1], 0.1)
