"""With prices and accuracy, no test is paid for that changes no label; the answers stay."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries
from thrift_prices import random_costs

from thriftree import CARTClassifier, ThriftTreeClassifier
from thriftree.datasets import heart_prices, load_heart
from thriftree.learning.growth import grow
from thriftree.learning.limits import Limits
from thriftree.learning.prunings import prunings
from thriftree.learning.tree_sizes import SIZES
from thriftree.testing.makers import small_tables

UNLIMITED = Limits.of(1, None, None)


def idle_nodes(tree) -> list[int]:
    """By definition: the inner nodes all of whose leaves have one label."""
    core = tree.core

    def labels(node):
        children = core.children[core.child_begin[node] : core.child_begin[node + 1]].tolist()
        return set().union(*map(labels, children)) if children else {int(core.label[node])}

    return [n for n in range(core.n_nodes) if core.column[n] >= 0 and len(labels(n)) == 1]


@settings(max_examples=tries(150, 40), deadline=None)
@given(table=small_tables(max_rows=40), seed=st.integers(0, 2**32 - 1))
def test_each_pruning_predicts_the_same_without_the_tests_that_change_no_label(table, seed):
    rng = np.random.default_rng(seed)
    mistakes = rng.integers(1, 6, (table.n_classes,) * 2) * (1 - np.eye(table.n_classes))
    model = CARTClassifier(
        costs=random_costs(rng, table),
        categorical_features=list(table.categorical),
        error_costs=mistakes if seed % 2 else None,
    )
    rows = model._read(table.X, table.y, table.sample_weight, UNLIMITED)
    plan = model._plan(rows)
    grown = grow(rows, plan, UNLIMITED)
    prices, inputs = model.costs.bind(grown.columns), rows.codes.inputs(grown.columns)
    for size in SIZES:
        whole = prunings(grown, plan, size, prices)
        short = prunings(grown, plan, size, prices, labels_only=True)
        assert whole.alphas.tolist() == short.alphas.tolist()
        for alpha in whole.alphas.tolist():
            before, after = whole.tree_at(alpha), short.tree_at(alpha)
            labels = [one.core.label[one.core.apply(inputs, 1)].tolist() for one in (before, after)]
            assert labels[0] == labels[1]
            assert idle_nodes(after) == []
            assert len(short.leaves_at(alpha)) == after.core.n_leaves <= before.core.n_leaves
            if not idle_nodes(before):
                assert after.core == before.core


@settings(max_examples=tries(40, 8), deadline=None)
@given(table=small_tables(max_rows=40, max_columns=3), seed=st.integers(0, 2**32 - 1))
def test_a_tuned_tree_with_prices_asks_nothing_that_changes_no_label(table, seed):
    costs = random_costs(np.random.default_rng(seed), table)
    model = ThriftTreeClassifier(
        costs=costs, categorical_features=list(table.categorical), cv=2, repeats=1, random_state=0
    ).fit(table.X, table.y, table.sample_weight)
    assert idle_nodes(model.tree_) == []


def test_where_ranks_count_a_test_that_changes_no_label_is_kept():
    """x tells a sure 1 from an unsure one."""
    rng = np.random.default_rng(0)
    x = rng.random((400, 1))
    y = (rng.random(400) < np.where(x[:, 0] > 0.5, 0.95, 0.65)).astype(int)
    words = {"costs": [3.0], "max_depth": 1, "repeats": 1, "random_state": 0}
    by_rank = ThriftTreeClassifier(metric="auc", **words).fit(x, y)
    by_label = ThriftTreeClassifier(**words).fit(x, y)
    assert idle_nodes(by_rank.tree_) == [0]
    assert by_label.tree_.n_leaves == 1
    assert (by_rank.predict(x) == by_label.predict(x)).all()


@pytest.mark.parametrize("budget", [None, 60])
def test_prices_and_questions_agree_on_what_is_asked(budget):
    """Whoever is asked question by question is done when the label is settled: a row pays for no more."""
    X, y = load_heart()
    model = ThriftTreeClassifier(costs=heart_prices(), budget=budget, repeats=1, random_state=0).fit(X, y)
    paid = model.predict_cost(X)
    for position in range(0, len(X), 7):
        row, ask = X.iloc[position], model.tree_.consult(order="tree")
        while ask.question is not None:
            value = row[ask.question.column]
            ask.answer(None if pd.isna(value) else value)
        assert ask.paid == pytest.approx(paid[position])
        assert ask.result.label == model.predict(X.iloc[[position]])[0]
