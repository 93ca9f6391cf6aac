"""A criterion as a Python function of class sums: f(parent[K], branches[C, V, K], price[C]) -> score[C]."""

from __future__ import annotations

import numpy as np
import pytest
from seam_tables import random_fit

from thriftree import _core


def impurity(sums):
    return 1 - ((sums / sums.sum(axis=-1, keepdims=True)) ** 2).sum(axis=-1)


def gini_decrease(parent, branches, price):
    share = branches.sum(axis=-1) / parent.sum()
    return np.round(impurity(parent) - (share * impurity(branches)).sum(axis=-1), 12)


def structure(tree):
    """Everything but the scores, whose last digits depend on the formula."""
    return [
        getattr(tree, name).tolist()
        for name in ("parent", "kind", "column", "missing", "other", "keys", "to", "rows", "value", "label")
    ]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["mixed", _core.MULTIWAY])
@pytest.mark.parametrize("seed", range(4))
def test_gini_as_a_function_grows_the_tree_of_the_named_gini(seed, kind, weighted):
    fit = random_fit(seed, weighted=weighted)
    if kind != "mixed":
        fit.candidates = [kind] * 4
    own, named = fit.tree(criterion=gini_decrease), fit.tree(criterion="gini")
    assert structure(own) == structure(named)
    np.testing.assert_allclose(own.score, named.score, atol=1e-11)


def test_the_function_sees_many_candidates_at_once_with_sums_that_add_up_and_the_price():
    fit = random_fit(3)
    seen = []

    def watching(parent, branches, price):
        seen.append(branches.shape)
        assert parent.shape == (3,)
        assert price.shape == (len(branches),)
        assert set(price) <= {1.0, 2.0, 4.0, 8.0}
        np.testing.assert_allclose(branches.sum(axis=1), np.tile(parent, (len(branches), 1)))
        return gini_decrease(parent, branches, price) / price

    priced = fit.tree(criterion=watching, prices=[8.0, 4.0, 2.0, 1.0])
    assert max(shape[0] for shape in seen) > 5
    assert {shape[1] for shape in seen} == {2}
    assert structure(priced) == structure(fit.tree(prices=[8.0, 4.0, 2.0, 1.0], cost_benefit=True))


def test_a_function_decides_itself_whether_a_test_that_gains_nothing_is_made():
    """Not strictly concave, as the named misclassification, of which exclusive or is one leaf."""

    def fewer_mistakes(parent, branches, price):
        return branches.max(axis=2).sum(axis=1) - parent.max()

    x = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 5, float)
    table = _core.encode_columns(list(x.T.copy()), [None, None])
    target = _core.Target.classes((x[:, 0] != x[:, 1]).astype(np.int32), 2)
    for criterion, n_leaves in ((fewer_mistakes, 4), ("misclassification", 1)):
        options = _core.GrowOptions(criterion=criterion, candidates=[_core.THRESHOLD] * 2)
        assert _core.grow(table, target, options).tree.n_leaves == n_leaves


def test_any_function_is_maximised():
    """The most balanced split, whatever the labels: every node has the smallest possible largest branch."""
    fit = random_fit(4)

    def balance(parent, branches, price):
        return -branches.sum(axis=-1).max(axis=-1)

    tree = fit.tree(criterion=balance, max_depth=1)
    sizes = []
    for column in range(4):
        counts = np.bincount(fit.table.codes(column))
        counts = counts[counts > 0]
        if column < 2:  # thresholds, with missing (last) on either side
            prefix = np.cumsum(counts[:-1])
            left = [*prefix, *(prefix[:-1] + counts[-1])]
        else:
            subsets = np.arange(1, 2 ** len(counts) - 1)[:, None] >> np.arange(len(counts)) & 1
            left = subsets @ counts
        sizes += [max(n, counts.sum() - n) for n in left]
    assert max(tree.rows[1:]) == min(sizes)
    assert tree.score[0] == -min(sizes)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: np.zeros(n + 1), "scores for"),
        (lambda n: np.full(n, np.nan), "NaN"),
        (lambda n: ["no"] * n, "could not convert"),
    ],
)
def test_a_function_that_answers_badly_is_told_so(answer, message):
    with pytest.raises(ValueError, match=message):
        random_fit(0).tree(criterion=lambda parent, branches, price: answer(len(branches)))


def test_a_number_target_gives_weight_and_moment():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(60, 2)), rng.normal(size=60)
    table = _core.encode_matrix(x)
    target = _core.Target.numbers(y)

    def squared_error(parent, branches, price):
        mean = branches[..., 1] / branches[..., 0]
        return np.round((branches[..., 0] * mean**2).sum(axis=1) - parent[1] ** 2 / parent[0], 10)

    own = _core.grow(table, target, _core.GrowOptions(criterion=squared_error, candidates=[1, 1])).tree
    named = _core.grow(table, target, _core.GrowOptions(criterion="squared_error", candidates=[1, 1])).tree
    assert structure(own) == structure(named)
