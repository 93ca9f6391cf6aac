"""How CHAID groups the categories of one predictor: mergers, halves, groups that are too small."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, inf, log

import numpy as np
from numpy.typing import NDArray

from thriftree.learning.targets import Floats
from thriftree.methods.chaid.contingency import Statistic, log_p_value, pair_tests, table_test
from thriftree.methods.chaid.groups import (
    Categories,
    Groups,
    Intervals,
    Members,
    Sets,
    Size,
    sums_of_groups,
    too_small,
)
from thriftree.methods.chaid.multipliers import Scale, n_groupings, n_pairs_tried

MAX_ALL_HALVES = 8  # unordered categories of which every division in two is tried


@dataclass(frozen=True)
class Rules:
    """What CHAID does with a predictor."""

    alpha_merge: float
    alpha_resplit: float | None  # None: what was merged stays so
    exhaustive: bool
    bonferroni: bool
    statistic: Statistic
    least: Size  # what each group must have of `Categories.sizes`
    ends_at: float | None = None  # on time.monotonic; None: there is time enough
    memory_limit_mb: float | None = None


@dataclass(frozen=True)
class Grouping:
    """A predictor's groups, and the test of their table."""

    groups: Members
    statistic: float
    freedom: int
    log_p: float
    multiplier: int  # of the p-value
    log_adjusted: float  # log of p-value times multiplier; above 0 the adjusted p-value is 1

    @property
    def log_worth(self) -> float:
        """-log10 of the adjusted p-value."""
        return max(0.0, -self.log_adjusted / log(10))


def group(categories: Categories, rules: Rules) -> Grouping | None:
    """The groups of a predictor's categories by the rules; None if all of them are one group. Raises
    TimeoutError if the time ends before they are found, MemoryError if that takes more than is allowed.
    """
    members = _exhaustive(categories, rules) if rules.exhaustive else _kass(categories, rules)
    members = _large_enough(categories, members, rules)
    if len(members) < 2:
        return None
    table = sums_of_groups(categories.table, members)
    value, freedom = table_test(table, rules.statistic)
    log_p = log_p_value(value, freedom)
    times = multiplier(categories, len(members), rules)
    return Grouping(members, value, freedom, log_p, times, log_p + log(times))


def multiplier(categories: Categories, n_groups: int, rules: Rules) -> int:
    """What the p-value of so many groups of these categories is multiplied by."""
    if not rules.bonferroni:
        return 1
    scale: Scale = "unordered"
    if categories.ordered:
        scale = "floating" if categories.floating else "ordered"
    if rules.exhaustive:
        return n_pairs_tried(scale, len(categories))
    return n_groupings(scale, len(categories), n_groups)


def _kass(categories: Categories, rules: Rules) -> Members:
    """The steps of Kass (1980): merge the pair that is most alike until every pair differs; then divide
    the compound of three or more categories whose halves differ most, if they do, and merge again.
    """
    threshold = log(rules.alpha_merge)
    resplit = -inf if rules.alpha_resplit is None else log(rules.alpha_resplit)
    members = _alike(categories) if threshold < 0 else [[i] for i in range(len(categories))]
    divided: set[tuple[int, ...]] = set()  # compounds are divided once, so that the steps come to an end
    while True:
        members = _merged(_groups(categories, members, rules), threshold, divided)
        halves = [_best_halves(categories, rows, resplit, rules) for rows in members]
        found = min((found for found in halves if found is not None), default=None)
        if found is None:
            return members
        _, left, right = found
        compound = sorted(left + right)
        divided.add(tuple(compound))
        members = sorted([rows for rows in members if rows != compound] + [left, right])


def _merged(groups: Groups, threshold: float, divided: set[tuple[int, ...]]) -> Members:
    while (pair := groups.closest()).log_p > threshold:
        if divided and groups.union(pair) in divided:
            groups.bar(pair)
        else:
            groups.merge(pair)
    return groups.members


def _exhaustive(categories: Categories, rules: Rules) -> Members:
    """Biggs, de Ville and Suen (1991): merge down to two groups, take the stage of the smallest p-value."""
    groups = _groups(categories, _alike(categories), rules)
    best_log_p, best = inf, groups.members
    while len(members := groups.members) > 1:
        log_p = log_p_value(*table_test(groups.table, rules.statistic))
        if log_p < best_log_p - 1e-12 * abs(log_p):
            best_log_p, best = log_p, members
        groups.merge(groups.closest())
    return best


def _large_enough(categories: Categories, members: Members, rules: Rules) -> Members:
    """Groups below the least size join the group most like them."""
    sizes = sums_of_groups(categories.sizes, members)
    if len(members) < 2 or not too_small(sizes, rules.least).any():
        return members
    groups = _groups(categories, members, rules)
    while (pair := groups.closest(below=rules.least)).log_p > -inf:
        groups.merge(pair)
    return groups.members


def _groups(categories: Categories, members: Members, rules: Rules) -> Groups:
    if categories.ordered:
        return Intervals(categories, members, rules.statistic, rules.ends_at)
    _afford(17 * len(members) ** 2, len(members), rules)  # a float64 and a bool a pair, and a copy
    return Sets(categories, members, rules.statistic, rules.ends_at)


def _afford(n_bytes: int, n_categories: int, rules: Rules) -> None:
    limit = rules.memory_limit_mb
    if limit is not None and n_bytes / 1e6 > limit:
        raise MemoryError(
            f"to group {n_categories} categories takes {ceil(n_bytes / 1e6)} MB, but memory_limit_mb allows "
            f"{limit:g} MB: raise the limit, or put rare categories together"
        )


def _alike(categories: Categories) -> Members:
    """Categories of the same class shares, together. They would be the first to be merged (p = 1), in
    whatever order, so this only saves time: most where there are many rare categories, or many values.
    """
    shares = categories.table / categories.table.sum(axis=1, keepdims=True)
    if categories.ordered:
        new = (shares[1:] != shares[:-1]).any(axis=1)
        if categories.floating:
            new[-1] = True
        number = np.concatenate([[0], np.cumsum(new)])
    else:
        number = np.unique(shares, axis=0, return_inverse=True)[1].reshape(-1)
    order = np.argsort(number, kind="stable")
    parts = np.split(order, np.flatnonzero(np.diff(number[order])) + 1)
    return sorted(part.tolist() for part in parts)


def _best_halves(
    categories: Categories, compound: list[int], threshold: float, rules: Rules
) -> tuple[float, list[int], list[int]] | None:
    """The two parts of a compound that differ most, with their log p-value; None if they don't differ by the
    threshold, or there are fewer than three categories.
    """
    if len(compound) < 3 or threshold == -inf:
        return None
    table = categories.table[compound]
    value, freedom = table_test(table, rules.statistic)
    freedom //= len(compound) - 1
    if log_p_value(value, freedom) > threshold:  # no two parts can differ more than all categories do
        return None
    if not categories.ordered:
        _afford(
            9 * table.size * len(compound), len(compound), rules
        )  # bools, which the product makes float64
        in_left = _subsets(table)
    else:
        in_left = _cuts(len(compound), categories.floating and compound[-1] == len(categories) - 1)
    left = in_left @ table
    values, _ = pair_tests(left, table.sum(axis=0) - left, rules.statistic)
    best = int(np.argmax(values >= values.max() * (1 - 1e-12)))
    log_p = log_p_value(float(values[best]), freedom)
    if log_p > threshold:
        return None
    rows = np.asarray(compound)
    return log_p, rows[in_left[best]].tolist(), rows[~in_left[best]].tolist()


def _cuts(n: int, floating: bool) -> NDArray[np.bool_]:
    """Every way to cut a row of n categories in two; a floating one, the last, is on either side or alone."""
    if not floating:
        return np.tri(n - 1, n, dtype=bool)
    cuts = np.tri(n - 2, n, dtype=bool)
    with_last = cuts.copy()
    with_last[:, -1] = True
    return np.concatenate([cuts, with_last, np.arange(n)[None] < n - 1])


def _subsets(table: Floats) -> NDArray[np.bool_]:
    """Ways to divide unordered categories: all of them, or if they are many those that take the categories of
    the largest share of a class, for each class. Of two classes the best division is always among these.
    """
    n = len(table)
    if n <= MAX_ALL_HALVES:
        return (np.arange(1, 1 << (n - 1))[:, None] >> np.arange(n) & 1).astype(bool)
    shares = table / table.sum(axis=1, keepdims=True)
    rank = np.argsort(np.argsort(-shares, axis=0, kind="stable"), axis=0, kind="stable")
    return np.concatenate([rank[:, k] < np.arange(1, n)[:, None] for k in range(table.shape[1])])
