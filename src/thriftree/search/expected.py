"""Lower bounds on the expected cost of every tree of a class."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from thriftree.search.allowance import Allowance
from thriftree.search.blocks import BLOCK_SIZE, block_optima, close_blocks
from thriftree.search.costliest_pair import pair_prices
from thriftree.search.covering import covering_bounds
from thriftree.search.expected_error import blocks_with_errors, covering_with_errors
from thriftree.search.instance import Floats, Goal, Instance
from thriftree.search.kraft import kraft_bound


def certificate_bound(instance: Instance, goal: Goal, allowance: Allowance) -> Iterator[float]:
    """Σ p(x) · what x pays at least. 0 for "error"."""
    for least in covering_bounds(instance, goal, allowance):
        yield _mean(instance, least)


def expected_names(goal: Goal, n_objects: int) -> tuple[str, ...]:
    """The names of the bounds, in their turns."""
    if n_objects < 2:
        return ("certificate",)
    return (
        ("certificate", "kraft", "blocks")
        if goal.trees == "error"
        else ("pair", "certificate", "kraft", "blocks")
    )


def expected_bounds(instance: Instance, goal: Goal, allowance: Allowance) -> dict[str, Iterator[float]]:
    """Every bound by its name, each to be worked out in its turn. When the time is over no further one should
    be begun; those that improve with time end with what they have.
    """
    if len(instance.p) < 2:
        found = [iter([0.0])]
    elif goal.trees == "error":
        found = [
            covering_with_errors(instance, goal, allowance),
            kraft_bound(instance, goal, allowance),
            blocks_with_errors(instance, goal, allowance),
        ]
    else:
        paid = _Paid(instance, goal, np.zeros(len(instance.p)))
        found = [
            paid.by_pairs(allowance),
            paid.by_covering(allowance),
            kraft_bound(instance, goal, allowance),
            blocks_bound(instance, goal, paid.least, allowance),
        ]
    return dict(zip(expected_names(goal, len(instance.p)), found, strict=True))


@dataclass(frozen=True, eq=False)
class _Paid:
    """What each object pays at least, raised by one bound after the other."""

    instance: Instance
    goal: Goal
    least: Floats

    def by_pairs(self, allowance: Allowance) -> Iterator[float]:
        """Σ p(x) · the most expensive separation from another object that x certainly pays."""
        for pair in pair_prices(self.instance, self.goal, allowance):
            np.maximum(self.least, pair, out=self.least)
            yield _mean(self.instance, pair)

    def by_covering(self, allowance: Allowance) -> Iterator[float]:
        """Σ p(x) · what x pays at least."""
        for covering in covering_bounds(self.instance, self.goal, allowance):
            np.maximum(self.least, covering, out=self.least)
            yield _mean(self.instance, self.least)


def blocks_bound(
    instance: Instance, goal: Goal, least: Floats, allowance: Allowance, size: int = BLOCK_SIZE
) -> Iterator[float]:
    """Exact optima of disjoint blocks of at most `size` objects; where a block's objects pay more by `least`,
    what each object pays at least, that. Blocks for which there is no time count with `least`. Not for
    "error".
    """
    yield _mean(instance, least)
    blocks = close_blocks(instance, allowance, size)
    pays = ((instance.p * least)[blocks.members] * blocks.present).sum(axis=1)
    done = 0
    for optima in block_optima(instance, goal, blocks, allowance):
        part = slice(done, done + len(optima))
        pays[part] = np.maximum(pays[part], optima)
        done += len(optima)
        yield float(pays.sum())
        if done < len(pays) and not allowance.has_time():
            break


def _mean(instance: Instance, price: Floats) -> float:
    return float((instance.p * price).sum())
