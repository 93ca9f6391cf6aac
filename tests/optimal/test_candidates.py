"""Candidate tests: all of them where they are few, those of greedy trees and quantiles where not."""

from __future__ import annotations

import numpy as np
from optimal_problems import NO_LIMITS, every_division, problem, table
from thoroughness import tries

from thriftree.methods.optimal.candidates import MOST_OF_COLUMN, generated, most_tests
from thriftree.methods.optimal.greedy import greedy_outlines
from thriftree.testing.makers import SmallTable


def divisions(given, tests):
    """How each test divides rows, whichever side is called left."""
    found = []
    for test in tests:
        bits = given.seen.bits(test)
        found.append((bits if bits[0] else ~bits).tobytes())
    return found


def test_where_tests_are_few_all_of_them_are_candidates():
    for seed in range(tries(300, 40)):
        rows = table(seed, n_values=2 + seed % 4, n_columns=1 + seed % 4)
        given, _ = problem(rows)
        candidates = generated(given, (), 200, NO_LIMITS)
        found = divisions(given, candidates.tests)
        wanted = {one.astype(bool).tobytes() for one in every_division(rows.X, rows.categorical)}
        assert candidates.complete
        assert set(found) == wanted, seed
        by_column = {(test.column, one) for test, one in zip(candidates.tests, found, strict=True)}
        assert len(by_column) == len(found), "no column has a test twice"


def test_every_test_of_the_greedy_trees_is_a_candidate():
    for seed in range(tries(60, 10)):
        rows = table(seed, n_rows=150, n_values=60, n_columns=4)
        given, plan = problem(rows, max_depth=3)
        outlines = [grown for grown, *_ in greedy_outlines(given, plan, None, NO_LIMITS)]
        candidates = generated(given, outlines, 60, NO_LIMITS)
        assert {test for outline in outlines for test in outline.asked} <= set(candidates.tests)
        assert not candidates.complete
        own = {test for outline in outlines for test in outline.asked}
        assert len(set(candidates.tests) - own) <= 60
        for j in range(4):
            generated_here = [t for t in candidates.tests if t.column == j and t not in own]
            assert len(generated_here) <= MOST_OF_COLUMN
        assert all(0 < given.seen.bits(test).sum() < 150 for test in candidates.tests)


def test_a_column_of_two_values_has_one_test():
    X = np.array([[0.0, 1.0, np.nan, 3.0], [1.0, 1.0, 2.0, 3.0], [0.0, 5.0, 2.0, 3.0], [1.0, 5.0, 2.0, 3.0]])
    given, _ = problem(SmallTable(X, np.array([0, 1, 0, 1]), None, (), 2))
    candidates = generated(given, (), 200, NO_LIMITS)
    assert [test.column for test in candidates.tests] == [0, 1, 2]
    assert candidates.complete


def test_of_very_many_columns_some_have_a_test():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 500))
    y = (X[:, 123] > 0).astype(int)
    given, _ = problem(SmallTable(X, y, None, (), 2))
    candidates = generated(given, (), 200, NO_LIMITS)
    assert len(candidates.tests) == 200
    assert 123 in {test.column for test in candidates.tests}


def test_a_column_of_thousands_of_categories_has_some_tests():
    X = np.arange(3000.0)[:, None] // 2
    given, _ = problem(SmallTable(X, np.arange(3000) % 2, None, (0,), 2))
    candidates = generated(given, (), 200, NO_LIMITS)
    assert not candidates.complete
    assert 1 <= len(candidates.tests) <= MOST_OF_COLUMN


def test_quantiles_go_by_weight_not_by_rows():
    X = np.arange(100.0)[:, None]
    y = np.arange(100) % 2
    weight = np.where(np.arange(100) < 50, 1.0, 9.0)
    given, _ = problem(SmallTable(X, y, weight, (), 2))
    cuts = [int(test.mask.sum()) for test in generated(given, (), 4, NO_LIMITS).tests]
    upto = np.cumsum(weight)[np.array(cuts) - 1] / weight.sum()
    assert np.abs(upto - [0.2, 0.4, 0.6, 0.8]).max() < 0.02


def test_fewer_tests_for_more_rows_and_depth():
    assert most_tests(500, 3) == 200
    assert 150 < most_tests(500, 4) < 200
    assert most_tests(10**6, 4) < 200
    assert most_tests(10**5, 6) <= most_tests(10**5, 5) <= most_tests(10**5, 4)
