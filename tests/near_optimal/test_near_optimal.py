"""`near_optimal` on raw tables: its trees, what they can do without, the cheapest, and its limits."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np
import pytest
from thoroughness import tries

from thriftree import (
    LimitReachedWarning,
    NearOptimalTrees,
    OptimalTreeClassifier,
    TestCosts,
    near_optimal,
    regularised_risk,
)
from thriftree.testing.makers import SmallTable, small_table


def table(seed: int) -> SmallTable:
    kinds = {"weighted": bool(seed & 1), "missing": bool(seed & 2), "categories": bool(seed & 4)}
    return small_table(seed, n_classes=2 + seed % 2, **kinds)


def found_in(rows: SmallTable, **options: Any) -> NearOptimalTrees:
    given = {"max_depth": 2, "leaf_penalty": 0.02, "slack": 0.03, **options}
    return near_optimal(
        rows.X, rows.y, sample_weight=rows.sample_weight, categorical_features=list(rows.categorical), **given
    )


def risk(rows: SmallTable, tree: Any, leaf_penalty: float = 0.02) -> float:
    return regularised_risk(tree, rows.X, rows.y, leaf_penalty, sample_weight=rows.sample_weight)


@pytest.mark.parametrize("seed", range(8))
def test_trees_come_in_rising_order_of_the_risk_of_the_finished_tree_and_all_differ(seed: int) -> None:
    rows = table(seed)
    found = found_in(rows)
    best = OptimalTreeClassifier(max_depth=2, leaf_penalty=0.02, categorical_features=list(rows.categorical))
    best.fit(rows.X, rows.y, sample_weight=rows.sample_weight)
    assert found.best == pytest.approx(best.objective_)
    trees = list(islice(found, 300))
    risks = [risk(rows, tree) for tree in trees]
    assert risks == pytest.approx(sorted(risks))
    assert risks[0] == pytest.approx(found.best)
    assert risks[-1] <= found.limit + 1e-9
    assert len({tree.to_text() for tree in trees}) == len(trees) == min(300, found.count())
    assert found.first(5).objectives == pytest.approx(risks[:5])


@pytest.mark.parametrize("seed", range(4))
def test_what_is_without_a_feature_are_the_trees_that_do_not_ask_it(seed: int) -> None:
    rows = table(seed)
    found = found_in(rows)
    asked = [{test.column for test in outline.asked} for outline in found.first(10**6).outlines]
    for column, name in enumerate(found.feature_names):
        part = found.without(column)
        assert part.count() == sum(column not in columns for columns in asked)
        assert part.best == pytest.approx(found.best_without()[name])
        assert (name in found.dispensable) == (part.count() > 0)
        if part.count():
            assert risk(rows, part[0]) == pytest.approx(part.best)


def random_costs(seed: int, n_columns: int) -> TestCosts:
    rng = np.random.default_rng(seed)
    prices = {j: float(rng.integers(0, 9)) for j in range(n_columns)}
    groups = {"both": {"setup": 4.0, "members": [0, 1]}} if seed % 2 else {}
    delayed = [0, 2] if seed % 3 else []
    return TestCosts(prices, groups=groups, delayed=delayed, pay="once" if seed % 4 or delayed else "each")


@pytest.mark.parametrize("seed", range(8))
def test_the_cheapest_is_what_pricing_every_tree_finds(seed: int) -> None:
    for more in range(tries(20, 1)):
        rows = table(seed + 8 * more)
        costs = random_costs(seed + 8 * more, rows.X.shape[1])
        found = found_in(rows, costs=costs, slack=0.02)
        if found.count() > 3000:
            continue
        prices = [tree.expected_cost(rows.X, rows.sample_weight) for tree in found]
        cheapest = found.cheapest()
        assert cheapest.is_proved
        assert cheapest.expected_cost == pytest.approx(min(prices))
        assert cheapest.tree.expected_cost(rows.X, rows.sample_weight) == pytest.approx(min(prices))
        assert risk(rows, cheapest.tree) <= found.limit + 1e-9


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("leaf_penalty", [0.0, 0.02])
def test_shares_asked_are_the_least_and_the_largest_over_all_trees(seed: int, leaf_penalty: float) -> None:
    rows = table(seed)
    found = found_in(rows, slack=0.01, leaf_penalty=leaf_penalty, max_leaves=4 if seed % 2 else None)
    if found.count() > 3000:
        return
    for name, (least, most) in found.shares_asked().items():
        column = found.feature_names.index(name)
        others = [j for j in range(len(found.feature_names)) if j != column]
        costs = TestCosts({j: float(j == column) for j in range(len(found.feature_names))}, known=others)
        shares = [
            tree.expected_cost(rows.X, rows.sample_weight)
            for tree in found_in(
                rows, slack=0.01, leaf_penalty=leaf_penalty, max_leaves=4 if seed % 2 else None, costs=costs
            )
        ]
        assert (least, most) == pytest.approx((min(shares), max(shares)))


def test_a_sample_is_of_trees_of_the_set_and_the_same_for_a_seed() -> None:
    rows = table(1)
    found = found_in(rows)
    drawn = found.sample(30, random_state=3)
    assert all(risk(rows, tree) <= found.limit + 1e-9 for tree in drawn)
    assert [tree.to_text() for tree in drawn] == [tree.to_text() for tree in found.sample(30, random_state=3)]
    assert drawn.objectives == pytest.approx([risk(rows, tree) for tree in drawn])


def test_ranks_count_from_both_ends() -> None:
    found = found_in(table(1))
    assert found[-1].to_text() == found[found.count() - 1].to_text()
    with pytest.raises(IndexError, match="none of them"):
        found[found.count()]


def test_rows_that_nothing_tells_apart_have_one_tree() -> None:
    found = near_optimal(np.zeros((6, 2)), [0, 1, 1, 1, 0, 1], slack=0.5)
    assert found.count() == 1
    assert [tree.n_leaves for tree in found] == [1]
    assert found.dispensable == found.feature_names
    assert found.cheapest().expected_cost == 0
    assert len(found.sample(3)) == 3


def test_a_column_that_is_missing_is_named() -> None:
    with pytest.raises(ValueError, match="there is no column"):
        found_in(table(1)).without("nothing")


@pytest.mark.parametrize("column", [None, True, 0.5, np.inf, b"x0", ["x0"]], ids=str)
def test_a_column_that_is_neither_a_name_nor_a_position_is_refused(column: Any) -> None:
    found = found_in(table(1))
    with pytest.raises(ValueError, match="columns are given by name or position, not as"):
        found.without(column)


@pytest.mark.parametrize("n", [-1, 1.5, "two", True, None])
def test_a_number_of_trees_that_is_none_is_refused_in_words(n: Any) -> None:
    found = found_in(table(1))
    for ask in (found.first, found.sample):
        with pytest.raises(ValueError, match=r"n is .*: give a whole number of trees, 0 or more"):
            ask(n)
    assert len(found.first(0)) == len(found.sample(0)) == 0


@pytest.mark.parametrize("rank", [1.5, "best", slice(0, 2), True])
def test_a_rank_that_is_no_whole_number_is_refused_in_words(rank: Any) -> None:
    with pytest.raises(TypeError, match=r"the rank is .*: give a whole number; first\(n\) gives the n best"):
        found_in(table(1))[rank]


@pytest.mark.parametrize("weighed", [{}, {"price_weight": 0.1}])
def test_prices_of_a_column_that_there_is_not_are_refused_in_the_words_of_every_estimator(
    weighed: dict[str, float],
) -> None:
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]), [0, 1, 1, 0]
    costs = {"zz": 1.0}
    with pytest.raises(
        ValueError, match="prices has the feature 'zz', but the table's 2 columns do not"
    ) as told:
        near_optimal(X, y, costs=costs, **weighed)
    with pytest.raises(ValueError, match="'zz'") as of_estimator:
        OptimalTreeClassifier(leaf_penalty=0.01, costs=costs).fit(X, y)
    assert str(told.value) == str(of_estimator.value)


def hard_table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = (rng.random((3000, 40)) < 0.5).astype(float)
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.random(3000) > 1.2).astype(int)


def test_a_time_limit_before_the_best_is_proved_is_an_error_that_says_what_to_do() -> None:
    X, y = hard_table()
    with pytest.raises(TimeoutError, match="raise it, or ask for less"):
        near_optimal(X, y, max_depth=6, leaf_penalty=0.0, time_limit_s=0.05)


def test_at_the_memory_limit_the_set_is_that_of_a_smaller_slack() -> None:
    X, y = hard_table()
    with pytest.warns(LimitReachedWarning, match="smaller slack"):
        found = near_optimal(X[:, :20], y, max_depth=4, leaf_penalty=0.001, slack=0.2, memory_limit_mb=4)
    assert found.stopped_by == "memory_limit"
    assert 0 < found.slack < 0.2
    assert found.count() > 0
