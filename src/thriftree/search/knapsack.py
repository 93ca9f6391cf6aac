"""Fractional knapsacks: the least price of removing enough, and the most value that a limit lets through."""

from __future__ import annotations

import numpy as np

from thriftree.search.instance import Floats, Instance


def shared_prices(instance: Instance, shares: Floats) -> Floats:
    """By test: its own price and its part of the group's set-up, in proportion to `shares`.

    A path that takes some tests of a group pays the whole set-up, hence at least their parts of it: these
    prices may be summed over any set of tests.
    """
    prices = instance.own.copy()
    grouped = instance.group >= 0
    if not np.any(grouped):
        return prices
    group = instance.group[grouped]
    total = np.bincount(group, weights=shares[grouped], minlength=len(instance.setup))
    part = shares[grouped] / np.where(total > 0, total, 1.0)[group]
    prices[grouped] += part * instance.setup[group]
    return prices


def cheapest_removal(removed: Floats, prices: Floats, needed: Floats) -> Floats:
    """By row: min Σ prices·z over 0 <= z <= 1 with Σ removed·z >= needed; everything if that is not enough.

    removed[rows, tests], prices[tests], needed[rows].
    """
    useful = removed > 0
    ratio = np.where(useful, prices / np.where(useful, removed, 1.0), np.inf)
    order = np.argsort(ratio, axis=1, kind="stable")
    gain = np.take_along_axis(np.where(useful, removed, 0.0), order, axis=1)
    before = np.cumsum(gain, axis=1) - gain
    part = np.clip((needed[:, None] - before) / np.where(gain > 0, gain, 1.0), 0.0, 1.0)
    return np.asarray((np.where(gain > 0, part, 0.0) * prices[order]).sum(axis=1))


def best_shares(value: Floats, size: Floats, limit: Floats) -> Floats:
    """By row: the s that maximises Σ value·s over 0 <= s <= 1 with Σ size·s <= limit, without items that are
    larger than the limit. value[rows, items] >= 0, size[rows, items], limit[rows].
    """
    fits = (size <= limit[:, None]) & (value > 0)
    size = np.where(fits, size, 0.0)
    ratio = np.where(fits, value / np.where(size > 0, size, 1e-300), 0.0)
    order = np.argsort(-ratio, axis=1, kind="stable")
    in_order = np.take_along_axis(size, order, axis=1)
    before = np.cumsum(in_order, axis=1) - in_order
    part = np.clip((limit[:, None] - before) / np.where(in_order > 0, in_order, 1.0), 0.0, 1.0)
    shares = np.empty(size.shape)
    np.put_along_axis(shares, order, np.where(in_order > 0, part, 1.0), axis=1)
    return np.where(fits, shares, 0.0)


def most_value(value: Floats, size: Floats, limit: Floats) -> Floats:
    """By row: the largest Σ value·s of `best_shares`."""
    return np.asarray((best_shares(value, size, limit) * value).sum(axis=1))
