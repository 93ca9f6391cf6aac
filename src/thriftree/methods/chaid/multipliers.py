"""Bonferroni multipliers of CHAID: in how many ways a predictor's categories could have been grouped."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import comb, factorial, log
from typing import Literal

Scale = Literal["ordered", "unordered", "floating"]


@lru_cache(maxsize=4096)
def n_groupings(scale: Scale, n_categories: int, n_groups: int) -> int:
    """In how many ways the categories make that many groups (Kass 1980).

    "ordered": only neighbours share a group; "unordered": any do; "floating": ordered, but for one (the
    missing values), which may be in any group or alone. Whole numbers, since the terms of the unordered sum
    alternate and would cancel in floating point.

    >>> [n_groupings(scale, 5, 3) for scale in ("ordered", "floating", "unordered")]
    [6, 12, 25]
    """
    c, r = n_categories, n_groups
    if scale == "ordered":
        return comb(c - 1, r - 1)
    if scale == "floating":
        return (comb(c - 2, r - 2) if r > 1 else 0) + r * comb(c - 2, r - 1)
    onto = sum((1 - 2 * (i % 2)) * comb(r, i) * pow(r - i, c) for i in range(r))
    return int(onto) // factorial(r)


@lru_cache(maxsize=4096)
def n_pairs_tried(scale: Scale, n_categories: int) -> int:
    """How many pairs exhaustive CHAID compares on its way from all categories to two groups, at most (Biggs,
    de Ville and Suen 1991).

    With i groups left there are i - 1 pairs of neighbours, i(i - 1)/2 pairs of any two, and 2i - 3 pairs
    while a floating category is alone; these are their sums over i = 2, ..., c.

    >>> [n_pairs_tried(scale, 5) for scale in ("ordered", "floating", "unordered")]
    [10, 16, 20]
    """
    c = n_categories
    if scale == "ordered":
        return c * (c - 1) // 2
    if scale == "floating":
        return (c - 1) ** 2
    return c * (c * c - 1) // 6


def multiplier(exhaustive: bool, scale: Scale, n_categories: int, n_groups: int) -> int:
    """What the p-value of so many groups is multiplied by."""
    return n_pairs_tried(scale, n_categories) if exhaustive else n_groupings(scale, n_categories, n_groups)


def log_multipliers(exhaustive: bool) -> Callable[[Scale, int, int], float]:
    """The logarithm of the multiplier, by scale, categories and groups, as the core asks for it."""
    return lambda scale, n_categories, n_groups: log(multiplier(exhaustive, scale, n_categories, n_groups))
