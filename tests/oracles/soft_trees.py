"""Soft trees by their definition: one row at a time, down every path. Slow; nothing of the library."""

import math

import numpy as np


def reaches(left, right, gates, row, sharpness):
    """Probability of reaching each gate and each leaf. `gates`: per gate its weights (of all columns) and its
    offset.
    """
    of_gate, of_leaf = [0.0] * len(left), [0.0] * (len(left) + 1)

    def go(node, chance):
        if node < 0:
            of_leaf[~node] = chance
            return
        of_gate[node] = chance
        weights, offset = gates[node]
        at = float(np.dot(weights, row)) + offset
        hard = 1.0 if at >= 0 else 0.0
        share = hard if math.isinf(sharpness) else 1 / (1 + math.exp(-sharpness * at))
        go(left[node], chance * share)
        go(right[node], chance * (1 - share))

    go(0 if left else ~0, 1.0)
    return of_gate, of_leaf


def answer(left, right, gates, leaves, row, sharpness, classes):
    """Probabilities of the classes, of leaves that hold logits; or the number, of leaves that hold one."""
    _, of_leaf = reaches(left, right, gates, row, sharpness)
    outputs = np.asarray(leaves, float)
    if classes:
        outputs = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        outputs /= outputs.sum(axis=1, keepdims=True)
    return np.asarray(of_leaf) @ outputs


def objective(left, right, gates, leaves, rows, targets, weights, sharpness, l2, classes):
    """The penalised mean loss."""
    total = 0.0
    for row, target, weight in zip(rows, targets, weights, strict=True):
        found = answer(left, right, gates, leaves, row, sharpness, classes)
        loss = -math.log(found[int(target)]) if classes else 0.5 * (found[0] - target) ** 2
        total += weight * loss
    squares = sum(float(np.dot(w, w)) for w, _ in gates) + float((np.asarray(leaves) ** 2).sum())
    return total / sum(weights) + l2 / 2 * squares
