"""Columns that tell nothing of the class: QUEST chooses them evenly, CART the more values they have."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from thriftree import CARTClassifier, QUESTClassifier

N_VALUES = [2, 4, 10, 100]


def roots(model, n_tables, n_rows, categorical, seed):
    """How often the root asks for each column: of 2, 4, 10 and 100 values, and a continuous one."""
    random = np.random.default_rng(seed)
    model.set_params(max_depth=1, categorical_features=categorical)
    times = np.zeros(len(N_VALUES) + 1, int)
    for _ in range(n_tables):
        columns = [random.integers(0, k, n_rows) for k in N_VALUES]
        X = np.column_stack([*columns, random.normal(size=n_rows)])
        times[model.fit(X, random.integers(0, 2, n_rows)).tree_.core.column[0]] += 1
    return times


@pytest.mark.parametrize("categorical", [[], [0, 1, 2, 3]], ids=["numbers", "categories"])
def test_useless_columns_are_chosen_evenly_by_quest_and_unevenly_by_cart(categorical):
    # Of 100 categories and two classes, five rows a cell: as many as the chi-squared approximation wants.
    quest = roots(QUESTClassifier(pruning=None), 700, 1000, categorical, 1)
    assert stats.chisquare(quest).pvalue > 0.001
    assert (np.abs(quest / 700 - 0.2) < 0.05).all()
    cart = roots(CARTClassifier(), 200, 1000, categorical, 1)
    assert stats.chisquare(cart).pvalue < 1e-12
    assert cart[0] < 0.1 * 200
    assert cart[3:].sum() > 0.6 * 200


def test_columns_are_chosen_as_evenly_at_other_levels_of_alpha():
    for alpha in (0.001, 0.5):
        times = roots(QUESTClassifier(pruning=None, alpha_select=alpha), 400, 300, [], 2)
        assert (np.abs(times / 400 - 0.2) < 0.08).all()
