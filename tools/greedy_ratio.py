"""How far greedy trees are from the best, over brute-forced instances of paper 000's problem.

For each trade-off the worst ratio of expected costs over the first so many of a fixed sequence of random
instances, held against the recorded one. As a program: prints the ratios, and exit code 1 if one has risen.
"""

import argparse
import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import islice
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np
from oracles.greedy import enhanced, grow
from oracles.ngi import Instance, is_leaf
from oracles.ngi_makers import random_instance
from oracles.optimum import optimal_cost

from thriftree import _core

RECORD = Path(__file__).parents[1] / "tests" / "enhanced" / "recorded_ratio.json"
SEED = 2022
TRADE_OFFS = (0, 1, 10)

#: The expected cost of a learner's tree for an instance at a trade-off.
Learner = Callable[[Instance, int], Fraction]


class SolvedInstance(NamedTuple):
    """An instance and the expected cost of its best tree."""

    instance: Instance
    optimum: Fraction


def problems(seed: int = SEED) -> Iterator[SolvedInstance]:
    """An endless sequence of instances of 4 to 8 objects, all told apart, whose root must be divided."""
    rng = Random(seed)
    while True:
        of = random_instance(rng, max_objects=8, max_tests=6)
        if len(of.objects) > 3 and not is_leaf(of, of.objects):
            yield SolvedInstance(of, optimal_cost(of))


def slow_greedy(of: Instance, trade_off: int) -> Fraction:
    """Algorithm 1 by the definitions."""
    return grow(of, ["multiway"] * len(of.tests), enhanced(trade_off)).expected_price(of)


def library_greedy(of: Instance, trade_off: int) -> Fraction:
    """The same by the compiled core; weights are whole numbers, so that its sums can be read exactly."""
    units = math.lcm(*(p.denominator for p in of.p))
    codes = np.array(of.codes, np.int32)
    n_codes: list[int | None] = [int(n) + 1 for n in codes.max(axis=0)]
    table = _core.encode_columns(list(np.ascontiguousarray(codes.T)), n_codes)
    labels, weights = np.array(of.labels, np.int32), np.array([float(p * units) for p in of.p])
    options = _core.GrowOptions(
        score="enhanced",
        trade_off=float(trade_off),
        objects=True,
        min_mass=float(of.theta),
        candidates=[_core.MULTIWAY] * len(of.tests),
        prices=[float(price) for price in of.prices],
        cost_benefit=True,
    )
    target = _core.Target.classes(labels, max(of.labels) + 1, sample_weight=weights)
    tree = _core.grow(table, target, options).tree
    inner = np.flatnonzero(tree.column >= 0)
    return sum((Fraction(tree.weight[v]) / units * of.prices[tree.column[v]] for v in inner), Fraction(0))


def worst_ratios(n_instances: int, learner: Learner = library_greedy) -> dict[int, Fraction]:
    """By trade-off, the largest ratio of the learner's cost to the optimum."""
    worst = dict.fromkeys(TRADE_OFFS, Fraction(1))
    for of, optimum in islice(problems(), n_instances):
        for trade_off in TRADE_OFFS:
            ratio = learner(of, trade_off) / optimum
            if ratio < 1:
                raise AssertionError(f"a tree cheaper than the cheapest one: {of}, trade-off {trade_off}")
            worst[trade_off] = max(worst[trade_off], ratio)
    return worst


def recorded(n_instances: int) -> dict[int, Fraction]:
    """The ratios that must not rise."""
    figures = json.loads(RECORD.read_text())[str(n_instances)]
    return {int(trade_off): Fraction(ratio) for trade_off, ratio in figures.items()}


def record(sizes: Sequence[int]) -> None:
    """Write down the ratios of the definitions."""
    found = {n: worst_ratios(n, slow_greedy) for n in sizes}
    texts = {str(n): {str(t): str(ratio) for t, ratio in ratios.items()} for n, ratios in found.items()}
    RECORD.write_text(json.dumps(texts, indent=2) + "\n")


def main() -> int:
    """Compare with the record, or make it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instances", type=int, default=10_000)
    parser.add_argument(
        "--record", action="store_true", help="write the ratios of 1,000 and 10,000 instances"
    )
    arguments = parser.parse_args()
    if arguments.record:
        record([1_000, 10_000])
    limits = recorded(arguments.instances)
    ratios = worst_ratios(arguments.instances)
    for trade_off, ratio in ratios.items():
        print(
            f"trade-off {trade_off}: the worst of {arguments.instances} trees costs {float(ratio):.4f} times "
            f"the best; recorded {float(limits[trade_off]):.4f}"
        )
    return int(any(ratio > limits[trade_off] for trade_off, ratio in ratios.items()))


if __name__ == "__main__":
    sys.exit(main())
