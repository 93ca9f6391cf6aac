"""What would have to be different: single changes of one answer after which the tree says something else."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import inf

from thriftree.columns import Scalar
from thriftree.document.follow import OTHER, Answer, Unknown
from thriftree.explain.reach import Known, ReachableTree
from thriftree.explain.rules import Condition, condition_of
from thriftree.explain.values import Values
from thriftree.explain.words import Wording, said_words


@dataclass(frozen=True)
class Change:
    """If the condition held, and all else stayed as it is, the tree would say `label`; None: it would have to
    ask more, and might say something else.
    """

    condition: Condition
    label: Scalar | None
    text: str

    def __str__(self) -> str:
        return self.text


def changes_of(tree: ReachableTree, known: Known, wording: Wording) -> tuple[Change, ...]:
    """Every such change, column by column in the order of the tests on the row's way.

    Of a number's values the nearest on either side are named; of categories all, by what the tree would say,
    and one that the tree does not know where it would say what no known one does. A value that is known is
    not changed to a missing one.
    """
    reach = tree.reach(known)
    now = reach.answers[0]
    changes = []
    for column in reach.used:
        for values, said in _alternatives(tree, known, column, now):
            condition = condition_of(tree.columns[column], values, wording.condition(column, values))
            words = "something else, perhaps," if said is None else said_words(said)
            text = f"{words} if {condition.text}"
            changes.append(Change(condition, said, text))
    return tuple(changes)


def _alternatives(
    tree: ReachableTree, known: Known, column: int, now: Scalar
) -> Iterable[tuple[Values, Scalar | None]]:
    schema = tree.columns[column]
    if schema["kind"] != "number":
        return _other_categories(tree, known, column, now)
    others = {other: answer for other, answer in known.items() if other != column}
    open_tests = [place for place in tree.reach(others).tests if tree.column_of(place) == column]
    cuts = sorted({cut for place in open_tests for cut in tree.nodes[place.node]["test"]["keys"]})
    pieces: list[tuple[float, float, Scalar | None]] = []
    for low, high in pairwise([-inf, *cuts, inf]):
        said = _said(tree, known, column, high)
        if pieces and _same(pieces[-1][2], said):
            pieces[-1] = (pieces[-1][0], high, said)
        else:
            pieces.append((low, high, said))
    own = known[column]
    if isinstance(own, Unknown):
        nearest = pieces
    else:
        place = bisect_left([high for _, high, _ in pieces], float(own))
        nearest = [*pieces[max(place - 1, 0) : place], *pieces[place + 1 : place + 2]]
    return [
        (Values(((low, high),), frozenset(), False, False), said)
        for low, high, said in nearest
        if not _same(said, now)
    ]


def _other_categories(
    tree: ReachableTree, known: Known, column: int, now: Scalar
) -> list[tuple[Values, Scalar | None]]:
    by_answer: dict[tuple[str, Scalar | None], list[int]] = {}
    for code in range(len(tree.columns[column]["categories"])):
        said = _said(tree, known, column, code)
        if not _same(said, now):
            by_answer.setdefault((type(said).__name__, said), []).append(code)
    others = _said(tree, known, column, OTHER)
    if not _same(others, now):
        by_answer.setdefault((type(others).__name__, others), [])
    return [
        (Values((), frozenset(codes), missing=False, other=not codes), said)
        for (_, said), codes in by_answer.items()
    ]


def _said(tree: ReachableTree, known: Known, column: int, answer: Answer) -> Scalar | None:
    """What the tree says with this answer in place of the known one; None if that is not settled."""
    reach = tree.reach({**known, column: answer})
    return reach.answers[0] if reach.settled else None


def _same(one: Scalar | None, other: Scalar | None) -> bool:
    return type(one) is type(other) and one == other
