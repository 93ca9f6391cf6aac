"""The area under the ROC curve of rows that come in groups, as the leaves of a tree make them."""

from __future__ import annotations

import numpy as np

from thriftree.learning.targets import Floats


def macro_auc(share: Floats, weight: Floats) -> float:
    """Area under the ROC curve, one class against the rest, averaged over the classes that have rows of both
    kinds; NaN if none has.

    Rows come in groups: `share[g, k]` is the probability that group g gives class k, and by which it is
    ranked, `weight[g, k]` the weight of its rows of class k.
    """
    totals = weight.sum(axis=0)
    both = np.flatnonzero((totals > 0) & (totals < totals.sum()))
    if not len(both):
        return float("nan")
    rest = weight.sum(axis=1, keepdims=True) - weight
    return float(np.mean([_auc(share[:, k], weight[:, k], rest[:, k]) for k in both]))


def _auc(score: Floats, positive: Floats, negative: Floats) -> float:
    """Share of the pairs (positive, negative) that the score ranks right; equal scores count half."""
    levels, level = np.unique(score, return_inverse=True)
    positives = np.bincount(level, weights=positive, minlength=len(levels))
    negatives = np.bincount(level, weights=negative, minlength=len(levels))
    below = np.cumsum(negatives) - negatives
    return float((positives * (below + negatives / 2)).sum() / (positives.sum() * negatives.sum()))
