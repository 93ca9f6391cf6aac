"""A soft tree as an outline of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from thriftree.methods.soft.soft_tree import SoftTree

_MOST_TERMS: Final = 4
_GUIDES: Final = (("├─ ", "│  "), ("└─ ", "   "))  # of a left and a right branch


def text_of(tree: SoftTree) -> str:
    """A line for each gate and leaf: of a gate its largest weights, of a leaf what it answers."""
    return "\n".join(_lines(tree, 0 if tree.n_gates else -1, "", ""))


def _lines(tree: SoftTree, child: int, head: str, tail: str) -> Iterator[str]:
    if child < 0:
        yield f"{head}{_leaf(tree, -1 - child)}"
        return
    yield f"{head}{_gate(tree, child)}"
    sides = (("left: ", int(tree.left[child])), ("right: ", int(tree.right[child])))
    for (side, below), (first, rest) in zip(sides, _GUIDES, strict=True):
        yield from _lines(tree, below, f"{tail}{first}{side}", f"{tail}{rest}")


def _gate(tree: SoftTree, number: int) -> str:
    weights, names = tree.gate_weights[number], tree.design.term_names()
    order = [int(t) for t in np.argsort(-np.abs(weights), kind="stable") if weights[t]]
    told = [f"{names[t]} {weights[t]:+.3g}" for t in order[:_MOST_TERMS]]
    more = len(order) - _MOST_TERMS
    told += [f"{more} smaller weights"] if more > 0 else []
    told.append(f"offset {tree.gate_offsets[number]:+.3g}")
    return f"gate {number}: {', '.join(told)}"


def _leaf(tree: SoftTree, number: int) -> str:
    answers = tree.leaf_answers[number]
    linear = ", linear in all columns" if tree.linear else ""
    if tree.classes is None:
        return f"leaf {number}: {answers[0]:.4g}{linear}"
    shares = sorted(zip(answers.tolist(), map(str, tree.classes), strict=True), key=lambda pair: -pair[0])
    said = ", ".join(f"{name} {share:.0%}" for share, name in shares[:3])
    return f"leaf {number}: {said}{linear}"
