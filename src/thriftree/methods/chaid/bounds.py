"""How small the adjusted p-value of a column can be at best, before its categories are grouped.

Grouping takes time, and most columns of a node cannot win. Merging rows of a table never raises its
statistic, so r groups have at most the statistic of all categories; of two groups the best is known exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log

import numpy as np

from thriftree.learning.targets import Floats
from thriftree.methods.chaid.contingency import log_p_values, pair_tests, table_statistics
from thriftree.methods.chaid.groups import Categories
from thriftree.methods.chaid.merging import Rules, multiplier

_MANY = 64  # categories; the multipliers of more are not worth their time, and taken for 1


def least_log_p(columns: Sequence[Categories], rules: Rules) -> Floats:
    """For each column a log p-value, adjusted, that no grouping of its categories goes below."""
    bounds = np.empty(len(columns))
    by_size: dict[int, list[int]] = {}
    for j, categories in enumerate(columns):
        by_size.setdefault(len(categories), []).append(j)
    for members in by_size.values():
        bounds[members] = _of_one_size([columns[j] for j in members], rules)
    return bounds


def _of_one_size(columns: list[Categories], rules: Rules) -> Floats:
    tables = np.array([_in_row(categories) for categories in columns])
    n, n_classes = tables.shape[1:]
    all_groups = table_statistics(tables, rules.statistic)
    free = np.array([not categories.ordered and n_classes > 2 for categories in columns])
    two_groups = np.where(free, all_groups, _best_cut(tables, columns, rules))
    n_groups = np.arange(2, n + 1)
    statistics = np.where(n_groups == 2, two_groups[:, None], all_groups[:, None])
    factors = [
        _log_multipliers(c.ordered, c.floating, n, rules.bonferroni, rules.exhaustive) for c in columns
    ]
    log_p = log_p_values(statistics, (n_groups - 1) * (n_classes - 1)) + np.array(factors)
    return np.asarray(log_p.min(axis=1), np.float64)


def _in_row(categories: Categories) -> Floats:
    """The table, its categories in an order of which the best two groups are a cut, if there is one: for
    unordered categories of two classes that of their shares.
    """
    table = categories.table
    if categories.ordered or table.shape[1] != 2:
        return table
    return table[np.argsort(table[:, 0] / table.sum(axis=1), kind="stable")]


def _best_cut(tables: Floats, columns: list[Categories], rules: Rules) -> Floats:
    """The largest statistic of two groups of each table: a cut of the row, a floating category on either side
    of it or alone.
    """
    floating = np.array([categories.floating for categories in columns])
    total = tables.sum(axis=1)
    left = np.cumsum(tables[:, :-1], axis=1)
    candidates = [left]
    if floating.any():
        # Where nothing floats this adds two empty groups and the cuts again.
        last = np.where(floating[:, None], tables[:, -1], 0.0)[:, None]
        candidates += [left + last, last]
    half = np.concatenate(candidates, axis=1)
    return np.asarray(pair_tests(half, total[:, None] - half, rules.statistic)[0].max(axis=1), np.float64)


@lru_cache(maxsize=1024)
def _log_multipliers(ordered: bool, floating: bool, n: int, bonferroni: bool, exhaustive: bool) -> Floats:
    """Of 2, 3, ..., n groups of n categories."""
    if n > _MANY:
        return np.zeros(n - 1)
    empty = Categories(np.empty((n, 0)), np.empty((n, 2)), ordered, floating)
    rules = Rules(1.0, None, exhaustive, bonferroni, "pearson", (0.0, 0.0))
    return np.array([log(multiplier(empty, n_groups, rules)) for n_groups in range(2, n + 1)])
