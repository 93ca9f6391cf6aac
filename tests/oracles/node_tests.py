"""Brute force: every test a node could have, and what it is worth.

Written from the definitions in plain numpy, with no code of the compiled core, so that the two can be held
against each other. A node is a handful of rows: columns of float64 (NaN is missing; a category is any
number), a target, and row weights.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, pi
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Branches = NDArray[np.intp]
Kind = Literal["threshold", "one_vs_rest", "subset", "multiway"]
Offered = Kind | Literal["subset_or_one"]  # both compete

ALL_SUBSETS_UP_TO = 8
CLOSE = 1e-9  # scores nearer than this are the same
STRICTLY_CONCAVE = {"gini", "entropy", "squared_error"}  # by others a test must gain to be made
GUARD_SLACK = 1e-3  # C4.5 lets a gain be this much below the average


@dataclass(frozen=True)
class Node:
    """The rows that reach a node. `weight` is what the tree grows with: sample weight times class
    multiplier.
    """

    X: Floats
    target: NDArray[np.generic]  # class numbers, or the numeric target
    weight: Floats
    n_classes: int  # 0: the target is a number


@dataclass(frozen=True)
class SubsetRules:
    """What sets of categories must keep to."""

    smoothing: float = 0.0
    min_rows: int = 1
    max_categories: float = inf
    correction: float = 0.0


FREE = SubsetRules()


@dataclass(frozen=True)
class SplitRules:
    """Which tests are offered (by column) and which of them may be made."""

    kinds: Sequence[Offered]
    criterion: str
    min_leaf_rows: int = 1
    min_leaf_weight: float = 0.0
    threshold_penalty: bool = False
    threshold_minimum: bool = False
    average_gain_guard: bool = False
    subsets: SubsetRules = FREE


@dataclass(frozen=True)
class Candidate:
    """A way to divide the node, its gain, and the score it competes with."""

    column: int
    branch: Branches  # of each row of the node
    gain: float
    score: float


def impurity(node: Node, criterion: str) -> float:
    """How mixed the node is; entropy in bits."""
    if node.n_classes == 0:
        target = node.target.astype(np.float64)
        mean = float(np.average(target, weights=node.weight))
        return float(np.average((target - mean) ** 2, weights=node.weight))
    share = class_weights(node) / node.weight.sum()
    if criterion == "gini":
        return float(1.0 - (share**2).sum())
    if criterion == "misclassification":
        return float(1.0 - share.max())
    return entropy(share)


def entropy(share: Floats) -> float:
    """Bits needed to name which share a draw fell in."""
    present = share[share > 0]
    return float(-(present * np.log2(present)).sum())


def class_weights(node: Node) -> Floats:
    """Weight of each class at the node."""
    sums = np.bincount(node.target.astype(int), weights=node.weight, minlength=node.n_classes)
    return np.asarray(sums, dtype=np.float64)


def part(node: Node, rows: NDArray[np.bool_]) -> Node:
    """Some rows of the node."""
    return Node(node.X[rows], node.target[rows], node.weight[rows], node.n_classes)


def gain(node: Node, branch: Branches, criterion: str) -> float:
    """Decrease of impurity: the node's, less the mean of its branches' by weight."""
    after = 0.0
    for v in np.unique(branch):
        child = part(node, branch == v)
        after += float(child.weight.sum()) * impurity(child, criterion)
    return impurity(node, criterion) - after / float(node.weight.sum())


def split_information(node: Node, branch: Branches) -> float:
    """Bits needed to name the branch of a draw."""
    weights = np.bincount(branch, weights=node.weight)
    return entropy(weights / weights.sum())


def allowed(node: Node, branch: Branches, rules: SplitRules) -> bool:
    """A test splits something, and at least two of its branches (so both, if there are two) are large
    enough.
    """
    rows = np.bincount(branch)
    weights = np.bincount(branch, weights=node.weight)
    enough = (rows >= max(rules.min_leaf_rows, 1)) & (weights >= rules.min_leaf_weight * (1 - 1e-12))
    return int(enough.sum()) >= 2


def partitions(node: Node, column: int, kind: Kind, rules: SubsetRules = FREE) -> Iterator[Branches]:
    """Every way a test of this kind divides the node's rows by this column."""
    values = node.X[:, column]
    missing = np.isnan(values)
    known = np.unique(values[~missing])
    codes = np.where(missing, len(known), np.searchsorted(known, values))
    n_codes = len(known) + int(missing.any())
    if kind == "multiway":
        yield codes
    elif kind == "threshold":
        yield from _prefixes(codes, np.arange(len(known)), missing)
    else:
        rare = rare_codes(codes, n_codes, len(known), rules)
        if kind == "one_vs_rest":
            yield from (np.where(codes == code, 0, 1) for code in range(n_codes) if code not in rare)
        else:
            yield from _sets(node, codes, n_codes, len(known), rare, rules)


def rare_codes(codes: Branches, n_codes: int, n_known: int, rules: SubsetRules) -> set[int]:
    """Known codes of too few rows to be placed by what they show; of two codes none."""
    if n_codes <= 2:
        return set()
    return {code for code in range(n_known) if (codes == code).sum() < rules.min_rows}


def _sets(
    node: Node, codes: Branches, n_codes: int, n_known: int, rare: set[int], rules: SubsetRules
) -> Iterator[Branches]:
    """Sets of the codes that are not rare against the others; rare ones are on the heavier side."""
    placed = [code for code in range(n_codes) if code not in rare]
    if len(placed) < 2:
        return
    is_rare, n_missing = np.isin(codes, list(rare)), n_codes - n_known
    for branch in _free_sets(node, codes, placed, n_known, rules):
        left, right = (float(node.weight[~is_rare & (branch == side)].sum()) for side in (0, 1))
        if rare:
            assert abs(left - right) > CLOSE or left == right, "too near to say which side is heavier"
        branch = np.where(is_rare, 0 if left >= right else 1, branch)
        n_left = len(set(codes[branch == 0].tolist()) - ({n_known} if n_missing else set()))
        if min(n_left, n_known - n_left) <= rules.max_categories:
            yield branch


def _free_sets(
    node: Node, codes: Branches, placed: list[int], n_known: int, rules: SubsetRules
) -> Iterator[Branches]:
    """Sets of these codes, whatever the other codes: all of few codes, the first of them on the left, else
    prefixes of one order.
    """
    if len(placed) <= ALL_SUBSETS_UP_TO:
        for size in range(len(placed) - 1):
            for others in combinations(placed[1:], size):
                yield np.where(np.isin(codes, [placed[0], *others]), 0, 1)
        return
    order = in_target_order(node, codes, n_known, rules.smoothing)
    yield from _prefixes(codes, order[np.isin(order, placed)], codes >= n_known)


def _prefixes(codes: Branches, order: Branches, missing: NDArray[np.bool_]) -> Iterator[Branches]:
    """The first codes of an order against the others, missing on each side; and missing against known."""
    for cut in range(1, len(order)):
        branch = np.where(np.isin(codes, order[:cut]), 0, 1)
        yield branch
        if missing.any():
            yield np.where(missing, 0, branch)
    if missing.any():
        yield missing.astype(np.intp)


def in_target_order(node: Node, codes: Branches, n_known: int, smoothing: float = 0.0) -> Branches:
    """Categories by mean target, or by the share of one class: the second of two, else the node's
    heaviest. Each is smoothed by so much weight of the node's own mean.
    """
    if node.n_classes == 0:
        figure = node.target.astype(float)
    else:
        of_class = 1 if node.n_classes == 2 else int(np.argmax(class_weights(node)))
        figure = (node.target == of_class).astype(float)
    overall = float(np.average(figure, weights=node.weight))
    means = []
    for code in range(n_known):
        weight = node.weight[codes == code]
        means.append(
            ((weight * figure[codes == code]).sum() + smoothing * overall) / (weight.sum() + smoothing)
        )
    return np.argsort(means, kind="stable")


def threshold_rules(node: Node, rules: SplitRules) -> SplitRules:
    """C4.5 release 8: each side of a threshold weighs a tenth of the mean weight of a class, or 25."""
    if not rules.threshold_minimum:
        return rules
    tenth = 0.1 * float(node.weight.sum()) / node.n_classes
    return replace(rules, min_leaf_weight=max(rules.min_leaf_weight, min(tenth, 25.0)))


def penalty(node: Node, column: int, rules: SplitRules) -> float:
    """C4.5 release 8: choosing one of N - 1 thresholds costs log2(N - 1) bits, spread over the node's
    weight. A threshold counts if it may be made, with missing values on one side or the other.
    """
    if not rules.threshold_penalty or rules.kinds[column] != "threshold":
        return 0.0
    limits = threshold_rules(node, rules)
    values = node.X[:, column]
    missing = np.isnan(values)
    n_thresholds = 0
    for cut in np.unique(values[~missing])[:-1]:
        sides = [np.where(missing, side, values > cut).astype(np.intp) for side in (0, 1)]
        n_thresholds += any(allowed(node, branch, limits) for branch in sides)
    return float(np.log2(n_thresholds) / node.weight.sum()) if n_thresholds > 1 else 0.0


def candidates(node: Node, rules: SplitRules) -> list[Candidate]:
    """Every test that may be made at the node, column by column."""
    found = []
    for column, offered in enumerate(rules.kinds):
        kinds: list[Kind] = ["subset", "one_vs_rest"] if offered == "subset_or_one" else [offered]
        for kind in kinds:
            limits = threshold_rules(node, rules) if kind == "threshold" else rules
            taken = chance_gain(node, column, rules) if kind == "subset" else 0.0
            tests = [
                scored(node, column, branch, rules, taken)
                for branch in partitions(node, column, kind, rules.subsets)
                if allowed(node, branch, limits)
            ]
            found += [test for test in tests if taken == 0 or test.gain > 0]
    return found


def chance_gain(node: Node, column: int, rules: SplitRules) -> float:
    """What the best two sets of codes that mean nothing gain, beyond what two codes do: of the squares about
    the mean, codes take (codes - 1) / (n - 1) on average, since every way to shuffle the target is as
    likely, and two sets take 2 / π of that. Times the correction.
    """
    values = node.X[:, column]
    missing = np.isnan(values)
    known = np.unique(values[~missing])
    codes = np.where(missing, len(known), np.searchsorted(known, values))
    n_codes = len(known) + int(missing.any())
    n_placed = n_codes - len(rare_codes(codes, n_codes, len(known), rules.subsets))
    n = float(node.weight.sum())
    share = 2 / pi * max(n_placed - 2, 0) / (n - 1) if n > 1 else 0.0
    return rules.subsets.correction * share * impurity(node, measure(rules))


def scored(node: Node, column: int, branch: Branches, rules: SplitRules, taken: float = 0.0) -> Candidate:
    """The test that divides the node so, with its gain, less what is taken of it, and its score."""
    by_gain = gain(node, branch, measure(rules)) - penalty(node, column, rules) - taken
    by_ratio = rules.criterion == "gain_ratio"
    score = by_gain / split_information(node, branch) if by_ratio else by_gain
    return Candidate(column, branch, by_gain, score)


def measure(rules: SplitRules) -> str:
    """The impurity whose decrease is the gain."""
    return "entropy" if rules.criterion == "gain_ratio" else rules.criterion


def best_score(node: Node, rules: SplitRules) -> float | None:
    """The score that the chosen test must reach; None if there is no test to choose.

    By misclassification only tests that gain are made. C4.5 chooses a column's test by gain and compares
    columns by gain ratio, among those whose gain is positive and at least the average of the positive ones.
    Where tests of a column tie in gain, any of them may stand for it.
    """
    finalists = column_winners(node, rules)
    if measure(rules) not in STRICTLY_CONCAVE:
        finalists = {column: tied for column, tied in finalists.items() if tied[0].gain > CLOSE}
    if rules.average_gain_guard:
        gains = {column: tied[0].gain for column, tied in finalists.items() if tied[0].gain > CLOSE}
        needed = sum(gains.values()) / len(gains) - GUARD_SLACK if gains else 0.0
        finalists = {column: finalists[column] for column, gain in gains.items() if gain >= needed}
    return max((min(c.score for c in tied) for tied in finalists.values()), default=None)


def column_winners(node: Node, rules: SplitRules) -> dict[int, list[Candidate]]:
    """By column, its tests of largest gain."""
    winners: dict[int, list[Candidate]] = {}
    offered = candidates(node, rules)
    for column in {candidate.column for candidate in offered}:
        own = [candidate for candidate in offered if candidate.column == column]
        most = max(candidate.gain for candidate in own)
        winners[column] = [candidate for candidate in own if candidate.gain >= most - CLOSE]
    return winners


def branch_of(value: float, tree: Any, node: int, categories: Sequence[float]) -> int:
    """The branch a value takes at a node, by the definition of a test. `tree` has the flat arrays of a tree's
    core.
    """
    keys = tree.keys[tree.key_begin[node] : tree.key_begin[node + 1]].tolist()
    to = tree.to[tree.to_begin[node] : tree.to_begin[node + 1]].tolist()
    if np.isnan(value):
        return int(tree.missing[node])
    if tree.kind[node] == 1:
        return int(to[sum(key < value for key in keys)])
    code = list(categories).index(value) if value in categories else None
    return int(to[keys.index(code)]) if code in keys else int(tree.other[node])


def rows_by_node(X: Floats, tree: Any, categories: Sequence[Sequence[float]]) -> list[NDArray[np.intp]]:
    """For each node, the rows that reach it. `categories[j]` are the values of column j's codes, () for
    numbers.
    """
    reached: list[list[int]] = [[] for _ in range(len(tree.parent))]
    for row, values in enumerate(X):
        node = 0
        reached[node].append(row)
        while tree.column[node] >= 0:
            column = int(tree.column[node])
            branch = branch_of(values[column], tree, node, categories[column])
            node = int(tree.children[tree.child_begin[node] + branch])
            reached[node].append(row)
    return [np.array(rows, dtype=np.intp) for rows in reached]
