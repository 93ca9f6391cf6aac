"""The area under the ROC curve of rows that come in groups, as the leaves of a tree make them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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


def macro_aucs(share: Floats, weight: Floats, part: Floats) -> Floats:
    """As `macro_auc` on several sets of rows at once: `weight[g, k, s]` is that of group g in set s, and
    `part[k, s]` how much the area of class k counts there; 0 where the class has no rows of both kinds.
    """
    classes = range(len(part))
    if len(part) == 2:  # the area of one is that of the other
        classes, part = range(1), part.sum(axis=0, keepdims=True)
    every = weight.sum(axis=1)
    found = np.zeros(weight.shape[2])
    for k in classes:
        order = np.argsort(share[:, k], kind="stable")
        level = np.flatnonzero(np.diff(share[order, k], prepend=-1.0))
        positive = np.add.reduceat(weight[order, k], level, axis=0)
        negative = np.add.reduceat(every[order], level, axis=0) - positive
        below = np.cumsum(negative, axis=0)
        right = (positive * (below - negative / 2)).sum(axis=0)
        pairs = positive.sum(axis=0) * below[-1]
        found += part[k] * np.divide(right, pairs, out=np.zeros_like(right), where=part[k] > 0)
    return found


def shares_of_classes(rows: NDArray[np.intp]) -> Floats:
    """For sets of so many rows (classes x sets): how much each class counts in a mean over those that have
    rows of both kinds.
    """
    both = _has_both_kinds(rows)
    return np.asarray(both / np.maximum(both.sum(axis=0), 1), dtype=np.float64)


def parts_of_classes(rows: NDArray[np.intp], all_rows: NDArray[np.intp]) -> Floats:
    """The same for small sets in which classes may be lacking, where the mean is over sets first and then
    over the classes of all rows: a class counts as much as another, in however few sets it is.
    """
    both = _has_both_kinds(rows)
    n_sets = np.maximum(both.sum(axis=1, keepdims=True), 1)
    return np.asarray(both / n_sets / max(int(_has_both_kinds(all_rows).sum()), 1), dtype=np.float64)


def _has_both_kinds(rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Classes x sets: whether there are rows of the class, and others."""
    return np.asarray((rows > 0) & (rows < rows.sum(axis=0)), dtype=np.bool_)
