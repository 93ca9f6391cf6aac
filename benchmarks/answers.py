"""Answer checks: a time counts only for a tree that is as good as the other library's."""

from __future__ import annotations

import numpy as np

from benchmarks.data import Array

LEAVES_TOLERANCE = 0.02
FIT_TOLERANCE = 1e-3
LOG_LOSS_TOLERANCE = 0.01
ACCURACY_TOLERANCE = 0.005


class AnswerDiffersError(Exception):
    """Our answer is not as good as the other library's, so its time means nothing."""


def check_same_leaves(ours: int, theirs: int) -> None:
    """The numbers of leaves differ by at most 2 %."""
    if abs(ours - theirs) > LEAVES_TOLERANCE * theirs:
        raise AnswerDiffersError(f"{ours} leaves against {theirs}")


def check_same_fit(what: str, ours: float, theirs: float) -> None:
    """A measure of the training fit is the same to 0.1 %: ties may be broken another way, no more."""
    if abs(ours - theirs) > FIT_TOLERANCE * abs(theirs):
        raise AnswerDiffersError(f"training {what} {ours:.6g} against {theirs:.6g}")


def check_log_loss(ours: float, theirs: float) -> None:
    """Our training log-loss is at most 1 % worse."""
    if ours > theirs * (1 + LOG_LOSS_TOLERANCE):
        raise AnswerDiffersError(f"training log-loss {ours:.6g} against {theirs:.6g}")


def check_same_accuracy(ours: Array, theirs: Array, y: Array) -> None:
    """Two sets of predictions are right for shares of the rows that differ by at most 0.5 points."""
    our_share, their_share = float(np.mean(ours == y)), float(np.mean(theirs == y))
    if abs(our_share - their_share) > ACCURACY_TOLERANCE:
        raise AnswerDiffersError(f"{our_share:.2%} of the rows right against {their_share:.2%}")


def check_all_right(who: str, predicted: Array, y: Array) -> None:
    """Every training row is predicted right, as by a tree whose leaves are pure."""
    wrong = int(np.count_nonzero(predicted != y))
    if wrong:
        raise AnswerDiffersError(f"{wrong} training rows wrong by {who}")


def accuracy(probabilities: Array, y: Array, weight: Array | None = None) -> float:
    return float(np.average(probabilities.argmax(axis=1) == y, weights=weight))


def log_loss(probabilities: Array, y: Array, weight: Array | None = None) -> float:
    """In nats. For a tree on its own training rows it is the mean entropy of the leaves."""
    of_label = probabilities[np.arange(len(y)), y]
    return float(-np.average(np.log(np.maximum(of_label, 1e-15)), weights=weight))


def gini(probabilities: Array, weight: Array | None = None) -> float:
    """Mean Gini impurity of the leaves, each as heavy as its rows."""
    return float(np.average(1 - np.einsum("ij,ij->i", probabilities, probabilities), weights=weight))


def shares_within(groups: Array, y: Array, n_classes: int) -> Array:
    """For every row, the share of each class among the rows of the same group."""
    _, group = np.unique(groups, return_inverse=True)
    counts = np.zeros((group.max() + 1, n_classes))
    np.add.at(counts, (group, y), 1)
    return np.asarray((counts / counts.sum(axis=1, keepdims=True))[group])
