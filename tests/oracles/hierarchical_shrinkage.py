"""Hierarchical shrinkage as the paper defines it (Agarwal, Tan, Ronen, Singh and Yu 2022, equation 1), in
fractions, one path at a time.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction


def shrunk_value(values: Sequence[Fraction], counts: Sequence[Fraction], strength: Fraction) -> Fraction:
    """The prediction at the end of a path: `values` and `counts` (N) are those of its nodes, root first.

    value(root) + sum over steps (value(child) - value(parent)) / (1 + λ / N(parent))
    """
    prediction = values[0]
    for parent, (before, after) in enumerate(itertools.pairwise(values)):
        prediction += (after - before) / (1 + strength / counts[parent])
    return prediction


def kept_by_label(
    shares: Sequence[Fraction], shrunk: Sequence[Fraction], label: int, lead: Fraction
) -> list[Fraction]:
    """As much of the way from the shares to the shrunk ones as the label stays ahead of every other class, by
    `lead` or by as much as it was ahead. The label is the first of the largest shares.
    """
    way = Fraction(1)
    for other in range(len(shares)):
        if other == label:
            continue
        before, after = shares[label] - shares[other], shrunk[label] - shrunk[other]
        least = min(lead, before)
        if after < least:
            way = min(way, (before - least) / (before - after))
    return [share + way * (one - share) for share, one in zip(shares, shrunk, strict=True)]
