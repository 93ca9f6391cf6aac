"""Trees of scores that are more than an impurity, grown through codes of ranges, are those of every value."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from span_tables import random_rules, random_table, random_target
from thoroughness import tries

from thriftree import _core

NEVER = 2**40
SCORES: dict[str, dict[str, Any]] = {
    "enhanced": {"score": "enhanced"},
    "enhanced_without_impurity": {"score": "enhanced", "trade_off": 0.0},
    "enhanced_entropy": {"score": "enhanced", "trade_off": 5.0, "criterion": "entropy"},
    "impure_pairs": {"score": "impure_pairs"},
    "balance": {"score": "balance"},
    "worst_case_pairs": {"score": "worst_case", "set_function": _core.Pairs()},
    "worst_case_powers": {"score": "worst_case", "set_function": _core.Powers(3)},
    "worst_case_hinged": {"score": "worst_case", "set_function": _core.HingedPairs(3)},
}
IMPURITY_ALONE: dict[str, dict[str, Any]] = {
    "enhanced_of_impurity_alone": {"score": "enhanced", "trade_off": math.inf},
    "gini": {},
}


def tables_of(
    rng: np.random.Generator, *, whole_weights: bool
) -> tuple[list[_core.Table], _core.Target, dict[str, Any]]:
    """A random table with spans, and with a code for every value; a target; and how a tree is grown."""
    n = int(rng.integers(20, 700))
    columns = random_table(rng, n, int(rng.integers(1, 6)))
    if rng.random() < 0.4:  # rows that are equal are one object
        rows = rng.integers(0, max(2, n // 3), n)
        columns = [x[rows] for x in columns]
    target = random_target(rng, columns, "gini", whole_weights=whole_weights)
    rules = random_rules(rng)
    if rng.random() < 0.4:
        rules["min_mass"] = float(rng.choice([0.001, 0.01, 0.1]))
    if rng.random() < 0.5:
        rules |= {"prices": rng.choice([1.0, 2.0, 3.5], len(columns)).tolist(), "cost_benefit": True}
    codes, above = int(rng.choice([1, 3, 17, 255])), int(rng.integers(8))
    tables = [
        _core.encode_columns(
            columns,
            [None] * len(columns),
            spans=_core.SpanOptions(from_rows=rows_from, above_values=above, codes=codes),
        )
        for rows_from in (0, NEVER)
    ]
    return tables, target, {"candidates": [_core.THRESHOLD] * len(columns), **rules}


def grown(table: _core.Table, target: _core.Target, n_threads: int = 1, **options: Any) -> _core.GrownTree:
    return _core.grow(table, target, _core.GrowOptions(limits=_core.Limits(n_threads=n_threads), **options))


def check_same(found: _core.Tree, expected: _core.Tree, what: Any) -> None:
    """All but the last digits of scores: presorted rows that weigh anything are summed in floating point."""
    assert found.n_nodes == expected.n_nodes, what
    for field in (
        "column",
        "keys",
        "to",
        "children",
        "missing",
        "rows",
        "objects",
        "weight",
        "value",
        "label",
    ):
        np.testing.assert_array_equal(getattr(found, field), getattr(expected, field), f"{field}, {what}")
    np.testing.assert_allclose(found.score, expected.score, rtol=1e-11, atol=0, err_msg=str(what))


@pytest.mark.parametrize("name", [*SCORES, *IMPURITY_ALONE])
def test_a_tree_of_objects_through_spans_is_that_of_every_value(name):
    score = {**SCORES, **IMPURITY_ALONE}[name]
    n_opened = 0
    for seed in range(tries(1500, 60)):
        (spans, values), target, rules = tables_of(np.random.default_rng([seed, 1]), whole_weights=True)
        found = grown(spans, target, 1 + seed % 2, objects=name != "gini", **score, **rules)
        expected = grown(values, target, objects=name != "gini", **score, **rules)
        check_same(found.tree, expected.tree, (seed, rules))
        if (
            "enhanced" not in SCORES.get(name, {}).values()
        ):  # whose terms of heavy objects are no whole numbers
            assert found.tree == expected.tree, (seed, rules)
        n_opened += found.pairs_opened
        assert found.pairs_opened <= found.pairs_seen
        assert expected.pairs_seen == 0
    assert n_opened > 0


@pytest.mark.parametrize("name", SCORES)
def test_a_tree_of_any_weights_through_spans_is_that_of_every_value(name):
    for seed in range(tries(1000, 40)):
        (spans, values), target, rules = tables_of(np.random.default_rng([seed, 2]), whole_weights=False)
        found, expected = (
            grown(table, target, objects=True, **SCORES[name], **rules).tree for table in (spans, values)
        )
        check_same(found, expected, (seed, rules))


def test_the_trees_of_a_path_through_spans_are_those_of_every_value():
    trade_offs = [math.inf, 8.0, 1.0, 0.0]
    for seed in range(tries(400, 30)):
        (spans, values), target, rules = tables_of(np.random.default_rng([seed, 3]), whole_weights=True)
        options = _core.GrowOptions(score="enhanced", objects=True, **rules)
        found, expected = (
            [one.tree for one in _core.grow_path(table, target, options, trade_offs).grown]
            for table in (spans, values)
        )
        for tree, other, trade_off in zip(found, expected, trade_offs, strict=True):
            check_same(tree, other, (seed, rules))
            alone = grown(spans, target, score="enhanced", trade_off=trade_off, objects=True, **rules)
            assert alone.tree == tree, (seed, trade_off)


@pytest.mark.parametrize("name", SCORES)
def test_prices_that_depend_on_the_path_choose_the_same_tests(name):
    for seed in range(tries(300, 15)):
        rng = np.random.default_rng([seed, 4])
        (spans, values), target, rules = tables_of(rng, whole_weights=True)
        n = len(rules["candidates"])
        rules.pop("prices", None)
        rules["price_model"] = _core.PriceRules(
            own=rng.choice([0.5, 1.0, 4.0], n).tolist(),
            group=rng.integers(-1, 2, n).tolist(),
            setup=[2.0, 0.0],
            known=[False] * n,
            pay_once=bool(rng.random() < 0.7),
            asking=0.25,
            read=bool(rng.random() < 0.2),
            read_at_most=int(rng.choice([2, 8, 1000])),
            free_first=bool(rng.random() < 0.2),
            budget=float(rng.choice([3.0, 8.0, math.inf])),
        )
        rules["cost_benefit"] = bool(rng.random() < 0.8)
        found, expected = (
            grown(table, target, objects=True, **SCORES[name], **rules).tree for table in (spans, values)
        )
        check_same(found, expected, seed)


def test_samples_with_spans_grow_the_trees_of_their_values():
    for seed in range(tries(200, 15)):
        rng = np.random.default_rng([seed, 5])
        columns = random_table(rng, 400, 3)
        again = rng.integers(0, 150, 400)
        columns = [x[again] for x in columns]
        rows = np.flatnonzero(rng.random(400) < 0.6).astype(np.uint32)
        target = random_target(rng, [x[rows] for x in columns], "gini", whole_weights=True)
        trees = []
        for rows_from in (0, NEVER):
            options = _core.SpanOptions(from_rows=rows_from, above_values=2, codes=9)
            table = _core.encode_columns(columns, [None] * 3, spans=options).sample(rows)
            trees.append(
                grown(table, target, score="enhanced", objects=True, candidates=[_core.THRESHOLD] * 3).tree
            )
        check_same(*trees, seed)
        assert trees[0].objects[0] < len(rows)


def test_ranges_of_values_never_decide_what_an_object_is():
    """With one code a column, codes are equal in all rows; objects are rows of equal values all the same."""
    rng = np.random.default_rng(4)
    x = np.repeat(rng.normal(size=(300, 2)), 2, axis=0)
    x[np.arange(0, 600, 7), 1] = np.nan
    y = rng.integers(0, 3, 600).astype(np.int32)
    target = _core.Target.classes(y, 3)
    trees = []
    for rows_from in (0, NEVER):
        table = _core.encode_matrix(x, spans=_core.SpanOptions(from_rows=rows_from, above_values=2, codes=1))
        assert table.n_spans == (2 if rows_from == 0 else 0)
        trees.append(
            grown(table, target, score="enhanced", objects=True, candidates=[_core.THRESHOLD] * 2).tree
        )
    check_same(*trees, "one code")
    assert trees[0].objects[0] == len(np.unique(np.nan_to_num(x, nan=1e9), axis=0))


@pytest.mark.parametrize("name", SCORES)
def test_few_ranges_are_opened(name):
    """A bound that is always large would be true, and every range would be opened."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(20_000, 6))
    y = (x[:, 0] + x[:, 1] + rng.normal(size=20_000) > 0).astype(np.int32) + (x[:, 2] > 1)
    table = _core.encode_matrix(x, spans=_core.SpanOptions(from_rows=0))
    one = grown(
        table,
        _core.Target.classes(y.astype(np.int32), 3),
        objects=True,
        candidates=[_core.THRESHOLD] * 6,
        min_leaf_rows=1000,
        **SCORES[name],
    )
    assert one.tree.n_leaves > 5
    assert 0 < one.pairs_opened < 0.03 * one.pairs_seen


def test_after_a_test_that_leaves_nothing_no_range_is_opened():
    """Most nodes have many tests that leave nothing of F, in every column: of these the first is taken."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=(4_000, 6))
    y = (x[:, 0] + x[:, 1] + rng.normal(size=4_000) > 0).astype(np.int32)
    found, expected = (
        grown(
            _core.encode_matrix(x, spans=_core.SpanOptions(from_rows=rows_from)),
            _core.Target.classes(y, 2),
            objects=True,
            candidates=[_core.THRESHOLD] * 6,
            score="worst_case",
            set_function=_core.HingedPairs(100),
        )
        for rows_from in (0, NEVER)
    )
    assert found.tree == expected.tree
    assert found.tree.n_leaves > 5
    assert 0 < found.pairs_opened < 0.01 * found.pairs_seen
