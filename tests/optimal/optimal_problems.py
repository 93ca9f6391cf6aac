"""Small random tables as problems of the search, and in the value space of an oracle that knows no codes."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from oracles.exhaustive_trees import ExhaustiveTrees, TreeProblem

from thriftree.learning import growth
from thriftree.learning.growth import Plan
from thriftree.learning.leaf_rule import LeafRule
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.methods.optimal.problem import Problem
from thriftree.methods.optimal.rounds import Settings
from thriftree.methods.optimal.solve import Task
from thriftree.table.coding import read_codes
from thriftree.testing.makers import SmallTable, small_table

NO_LIMITS = Limits.of(1, None, None)


def table(seed: int, **wanted: Any) -> SmallTable:
    """A table with or without weights, missing values and categories, by its seed."""
    kinds = {"weighted": bool(seed & 1), "missing": bool(seed & 2), "categories": bool(seed & 4)}
    return small_table(seed, **{"n_classes": 2 + seed % 3, **kinds, **wanted})


def sample(rows: SmallTable) -> Sample:
    """The table as a sample."""
    codes = read_codes(rows.X, categorical_features=list(rows.categorical))
    return Sample(codes, rows.y.astype(np.int32), rows.sample_weight)


def plan(
    rows: SmallTable, *, max_depth: int | None = None, max_leaves: int | None = None, **more: Any
) -> Plan:
    """A plan of greedy trees."""
    rules = {
        "min_leaf_rows": more.pop("min_leaf", 1),
        "min_leaf_share": more.pop("share", 0.0),
        "max_depth": -1 if max_depth is None else max_depth,
        "max_leaves": -1 if max_leaves is None else max_leaves,
    }
    return Plan("gini", rows.n_classes, growth.THRESHOLD, growth.SUBSET, rules=rules, **more)


def problem(rows: SmallTable, leaf_penalty: float = 0.0, **wanted: Any) -> tuple[Problem, Plan]:
    """The problem of a table, and the plan of its greedy trees."""
    of_greedy = plan(rows, **wanted)
    rule = LeafRule(of_greedy.rules["min_leaf_rows"], of_greedy.rules["min_leaf_share"])
    task = Task(of_greedy, rule, None, Settings())
    return task.problem(sample(rows).for_many_trees(), NO_LIMITS, leaf_penalty), of_greedy


def every_division(X: np.ndarray, categorical: tuple[int, ...]) -> np.ndarray:
    """[test, row]: every way that a test of two branches can divide rows, found from the values alone."""
    found: dict[bytes, np.ndarray] = {}
    for j in range(X.shape[1]):
        column, missing = X[:, j], np.isnan(X[:, j])
        values = np.unique(column[~missing]).tolist()
        lefts: list[np.ndarray] = []
        if j in categorical:
            groups = [column == v for v in values] + ([missing] if missing.any() else [])
            for n in range(1, len(groups)):
                lefts += [np.any(chosen, axis=0) for chosen in combinations(groups, n)]
        else:
            for cut in values[:-1]:
                lefts += [column <= cut, (column <= cut) | missing]
            lefts.append(missing)
        for left in lefts:
            one = left if left[0] else ~left
            if one.any() and not one.all():
                found.setdefault(one.tobytes(), one)
    return np.array(list(found.values()), dtype=np.uint8).reshape(len(found), len(X))


def best_by_oracle(
    rows: SmallTable,
    leaf_penalty: Fraction,
    *,
    max_depth: int,
    max_leaves: int | None = None,
    min_leaf: int = 1,
    error_costs: np.ndarray | None = None,
    factors: tuple[int, ...] | None = None,
) -> Fraction:
    """The least risk of any tree over all divisions. Weights of small tables are eighths, and `factors`, the
    weights of classes, whole.
    """
    eighths = np.full(rows.n_rows, 8) if rows.sample_weight is None else (rows.sample_weight * 8)
    weights = eighths.astype(np.int64)
    if factors is not None:
        weights *= np.array(factors)[rows.y]
    total = int(weights.sum())
    made = TreeProblem(
        every_division(rows.X, rows.categorical),
        rows.y.astype(np.int32),
        rows.n_classes,
        weights,
        error_costs,
        leaf_penalty * total,
        max_depth,
        max_leaves,
        min_leaf,
    )
    return ExhaustiveTrees(made).best()[0] / total
