"""Soft trees by their definition: one row at a time, down every path. Slow; nothing of the library."""

import itertools
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
    """Probabilities of the classes, of leaves that hold logits; or the number, of leaves that hold one. A
    leaf holds for each of these weights of all columns, which may be 0, and an offset.
    """
    _, of_leaf = reaches(left, right, gates, row, sharpness)
    outputs = np.array(
        [[float(np.dot(weights, row)) + offset for weights, offset in leaf] for leaf in leaves]
    )
    if classes:
        outputs = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        outputs /= outputs.sum(axis=1, keepdims=True)
    return np.asarray(of_leaf) @ outputs


def objective(
    left,
    right,
    gates,
    leaves,
    rows,
    targets,
    weights,
    sharpness,
    classes,
    l2,
    leaf_l2=0.0,
    output_l2=None,
    shares=None,
):
    """The penalised mean loss. `shares`: gates and leaves again, with what their numbers pay of a penalty."""
    total = 0.0
    for row, target, weight in zip(rows, targets, weights, strict=True):
        found = answer(left, right, gates, leaves, row, sharpness, classes)
        loss = -math.log(found[int(target)]) if classes else 0.5 * (found[0] - target) ** 2
        total += weight * loss
    everything = [*gates, *itertools.chain(*leaves)]
    paid = [(1.0, 1.0)] * len(everything) if shares is None else [*shares[0], *itertools.chain(*shares[1])]
    of_weights = [float(np.sum(s * w * w)) for (w, _), (s, _) in zip(everything, paid, strict=True)]
    of_offsets = [s * offset**2 for (_, offset), (_, s) in zip(everything, paid, strict=True)]
    squares, of_leaves = sum(of_weights[: len(gates)]), sum(of_weights[len(gates) :])
    outputs = sum(of_offsets[len(gates) :])
    penalties = l2 * squares + leaf_l2 * of_leaves + (l2 if output_l2 is None else output_l2) * outputs
    return total / sum(weights) + penalties / 2


def price_of_row(left, right, gates, leaves, row, sharpness, begins, rules, tau):
    """What a row is expected to pay if every gate and leaf buys every column by itself, with probability
    s / (s + tau²): over all paths, and over all sets of columns that the nodes of a path may buy.

    `rules`: own prices, groups (a list of columns and its set-up price), and whether all is paid once.
    """
    own, groups, once = rules
    _, of_leaf = reaches(left, right, gates, row, sharpness)
    n_columns = len(own)

    def degrees(weights):
        squares = [
            sum(w**2 for one in weights for w in one[begins[j] : begins[j + 1]]) for j in range(n_columns)
        ]
        return [s / (s + tau**2) for s in squares]

    total = 0.0

    def go(node, path):
        nonlocal total
        if node < 0:
            nodes = [*path, degrees([w for w, _ in leaves[~node]])]
            total += of_leaf[~node] * expected(nodes)
            return
        here = degrees([gates[node][0]])
        go(left[node], [*path, here])
        go(right[node], [*path, here])

    def expected(nodes):
        chances = [(n, j, a) for n, of_node in enumerate(nodes) for j, a in enumerate(of_node) if a > 0]
        paid = 0.0
        for bought in itertools.product([False, True], repeat=len(chances)):
            chance = math.prod(a if buys else 1 - a for buys, (_, _, a) in zip(bought, chances, strict=True))
            met = [j for buys, (_, j, _) in zip(bought, chances, strict=True) if buys]
            price = sum(own[j] for j in (set(met) if once else met))
            price += sum(setup for columns, setup in groups if set(columns) & set(met))
            paid += chance * price
        return paid

    go(0 if left else ~0, [])
    return total
