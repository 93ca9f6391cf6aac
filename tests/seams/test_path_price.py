"""A price that depends on the path: a column asked before costs only the asking."""

from __future__ import annotations

import numpy as np
import pytest
from seam_tables import children, encode

from thriftree import _core

ASKING = 0.01


class BoughtOnce:
    """Every column has its price; once it was asked above, asking it again costs next to nothing."""

    def __init__(self, prices):
        self.prices = np.asarray(prices, float)
        self.paths = []

    def marginal(self, path):
        self.paths.append(path)
        prices = self.prices.copy()
        prices[[column for column, _ in path]] = 0
        return prices + ASKING


def staircase(seed, n=300):
    """Column 0 decides in steps, so it pays to ask it again; columns 1 and 2 say a little about the rest."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 8, (n, 3)).astype(float)
    labels = ((x[:, 0] // 2) % 2).astype(np.int32)
    other = rng.random(n) < 0.35
    labels[other] = (x[other, 1] + x[other, 2] > 7).astype(np.int32)
    return encode(list(np.ascontiguousarray(x.T)), labels, 2), x


def gini(labels):
    share = np.bincount(labels, minlength=2) / len(labels)
    return 1 - (share**2).sum()


def best_threshold(x, labels):
    found = [-1.0]
    for cut in np.unique(x)[:-1]:
        left = x <= cut
        after = left.mean() * gini(labels[left]) + (~left).mean() * gini(labels[~left])
        found.append(gini(labels) - after)
    return max(found)


def check_benefits(tree, node, x, labels, prices, path):
    """At every node the test has the best decrease per price that the path leaves to pay, by brute force."""
    if tree.column[node] < 0:
        return
    due = [(0 if j in path else price) + ASKING for j, price in enumerate(prices)]
    benefit = [best_threshold(x[:, j], labels) / due[j] for j in range(3)]
    column = int(tree.column[node])
    assert benefit[column] == pytest.approx(max(benefit), abs=1e-9)
    assert tree.score[node] == pytest.approx(max(benefit), rel=1e-9, abs=1e-9)
    left = x[:, column] <= tree.keys[tree.key_begin[node]]
    for child, rows in zip(children(tree, node), (left, ~left), strict=True):
        check_benefits(tree, child, x[rows], labels[rows], prices, {*path, column})


@pytest.mark.parametrize("seed", range(5))
def test_a_path_dependent_price_is_what_scores_are_divided_by(seed):
    fit, x = staircase(seed)
    prices = BoughtOnce([3.0, 1.0, 1.0])
    tree = fit.tree(price_model=prices, cost_benefit=True, max_depth=5)
    check_benefits(tree, 0, x, fit.labels, prices.prices, set())
    assert [] in prices.paths  # the root
    assert max(map(len, prices.paths)) == 4  # nodes at max_depth are leaves: nobody asks their prices


def test_what_was_bought_above_is_asked_again_below():
    fit, _ = staircase(0)
    once = fit.tree(price_model=BoughtOnce([3.0, 1.0, 1.0]), cost_benefit=True, max_depth=4)
    each = fit.tree(prices=[3.01, 1.01, 1.01], cost_benefit=True, max_depth=4)

    def times_bought(tree, node=0, path=()):
        if tree.column[node] < 0:
            return [len(set(path))]
        below = (*path, int(tree.column[node]))
        return [n for child in children(tree, node) for n in times_bought(tree, child, below)]

    assert np.mean(times_bought(once)) < np.mean(times_bought(each))


@pytest.mark.parametrize("price", [0.0, -1.0, np.nan, np.inf])
def test_a_price_that_a_score_cannot_be_divided_by_is_refused(price):
    class Free:
        def marginal(self, path):
            return [1.0, price, 1.0]

    fit, _ = staircase(0)
    with pytest.raises(ValueError, match="price of column 1"):
        fit.tree(price_model=Free(), cost_benefit=True)
    with pytest.raises(ValueError, match="price of column 1"):
        fit.tree(prices=[1.0, price, 1.0], cost_benefit=True)


def test_without_cost_benefit_prices_change_nothing():
    fit, _ = staircase(1)
    plain = fit.tree(max_depth=4)
    assert fit.tree(price_model=BoughtOnce([9.0, 1.0, 1.0]), max_depth=4) == plain
    assert isinstance(plain, _core.Tree)
