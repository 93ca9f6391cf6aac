"""Learners that choose by prices prune by them: the weakest link is the one of least error for its price."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries

from thriftree import C45Classifier, CARTClassifier, CARTRegressor, EnhancedTreeClassifier, TestCosts
from thriftree.datasets import heart_prices, load_heart
from thriftree.testing.makers import SmallTable, small_tables
from thriftree.tuning.alpha import CrossValidatedAlpha

Leaves = frozenset[int]


def random_prices(rng: np.random.Generator, n_columns: int) -> TestCosts:
    """Every rule of a path but delay, which prices a branch as a whole."""
    members = rng.permutation(n_columns)[: int(rng.integers(0, n_columns + 1))].tolist()
    return TestCosts(
        {j: float(rng.choice([0.0, 0.5, 1.0, 7.0])) for j in range(n_columns)},
        groups={"draw": {"setup": float(rng.choice([0.0, 3.0])), "members": members}} if members else {},
        known=[int(rng.integers(n_columns))] if rng.random() < 0.3 else [],
        pay=str(rng.choice(["once", "each"])),
        asking=float(rng.choice([0.01, 0.5])),
    )


def prunings_below(core: Any, node: int) -> list[Leaves]:
    """Every way to make leaves of nodes, by the leaves that it has."""
    below = core.children[core.child_begin[node] : core.child_begin[node + 1]].tolist()
    each = [prunings_below(core, child) for child in below]
    grown = [frozenset().union(*some) for some in product(*each)] if below else []
    return [frozenset([node]), *grown]


def path_price(core: Any, leaf: int, costs: TestCosts) -> float:
    """What is paid on the way to a node, and the price of asking for each question."""
    columns, node = [], leaf
    while (node := int(core.parent[node])) >= 0:
        columns.append(int(core.column[node]))
    paid = [c for c in columns if c not in costs.known]
    asked = set(paid) if costs.pay == "once" else paid
    setups = sum(g.setup for g in costs.groups.values() if set(g.members) & set(paid))
    assert costs.asking is not None
    return sum(float(costs.prices[c]) for c in asked) + setups + costs.asking * len(columns)  # type: ignore[arg-type]


def objective(core: Any, leaves: Leaves, costs: TestCosts, alpha: float) -> float:
    """Impurity of the leaves + alpha times what a row is expected to pay for its tests and for asking."""
    total = core.value[0].sum()
    impurity = sum(core.impurity[n] * core.value[n].sum() / total for n in leaves)
    price = sum(core.weight[n] / core.weight[0] * path_price(core, n, costs) for n in leaves)
    return float(impurity + alpha * price)


def leaves_of(pruned: Any, whole: Any) -> Leaves:
    """The nodes of the whole tree at which a pruned one ends."""
    found: set[int] = set()
    pairs = [(0, 0)]
    while pairs:
        a, b = pairs.pop()
        if pruned.column[a] < 0:
            found.add(b)
            continue
        assert pruned.column[a] == whole.column[b]
        pairs += zip(
            pruned.children[pruned.child_begin[a] : pruned.child_begin[a + 1]].tolist(),
            whole.children[whole.child_begin[b] : whole.child_begin[b + 1]].tolist(),
            strict=True,
        )
    return frozenset(found)


@settings(max_examples=tries(120, 30), deadline=None)
@given(table=small_tables(max_rows=14), seed=st.integers(0, 2**32 - 1))
def test_of_all_prunings_the_one_of_least_impurity_and_price_is_taken(table: SmallTable, seed: int) -> None:
    rng = np.random.default_rng(seed)
    costs = random_prices(rng, table.X.shape[1])
    words = {"costs": costs, "cost_benefit": True, "categorical_features": list(table.categorical)}
    whole = CARTClassifier(**words, max_leaves=7).fit(table.X, table.y, table.sample_weight).tree_.core
    every = prunings_below(whole, 0)
    alpha = float(10 ** rng.uniform(-3, 0.5))
    model = CARTClassifier(**words, max_leaves=7, pruning="cost_complexity", alpha=alpha)
    model.fit(table.X, table.y, table.sample_weight)
    found = leaves_of(model.tree_.core, whole)
    least = min(objective(whole, leaves, costs, alpha) for leaves in every)
    assert objective(whole, found, costs, alpha) == pytest.approx(least, abs=1e-12)


@pytest.mark.parametrize(
    "model",
    [
        CARTClassifier(pruning="cost_complexity", alpha=0.0005, cost_benefit=True),
        EnhancedTreeClassifier(pruning="cost_complexity", alpha=0.0005, trade_off=10),
    ],
    ids=["cart", "ecart"],
)
def test_alpha_is_for_a_unit_of_price(model: Any) -> None:
    X, y = load_heart()
    prices = heart_prices()
    in_cents = TestCosts(
        {feature: 100 * price for feature, price in prices.prices.items()},  # type: ignore[operator]
        groups={n: {"setup": 100 * g.setup, "members": g.members} for n, g in prices.groups.items()},
    )
    in_dollars = TestCosts(prices.prices, groups=prices.groups)
    dollars, cents = (
        model.set_params(costs=costs, alpha=alpha).fit(X, y).tree_
        for costs, alpha in ((in_dollars, 0.0005), (in_cents, 0.000005))
    )
    assert dollars.n_leaves > 1
    assert dollars.core.column.tolist() == cents.core.column.tolist()
    assert dollars.predict(X).tolist() == cents.predict(X).tolist()


@pytest.mark.parametrize("learner", [CARTClassifier, CARTRegressor, C45Classifier])
def test_a_path_of_alphas_leads_to_the_root_by_prices_too(learner: Any) -> None:
    X, y = load_heart()
    target = (np.asarray(y) == "present").astype(int)
    costs = heart_prices()
    model = learner(costs=costs, cost_benefit=True)
    path = model.cost_complexity_pruning_path(X, target)
    by_leaves = learner(costs=costs).cost_complexity_pruning_path(X, target)
    assert path.ccp_alphas[0] == 0
    assert (np.diff(path.ccp_alphas) > 0).all()
    assert (np.diff(path.impurities) >= -1e-12).all()
    assert path.impurities[-1] == pytest.approx(by_leaves.impurities[-1])


@pytest.mark.parametrize("alpha", [0.0005, 0.02, "cv", "cv_1se"])
def test_a_whole_tree_that_is_grown_anew_is_pruned_by_the_same_size(alpha: Any, tmp_path: Any) -> None:
    X, y = load_heart()
    model = CARTClassifier(
        pruning="cost_complexity", alpha=alpha, cost_benefit=True, costs=heart_prices(), random_state=0
    ).fit(X, y)
    assert model.pruned_by_ in ({"price"} if isinstance(alpha, float) else {"leaves", "price"})
    assert model.refit_below(0, X, y).tree.core == model.tree_.core
    model.save(tmp_path / "model.json")
    again = CARTClassifier.load(tmp_path / "model.json")
    assert again.pruned_by_ == model.pruned_by_
    assert again.refit_below(0, X, y).tree.core == model.tree_.core
    assert not hasattr(
        CARTClassifier(pruning="cost_complexity", costs=heart_prices()).fit(X, y), "pruned_by_"
    )


def test_noise_is_pruned_by_leaves_whatever_tests_cost() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 2))
    y = ((X[:, 0] > 0) ^ (rng.random(400) < 0.3)).astype(int)
    words = {"pruning": "cost_complexity", "cost_benefit": True, "random_state": 0}
    model = CARTClassifier(costs=[1.0, 2.0], **words).fit(X, y)
    assert model.pruned_by_ == "leaves"
    assert model.tree_.n_leaves < 10


def test_folds_take_the_size_of_least_loss_and_of_equals_the_last_alpha_of_each() -> None:
    by_leaves = np.array([[0.3, 0.2, 0.3, 0.4], [0.3, 0.2, 0.3, 0.4]])
    by_price = np.array([[0.3, 0.18, 0.18, 0.5], [0.3, 0.18, 0.18, 0.5]])
    rule = CrossValidatedAlpha("cv", 2, 0)
    assert rule._chosen([by_leaves, by_price]) == [None, 2]
    assert rule._chosen([by_price, by_leaves]) == [2, None]
    assert rule._chosen([by_leaves, by_leaves]) == [1, 1]
    wide = by_leaves + np.array([[-0.12], [0.12]])  # standard error 0.12
    assert CrossValidatedAlpha("cv_1se", 2, 0)._chosen([wide, wide - 0.01]) == [2, 2]
