"""The nodes of a scikit-learn tree: tests of several branches rewritten as comparisons with one threshold."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from typing import Any

from thriftree.export.sklearn_pieces import Piece, pieces_of

MOST_NODES = 1_000_000

#: What scikit-learn has for the feature, threshold and children of a leaf.
NO_FEATURE, NO_THRESHOLD, NO_CHILD = -2, -2.0, -1

#: Nodes of our tree, each with the share of its rows.
Parts = tuple[tuple[int, float], ...]


@dataclass
class BinaryNode:
    """A node of the scikit-learn tree.

    `origin` is the node of our tree that it is, or whose test it is a part of; `parts` are the nodes of our
    tree whose rows it holds.
    """

    origin: int
    parts: Parts
    depth: int
    feature: int = NO_FEATURE
    threshold: float = NO_THRESHOLD
    missing_left: bool = False
    left: int = NO_CHILD
    right: int = NO_CHILD


@dataclass(frozen=True)
class _Rest:
    """What is left to ask of the test of node `origin`: which of the pieces a number is in.

    `missing` is the branch of missing values, None if they were sent elsewhere. Where several pieces lead to
    one child there are copies of it, and each gets the same share of its rows: `shares`, by branch.
    """

    origin: int
    parts: Parts
    pieces: list[Piece]
    missing: int | None
    shares: dict[int, float]


#: What hangs below a comparison: more of its test, or a node of our tree and the share of its rows.
_Side = _Rest | tuple[int, float]


@dataclass(frozen=True)
class _Open:
    """A subtree still to be made, and where it hangs."""

    what: _Side
    depth: int
    parent: int
    is_left: bool


def binary_nodes(document: dict[str, Any]) -> list[BinaryNode]:
    """The tree with two branches a test, in preorder. It sends every number where the tree sends it.

    Children that no number and no missing value can reach are left out. Raises ValueError where a test is not
    one of numbers, or where the copies of children are too many.
    """
    made: list[BinaryNode] = []
    open_ = [_Open((0, 1.0), 0, NO_CHILD, False)]
    while open_:
        now = open_.pop()
        what = _first_question(document, now.what)
        place = len(made)
        if place == MOST_NODES:
            raise ValueError(
                f"the tree has more than {MOST_NODES} nodes when each asks one threshold only: "
                "export it to ONNX, PMML or code, which take tests of several branches"
            )
        if now.parent != NO_CHILD:
            setattr(made[now.parent], "left" if now.is_left else "right", place)
        if isinstance(what, tuple):
            made.append(BinaryNode(what[0], (what,), now.depth))
            continue
        node, left, right = _ask(document, what, now.depth)
        made.append(node)
        open_.append(_Open(right, now.depth + 1, place, False))
        open_.append(_Open(left, now.depth + 1, place, True))
    return made


def _first_question(document: dict[str, Any], what: _Side) -> _Side:
    """What there is to ask first: a leaf as it is, or a test between at least two ways."""
    while True:
        if isinstance(what, tuple):
            number, share = what
            if "test" not in document["nodes"][number]:
                return what
            what = _whole_test(document, number, share)
        if len(what.pieces) > 1 or what.missing not in (None, what.pieces[0].branch):
            return what
        branch = what.pieces[0].branch
        what = (document["nodes"][what.origin]["children"][branch], what.shares[branch])


def _whole_test(document: dict[str, Any], number: int, share: float) -> _Rest:
    pieces = pieces_of(document, number)
    missing = document["nodes"][number]["test"]["missing"]
    copies = Counter(piece.branch for piece in pieces)
    copies.setdefault(missing, 1)
    shares = {branch: share / n for branch, n in copies.items()}
    return _Rest(number, ((number, share),), pieces, missing, shares)


def _ask(document: dict[str, Any], rest: _Rest, depth: int) -> tuple[BinaryNode, _Side, _Side]:
    """One comparison, and what is left on its two sides."""
    children = document["nodes"][rest.origin]["children"]
    feature = document["nodes"][rest.origin]["test"]["column"]

    def side(pieces: list[Piece], missing: int | None) -> _Rest:
        parts = tuple((children[piece.branch], rest.shares[piece.branch]) for piece in pieces)
        return _Rest(rest.origin, parts, pieces, missing, rest.shares)

    if rest.missing is not None and all(piece.branch != rest.missing for piece in rest.pieces):
        # As scikit-learn's own trees separate missing values: every number is below infinity.
        node = BinaryNode(rest.origin, rest.parts, depth, feature, math.inf)
        return node, side(rest.pieces, None), (children[rest.missing], rest.shares[rest.missing])
    middle = len(rest.pieces) // 2
    low, high = rest.pieces[:middle], rest.pieces[middle:]
    missing_left = any(piece.branch == rest.missing for piece in low)
    node = BinaryNode(rest.origin, rest.parts, depth, feature, low[-1].upper, missing_left)
    return (
        node,
        side(low, rest.missing if missing_left else None),
        side(high, None if missing_left else rest.missing),
    )
