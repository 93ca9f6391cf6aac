"""At every node the chosen test is the best of all that are offered, by brute force."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import node_tests as oracles
from thoroughness import tries

from thriftree import _core
from thriftree.learning.growth import MULTIWAY, ONE_VS_REST, SUBSET, THRESHOLD, Plan, grow
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.table.coding import read_codes
from thriftree.testing.makers import SmallTable, small_table, small_tables

ALONE = Limits(n_threads=1, ends_at=None, memory_limit_mb=None)
MASK = {"threshold": THRESHOLD, "one_vs_rest": ONE_VS_REST, "subset": SUBSET, "multiway": MULTIWAY}
BOTH = "subset_or_one"
N_TABLES = tries(120, 20)  # for each criterion and kind of test


def sample_of(table: SmallTable, y: Any, categorical: list[int]) -> Sample:
    codes = read_codes(table.X, categorical_features=categorical, sample_weight=table.sample_weight)
    return Sample(codes, y, table.sample_weight)


def assert_every_test_is_best(table: SmallTable, criterion: str, category_kind: str, **options: Any) -> None:
    """Grows a tree on the table and holds every node against the oracle."""
    plan = Plan(
        criterion=criterion,
        n_classes=table.n_classes,
        ordered_tests=THRESHOLD,
        category_tests=SUBSET | ONE_VS_REST if category_kind == BOTH else MASK[category_kind],
        rules=options,
    )
    y = table.y.astype(np.int32 if table.n_classes else np.float64)
    grown = grow(sample_of(table, y, list(table.categorical)), plan, ALONE)
    weight = np.ones(table.n_rows) if table.sample_weight is None else table.sample_weight
    rules = oracles.SplitRules(
        kinds=[category_kind if j in table.categorical else "threshold" for j in range(table.X.shape[1])],
        criterion=criterion,
        min_leaf_rows=options.get("min_leaf_rows", 1),
        min_leaf_weight=options.get("min_leaf_share", 0.0) * float(weight.sum()),
        threshold_penalty=options.get("threshold_penalty", False),
        threshold_minimum=options.get("threshold_minimum", False),
        average_gain_guard=options.get("average_gain_guard", False),
        subsets=oracles.SubsetRules(
            smoothing=options.get("subset_smoothing", 0.0),
            min_rows=options.get("subset_min_rows", 1),
            max_categories=options.get("subset_max_categories", np.inf),
            correction=options.get("subset_correction", 0.0),
        ),
    )
    everything = oracles.Node(table.X, y, weight, table.n_classes)
    core = grown.core
    reached = oracles.rows_by_node(table.X, core, [column.categories for column in grown.columns])
    for node, rows in enumerate(reached):
        here = oracles.part(everything, np.isin(np.arange(table.n_rows), rows))
        assert core.rows[node] == len(rows)
        np.testing.assert_allclose(core.weight[node], here.weight.sum(), rtol=1e-12)
        np.testing.assert_allclose(
            core.impurity[node], oracles.impurity(here, oracles.measure(rules)), atol=1e-9
        )
        best = (
            None
            if oracles.impurity(here, oracles.measure(rules)) < 1e-12
            else oracles.best_score(here, rules)
        )
        if core.column[node] < 0:
            if core.depths[node] == options.get("max_depth"):
                continue
            assert best is None, f"node {node} could be split with score {best}"
            continue
        assert best is not None, f"node {node} is split, but no test is allowed"
        children = core.children[core.child_begin[node] : core.child_begin[node + 1]]
        branch = np.array([next(v for v, c in enumerate(children) if row in reached[c]) for row in rows])
        offered = [test for test in oracles.candidates(here, rules) if test.column == core.column[node]]
        sides = (branch, 1 - branch) if len(children) == 2 else (branch,)
        chosen = [test.score for test in offered if any(np.array_equal(test.branch, side) for side in sides)]
        assert chosen, f"node {node} has a test that is not on offer"
        assert max(chosen) >= best - 1e-9, f"node {node}: score {max(chosen)}, best {best}"


def some_table(seed: int, n_classes: int) -> SmallTable:
    random = np.random.default_rng(seed)
    return small_table(
        seed,
        n_rows=int(random.integers(5, 22)),
        n_columns=int(random.integers(1, 4)),
        n_classes=n_classes,
        n_values=int(random.choice([2, 3, 4, 6])),
        weighted=bool(random.integers(2)),
        missing=bool(random.integers(2)),
        categories=True,
    )


@pytest.mark.parametrize("criterion", ["gini", "entropy", "misclassification"])
@pytest.mark.parametrize("kind", list(MASK)[1:])
def test_the_chosen_test_is_the_best_offered(criterion: str, kind: str) -> None:
    for seed in range(N_TABLES):
        assert_every_test_is_best(some_table(seed, 2 + seed % 4), criterion, kind)


@pytest.mark.parametrize("kind", list(MASK)[1:])
def test_the_chosen_test_is_the_best_offered_for_numbers(kind: str) -> None:
    for seed in range(N_TABLES):
        assert_every_test_is_best(some_table(seed, 0), "squared_error", kind)


@pytest.mark.parametrize("kind", list(MASK)[1:])
@pytest.mark.parametrize(
    "rules",
    [
        {},
        {"threshold_penalty": True, "average_gain_guard": True},
        {
            "threshold_penalty": True,
            "threshold_minimum": True,
            "average_gain_guard": True,
            "min_leaf_rows": 2,
        },
    ],
)
def test_the_chosen_test_has_the_best_gain_ratio(kind: str, rules: dict[str, bool]) -> None:
    for seed in range(N_TABLES):
        assert_every_test_is_best(some_table(seed, 2 + seed % 3), "gain_ratio", kind, **rules)


@pytest.mark.parametrize("kind", list(MASK)[1:])
@pytest.mark.parametrize("rules", [{"min_leaf_rows": 3}, {"min_leaf_share": 0.15}])
def test_the_best_test_of_those_with_large_enough_branches_is_chosen(
    kind: str, rules: dict[str, float]
) -> None:
    for seed in range(N_TABLES):
        assert_every_test_is_best(some_table(seed, 2 + seed % 3), "gini", kind, **rules)
        assert_every_test_is_best(some_table(seed, 0), "squared_error", kind, **rules)


@settings(max_examples=tries(60, 30), deadline=None)
@given(table=small_tables(max_rows=16, max_columns=3), kind=st.sampled_from(list(MASK)[1:]))
def test_no_table_has_a_node_with_a_better_test(table: SmallTable, kind: str) -> None:
    assert_every_test_is_best(table, "entropy", kind, min_leaf_rows=2)


@pytest.mark.parametrize("n_classes", [2, 0, 4])
def test_categories_too_many_for_all_subsets_are_tried_in_target_order(n_classes: int) -> None:
    for seed in range(N_TABLES):
        table = small_table(
            seed,
            n_rows=40,
            n_columns=2,
            n_classes=n_classes,
            n_values=12,
            categories=True,
            missing=seed % 2 == 0,
        )
        assert_every_test_is_best(table, "gini" if n_classes else "squared_error", "subset", max_depth=2)


@pytest.mark.parametrize("kind", ["subset", "one_vs_rest", BOTH])
@pytest.mark.parametrize(
    "rules",
    [
        {"subset_min_rows": 3},
        {"subset_max_categories": 2},
        {"subset_smoothing": 4.0},
        {"subset_correction": 1.0},
        {"subset_min_rows": 2, "subset_max_categories": 3, "subset_smoothing": 1.5, "subset_correction": 0.5},
    ],
    ids=["min_rows", "max_categories", "smoothing", "correction", "all"],
)
def test_the_chosen_test_is_the_best_of_those_that_the_rules_of_sets_allow(
    kind: str, rules: dict[str, float]
) -> None:
    for seed in range(tries(60, 2)):
        for n_classes, n_values in [(2, 12), (0, 12), (4, 14), (3, 5)]:
            table = small_table(
                seed,
                n_rows=40,
                n_columns=2,
                n_classes=n_classes,
                n_values=n_values,
                categories=True,
                weighted=seed % 3 == 0,
                missing=seed % 2 == 0,
            )
            criterion = "gini" if n_classes else "squared_error"
            assert_every_test_is_best(table, criterion, kind, max_depth=3, **rules)


@pytest.mark.parametrize("criterion", ["gini", "entropy", "squared_error"])
def test_the_target_order_holds_the_best_of_all_subsets(criterion: str) -> None:
    """For two classes and a concave impurity, and for squared error, nothing is lost (Breiman et al., theorem
    4.5).
    """
    n_classes = 0 if criterion == "squared_error" else 2
    for seed in range(tries(40, 10)):
        table = small_table(seed, n_rows=30, n_columns=1, n_classes=n_classes, n_values=11, weighted=True)
        node = oracles.Node(table.X, table.y, np.asarray(table.sample_weight), n_classes)
        values = np.unique(table.X)
        best = max(
            oracles.gain(
                node,
                np.isin(table.X[:, 0], values[[bool(bits >> i & 1) for i in range(len(values))]]),
                criterion,
            )
            for bits in range(1, 2 ** (len(values) - 1))
        )
        y = table.y.astype(np.int32 if n_classes else np.float64)
        plan = Plan(
            criterion,
            n_classes,
            THRESHOLD,
            SUBSET,
            rules={"max_depth": 1},
        )
        core = grow(sample_of(table, y, [0]), plan, ALONE).core
        assert isinstance(core, _core.Tree)
        np.testing.assert_allclose(core.score[0], best, rtol=1e-9, atol=1e-12)
