"""Trees that are grown through codes of ranges of values are those of every value, node by node."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from span_tables import CRITERIA, SHAPES, column, random_rules, random_table, random_target
from thoroughness import tries

from thriftree import _core

NEVER = 2**40


def encoded(columns: list[Any], spans: _core.SpanOptions) -> _core.Table:
    return _core.encode_columns(columns, [None] * len(columns), spans=spans)


def grown(
    table: _core.Table, target: _core.Target, n_columns: int, n_threads: int = 1, **rules: Any
) -> _core.Tree:
    limits = _core.Limits(n_threads=n_threads)
    options = _core.GrowOptions(candidates=[_core.THRESHOLD] * n_columns, limits=limits, **rules)
    return _core.grow(table, target, options).tree


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("codes", [1, 3, 17, 255])
def test_a_tree_through_spans_is_that_of_every_value(criterion, codes):
    for seed in range(tries(400, 25)):
        rng = np.random.default_rng([seed, codes, len(criterion)])
        n = int(rng.integers(20, 900))
        columns = random_table(rng, n, int(rng.integers(1, 6)))
        target = random_target(rng, columns, criterion)
        rules = {"criterion": criterion, **random_rules(rng)}
        above, sorted_rows = int(rng.integers(8)), [0, 30, 200, None][rng.integers(4)]
        spans, values = (
            encoded(
                columns,
                _core.SpanOptions(from_rows=rows, above_values=above, codes=codes, sorted_rows=sorted_rows),
            )
            for rows in (0, NEVER)
        )
        expected = grown(values, target, len(columns), **rules)
        found = grown(spans, target, len(columns), n_threads=int(rng.integers(1, 3)), **rules)
        assert found == expected, (seed, n, rules)


def test_sums_of_very_unlike_weights_keep_their_digits():
    """The sum of a few light rows is a small negative number among large ones."""
    for seed in range(tries(40, 8)):
        rng = np.random.default_rng(seed)
        columns = [rng.normal(size=400) for _ in range(3)]
        target = _core.Target.numbers(columns[0] + rng.normal(size=400), 10.0 ** rng.uniform(-3, 3, 400))
        spans, values = table_pair(columns, above_values=0, codes=17, sorted_rows=0)
        rules = {"criterion": "squared_error"}
        assert grown(spans, target, 3, **rules) == grown(values, target, 3, **rules)


@pytest.mark.parametrize("criterion", ["gini", "squared_error"])
def test_small_nodes_are_counted_where_there_is_no_memory_to_sort_them(criterion):
    rng = np.random.default_rng(4)
    n, p = 20_000, 8
    x = rng.normal(size=(n, p))
    y = x[:, 0] + x[:, 1] * x[:, 2] + rng.normal(size=n)
    target = _core.Target.numbers(y) if criterion == "squared_error" else classes_of(y)
    tables = [
        _core.encode_matrix(x, spans=_core.SpanOptions(from_rows=0, sorted_rows=rows)) for rows in (0, 1000)
    ]
    trees = [grown(table, target, p, criterion=criterion, max_leaves=60) for table in tables]
    assert trees[0] == trees[1]
    # Room for nearly all that counting takes, and then a little more.
    limited = []
    for megabytes in np.linspace(1.5, 4, 11):
        limits = _core.Limits(memory_limit_mb=float(megabytes))
        options = _core.GrowOptions(candidates=[1] * p, criterion=criterion, max_leaves=60, limits=limits)
        try:
            limited.append(_core.grow(tables[1], target, options))
        except MemoryError:
            assert not limited
    assert len(limited) > 4
    assert all(one.tree == trees[0] for one in limited if one.stopped_by is None)
    assert any(one.stopped_by is None for one in limited)


def classes_of(y: Any) -> _core.Target:
    return _core.Target.classes((y > 0).astype(np.int32), 2)


def test_nodes_are_sorted_alike_on_any_number_of_threads():
    rng = np.random.default_rng(6)
    x = rng.normal(size=(9000, 5))
    table = _core.encode_matrix(x, spans=_core.SpanOptions(from_rows=0, sorted_rows=9000))
    target = classes_of(x[:, 0] * x[:, 1])
    trees = [grown(table, target, 5, n_threads=n, min_leaf_rows=5) for n in (1, 2, 4)]
    assert trees[0] == trees[1] == trees[2]


def table_pair(columns: list[Any], **options: Any) -> tuple[_core.Table, _core.Table]:
    """The same columns with spans, and with a code for every value."""
    return encoded(columns, _core.SpanOptions(from_rows=0, **options)), encoded(
        columns, _core.SpanOptions(from_rows=NEVER, **options)
    )


def test_samples_with_spans_grow_the_trees_of_their_values():
    for seed in range(tries(200, 20)):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(50, 800))
        columns = random_table(rng, n, 3)
        rows = np.flatnonzero(rng.random(n) < 0.6).astype(np.uint32)
        again = np.flatnonzero(rng.random(len(rows)) < 0.7).astype(np.uint32)
        target = random_target(rng, [x[rows][again] for x in columns], "entropy")
        spans, values = (
            table.sample(rows).sample(again) for table in table_pair(columns, above_values=2, codes=9)
        )
        rules = {"criterion": "entropy", **random_rules(rng)}
        assert grown(spans, target, 3, **rules) == grown(values, target, 3, **rules)


def test_tables_of_spans_tell_every_value_when_they_are_asked():
    for seed in range(tries(60, 10)):
        rng = np.random.default_rng(seed)
        columns = random_table(rng, int(rng.integers(50, 900)), 4)
        spans, values = table_pair(columns, above_values=10)
        rows = np.flatnonzero(rng.random(len(columns[0])) < 0.5).astype(np.uint32)
        for a, b in ((spans, values), (spans.sample(rows), values.sample(rows))):
            assert a.book == b.book
            assert all((a.codes(j) == b.codes(j)).all() for j in range(4))
            assert all((x == y).all() for x, y in zip(a.objects(), b.objects(), strict=True))


def test_spans_stand_beside_categories_and_columns_of_few_values():
    rng = np.random.default_rng(5)
    n = 5000
    few, many = rng.integers(0, 9, n).astype(float), rng.normal(size=n)
    category = rng.integers(-1, 6, n).astype(np.int32)
    y = ((many > 0.3) ^ (few > 4) ^ (category == 2)).astype(np.int32)
    y = np.where(rng.random(n) < 0.1, 1 - y, y).astype(np.int32)
    target = _core.Target.classes(y, 2)
    trees = []
    for rows in (0, NEVER):
        table = _core.encode_columns(
            [few, category, many], [None, 6, None], spans=_core.SpanOptions(from_rows=rows)
        )
        assert table.n_spans == (1 if rows == 0 else 0)
        options = _core.GrowOptions(
            candidates=[_core.THRESHOLD, _core.SUBSET, _core.THRESHOLD], min_leaf_rows=20
        )
        trees.append(_core.grow(table, target, options).tree)
    assert trees[0] == trees[1]
    assert set(trees[0].column[trees[0].column >= 0].tolist()) == {0, 1, 2}


def test_a_threshold_between_neighbouring_floats_parts_them():
    """A midpoint that is rounded to float32 can be the upper value: rows are divided by the lower one."""
    low = np.float32(1)
    high = np.nextafter(low, np.float32(2))
    x = np.repeat([low, high], 300).astype(np.float32)
    x = np.concatenate([x, np.linspace(2, 3, 600, dtype=np.float32)])
    y = np.concatenate([np.repeat([0, 1], 300), np.ones(600)]).astype(np.int32)
    table, _ = table_pair([x])
    tree = grown(table, _core.Target.classes(y, 2), 1)
    assert tree.n_leaves == 2
    assert low <= tree.keys[0] < high
    assert tree.rows.tolist() == [1200, 300, 900]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_code_holds_much_more_than_its_share(shape, dtype):
    """Cells of equal width would put nearly all of |x|^9 into one code, which every node would then open."""
    x = column(np.random.default_rng(0), 20_000, shape).clip(-3e38, 3e38).astype(dtype)
    largest_tie = np.unique(x, return_counts=True)[1].max()
    table = encoded([x], _core.SpanOptions(from_rows=0, above_values=0))
    assert table.span_rows(0).sum() == 20_000
    assert table.span_rows(0).max() <= max(20_000 * 0.04, 2 * largest_tie)


def test_the_same_codes_come_from_every_layout():
    rng = np.random.default_rng(1)
    x = rng.normal(size=(3000, 5))
    x[rng.random(x.shape) < 0.05] = np.nan
    y = _core.Target.classes((np.nan_to_num(x[:, 1]) > 0).astype(np.int32), 2)
    options = _core.SpanOptions(from_rows=0)
    layouts = [
        _core.encode_matrix(np.ascontiguousarray(x), spans=options),
        _core.encode_matrix(np.asfortranarray(x), spans=options),
        _core.encode_columns(list(x.T), [None] * 5, spans=options),
    ]
    trees = [grown(table, y, 5, min_leaf_rows=5) for table in layouts]
    assert trees[0] == trees[1] == trees[2]
    assert [table.n_spans for table in layouts] == [5, 5, 5]


@pytest.mark.parametrize("bad", [np.inf, -np.inf])
@pytest.mark.parametrize("layout", [np.ascontiguousarray, np.asfortranarray])
def test_an_infinite_value_is_refused_by_its_place(bad, layout):
    x = np.random.default_rng(2).normal(size=(9000, 16))
    x[8123, 11] = bad
    with pytest.raises(ValueError, match="column 11, row 8123"):
        _core.encode_matrix(layout(x))


def test_arrays_behind_a_table_live_as_long_as_it_does():
    x = np.random.default_rng(3).normal(size=(9000, 3))
    y = _core.Target.classes((x[:, 0] > 0.1).astype(np.int32), 2)
    expected = grown(_core.encode_matrix(x), y, 3)
    table = _core.encode_matrix(x.copy())
    sample = table.sample(np.arange(9000, dtype=np.uint32))
    del table
    junk = [np.full((9000, 3), np.nan) for _ in range(20)]
    assert grown(sample, y, 3) == expected
    assert len(junk) == 20
