"""Frontiers and comparisons of a table in parts are those of the same rows in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tables_in_parts import divided, people
from thoroughness import tries

import thriftree as tt
from thriftree.comparison import compare
from thriftree.distributed.local import LocalParts
from thriftree.distributed.rows_of_parts import kind_of_parts
from thriftree.learning.targets import kind_of_target

PRICES = {"a": 3.0, "b": 1.0, "c": 2.0, "d": 4.0, "e": 0.5}
WEIGHT = np.random.default_rng(11).integers(0, 9, 150) / 4


def points(front):
    for point in front:
        document = point.tree.to_dict()
        document.pop("settings", None)
        yield document, replace(point, tree=None)


@pytest.mark.parametrize("cv", [None, 2][: tries(2, 1)])
@pytest.mark.parametrize("weight", [None, WEIGHT][: tries(2, 1)])
def test_a_frontier_is_that_of_the_same_rows(engine, weight, cv):
    X, y, _ = people()
    settings = {"methods": ["cart", "ecart"], "trade_offs": [1.0], "max_bins": 6, "random_state": 0, "cv": cv}
    here = tt.frontier(X, y, PRICES, sample_weight=weight, **settings)
    there = tt.frontier(engine(divided(X, y, weight, [40, 40, 90])), costs=PRICES, **settings)
    assert len(here) > 1
    assert list(points(there)) == list(points(here))


def test_a_frontier_of_numbers_is_that_of_the_same_rows(engine):
    X, _, y = people()
    settings = {"methods": ["cart"], "random_state": 0, "max_depth": 4}
    here = tt.frontier(X, y, PRICES, **settings)
    there = tt.frontier(engine(divided(X, y, None, [70])), costs=PRICES, **settings)
    assert list(points(there)) == list(points(here))


def without_time(comparison):
    rows = [{**row, "fit_time_s": 0} for row in comparison.table()]
    return rows, [[replace(fold, fit_time_s=0) for fold in one.folds] for one in comparison.results]


@pytest.mark.parametrize("weight", [WEIGHT + 0.25, None][: tries(2, 1)])
def test_methods_compare_as_on_the_same_rows(engine, weight):
    X, y, numbers = people()
    for target, methods in ((y, ["cart", "c45"][: tries(2, 1)]), (numbers, ["cart"])):
        here = compare(X, target, PRICES, methods=methods, cv=2, sample_weight=weight)
        there = compare(engine(divided(X, target, weight, [0, 70])), costs=PRICES, methods=methods, cv=2)
        assert there.target == here.target
        assert without_time(there) == without_time(here)


@pytest.mark.parametrize(
    "y",
    [
        np.arange(30) % 3,
        np.arange(30) % 25 * 1.0,
        np.arange(30) % 2 * 1.0,
        np.arange(30) / 4,
        np.array(["a"] * 30),
    ],
)
def test_parts_tell_classes_from_numbers_as_one_table_does(y):
    parts = divided(np.zeros((30, 1)), y, None, [0, 11, 20])
    assert kind_of_parts(LocalParts(parts)) == kind_of_target(y)
