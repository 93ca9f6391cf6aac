"""The per-object bound never exceeds the least price that the object can have."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from scipy.optimize import linprog
from small_trees import SmallCase, least_price_of, random_cases
from thoroughness import tries
from to_the_end import by_covering, by_partners

from thriftree.search import cheapest_sets
from thriftree.search.allowance import UNLIMITED
from thriftree.search.cheapest_sets import cheapest_leaves
from thriftree.search.instance import Goal, Instance

CLASSES = ("pure", "mass", "tolerance")


def least_prices(case: SmallCase, trees: str) -> np.ndarray:
    return np.array([least_price_of(case, x, trees) for x in sorted(case.everything)])


def instance_of(codes: np.ndarray, labels: np.ndarray, own: list[float]) -> Instance:
    n, m = codes.shape
    p = np.full(n, 1 / n)
    return Instance(codes, labels, p, p, np.array(own, dtype=np.float64), np.full(m, -1), np.zeros(0))


def in_one_group(instance: Instance, setup: float) -> Instance:
    return replace(
        instance, group=np.zeros(len(instance.own), dtype=np.int64), setup=np.array([setup], dtype=np.float64)
    )


@pytest.mark.parametrize("trees", CLASSES)
def test_the_bound_over_all_sets_of_tests_is_the_least_price_itself(trees: str) -> None:
    for case in random_cases(tries(400, 120), seed=1):
        np.testing.assert_allclose(by_covering(case.instance, case.goal(trees)), least_prices(case, trees))


@pytest.mark.parametrize("trees", CLASSES)
def test_the_bound_by_partners_is_never_above_the_least_price(trees: str) -> None:
    shares = []
    for case in random_cases(tries(350, 100), seed=2):
        least = least_prices(case, trees)
        for max_partners in (2, 64):
            rows = np.arange(len(least))
            bound = by_partners(case.instance, case.goal(trees), rows, max_partners)
            assert np.all(bound <= least + 1e-9), case
        shares.extend((bound[least > 0] / least[least > 0]).tolist())
    assert np.mean(shares) > {"pure": 0.99, "mass": 0.8, "tolerance": 0.7}[trees]


@pytest.mark.parametrize("alpha", [0.5, 1.0])
def test_the_bound_by_partners_holds_for_hinged_pairs(alpha: float) -> None:
    def hinged(counts: np.ndarray) -> np.ndarray:
        above = np.maximum(counts - alpha, 0)
        return sum(
            np.maximum(above[:, i] * above[:, j] - alpha**2, 0)
            for i in range(counts.shape[1])
            for j in range(i)
        ) + np.zeros(len(counts))

    above_zero, n_cases = 0, tries(300, 100)
    for case in random_cases(n_cases, seed=6):
        goal = Goal("tolerance", function=hinged, tolerance=float(case.tolerance) / 4)
        rows = np.arange(len(case.labels))
        bound = by_partners(case.instance, goal, rows, 64)
        assert np.all(bound <= by_covering(case.instance, goal) + 1e-9), case
        above_zero += np.count_nonzero(bound)
    assert above_zero > n_cases / 6


@pytest.mark.parametrize("trees", CLASSES)
def test_with_few_sets_looked_at_the_bound_holds_and_says_where_it_is_exact(
    trees: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cheapest_sets, "_MOST_SETS", 3)
    inexact = 0
    for case in random_cases(300, seed=3):
        *_, (bound, exact) = cheapest_leaves(case.instance, case.goal(trees), UNLIMITED)
        least = least_prices(case, trees)
        assert np.all(bound <= least + 1e-9), case
        np.testing.assert_allclose(bound[exact], least[exact])
        inexact += np.count_nonzero(~exact)
    assert inexact > 50


def test_the_bound_by_partners_lies_near_the_covering_lp_and_the_exact_one_above_it() -> None:
    rng = np.random.default_rng(4)
    codes = np.unique(rng.integers(0, 2, size=(300, 12)), axis=0)
    labels = rng.integers(0, 2, size=len(codes))
    # Prices with no common unit: rounding up to it does not hide what the ascent finds.
    instance = instance_of(codes, labels, rng.uniform(1, 9, size=12).tolist())
    rows = np.arange(0, len(codes), 10)
    goal = Goal("pure")
    found = by_partners(instance, goal, rows, 64)
    exact = by_covering(instance, goal)[rows]
    lp = []
    for x in rows:
        differ = (codes[labels != labels[x]] != codes[x]).astype(np.float64)
        lp.append(linprog(instance.own, A_ub=-differ, b_ub=-np.ones(len(differ))).fun)
    assert np.all(found <= np.array(lp) + 1e-7)
    assert np.all(np.array(lp) <= exact + 1e-7)
    assert found.sum() > 0.9 * sum(lp)


def test_a_single_test_of_a_group_pays_the_set_up_and_two_of_them_pay_it_once() -> None:
    # Object 0 is told from 1 by either test, from 2 by the first and from 3 by the second alone.
    codes = np.array([[0, 0], [1, 1], [1, 0], [0, 1]])
    goal = Goal("pure")
    first = np.array([0])
    one = in_one_group(instance_of(codes[:2], np.array([0, 1]), [1, 1]), 10)
    two = in_one_group(instance_of(codes, np.array([0, 1, 1, 1]), [1, 1]), 10)
    assert by_covering(one, goal)[0] == pytest.approx(11)
    assert by_covering(two, goal)[0] == pytest.approx(12)
    assert by_partners(one, goal, first, 64)[0] == pytest.approx(11)
    assert by_partners(two, goal, first, 64)[0] == pytest.approx(12)


def test_a_bound_is_rounded_up_to_what_a_set_of_tests_can_cost() -> None:
    # Three partners, each told by two of three tests: the LP takes half of each test, a set two whole ones.
    codes = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 1], [0, 1, 1]])
    labels = np.array([0, 1, 1, 1])
    first = np.array([0])
    least = {
        price: by_partners(instance_of(codes, labels, [price] * 3), Goal("pure"), first, 64)[0]
        for price in (2.0, 0.5, np.pi)
    }
    assert least[2.0] == pytest.approx(4)
    assert least[0.5] == pytest.approx(1)
    assert np.pi < least[np.pi] <= 1.5 * np.pi + 1e-9


def test_a_free_test_costs_nothing_and_one_object_may_be_wrong() -> None:
    codes = np.array([[0, 0], [1, 0], [0, 1]])
    instance = instance_of(codes, np.array([0, 1, 2]), [0, 5])
    np.testing.assert_allclose(by_covering(instance, Goal("pure")), [5, 0, 5])
    assert not by_covering(instance, Goal("error", error=0.1)).any()


def test_many_objects_and_codes_take_the_same_bound_whatever_the_order_of_rows() -> None:
    rng = np.random.default_rng(5)
    codes = np.unique(rng.integers(0, 400, size=(500, 3)), axis=0)
    labels = rng.integers(0, 3, size=len(codes))
    instance = instance_of(codes, labels, [3, 4, 5])
    shuffled = rng.permutation(len(codes))
    bound = by_covering(instance, Goal("mass", theta=0.01))
    np.testing.assert_allclose(
        by_covering(instance.take(shuffled), Goal("mass", theta=0.01)), bound[shuffled]
    )


def test_sets_of_tests_come_by_rising_price_each_once() -> None:
    rng = np.random.default_rng(5)
    for _ in range(60):
        m = int(rng.integers(1, 7))
        instance = Instance(
            codes=rng.integers(0, 3, (5, m)),
            labels=rng.integers(0, 2, 5),
            p=np.full(5, 0.2),
            loss=np.full(5, 0.2),
            own=rng.integers(0, 5, m).astype(float),
            group=rng.integers(-1, 2, m),
            setup=np.array([2.0, 0.0]),
        )
        useful = [t for t in range(m) if len(set(instance.codes[:, t])) > 1 and instance.alone[t] > 0]
        chosen = [c for size in range(len(useful) + 1) for c in combinations(useful, size)]
        own = [sum(instance.own[t] for t in tests) for tests in chosen]
        setup = [
            sum(instance.setup[g] for g in {instance.group[t] for t in tests} - {-1}) for tests in chosen
        ]
        found = cheapest_sets._rising_prices(instance, UNLIMITED, UNLIMITED.book)
        assert [price for price, _ in found] == sorted(map(float, np.add(own, setup)))
