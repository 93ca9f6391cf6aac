"""Errors of regression trees, and what rows pay."""

import numpy as np
import pytest
from report_cases import classifier, hostile_case, regressor, weights
from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

from thriftree import CARTRegressor, TestCosts, ThriftTreeClassifier, Tree
from thriftree.datasets import heart_prices, load_heart
from thriftree.report.facts import facts_of
from thriftree.report.facts.intervals import effective_rows, mean_interval
from thriftree.report.facts.prices import MOST_BARS, price_rules, prices_of_tests


@pytest.mark.parametrize("weighted", [False, True])
def test_errors_are_scikit_learns(weighted):
    model, X, y = regressor(1)
    weight = weights(1, len(y)) if weighted else None
    facts = facts_of(model.tree_, X, y, sample_weight=weight)["numbers"]
    answers = model.predict(X)
    assert facts["rmse"] ** 2 == pytest.approx(mean_squared_error(y, answers, sample_weight=weight))
    assert facts["mae"] == pytest.approx(mean_absolute_error(y, answers, sample_weight=weight))
    assert facts["r2"] == pytest.approx(r2_score(y, answers, sample_weight=weight))
    for name in ("rmse", "mae"):
        assert facts[f"{name}_interval"][0] < facts[name] < facts[f"{name}_interval"][1]


def test_each_leaf_shows_quantiles_of_its_rows():
    model, X, y = regressor(2)
    leaf = model.apply(X)
    leaves = facts_of(model.tree_, X, y)["numbers"]["leaves"]
    assert sum(fact["rows"] for fact in leaves) == len(y)
    for fact in leaves:
        here = leaf == fact["leaf"]
        assert fact["predicted"] == model.predict(X)[here][0]
        assert fact["quantiles"] == pytest.approx(np.quantile(y[here], [0.05, 0.25, 0.5, 0.75, 0.95]))


def test_equal_numbers_have_no_r2_and_words_are_refused():
    model, X, y = regressor(3)
    assert facts_of(model.tree_, X, np.full(len(y), 4.0))["numbers"]["r2"] is None
    with pytest.raises(TypeError, match="the tree predicts a number"):
        facts_of(model.tree_, X, np.full(len(y), "four"))
    with pytest.raises(ValueError, match="finite"):
        facts_of(model.tree_, X, np.full(len(y), np.inf))


def test_training_rows_of_a_regressor_are_found_out():
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40.0) ** 2
    model = CARTRegressor(max_leaves=5).fit(X, y)
    assert facts_of(model.tree_, X, y)["rows"]["seen_in_training"]
    assert not facts_of(model.tree_, X, y + 0.5)["rows"]["seen_in_training"]


def test_the_mean_interval_is_the_normal_one():
    values = np.array([1.0, 4.0, 2.0, 7.0])
    half = 1.959964 * values.std(ddof=1) / 2
    assert mean_interval(values, np.full(4, 3.0)) == pytest.approx((3.5 - half, 3.5 + half), rel=1e-6)
    assert mean_interval(values[:1], np.ones(1)) is None
    assert effective_rows(np.array([1.0, 1.0, 2.0])) == pytest.approx(16 / 6)


@pytest.mark.parametrize("seed", range(6))
def test_what_rows_pay_is_what_the_tree_says_under_every_rule(seed):
    document, frame, answers = hostile_case(seed, 200)
    tree = Tree.from_dict(document)
    weight = weights(seed, 200)
    paid = facts_of(tree, frame, answers, sample_weight=weight)["paid"]
    assert paid["expected"] == pytest.approx(tree.expected_cost(frame, weight))
    assert paid["worst_case"] == tree.worst_case_cost()
    assert sum(bar["share"] for bar in paid["bars"]) == pytest.approx(1)
    assert sum(bar["rows"] for bar in paid["bars"]) == (weight > 0).sum()
    assert len(paid["bars"]) <= MOST_BARS
    prices = tree.predict_cost(frame)[weight > 0]
    for bar in paid["bars"]:
        last = bar is paid["bars"][-1]
        above = prices >= bar["low"] - 1e-6
        below = (
            prices <= bar["high"] + 1e-6 if last or bar["low"] == bar["high"] else prices < bar["high"] - 1e-9
        )
        assert (above & below).sum() == pytest.approx(bar["rows"], abs=1)


def test_without_prices_questions_are_counted():
    model, X, y = classifier()
    facts = facts_of(model.tree_, X, y)
    assert facts["paid"]["expected"] == pytest.approx(model.predict_cost(X).mean())
    assert facts["price_rules"] == ["No prices were given: every question costs 1."]
    assert not facts["tree"]["priced"]


def test_numbers_of_questions_are_in_ranges_of_whole_numbers():
    X = np.arange(40.0)[:, None]
    model = CARTRegressor().fit(X, 3.0 ** X[:, 0])  # a chain: each question splits off the largest
    asked = model.predict_cost(X)
    assert len(np.unique(asked)) > MOST_BARS
    bars = facts_of(model.tree_, X, X[:, 0])["paid"]["bars"]
    assert [bar["rows"] for bar in bars] == [
        int(((asked >= bar["low"]) & (asked <= bar["high"])).sum()) for bar in bars
    ]
    assert all(float(bar[end]).is_integer() for bar in bars for end in ("low", "high"))
    assert sum(bar["rows"] for bar in bars) == 40


def test_rows_that_are_all_alike_do_not_tell_how_far_their_mean_may_be_off():
    assert mean_interval(np.full(9, 3.0), np.ones(9)) is None


def test_the_deviation_of_one_row_is_nothing():
    X = np.arange(9.0)[:, None]
    tree = CARTRegressor(min_leaf=1).fit(X, np.where(X[:, 0] == 4, 36.2, 0.1 * X[:, 0])).tree_
    document = tree.to_dict()
    alone = next(i for i, node in enumerate(document["nodes"]) if node["rows"] == 1)
    document["nodes"][alone]["value"][1] = 5e-11
    assert facts_of(Tree.from_dict(document), X, X[:, 0])["tree"]["nodes"][alone]["deviation"] == 0
    assert "e-" not in Tree.from_dict(document).to_text()


def test_prices_and_their_rules_are_in_words():
    X, y = load_heart()
    document = ThriftTreeClassifier(costs=heart_prices(), random_state=0).fit(X, y).tree_.to_dict()
    words = dict(zip([c["name"] for c in document["columns"]], prices_of_tests(document), strict=True))
    assert words["age"] == "1.00"
    assert words["cholesterol"] == "5.17 + 2.10 set-up"
    rules = price_rules(document)
    assert rules[0] == "A test is paid once, however often a path comes back to it."
    assert "cholesterol and high_fasting_sugar share a set-up of 2.10" in rules[1]
    assert rules[-1].startswith("Results of cholesterol")


def test_known_features_and_prices_by_outcome_are_in_words():
    prices = TestCosts({"dose": 2.5, "site": {"arm": 1, "leg": 3}}, known=["weeks"], pay="each")
    model, _, _ = classifier(1, costs=prices)
    document = model.tree_.to_dict()
    assert prices_of_tests(document) == ["2.50", "free, known", "1.00 to 3.00, by outcome"]
    assert price_rules(document) == [
        "A test is paid every time that a path asks it.",
        "Known beforehand, so free: weeks.",
        "Where a price depends on the outcome, a missing one costs as much as the most expensive.",
    ]
