"""The tuned trees: what they choose, that it is as good as CART, and what they say of bad input."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_score
from sklearn.utils._param_validation import InvalidParameterError

from thriftree import (
    CARTClassifier,
    CARTRegressor,
    LimitReachedWarning,
    TestCosts,
    ThriftTreeClassifier,
    ThriftTreeRegressor,
)
from thriftree.datasets import heart_prices, load_heart


def two_roads(seed: int = 0, n: int = 400):
    """y is x0 with some noise; column 1 says the same as column 0, and column 2 nothing."""
    rng = np.random.default_rng(seed)
    x = rng.random(n)
    y = np.where(rng.random(n) < 0.1, x <= 0.5, x > 0.5).astype(int)
    return np.column_stack([x, x, rng.random(n)]), y


def test_of_two_columns_that_know_the_same_the_cheaper_is_asked():
    X, y = two_roads()
    for expensive, cheap in ((0, 1), (1, 0)):
        prices = np.ones(3)
        prices[expensive] = 20.0
        model = ThriftTreeClassifier(costs=prices, random_state=0).fit(X, y)
        assert set(model.tree_.core.column[model.tree_.core.column >= 0].tolist()) == {cheap}
        assert model.expected_cost_ == model.worst_case_cost_ == 1.0


def test_an_expensive_column_is_asked_where_only_it_can_tell():
    X, y = two_roads()
    model = ThriftTreeClassifier(costs=[20.0, 20.0, 0.1], random_state=0).fit(X, y)
    assert model.expected_cost_ == 20.0
    assert model.score(X, y) > 0.85


def test_what_is_reported_is_what_was_learnt():
    X, y = load_heart()
    model = ThriftTreeClassifier(costs=heart_prices(), random_state=0).fit(X, y)
    table = model.cv_results_
    assert len({len(column) for column in table.values()}) == 1
    assert table["method"][0] == model.method_
    assert {parameter: table[parameter][0] for parameter in model.settings_} == model.settings_
    assert table["expected_cost"][0] == pytest.approx(model.expected_cost_)
    assert table["worst_case_cost"][0] == pytest.approx(model.worst_case_cost_)
    assert table["leaves"][0] == model.tree_.n_leaves
    assert model.expected_cost_ == pytest.approx(model.predict_cost(X).mean())
    best = max(table["mean_score"])
    assert best - table["mean_score"][0] <= min(model.tolerance, table["standard_error"][0]) + 1e-12


def test_no_tolerance_takes_the_best_score():
    X, y = load_heart()
    model = ThriftTreeClassifier(costs=heart_prices(), tolerance=0.0, repeats=1, random_state=0).fit(X, y)
    assert model.cv_results_["mean_score"][0] == pytest.approx(max(model.cv_results_["mean_score"]))


def test_a_larger_tolerance_is_never_more_expensive():
    X, y = load_heart()
    prices = [
        ThriftTreeClassifier(costs=heart_prices(), tolerance=tolerance, repeats=1, random_state=1)
        .fit(X, y)
        .expected_cost_
        for tolerance in (0.0, 0.005, 0.01, 0.1)
    ]
    assert prices == sorted(prices, reverse=True)


def test_the_same_seed_chooses_the_same_tree_on_any_number_of_threads():
    X, y = load_heart()
    one, two = (
        ThriftTreeClassifier(costs=heart_prices(), repeats=1, random_state=3, n_jobs=jobs).fit(X, y)
        for jobs in (1, 2)
    )
    assert one.tree_ == two.tree_
    assert one.cv_results_ == two.cv_results_


def test_over_three_tables_it_is_as_accurate_as_cart_and_asks_less():
    found = {"cart": [], "thrift": []}
    for load in (load_breast_cancer, load_iris, load_wine):
        X, y = load(return_X_y=True)
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
            for name, model in (
                ("cart", CARTClassifier(pruning="cost_complexity", random_state=0)),
                ("thrift", ThriftTreeClassifier(random_state=0)),
            ):
                model.fit(X[train], y[train])
                found[name].append((model.score(X[test], y[test]), model.predict_cost(X[test]).mean()))
    accuracy, questions = np.mean(found["thrift"], axis=0)
    of_cart, asked_by_cart = np.mean(found["cart"], axis=0)
    assert accuracy >= of_cart - 0.005
    assert questions < 0.9 * asked_by_cart


def test_the_regressor_is_as_good_as_cart():
    X, y = load_diabetes(return_X_y=True)
    folds = KFold(5, shuffle=True, random_state=0)
    thrift = cross_val_score(ThriftTreeRegressor(repeats=1, random_state=0), X, y, cv=folds).mean()
    cart = cross_val_score(CARTRegressor(pruning="cost_complexity", random_state=0), X, y, cv=folds).mean()
    assert thrift > cart - 0.02


def test_auc_can_be_what_counts():
    X, y = load_heart()
    model = ThriftTreeClassifier(metric="auc", repeats=1, random_state=0).fit(X, y)
    assert max(model.cv_results_["mean_score"]) > 0.78
    assert model.tree_.n_leaves > 2


def test_costs_of_mistakes_decide_what_is_good():
    """Missing a 1 costs twenty times as much as a false alarm, so hardly any 1 is missed."""
    X, y = two_roads()
    model = ThriftTreeClassifier(error_costs=[[0, 1], [20, 0]], random_state=0).fit(X, y)
    plain = ThriftTreeClassifier(random_state=0).fit(X, y)
    assert (model.predict(X)[y == 1] == 0).sum() < (plain.predict(X)[y == 1] == 0).sum() / 2


def test_rows_without_weight_do_not_exist():
    X, y = two_roads()
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    kept = weight > 0
    with_them = ThriftTreeClassifier(random_state=0).fit(X, y, weight)
    without = ThriftTreeClassifier(random_state=0).fit(X[kept], y[kept])
    assert with_them.tree_ == without.tree_


def test_folds_that_are_given_name_rows_as_they_came():
    X, y = two_roads(n=60)
    weight = np.ones(60)
    weight[:20] = 0
    fold = np.arange(60) % 2
    folds = [(np.flatnonzero(fold == k), np.flatnonzero(fold != k)) for k in (0, 1)]
    kept = np.arange(20, 60)
    same = [(np.flatnonzero(fold[kept] == k), np.flatnonzero(fold[kept] != k)) for k in (0, 1)]
    a = ThriftTreeClassifier(cv=folds).fit(X, y, weight)
    b = ThriftTreeClassifier(cv=same).fit(X[kept], y[kept])
    assert a.tree_ == b.tree_
    assert a.cv_results_ == b.cv_results_


def test_a_splitter_divides_the_rows_once():
    X, y = two_roads(n=90)
    model = ThriftTreeClassifier(cv=StratifiedKFold(3), repeats=4).fit(X, y)
    again = ThriftTreeClassifier(cv=list(StratifiedKFold(3).split(X, y))).fit(X, y)
    assert model.cv_results_ == again.cv_results_


def test_every_fold_is_told_to_callbacks():
    pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")
    told = []

    class Listener:
        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            told.append((context.task_name, context.max_subtasks))

        def on_fit_task_end(self, estimator, context, *, fitted_estimator):
            pass

    X, y = two_roads(n=60)
    ThriftTreeClassifier(cv=3, repeats=2).set_callbacks(Listener()).fit(X, y)
    assert told == [("fit", 7), ("grow", 0), *[("fold", 0)] * 6]


@pytest.mark.parametrize("limit", [0.0, 1e-3])
def test_a_time_limit_gives_a_valid_tree_and_a_warning(limit):
    X, y = load_heart()
    model = ThriftTreeClassifier(costs=heart_prices(), time_limit_s=limit, random_state=0)
    with pytest.warns(LimitReachedWarning, match="time_limit_s"):
        model.fit(X, y)
    assert model.stopped_by_ == "time_limit"
    assert model.predict(X).shape == y.shape


def test_a_time_limit_keeps_the_budget():
    X, y = load_heart()
    model = ThriftTreeClassifier(costs=heart_prices(), budget=20, time_limit_s=0.05, random_state=0)
    with pytest.warns(LimitReachedWarning):
        model.fit(X, y)
    assert model.worst_case_cost_ <= 20


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"budget": -1}, "'budget' parameter"),
        ({"budget": float("nan")}, "'budget' parameter"),
        ({"tolerance": -0.1}, "'tolerance' parameter"),
        ({"metric": "f1"}, "'metric' parameter"),
        ({"repeats": 0}, "'repeats' parameter"),
        ({"costs": "expensive"}, "'costs' parameter"),
    ],
)
def test_a_wrong_parameter_is_refused_by_name(parameters, message):
    X, y = two_roads(n=30)
    with pytest.raises(InvalidParameterError, match=message):
        ThriftTreeClassifier(**parameters).fit(X, y)


def test_prices_that_lack_a_column_are_refused_by_its_name():
    X, y = two_roads(n=30)
    with pytest.raises(ValueError, match="no price for 'x2'"):
        ThriftTreeClassifier(costs=[1.0, 2.0]).fit(X, y)


def test_a_fold_without_rows_is_refused_by_its_number():
    X, y = two_roads(n=30)
    folds = [(np.arange(10), np.arange(10, 30)), (np.arange(10, 30), np.arange(0))]
    with pytest.raises(ValueError, match="fold 1 has 20 rows to learn from and 0 to measure on"):
        ThriftTreeClassifier(cv=folds).fit(X, y)


def test_a_scikit_learn_parameter_is_answered_with_ours():
    with pytest.raises(InvalidParameterError, match="min_leaf"):
        ThriftTreeClassifier(min_samples_leaf=3)


def test_where_nothing_was_measured_the_first_tree_is_taken_whole():
    X, y = two_roads(n=30)

    class NoTime(ThriftTreeClassifier):
        def _parts(self, *rest):
            return iter(())

    model = NoTime(min_leaf=1, shrinkage=None).fit(X, y)
    assert model.tree_ == CARTClassifier().fit(X, y).tree_


def test_the_cheapest_good_one_is_first_and_the_rest_follow_by_score():
    X, y = two_roads()
    model = ThriftTreeClassifier(costs=[1.0, 5.0, 1.0], tolerance=0.002, random_state=0).fit(X, y)
    table, best = model.cv_results_, max(model.cv_results_["mean_score"])
    good = [
        best - score <= min(0.002, error) + 1e-12
        for score, error in zip(table["mean_score"], table["standard_error"], strict=True)
    ]
    n = sum(good)
    assert good == [True] * n + [False] * (len(good) - n)
    assert table["expected_cost"][:n] == sorted(table["expected_cost"][:n])
    assert table["mean_score"][n:] == sorted(table["mean_score"][n:], reverse=True)


def test_a_price_in_another_currency_changes_nothing():
    X, y = load_heart()
    euros = heart_prices()
    cents = TestCosts(
        {name: 100 * price for name, price in euros.prices.items()},
        groups={k: {"setup": 100 * g.setup, "members": g.members} for k, g in euros.groups.items()},
        delayed=euros.delayed,
    )
    a = ThriftTreeClassifier(costs=euros, repeats=1, random_state=0).fit(X, y)
    b = ThriftTreeClassifier(costs=cents, repeats=1, random_state=0).fit(X, y)
    assert 100 * a.expected_cost_ == pytest.approx(b.expected_cost_)
    assert without_scores(a) == without_scores(b)  # which are for a unit of price


def without_scores(model):
    nodes = model.tree_.to_dict()["nodes"]
    for node in nodes:
        node.get("test", {}).pop("score", None)
    return nodes


def test_on_large_tables_what_takes_long_does_not_compete(monkeypatch):
    X, y = two_roads(n=60)
    monkeypatch.setattr("thriftree.estimators.thrift_tuning.MOST_FOR_ALL", 59)
    table = ThriftTreeClassifier(cv=2, repeats=1, random_state=0).fit(X, y).cv_results_
    assert set(table["impurity"]) == {"gini", "entropy", None}
    assert set(table["min_leaf"]) == {1}
    monkeypatch.setattr("thriftree.estimators.thrift_tuning.MOST_FOR_ALL", 60)
    table = ThriftTreeClassifier(cv=2, repeats=1, random_state=0).fit(X, y).cv_results_
    assert set(table["impurity"]) == {"gini", "entropy", "gain_ratio", None}
    assert set(table["min_leaf"]) == {1, 0.02}
