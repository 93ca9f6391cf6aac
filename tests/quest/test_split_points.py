"""Where a variable is split: against a search for the crossing of two normal densities, and on rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from quest_by_rows import crimcoord, split_point
from scipy import stats
from thoroughness import tries

from thriftree._core import crossing_of_normals as crossing
from thriftree._core import discriminant_scores
from thriftree._core import quest_n_left as n_left

variances = st.floats(1e-4, 1.0)


@settings(max_examples=tries(300, 100), deadline=None)
@given(variances, variances, st.just(0.0) | st.floats(1e-3, 1.0), st.floats(-4, 4))
def test_at_the_crossing_both_densities_are_equal(s, v, apart, log_odds):
    s, v = sorted((s, v))
    t = crossing(s, v, apart, log_odds)
    if t is None:
        # Then one density is above the other everywhere.
        grid = np.linspace(-300, 300, 20001)
        lead = log_odds + stats.norm.logpdf(grid, 0, np.sqrt(s)) - stats.norm.logpdf(grid, apart, np.sqrt(v))
        assert (lead < 0).all() or (s == v and apart == 0)
        return
    a = log_odds + stats.norm.logpdf(t, 0, np.sqrt(s))
    b = stats.norm.logpdf(t, apart, np.sqrt(v))
    np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-6 * (1 + log_odds**2))


@settings(max_examples=tries(200, 80), deadline=None)
@given(variances, variances, st.floats(0.05, 1.0), st.floats(-4, 4))
def test_it_is_the_crossing_nearest_to_both_means(s, v, apart, log_odds):
    s, v = sorted((s, v))
    assume(v > 1.01 * s)
    t = crossing(s, v, apart, log_odds)
    assume(t is not None)
    # The quadratic as the paper has it, with the means at 0 and `apart`.
    constant = apart**2 * s + 2 * s * v * (log_odds + np.log(v / s) / 2)
    both = np.roots([s - v, -2 * apart * s, constant]).real
    np.testing.assert_allclose(min(both, key=abs), t, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(min(both, key=lambda root: abs(root - apart)), t, rtol=1e-6, atol=1e-7)


def test_equal_variances_and_shares_cross_halfway():
    assert crossing(0.3, 0.3, 0.8, 0.0) == pytest.approx(0.4)


def test_equal_variances_cross_where_linear_discriminant_analysis_says():
    assert crossing(0.3, 0.3, 0.8, 1.5) == pytest.approx(0.4 + 0.3 * 1.5 / 0.8)


def test_the_same_distribution_twice_crosses_nowhere():
    assert crossing(0.3, 0.3, 0.0, 1.0) is None


def on_table(x, y):
    values, code = np.unique(x, return_inverse=True)
    counts = np.zeros((len(values), int(y.max()) + 1))
    np.add.at(counts, (code, y), 1.0)
    return values, n_left((values - values[0]) / (values[-1] - values[0]), counts)


@pytest.mark.parametrize("seed", range(tries(150, 50)))
def test_a_split_is_the_one_found_on_rows(seed):
    random = np.random.default_rng(seed)
    n, n_classes = int(random.integers(6, 80)), int(random.integers(2, 5))
    y = random.integers(0, n_classes, n)
    y[:2] = 0, 1
    x = random.normal(size=n) * random.uniform(0.2, 3, n_classes)[y] + random.normal(size=n_classes)[y]
    if seed % 3 == 0:
        x = x.round()  # ties, and classes of one value
        x[0] += 1
    values, n_in_left = on_table(x, y)
    point = split_point(x, y)
    assert 0 < n_in_left < len(values)
    np.testing.assert_array_equal(x <= values[n_in_left - 1], x <= point + 1e-9 * np.ptp(x))


@pytest.mark.parametrize(
    ("x", "y", "left"),
    [
        ([0, 1], [0, 1], [0]),  # a value each
        ([0, 1, 2, 3], [1, 0, 0, 1], [0]),  # equal means, A inside: the lower crossing
        ([0, 5, 6, 9], [1, 0, 1, 1], [0]),  # A at one value, B's mean below it or level
        ([0, 1, 8, 9], [0, 1, 1, 1], [0]),  # A at one value, B above
        ([0, 1, 2, 9], [1, 1, 1, 0], [0, 1, 2]),  # A at one value, B below
        ([0, 1, 2, 10, 11, 12], [0, 0, 0, 1, 1, 1], [0, 1, 2]),  # equal variances
        ([0, 1, 4, 5, 50, 51], [0, 0, 1, 1, 2, 2], [0, 1, 4, 5]),  # of three classes two are near
        ([1, 1, 3, 3, 1, 3], [0, 1, 0, 1, 2, 2], [1]),  # three classes of the same distribution
    ],
)
def test_splits_that_can_be_seen_by_eye(x, y, left):
    values, n_in_left = on_table(np.array(x, dtype=float), np.array(y))
    assert values[:n_in_left].tolist() == left


def test_a_crossing_beyond_the_data_gives_way_to_the_middle_of_the_means():
    x = np.concatenate([np.linspace(0, 1, 1000), [0.9, 1.0]])
    y = np.repeat([0, 1], [1000, 2])
    x[-3:] = 0.95, 0.85, 1.0
    values, n_in_left = on_table(x, y)
    middle = (x[y == 0].mean() + x[y == 1].mean()) / 2
    assert split_point(x, y) == pytest.approx(middle)
    assert n_in_left == np.sum(values <= middle)


@settings(max_examples=tries(150, 60), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.integers(2, 5))
def test_crimcoords_are_those_of_the_eigenproblem(seed, n_categories, n_classes):
    random = np.random.default_rng(seed)
    shares = random.dirichlet(np.ones(n_classes), n_categories)
    x = np.append(np.arange(n_categories), random.integers(0, n_categories, 120)).astype(float)
    y = np.array([random.choice(n_classes, p=shares[int(v)]) for v in x])
    y[:2] = 0, 1
    counts = np.zeros((n_categories, n_classes))
    np.add.at(counts, (x.astype(int), y), 1.0)
    residual = counts - np.outer(counts.sum(1), counts.sum(0)) / counts.sum()
    strengths = np.linalg.svd(residual / np.sqrt(np.outer(counts.sum(1), np.maximum(counts.sum(0), 1))))[1]
    assume(strengths[0] > 1.01 * (strengths[1] if len(strengths) > 1 else 0))  # else any direction will do
    found, direct = discriminant_scores(counts), np.array(list(crimcoord(x, y).values()))
    found -= found.mean()
    found, direct = found / np.abs(found).max(), direct / np.abs(direct).max()
    np.testing.assert_allclose(found, direct, atol=1e-7)


def test_of_two_classes_the_order_is_that_of_the_shares():
    counts = np.array([[9.0, 1.0], [1.0, 9.0], [4.0, 6.0], [7.0, 3.0]])
    assert np.argsort(discriminant_scores(counts)).tolist() == [0, 3, 2, 1]
    np.testing.assert_allclose(discriminant_scores(counts), [0, 1, 5 / 8, 2 / 8], atol=1e-12)


def test_categories_that_do_not_differ_keep_their_order():
    assert discriminant_scores(np.array([[2.0, 4.0], [1.0, 2.0], [3.0, 6.0]])).tolist() == [0, 0.5, 1]


def test_the_direction_of_the_scores_is_fixed_by_the_first_category():
    counts = np.array([[5.0, 5.0], [9.0, 1.0], [1.0, 9.0]])
    for table in (counts, counts[:, ::-1]):
        assert discriminant_scores(table).tolist() == [0.5, 0, 1]


def test_of_directions_that_are_equally_good_the_first_category_decides():
    assert discriminant_scores(np.diag([4.0, 4.0, 4.0])).tolist() == [0, 1, 1]
    four = discriminant_scores(np.kron(np.diag([4.0, 4.0, 4.0]), np.ones((2, 1))))
    assert four.tolist() == [0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("seed", range(20))
def test_categories_of_equal_shares_have_equal_scores(seed):
    random = np.random.default_rng(seed)
    counts = random.integers(1, 9, (5, random.integers(2, 6))).astype(float)
    both = discriminant_scores(np.concatenate([counts, 3 * counts, 0.7 * counts[::-1]]))
    assert both[:5].tolist() == both[5:10].tolist() == both[:9:-1].tolist()


@pytest.mark.parametrize(
    "counts",
    [np.empty((1, 0)), np.empty((0, 2)), [[0.0, 0.0]], [[1.0, -1.0]], [[np.nan, 1.0]], [[np.inf, 1.0]]],
)
def test_counts_that_are_no_counts_are_refused(counts):
    with pytest.raises(ValueError, match="counts"):
        discriminant_scores(np.asarray(counts, np.float64))


def test_weights_that_differ_beyond_reason_still_give_scores():
    for counts in (
        [[1e300, 1e-300], [1e-300, 1e300]],
        [[1e308, 0.0], [0.0, 1e-308]],
        [[1.0, 1e-320], [1e-320, 1.0]],
    ):
        assert np.isin(discriminant_scores(np.array(counts)), [0, 1]).all()
