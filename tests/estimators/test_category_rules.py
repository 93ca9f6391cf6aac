"""Rules for sets of categories, as estimators offer them."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from math import inf

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from partitioned_store import counted_in_parts
from thoroughness import tries

import thriftree as tt
from thriftree.estimators.category_tests import FREE_SETS
from thriftree.learning.growth import SUBSET, grow
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.table.coding import read_codes

CLASSIFIERS = (tt.CARTClassifier, tt.EnhancedTreeClassifier, tt.PUBLICClassifier, tt.MSIClassifier)
REGRESSORS = (tt.CARTRegressor, tt.EnhancedTreeRegressor)
ALONE = Limits(n_threads=1, ends_at=None, memory_limit_mb=None)


def table(seed=0, n=300, n_codes=24, missing=True):
    random = np.random.default_rng(seed)
    code = (random.random(n) ** 2 * n_codes).astype(int)  # some are rare
    few, number = random.integers(0, 5, n), random.normal(size=n)
    signal = random.normal(size=n_codes)[code] + number + (few == 2)
    key = np.char.add("c", code.astype(str)).astype(object)
    if missing:
        key[random.random(n) < 0.1] = None
    X = pd.DataFrame({"key": key, "few": np.char.add("f", few.astype(str)), "number": number})
    return X, np.digitize(signal, [-0.7, 0.8]), signal + random.normal(size=n)


def sets_of(tree):
    """By test of categories: its column, its branch by category, and which sides the others take."""
    core = tree.core
    for node in np.flatnonzero(core.kind == 2):
        keys = core.keys[core.key_begin[node] : core.key_begin[node + 1]].astype(int)
        to = core.to[core.to_begin[node] : core.to_begin[node + 1]]
        yield int(node), int(core.column[node]), dict(zip(keys.tolist(), to.tolist(), strict=True))


def rows_at(tree, X, node):
    return np.asarray(tree.decision_path(X)[:, [node]].todense()).ravel().astype(bool)


@pytest.mark.parametrize("learner", [*CLASSIFIERS, *REGRESSORS])
def test_without_rules_the_tree_is_that_of_free_sets(learner):
    """The core's own defaults are the sets of the papers."""
    X, classes, numbers = table()
    y = numbers if learner in REGRESSORS else classes
    model = learner(**FREE_SETS)
    rows = Sample(read_codes(X), y.astype(np.float64 if learner in REGRESSORS else np.int32), None)
    model.classes_, model.n_classes_ = np.unique(classes), 3
    plan = model._plan() if learner is tt.MSIClassifier else model._plan(rows)
    free = {name: value for name, value in plan.rules.items() if not name.startswith("subset_")}
    assert plan.category_tests == SUBSET
    assert len(free) < len(plan.rules)
    ours, plain = (grow(rows, replace(plan, rules=rules), ALONE).core for rules in (plan.rules, free))
    for name in ("column", "keys", "to", "missing", "other", "score"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(plain, name))


@pytest.mark.parametrize("learner", [*CLASSIFIERS, *REGRESSORS, tt.QUESTClassifier])
def test_rare_categories_go_with_the_heavier_side_and_no_narrow_side_is_wide(learner):
    X, classes, numbers = table()
    rules = {"subset_min_rows": 6, "subset_max_categories": 4}
    if learner is tt.QUESTClassifier:
        rules |= {"pruning": None}
    model = learner(**rules).fit(X, numbers if learner in REGRESSORS else classes)
    n_rare = n_sets = 0
    for node, column, to in sets_of(model.tree_):
        here = X[rows_at(model.tree_, X, node)]
        categories = model.tree_.columns[column].categories
        name = X.columns[column]
        rows = {code: int((here[name] == categories[code]).sum()) for code in to}
        assert min(rows.values()) > 0
        sides = [[code for code in to if to[code] == side] for side in (0, 1)]
        assert min(map(len, sides)) <= 4
        n_sets += len(to) > 2
        if len(to) + bool(here[name].isna().any()) <= 2:
            continue
        rare = {code for code in to if rows[code] < 6}
        alone = [side for side in sides if len(side) == 1 and side[0] not in rare]
        taken = {to[code] for code in rare}
        assert len(taken) <= 1 or alone, "rare ones stay together"
        n_rare += bool(rare)
        if taken and not alone:
            weight = [sum(rows[code] for code in side) for side in sides]
            missing = int(here[name].isna().sum())
            weight[int(model.tree_.core.missing[node])] += missing
            assert weight[next(iter(taken))] >= max(weight), "the heavier side"
    assert n_sets
    assert n_rare


def test_one_category_a_side_is_one_against_the_rest():
    X, classes, _ = table(missing=False)
    ones = {"subset_max_categories": 1, "one_vs_rest": True}
    for _, _, to in sets_of(tt.CARTClassifier(**FREE_SETS | ones).fit(X, classes).tree_):
        assert 1 in (list(to.values()).count(0), list(to.values()).count(1))


@pytest.mark.parametrize("n_parts", [1, 3])
@pytest.mark.parametrize(
    "model",
    [
        tt.CARTClassifier(),
        tt.CARTClassifier(max_leaves=9, subset_min_rows=4, subset_max_categories=2),
        tt.EnhancedTreeClassifier(max_bins=6, subset_min_rows=4),
        tt.QUESTClassifier(pruning=None, max_depth=3, subset_min_rows=4, subset_max_categories=3),
    ],
    ids=["cart", "cart, narrow", "enhanced", "quest"],
)
def test_rows_in_parts_give_the_same_sets(model, n_parts):
    X, classes, _ = table(n=160)
    X = pd.concat([X.round(1), X.round(1)[:60]])  # objects of two rows
    y = np.append(classes, classes[:60])
    here = model.fit(X, y).tree_.to_json()
    with counted_in_parts(n_parts):
        assert model.fit(X, y).tree_.to_json() == here


@pytest.mark.parametrize("seed", range(tries(8, 2)))
def test_an_enhanced_tree_by_impurity_alone_is_cart_under_the_same_rules(seed):
    X, classes, _ = table(seed)  # no two rows are equal, so objects are rows
    enhanced = tt.EnhancedTreeClassifier(trade_off=inf).fit(X, classes).tree_.core
    cart = tt.CARTClassifier().fit(X, classes).tree_.core
    for name in ("column", "keys", "to", "missing", "other"):
        np.testing.assert_array_equal(getattr(enhanced, name), getattr(cart, name))


@settings(max_examples=tries(60, 15), deadline=None)
@given(
    sizes=st.lists(st.integers(1, 3), min_size=2, max_size=4).filter(lambda sizes: sum(sizes) <= 6),
    seed=st.integers(0, 99),
)
def test_codes_that_mean_nothing_take_a_known_share_of_the_squares(sizes, seed):
    """(codes - 1) / (rows - 1) over all orders of the target: what the correction rests on."""
    y = np.random.default_rng(seed).normal(size=sum(sizes))
    codes = np.repeat(np.arange(len(sizes)), sizes)
    between = []
    for shuffled in permutations(y):
        means = np.bincount(codes, weights=shuffled) / np.bincount(codes)
        between.append(np.sum(np.array(sizes) * (means - y.mean()) ** 2))
    expected = (len(sizes) - 1) / (len(y) - 1) * np.sum((y - y.mean()) ** 2)
    np.testing.assert_allclose(np.mean(between), expected, rtol=1e-9)


def test_random_codes_gain_what_the_correction_takes():
    random = np.random.default_rng(0)
    gains = []
    for _ in range(20):
        y = random.normal(size=2000)
        X = pd.DataFrame({"key": np.char.add("c", (np.arange(2000) % 100).astype(str))})
        core = tt.CARTRegressor(**FREE_SETS, max_depth=1).fit(X, y).tree_.core
        gains.append(core.score[0] / core.impurity[0])
    taken = 2 / np.pi * 98 / 1999
    assert abs(np.mean(gains) / taken - 1) < 0.1
    assert tt.CARTRegressor(one_vs_rest=False, subset_correction=1.5).fit(X, y).tree_.n_leaves == 1


@pytest.mark.parametrize(
    "wrong",
    [
        {"subset_min_rows": 0},
        {"subset_max_categories": 0},
        {"subset_smoothing": -1.0},
        {"subset_correction": -1.0},
        {"one_vs_rest": "yes"},
    ],
    ids=str,
)
def test_rules_that_make_no_sense_are_refused_by_name(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        tt.CARTClassifier(**wrong).fit([[0], [1]], [0, 1])
