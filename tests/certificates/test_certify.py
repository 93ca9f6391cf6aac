"""`certify` on small tables with all kinds of prices, against every tree on objects made by hand."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from small_instances import Small, optimum_by_trying
from thoroughness import tries
from to_the_end import objects

from thriftree import (
    CARTClassifier,
    CARTRegressor,
    Certificate,
    EnhancedTreeClassifier,
    TestCosts,
    WorstCaseTreeClassifier,
    certify,
)
from thriftree.certificates.guarantee import smallest_excess
from thriftree.costs import Group, Steps
from thriftree.datasets import heart_prices, load_heart
from thriftree.impurities import HingedPairs, Pairs, Powers
from thriftree.search.allowance import UNLIMITED
from thriftree.search.instance import Goal

NAMES = ["a", "b", "c"]
XOR, XOR_LABELS = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]


def random_table(rng: np.random.Generator):
    """A few rows, some alike in all columns, with weights, and prices with some of every rule."""
    n = int(rng.integers(3, 12))
    X = pd.DataFrame(
        {"a": rng.integers(0, 3, n), "b": rng.integers(0, 2, n), "c": rng.choice(["u", "v", "w"], n)}
    )
    y = np.array(["no", "yes"])[rng.integers(0, 2, n)]
    y[:2] = ["no", "yes"]
    weight = rng.integers(1, 5, n)
    prices = {"a": int(rng.integers(0, 6)), "b": int(rng.integers(1, 6)), "c": int(rng.integers(1, 6))}
    rules = {}
    if rng.random() < 0.5:
        rules["groups"] = {"g": Group(int(rng.integers(0, 5)), ("a", "b"))}
    if rng.random() < 0.2:
        rules["known"] = ["a"]
    if rng.random() < 0.2:
        rules["delayed"] = ["b", "c"]
    if rng.random() < 0.2:
        rules["pay"] = "each"
    if rng.random() < 0.2:
        prices["c"] = {"u": 1, "v": 4, "w": 9}
    if rng.random() < 0.2:
        prices["a"] = Steps(up_to=(0,), prices=(2, 7))
    return X, y, weight, None if rng.random() < 0.2 else TestCosts(prices, **rules)


def by_hand(X: pd.DataFrame, y: np.ndarray, weight: np.ndarray, costs: TestCosts | None) -> tuple[Small, int]:
    """The objects in whole numbers, and the weight of rows that differ from their object."""
    of: dict[tuple, dict[str, int]] = {}
    for row, label, w in zip(X.itertuples(index=False), y, weight, strict=True):
        tally = of.setdefault(tuple(row), {"no": 0, "yes": 0})
        tally[label] += int(w)
    codes = [tuple("uvw".index(v) if isinstance(v, str) else int(v) for v in key) for key in of]
    labels = tuple(0 if tally["no"] >= tally["yes"] else 1 for tally in of.values())
    weights = tuple(sum(tally.values()) for tally in of.values())
    losses = tuple(abs(tally["no"] - tally["yes"]) for tally in of.values())
    own, group, setup = (1, 1, 1), (-1, -1, -1), ()
    if costs is not None:
        least = {"a": None, "b": None, "c": None}
        for name, price in costs.prices.items():
            least[name] = min(price.prices) if isinstance(price, Steps) else (
                price if isinstance(price, float) else min(price.values())
            )  # fmt: skip
        own = tuple(0 if name in costs.known else int(least[name]) for name in NAMES)
        if costs.groups:
            group = tuple(0 if name in "ab" and name not in costs.known else -1 for name in NAMES)
            setup = (int(costs.groups["g"].setup),)
    wrong = sum(min(tally.values()) for tally in of.values())
    return Small(tuple(codes), labels, weights, losses, own, group, setup), wrong


@pytest.mark.parametrize("objective", ["worst_case", "expected"])
def test_the_bound_is_between_nothing_and_the_cheapest_tree_and_the_tree_above(objective: str) -> None:
    rng = np.random.default_rng(7)
    seen = set()
    for _ in range(tries(100, 25)):
        X, y, weight, costs = random_table(rng)
        model = CARTClassifier(max_depth=int(rng.integers(0, 4)), costs=costs)
        if rng.random() < 0.3:
            model = EnhancedTreeClassifier(costs=costs, min_mass=0.3)
        model.fit(X, y, sample_weight=weight)
        min_mass = 0.3 if rng.random() < 0.5 else 0.0
        tolerance = float(rng.integers(0, 4))
        impurity = Pairs() if rng.random() < 0.3 else None
        small, wrong = by_hand(X, y, weight, costs)
        made = certify(
            model,
            X,
            y,
            sample_weight=weight,
            objective=objective,
            min_mass=min_mass,
            impurity=impurity,
            tolerance=tolerance if impurity else 0.0,
            time_limit_s=60,
        )
        error = (weight[model.predict(X) != y].sum() - wrong) / small.total
        theta = min_mass or model.min_mass  # the estimator's own, where none is given
        goal = Goal(made.trees, Pairs().value, tolerance=tolerance, theta=theta, error=error)
        optimum = float(optimum_by_trying(small, goal, objective))
        # Prices by outcome and delays cost more than the bound counts: then only this tree can reach it.
        is_counted = costs is None or not (
            costs.delayed or any(not isinstance(price, float) for price in costs.prices.values())
        )
        assert made.exact == (is_counted or made.ratio == 1)
        assert made.lower_bound <= optimum * (1 + 1e-9) <= made.reached * (1 + 1e-8)
        assert made.lower_bound == pytest.approx(optimum), (made, small)
        reached = model.worst_case_cost_ if objective == "worst_case" else model.expected_cost_
        assert made.reached == pytest.approx(reached)
        seen.add(made.trees)
    assert seen == {"pure", "tolerance", "mass", "error"}


def test_rows_of_equal_codes_are_one_object_with_the_heaviest_label() -> None:
    X = [[1, "u"], [2, "u"], [1, "u"], [1, "u"], [3, "v"], [3, "v"]]
    made = objects(X, ["b", "a", "a", "b", "c", "a"], ("a", "b", "c"), sample_weight=[1, 1, 5, 2, 1, 1])
    instance = made.instance
    assert made.object_of.tolist() == [0, 1, 0, 0, 2, 2]
    assert made.first_row.tolist() == [0, 1, 4]
    assert instance.labels.tolist() == [0, 0, 0]  # of equals the first class
    np.testing.assert_allclose(instance.p * 11, [8, 1, 2])
    np.testing.assert_allclose(instance.loss * 11, [2, 1, 0], atol=1e-12)
    assert made.unavoidable * 11 == pytest.approx(4)


def test_many_columns_make_the_same_objects_as_whole_rows() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (300, 90)) * rng.integers(0, 40, (300, 1))
    X = X[rng.integers(0, 300, 500)]
    made = objects(X, X[:, 0] % 2, (0, 1))
    _, first, expected = np.unique(X, axis=0, return_index=True, return_inverse=True)
    assert len(made.first_row) == len(first)
    for row in range(500):
        assert first[expected.ravel()[row]] == made.first_row[made.object_of[row]]


def test_rows_without_weight_are_left_out() -> None:
    X, y = [[0], [1], [2]], [0, 1, 0]
    model = CARTClassifier().fit(X, y, sample_weight=[1, 1, 0])
    assert certify(model, X, y, sample_weight=[1, 1, 0]).lower_bound == 1


def test_a_tree_for_the_heart_is_certified_in_words(no_search: None) -> None:
    X, y = load_heart()
    model = CARTClassifier(max_leaves=8, costs=heart_prices()).fit(X, y)
    made = certify(model, X, y)
    assert made.trees == "error"
    assert 0 < made.lower_bound <= made.reached == model.worst_case_cost_
    assert made.ratio == made.reached / made.lower_bound
    assert made.lower_bound == made.bounds[made.bound] == max(made.bounds.values())
    text = str(made)
    assert f"This tree costs at most {made.reached:.2f} on any path." in text
    assert "errs on at most" in text
    assert "ordered for its delay" in text  # the heart's prices have delayed tests
    assert pickle.loads(pickle.dumps(made)) == made
    assert json.loads(json.dumps(made.to_dict()))["trees"] == "error"


def test_other_prices_than_the_tree_s_can_be_certified() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 1, 1]
    model = CARTClassifier(costs={0: 7, 1: 1}).fit(X, y)
    assert certify(model, X, y).reached == 7
    other = certify(model, X, y, {0: 3, 1: 1})
    assert (other.reached, other.lower_bound, other.exact) == (3, 3, True)
    assert certify(model.tree_, X, y, TestCosts({0: 3, 1: 1}, known=[0])).reached == 0


def test_a_tree_that_needs_nothing_has_the_ratio_1() -> None:
    X, y = [[0], [1]], ["same", "same"]
    made = certify(CARTClassifier().fit(X, y), X, y)
    assert (made.reached, made.lower_bound, made.ratio) == (0, 0, 1)
    assert "no such tree is cheaper" in str(made)


def test_a_single_row_needs_nothing() -> None:
    model = CARTClassifier().fit([[1.0, 2.0]], ["a"])
    for objective in ("worst_case", "expected"):
        assert certify(model, [[1.0, 2.0]], ["a"], objective=objective).ratio == 1


def test_columns_without_names_are_those_of_the_tree(no_search: None) -> None:
    X, y = load_heart()
    numbers = X.select_dtypes("number").iloc[:, :3]
    prices = {name: 1 + i for i, name in enumerate(numbers.columns)}
    model = CARTClassifier(max_leaves=5, costs=prices).fit(numbers, y)
    named = certify(model, numbers, y)
    assert certify(model, numbers.to_numpy(), y).bounds == named.bounds


def test_a_feature_asked_again_is_paid_again_only_by_the_tree() -> None:
    X, y = [[0], [1], [2]], [0, 1, 0]
    made = certify(CARTClassifier().fit(X, y), X, y)
    assert (made.reached, made.lower_bound) == (2, 1)
    assert made.exact
    assert "however often a tree asks for it" in str(made)
    assert "a tree with a branch for every value reaches it" in str(made)
    once = certify(CARTClassifier(costs={0: 1.0}).fit(X, y), X, y)
    assert once.ratio == 1
    assert once.notes == ()


def test_a_bound_of_nothing_leaves_the_ratio_open() -> None:
    X = [[0, 0], [1, 1]]
    model = CARTClassifier().fit(np.array(X)[:, ::-1], [0, 1])
    free = TestCosts({0: 5, 1: 0})
    made = certify(model, X, [0, 1], free)
    assert (made.reached, made.lower_bound, made.ratio) == (5, 0, np.inf)
    assert made.exact
    assert "another such tree may cost nothing" in str(made)


def test_the_greedy_factor_comes_with_the_impurity() -> None:
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    model = CARTClassifier().fit(X, y)
    assert certify(model, X, y).factor is None
    made = certify(model, X, y, impurity=Pairs())
    assert made.factor == pytest.approx(np.log(4) + 1)
    assert "greedy rule" in str(made)
    assert certify(model, X, y, impurity=Pairs(), objective="expected").factor is None


@pytest.mark.parametrize("impurity", [Pairs(), Powers(3), HingedPairs(1.5)])
@pytest.mark.parametrize("tolerance", [0.0, 2.0])
def test_greedy_trees_keep_to_the_rule_and_to_its_promise(
    impurity, tolerance: float, no_search: None
) -> None:
    rng = np.random.default_rng(11)
    for _ in range(15):
        X, y = rng.integers(0, 3, (30, 5)), rng.integers(0, 3, 30)
        costs = TestCosts(rng.integers(1, 9, 5).astype(float), pay="each")
        model = WorstCaseTreeClassifier(impurity=impurity, tolerance=tolerance, multiway="all", costs=costs)
        model.fit(X, y)
        made = certify(model, X, y)
        assert not any("That includes a factor" in note for note in made.notes)
        instance = objects(X, y, (0, 1, 2)).instance
        counts = np.bincount(instance.labels, minlength=3)
        above = float(impurity.value(counts)) - tolerance
        beta = smallest_excess(impurity.value, counts * 1.0, tolerance, UNLIMITED)
        assert made.factor == pytest.approx(np.log(above / beta) + (beta + tolerance) / beta)
        assert made.ratio <= made.factor


def test_the_impurity_of_an_estimator_is_used() -> None:
    model = CARTClassifier().fit(XOR, XOR_LABELS)
    model.impurity_, model.tolerance_ = Pairs().value, 0.0
    assert certify(model, XOR, XOR_LABELS).factor == pytest.approx(np.log(4) + 1)
    model.tolerance_ = 1.0  # which the second tests need not go below
    assert certify(model, XOR, XOR_LABELS).factor is None
    stump = CARTClassifier(max_depth=1).fit(XOR[:3], XOR_LABELS[:3])
    stump.impurity_, stump.tolerance_ = Pairs(), 1.0
    assert certify(stump, XOR[:3], XOR_LABELS[:3]).trees == "tolerance"
    assert certify(stump, XOR[:3], XOR_LABELS[:3], trees="error").trees == "error"


def test_a_share_of_the_objects_as_alpha_is_resolved() -> None:
    X, y = [[i] for i in range(10)], [0] * 9 + [1]
    stump = CARTClassifier(max_depth=0).fit(X, y)
    made = certify(stump, X, y, impurity=HingedPairs(epsilon=0.1))
    assert (made.trees, made.lower_bound, made.ratio) == ("tolerance", 0, 1)


def test_an_estimator_s_own_bins_are_used(no_search: None) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    model = CARTClassifier(max_bins=4).fit(X, y)
    made = certify(model, X, y)
    assert any("are 16 objects" in note for note in made.notes)
    assert certify(model.tree_, X, y, max_bins=4).lower_bound == made.lower_bound


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"objective": "mean"}, "objective is 'mean': write \"worst_case\""),
        ({"trees": "perfect"}, "trees is 'perfect': write"),
        ({"trees": "pure"}, r"leaf 0 holds objects of several classes \(2 of class 'no', 2 of class 'yes'\)"),
        ({"trees": "tolerance", "impurity": Pairs(), "tolerance": 3}, "leaf 0 .* has an impurity of 4"),
        ({"trees": "tolerance"}, "needs the impurity"),
        ({"trees": "mass", "min_mass": 0.5}, "leaf 0 .* and 1 of the weight"),
        ({"trees": "mass"}, "needs min_mass > 0"),
        ({"tolerance": 1}, "tolerance needs the impurity"),
        ({"tolerance": -1, "impurity": Pairs()}, "tolerance is -1: give"),
        ({"min_mass": 2}, "min_mass is 2: give"),
    ],
)
def test_what_cannot_be_certified_is_refused_with_a_reason(parameters: dict, message: str) -> None:
    stump = CARTClassifier(max_depth=0).fit(XOR, XOR_LABELS)
    with pytest.raises(ValueError, match=message):
        certify(stump, XOR, XOR_LABELS, **parameters)


def test_rows_that_do_not_fit_the_tree_are_refused() -> None:
    model = CARTClassifier().fit(XOR, XOR_LABELS)
    with pytest.raises(ValueError, match="class 'perhaps', but the tree's classes are"):
        certify(model, XOR, ["no", "yes", "perhaps", "no"])
    X = np.arange(40.0)[:, None]
    fine = CARTClassifier().fit(X, np.arange(40) % 2)
    with pytest.raises(ValueError, match="sends rows 0 and 1 of equal codes to different leaves"):
        certify(fine, X, np.arange(40) % 2, max_bins=3)
    with pytest.raises(ValueError, match="only trees that predict classes"):
        certify(CARTRegressor().fit(X, X[:, 0]), X, X[:, 0])
    with pytest.raises(TypeError, match="without a tree_"):
        certify(CARTClassifier(), X, X[:, 0])


def test_a_certificate_is_a_value() -> None:
    made = certify(CARTClassifier().fit(XOR, XOR_LABELS), XOR, XOR_LABELS)
    assert isinstance(made, Certificate)
    assert hash(made) == hash(pickle.loads(pickle.dumps(made)))
    with pytest.raises(AttributeError):
        made.ratio = 0.0
