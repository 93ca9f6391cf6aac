"""Least bits of a subtree that has not been grown: the lower bounds of PUBLIC.

Each takes the class weights of nodes, `counts[nodes, classes]`, and gives a number of bits that no tree below
the node can do with less, be it a leaf or any tree of binary tests.
"""

from __future__ import annotations

from math import inf

import numpy as np

from thriftree.learning.targets import Floats
from thriftree.methods.public.mdl import leaf_bits


def bound_of_one(counts: Floats) -> Floats:
    """PUBLIC(1): a node takes a bit to say its kind."""
    return np.minimum(leaf_bits(counts), 1.0)


def bound_by_splits(
    counts: Floats, column_bits: float, first_value_bits: Floats | float = 0.0, next_value_bits: float = 0.0
) -> Floats:
    """PUBLIC(S), and PUBLIC(V) with the least bits of a value: the first test's, and each further one's.

    A tree of s tests has s + 1 leaves, which takes 2 s + 1 bits to say and s times the bits of a column. Each
    leaf has one commonest class; a row of another takes at least a bit there, since that class has at most
    half the leaf. So all but the s + 1 largest classes pay a bit a row. More than k - 1 tests only add
    to this. tests/public compares it with the cheapest of all trees.
    """
    falling = -np.sort(-counts, axis=1)
    beyond = np.cumsum(falling[:, ::-1], axis=1)[:, ::-1]  # beyond[:, i]: of all but the i largest classes
    least = np.full(len(counts), inf)
    for s in range(1, counts.shape[1]):
        tests = s * (2.0 + column_bits) + 1.0 + first_value_bits + (s - 1) * next_value_bits
        rest = beyond[:, s + 1] if s + 1 < counts.shape[1] else 0.0
        least = np.minimum(least, tests + rest)
    return np.asarray(np.minimum(leaf_bits(counts), least), dtype=np.float64)
