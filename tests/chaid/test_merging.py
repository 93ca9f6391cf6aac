"""The groups of one predictor: against the slow definition, and what must hold whatever the table."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracles.plain_chaid import PlainChaid, allowed, groupings, multiplier, p_value, pairs_tried

from thriftree._core import ChaidChooser
from thriftree.methods.chaid.multipliers import log_multipliers, n_groupings, n_pairs_tried

SCALES = ("ordered", "unordered", "floating")
STATISTICS = ("pearson", "likelihood_ratio")


def rules(exhaustive=False, **other):
    return ChaidChooser(exhaustive=exhaustive, log_multiplier=log_multipliers(exhaustive), **other)


def categories(table, scale):
    """Ten rows each, of the weight in the table."""
    table = np.ascontiguousarray(table, float)
    return table, np.full(len(table), 10.0), scale != "unordered", scale == "floating"


def group(given, how, **limit):
    """The groups of some categories by some rules."""
    return how.group(*given, **limit)


def groups_of(grouping, n):
    """As the slow definition has them; without a grouping all n are one group."""
    return (tuple(range(n)),) if grouping is None else tuple(map(tuple, grouping.groups))


def random_table(rng, n, n_classes, scale=12.0):
    """A few kinds of category, with sums that are no whole numbers, so that there are no ties."""
    kinds = rng.dirichlet(np.ones(n_classes), size=3)[rng.integers(0, 3, n)]
    return rng.gamma(0.5 + scale * kinds) * (rng.random((n, n_classes)) > 0.1) + 1e-3


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("scale", SCALES)
def test_the_groups_are_those_of_the_definition(scale, statistic):
    rng = np.random.default_rng(SCALES.index(scale))
    n_groups = []
    for _ in range(30):
        n = int(rng.integers(2, 7))
        table = random_table(rng, n, int(rng.integers(2, 5)))
        plain = PlainChaid(table, scale, statistic)
        for alpha_resplit in (None, 0.05, 0.01):
            wanted = plain.kass(0.05, alpha_resplit)
            found = group(categories(table, scale), rules(alpha_resplit=alpha_resplit, statistic=statistic))
            assert groups_of(found, n) == wanted
            if found is not None:
                assert np.exp(found.log_p) == pytest.approx(plain.p(*wanted), rel=1e-9)
                assert np.exp(found.log_adjusted) == pytest.approx(plain.adjusted_p(wanted), rel=1e-9)
        n_groups.append(len(wanted))
    assert {1, 2} <= set(n_groups)


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("scale", SCALES)
def test_exhaustive_groups_are_those_of_the_definition(scale, statistic):
    rng = np.random.default_rng(10 + SCALES.index(scale))
    for _ in range(30):
        n = int(rng.integers(2, 7))
        table = random_table(rng, n, int(rng.integers(2, 5)))
        plain = PlainChaid(table, scale, statistic)
        found = group(categories(table, scale), rules(exhaustive=True, statistic=statistic))
        assert groups_of(found, n) == plain.exhaustive()
        assert np.exp(found.log_adjusted) == pytest.approx(
            plain.adjusted_p(plain.exhaustive(), exhaustive=True), rel=1e-9
        )


def test_a_merger_whose_halves_differ_is_divided_again():
    """Step by step a merger looks right; as a whole it hides two kinds. That is rare, so tables are many."""
    rng = np.random.default_rng(5)
    changed = 0
    for _ in range(150):
        table = rng.gamma(1 + 4 * rng.dirichlet(np.ones(5), size=7))
        stays, again = (
            group(categories(table, "unordered"), rules(alpha_resplit=alpha)) for alpha in (None, 0.05)
        )
        if groups_of(stays, 7) == groups_of(again, 7):
            continue
        changed += 1
        assert groups_of(again, 7) == PlainChaid(table, "unordered").kass()
    assert changed > 3


@pytest.mark.parametrize("scale", SCALES)
def test_multipliers_count_the_groupings_that_are_allowed(scale):
    for n in range(2, 8):
        for n_groups in range(1, n + 1):
            assert n_groupings(scale, n, n_groups) == multiplier(scale, n, n_groups)
        assert n_pairs_tried(scale, n) == pairs_tried(scale, n)


def test_multipliers_of_many_categories_are_exact():
    """The sum of Stirling numbers over all sizes is the Bell number; this one has 116 digits."""
    bell = [1]
    for _ in range(99):  # Bell's triangle
        row = [bell[-1]]
        for above in bell:
            row.append(row[-1] + above)
        bell = row
    assert sum(n_groupings("unordered", 100, r) for r in range(1, 101)) == bell[-1]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("exhaustive", [False, True])
@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_no_grouping_at_all_beats_the_bound_that_columns_are_passed_over_by(
    scale, exhaustive, statistic, n_classes
):
    """Against every allowed grouping of a table, not only the one that is taken."""
    rng = np.random.default_rng(3)
    for n in (2, 3, 4):
        tables = [random_table(rng, n, n_classes) for _ in range(3)]
        how = rules(exhaustive=exhaustive, statistic=statistic)
        bounds = [how.least_log_p(*categories(table, scale)) for table in tables]
        for table, bound in zip(tables, bounds, strict=True):
            plain = PlainChaid(table, scale, statistic)
            made = [m for m in groupings(n) if len(m) > 1 and all(allowed(g, scale, n) for g in m)]
            least = min(plain.adjusted_p(grouping, exhaustive) for grouping in made)
            assert bound <= np.log(least) + 1e-9
            assert n > 2 or bound == pytest.approx(np.log(least), rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 30), exhaustive=st.booleans())
def test_the_order_of_unordered_categories_only_renames_groups(seed, n, exhaustive):
    rng = np.random.default_rng(seed)
    table = random_table(rng, n, 3)
    order = rng.permutation(n)
    how = rules(exhaustive=exhaustive)
    one, two = group(categories(table, "unordered"), how), group(categories(table[order], "unordered"), how)
    renamed = tuple(sorted(tuple(sorted(order[list(rows)].tolist())) for rows in groups_of(two, n)))
    assert renamed == groups_of(one, n)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), n=st.integers(2, 30))
def test_an_ordered_predictor_reads_the_same_from_the_other_end(seed, n):
    table = random_table(np.random.default_rng(seed), n, 3)
    one, two = (group(categories(t, "ordered"), rules()) for t in (table, table[::-1]))
    turned = tuple(sorted(tuple(sorted(n - 1 - i for i in rows)) for rows in groups_of(two, n)))
    assert turned == groups_of(one, n)


@pytest.mark.parametrize("scale", SCALES)
def test_categories_of_equal_shares_are_together(scale):
    """Whole counts, many of them proportional: the short way must lead where the mergers lead."""
    rng = np.random.default_rng(8)
    for _ in range(50):
        n = int(rng.integers(3, 8))
        profiles = np.array([[3, 1], [1, 1], [1, 5], [0, 2]])[rng.integers(0, 4, n)]
        table = profiles * rng.integers(1, 12, (n, 1))
        found = groups_of(group(categories(table, scale), rules(alpha_resplit=None)), n)
        shares = table / table.sum(axis=1, keepdims=True)
        for i in range(n - 1 - (scale == "floating")):
            if (shares[i] == shares[i + 1]).all():
                assert any(i in rows and i + 1 in rows for rows in found)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_groups_of_hundreds_of_categories_differ_pair_by_pair(n_classes):
    rng = np.random.default_rng(n_classes)
    kinds = rng.dirichlet(np.ones(n_classes), size=4)[rng.integers(0, 4, 250)]
    table = np.array([rng.multinomial(rng.integers(5, 80), share) for share in kinds])
    found = group(categories(table, "unordered"), rules(alpha_resplit=None))
    sums = [table[rows].sum(axis=0) for rows in found.groups]
    assert sorted(i for rows in found.groups for i in rows) == list(range(250))
    assert 3 < len(sums) < 40
    for a in range(len(sums)):
        for b in range(a):
            assert p_value([sums[a], sums[b]]) <= 0.05


def test_the_halves_of_many_categories_of_two_classes_are_the_best_there_are():
    """Beyond eight categories not every division is tried; of two classes the best is among those tried."""
    rng = np.random.default_rng(0)
    n_divided = 0
    for _ in range(8):
        table = rng.gamma(1 + 4 * rng.dirichlet(np.ones(2), size=9))
        plain = PlainChaid(table, "unordered")
        best, *halves = min(plain.halves(tuple(range(9))))
        # At a level that no pair reaches all is merged; it is divided again just if its best halves reach it.
        for level, wanted in ((best * (1 - 1e-9), (tuple(range(9)),)), (best * (1 + 1e-9), tuple(halves))):
            if len(plain.kass(level, None)) == 1:
                how = rules(alpha_merge=level, alpha_resplit=level)
                assert groups_of(group(categories(table, "unordered"), how), 9) == wanted
                n_divided += len(wanted) == 2
    assert n_divided > 0


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("exhaustive", [False, True])
@pytest.mark.parametrize("least", [(0.0, 30.0), (20.0, 0.0), (20.0, 30.0)], ids=str)
def test_groups_that_are_too_small_join_others(scale, exhaustive, least):
    rng = np.random.default_rng(2)
    joined = 0
    for _ in range(50):
        table = random_table(rng, 8, 3)
        free = group(categories(table, scale), rules(exhaustive=exhaustive))
        if free is None:
            continue
        found = group(categories(table, scale), rules(exhaustive=exhaustive, least=least))
        sizes = [(10 * len(rows), table[list(rows)].sum()) for rows in groups_of(found, 8)]
        assert (np.min(sizes, axis=0) >= least).all() or len(sizes) == 1
        # A group that is not too small is never taken apart.
        for rows in groups_of(free, 8):
            assert sum(not set(rows).isdisjoint(new) for new in groups_of(found, 8)) == 1
        joined += groups_of(free, 8) != groups_of(found, 8)
    assert joined > 5


def neighbours(a, b):
    return a[-1] + 1 == b[0] or b[-1] + 1 == a[0]


@pytest.mark.parametrize("scale", ["ordered", "unordered"])
def test_only_groups_that_are_too_small_join_others_and_the_likeliest_first(scale):
    """Of rows of their own number, from groups that nothing has merged before."""
    rng = np.random.default_rng(4)
    n_left = []
    for _ in range(40):
        table = random_table(rng, 6, 3)
        rows = rng.integers(1, 40, 6).astype(float)
        wanted = [[i] for i in range(6)]
        while len(wanted) > 1 and min(rows[group].sum() for group in wanted) < 12:
            pairs = [
                (p_value([table[a].sum(axis=0), table[b].sum(axis=0)]), sorted(a + b), a, b)
                for a, b in combinations(wanted, 2)
                if min(rows[a].sum(), rows[b].sum()) < 12 and (scale == "unordered" or neighbours(a, b))
            ]
            _, both, a, b = max(pairs)
            wanted = sorted([*(group for group in wanted if group not in (a, b)), both])
        how = rules(alpha_merge=1.0, alpha_resplit=None, least=(12.0, 0.0))
        found = how.group(table, rows, scale == "ordered", False)
        assert groups_of(found, 6) == tuple(map(tuple, wanted))
        n_left.append(len(wanted))
    assert set(n_left) >= {3, 4, 5}


def test_at_level_one_nothing_is_merged():
    table = np.array([[5.0, 5.0], [5.0, 5.0], [9.0, 1.0]])
    for scale in SCALES:
        found = group(categories(table, scale), rules(alpha_merge=1.0, alpha_resplit=None))
        assert found.groups == [[0], [1], [2]]


@pytest.mark.parametrize("scale", ["ordered", "unordered"])
def test_a_time_limit_ends_the_mergers_of_one_column(scale):
    """One column of many categories can take longer than all else of a fit."""
    table = np.random.default_rng(0).integers(90, 111, (40, 2)).astype(float)
    whole = [group(categories(table, scale), rules(), **limit) for limit in ({}, {"time_limit_s": 1000.0})]
    assert groups_of(whole[0], 40) == groups_of(whole[1], 40)
    with pytest.raises(TimeoutError):
        group(categories(table, scale), rules(), time_limit_s=0.0)
