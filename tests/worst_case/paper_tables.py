"""The two examples of paper 001 as tables: Figure 1, and the 1024 objects of section 5."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

from oracles.greedy_tree import GreedyTreeNode, Problem, class_counts
from oracles.ngi import Instance, instance
from oracles.set_functions import SetFunction, hinged_pairs, pairs, powers

REFERENCE: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "reference" / "greedytree_paper001.json").read_text(encoding="utf-8")
)

# Figure 1: 30 objects of each class; t1 takes 20 of the second class from the rest, t2 halves both.
FIGURE_1 = (30, 30)
FIGURE_1_TESTS = {"t1": ((30, 10), (0, 20)), "t2": ((15, 15), (15, 15))}

#: The functions of the reference by their names there. "i!=j" counts each pair of classes twice.
FIGURE_1_FUNCTIONS: dict[str, SetFunction] = {
    "Pairs": pairs,
    **{f"Powers_l{l}": powers(l) for l in (2, 3, 4, 5)},  # noqa: E741
    **{f"hinged_eq10_i<j_alpha{a}": hinged_pairs(a) for a in ("7", "7.5", "8", "10")},
    "hinged_eq10_i!=j_alpha8": lambda counts: 2 * hinged_pairs(8)(counts),
    "hinged_without_minus_alpha2_alpha8 (paper appendix)": hinged_pairs(8, offset=False),
}

SYNTHETIC_FUNCTIONS: dict[str, tuple[SetFunction, int]] = {  # with δ
    "Pairs": (pairs, 0),
    **{f"Powers_l{l}": (powers(l), 0) for l in (3, 4, 5)},  # noqa: E741
    "Pairs_delta255_earlystop": (pairs, 255),
    "hinged_alpha1": (hinged_pairs(1), 0),
    "hinged_alpha_255/256": (hinged_pairs("255/256"), 0),
    "hinged_alpha_254/256": (hinged_pairs("254/256"), 0),
    "hinged_alpha_0.5": (hinged_pairs("1/2"), 0),
}


def synthetic_rows() -> tuple[list[list[int]], list[int]]:
    """Codes (t1 is the highest bit of the object's number) and classes 0 .. 3."""
    codes = [[number >> (9 - bit) & 1 for bit in range(10)] for number in range(1024)]
    labels = [(number // 256 + (number % 256 == 0)) % 4 for number in range(1024)]
    return codes, labels


def synthetic() -> Instance:
    codes, labels = synthetic_rows()
    return instance(codes, labels, [1] * 1024, [1] * 10)


def synthetic_problem(name: str) -> Problem:
    function, tolerance = SYNTHETIC_FUNCTIONS[name]
    return Problem(synthetic(), ["multiway"] * 10, function, 4, Fraction(tolerance))


def errors(of: Instance, root: GreedyTreeNode, n_classes: int) -> int:
    """Objects that are not of the most frequent class of their leaf."""
    counts = [class_counts(of, leaf.objects, n_classes) for leaf in root.leaves()]
    return sum(sum(by_class) - max(by_class) for by_class in counts)
