"""What a part written in Python may get wrong: it is told so, and the interpreter stays whole."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from partitioned_store import PartitionedStore
from seam_tables import missing_code, random_fit

from thriftree import _core


class Chooser:
    """Answers with what it was given, whatever the node."""

    def __init__(self, answer):
        self.answer = answer

    def choose(self, node):
        return self.answer(node) if callable(self.answer) else self.answer


def test_a_node_kept_after_the_call_refuses_every_use():
    kept = []
    random_fit(0).tree(chooser=Chooser(kept.append))
    assert len(kept) == 1
    for use in (
        lambda n: n.sums,
        lambda n: n.columns,
        lambda n: n.path,
        lambda n: n.runs(0),
        lambda n: n.runs_of([0]),
        lambda n: n.rows,
    ):
        with pytest.raises(ValueError, match="a borrowed view"):
            use(kept[0])


def test_a_growth_kept_after_the_call_refuses_every_use():
    kept = []

    class Keeper:
        def select(self, growth):
            kept.extend([growth, growth[0]])
            return [0] if len(growth) == 1 else []

        def collapse(self, growth, just_split):
            kept.append(growth[len(growth) - 1])
            return []

    random_fit(0).tree(grower=Keeper())
    assert len(kept) == 5
    uses = {
        _core.Growth: [len, lambda g: g[0], lambda g: g.n_leaves],
        _core.GrowthNode: [lambda n: n.children],
    }
    for view in kept:
        for use in uses[type(view)]:
            with pytest.raises(ValueError, match="a borrowed view"):
                use(view)


@pytest.mark.parametrize(
    ("partition", "message"),
    [
        (lambda: _core.Partition(99, [0, 1], [0, 1]), "column that the table does not have"),
        (lambda: _core.Partition(0, [0, 5000], [0, 1]), "names code 5000"),
        (lambda: _core.Partition(0, [1, 0], [0, 1]), "ascending"),
        (lambda: _core.Partition(2, [0, 1, 2, 3], [0, 0, 0, 0], missing=0), "one branch: it splits nothing"),
        (lambda: _core.Partition(2, [0, 1], [0, 2]), "empty branch"),
        (lambda: _core.Partition(2, [0, 1], [0, -1]), "numbered 0, 1"),
        (lambda: _core.Partition(2, [0, 1], [0, 1], other=7), "numbered 0, 1"),
        (lambda: _core.Partition(2, [0, 1], [0, 1], missing=-2), "numbered 0, 1"),
        (lambda: _core.Partition(2, [0, 1], [0, 10**9]), "numbered 0, 1"),
        (lambda: _core.Partition(2, [], []), "one branch for each code"),
    ],
)
def test_a_partition_that_cannot_be_is_refused(partition, message):
    with pytest.raises(ValueError, match=message):
        random_fit(0).tree(chooser=Chooser(lambda node: _core.Choice(partition(), score=1.0)))


def test_an_answer_of_another_type_is_refused():
    with pytest.raises(TypeError, match="must return a Choice"):
        random_fit(0).tree(chooser=Chooser("the first column"))


@pytest.mark.parametrize("answer", [[5], [-1], [0, 0], [10**6]])
def test_a_grower_may_select_only_open_nodes_and_each_once(answer):
    with pytest.raises(ValueError, match="a grower selected node"):
        random_fit(0).tree(grower=SimpleNamespace(select=lambda growth: answer))


@pytest.mark.parametrize("answer", [[77], [-1]])
def test_a_grower_may_collapse_only_nodes_that_exist(answer):
    grower = SimpleNamespace(select=lambda growth: [0], collapse=lambda growth, just_split: answer)
    with pytest.raises(ValueError, match="does not exist"):
        random_fit(0).tree(grower=grower)


@pytest.mark.parametrize("part", ["chooser", "grower", "price_model", "criterion"])
def test_an_exception_in_any_part_reaches_the_caller_as_it_is(part):
    class OwnError(Exception):
        pass

    def fail(*_):
        raise OwnError(part)

    names = ("choose", "select", "marginal")
    given = fail if part == "criterion" else SimpleNamespace(**dict.fromkeys(names, fail))
    with pytest.raises(OwnError, match=part):
        random_fit(0).tree(**{part: given})


@pytest.mark.parametrize("method", ["prepare", "open_root", "count", "divide"])
def test_an_exception_in_a_store_reaches_the_caller_as_it_is(method):
    class OwnError(Exception):
        pass

    def fail(*_):
        raise OwnError(method)

    store = store_of(random_fit(0))
    setattr(store, method, fail)
    with pytest.raises(OwnError, match=method):
        grown_by(store)


def store_of(fit, kind=PartitionedStore):
    return kind(fit.table, fit.target, _core.GrowOptions(), 1)


def grown_by(store):
    options = _core.GrowOptions(candidates=random_fit(0).candidates)
    return _core.grow_elsewhere(store, store.columns, store.target, store.rows, options).tree


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda sums: sums[:, :-1], ValueError, "nodes, codes of all columns, statistics"),
        (lambda sums: sums[..., :-1], ValueError, "nodes, codes of all columns, statistics"),
        (lambda sums: sums * 1.0, TypeError, "arrays of integers"),
        (lambda sums: sums * 2, ValueError, "count of node 0 found 160 of 80 rows in column 0"),
        (lambda sums: None, TypeError, "arrays of integers"),
    ],
)
def test_counts_that_cannot_be_are_refused(change, error, message):
    class Changed(PartitionedStore):
        def count(self, *given):
            return change(super().count(*given))

    with pytest.raises(error, match=message):
        grown_by(store_of(random_fit(0), Changed))


def test_a_store_that_loses_rows_is_refused():
    class Losing(PartitionedStore):
        def divide(self, *given):
            totals = super().divide(*given)
            totals[0, 0] -= 1
            return totals

    with pytest.raises(ValueError, match="divide of node 0 returned 79 rows of 80"):
        grown_by(store_of(random_fit(0), Losing))


@pytest.mark.parametrize("rows", [0, -1, np.nan, "many"])
def test_a_batch_has_at_least_a_row(rows):
    store = store_of(random_fit(0))
    store.preferred_batch_rows = rows
    with pytest.raises((ValueError, TypeError), match="preferred_batch_rows"):
        grown_by(store)


def test_a_score_that_is_no_number_is_refused():
    partition = _core.Partition(2, [0, 1], [0, 1])
    with pytest.raises(ValueError, match="must be numbers"):
        _core.Choice(partition, score=np.nan)


def test_totals_of_another_width_are_refused():
    store = store_of(random_fit(0))
    store.open_root = lambda weight: np.array([[80]])
    with pytest.raises(ValueError, match="one per statistic"):
        grown_by(store)


def test_a_word_that_does_not_exist_is_named():
    with pytest.raises(TypeError, match="no parameter 'min_samples_leaf'"):
        _core.GrowOptions(min_samples_leaf=3)


def test_the_runs_of_several_columns_are_those_of_each_one_after_the_other():
    fit, seen = random_fit(2), []

    def look(node):
        columns = node.columns[::-1]
        begin, *together = node.runs_of(columns)
        assert begin.tolist()[0] == 0
        for i, column in enumerate(columns):
            part = slice(begin[i], begin[i + 1])
            for whole, alone in zip(together, node.runs(column), strict=True):
                np.testing.assert_array_equal(whole[part], alone)
        assert begin[-1] == len(together[0])
        assert [len(of_none) for of_none in node.runs_of([])] == [1, 0, 0, 0]
        with pytest.raises(IndexError, match="does not vary"):
            node.runs_of([columns[0], 10_000])
        seen.append(len(columns))

    fit.tree(chooser=Chooser(look))
    assert seen
    assert seen[0] > 1


def test_a_chooser_sees_the_path_and_the_sums_of_its_node():
    fit, seen = random_fit(2), []

    class Watcher:
        def choose(self, node):
            codes, rows, sums = node.runs(0)
            assert rows.sum() == node.rows
            np.testing.assert_array_equal(sums.sum(axis=0), node.sums)
            seen.append((node.id, node.depth, node.path, node.rows))
            known = codes[codes != missing_code(fit.table, 0)].tolist()
            if node.depth == 2 or len(known) < 2:
                return None
            missing = 1 if len(known) < len(codes) else -1
            return _core.Choice(_core.Partition(0, known, [0] + [1] * (len(known) - 1), missing), score=1.0)

    tree = fit.tree(chooser=Watcher())
    assert seen[0] == (0, 0, [], 80)
    assert [path for _, depth, path, _ in seen if depth == 2] == [[(0, 1), (0, 0)], [(0, 1), (0, 1)]]
    assert tree.rows.tolist()[0] == 80
    assert tree.n_leaves == 3
