"""What would have to be different: single changes of one answer after which the tree says something else."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from thriftree.columns import Scalar
from thriftree.document.follow import Answer, Unknown, branch_of
from thriftree.explain.reach import Known, ReachableTree
from thriftree.explain.rules import Condition, condition_of
from thriftree.explain.values import Values, all_values
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
    not changed to a missing one. Of a tree with linear leaves there is none.
    """
    if tree.answers.models:
        return ()  # a linear leaf says something else at almost every value
    reach = tree.reach(known)
    now = reach.answers[0]
    way = _Way(tree, known) if len(known) == len(tree.columns) else None
    changes = []
    for column in reach.used:
        outcomes = way.outcomes(column) if way is not None else _outcomes(tree, known, column)
        for values, said in _alternatives(tree.columns[column], known[column], outcomes, now):
            condition = condition_of(tree.columns[column], values, wording.condition(column, values))
            words = "something else, perhaps," if said is None else said_words(said)
            text = f"{words} if {condition.text}"
            changes.append(Change(condition, said, text))
    return tuple(changes)


Outcome: TypeAlias = tuple[Values, Scalar]  # a leaf that can be reached: by which values, and what it says


def _outcomes(tree: ReachableTree, known: Known, column: int) -> Iterator[Outcome]:
    """What the tree can say if this column may be anything, and other columns are not known either."""
    others = {number: answer for number, answer in known.items() if number != column}
    anything = all_values(tree.columns[column])
    for leaf in tree.reach(others).leaves:
        yield leaf.left.get(column, anything), tree.says[leaf.node]


class _Way:
    """The way of a row of which every column is known. Its outcomes for all columns together take as
    many steps as the tree has nodes, since a subtree beside the way depends on the column that it is beside.
    """

    def __init__(self, tree: ReachableTree, known: Known) -> None:
        self._tree, self._known = tree, known
        self._tests: dict[int, list[tuple[int, int]]] = {}  # by column, nodes on the way and the next there
        number = 0
        while "test" in (node := tree.nodes[number]):
            test = node["test"]
            follows = node["children"][branch_of(test, known[test["column"]])]
            self._tests.setdefault(test["column"], []).append((number, follows))
            number = follows
        self._said = tree.says[number]

    def outcomes(self, column: int) -> Iterator[Outcome]:
        """What the tree says by the values of one column, all others being as they are."""
        staying = all_values(self._tree.columns[column])
        for number, follows in self._tests[column]:
            staying_on = staying
            for child, values in self._tree.branches(number):
                passing = staying & values
                if child == follows:
                    staying_on = passing
                elif passing:
                    yield from self._below(child, column, passing)
            staying = staying_on
        yield staying, self._said

    def _below(self, number: int, column: int, values: Values) -> Iterator[Outcome]:
        open_ = [(number, values)]
        while open_:
            number, values = open_.pop()
            node = self._tree.nodes[number]
            if "test" not in node:
                yield values, self._tree.says[number]
            elif (own := node["test"]["column"]) == column:
                branches = self._tree.branches(number)
                open_ += [(child, passing) for child, some in branches if (passing := values & some)]
            else:
                open_.append((node["children"][branch_of(node["test"], self._known[own])], values))


def _alternatives(
    schema: dict[str, Any], own: Answer, outcomes: Iterable[Outcome], now: Scalar
) -> list[tuple[Values, Scalar | None]]:
    """The values, beside those that leave all as it is, with what the tree would say; None: not settled."""
    if schema["kind"] != "number":
        return _other_categories(schema, outcomes, now)
    pieces: list[tuple[float, float, Scalar | None]] = []
    for low, high, said in _settled_intervals(outcomes):
        if pieces and _same(pieces[-1][2], said):
            pieces[-1] = (pieces[-1][0], high, said)
        else:
            pieces.append((low, high, said))
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


def _settled_intervals(outcomes: Iterable[Outcome]) -> Iterator[tuple[float, float, Scalar | None]]:
    """All numbers, ascending, in intervals within which the same leaves are reached, with what they say."""
    begins: dict[float, Counter[tuple[str, Scalar]]] = {}  # by place, how many leaves more say something
    for values, said in outcomes:
        label = (type(said).__name__, said)
        for low, high in values.intervals:
            begins.setdefault(low, Counter())[label] += 1
            begins.setdefault(high, Counter())[label] -= 1
    reached: Counter[tuple[str, Scalar]] = Counter()
    for low, high in pairwise(sorted(begins)):
        for label, more in begins[low].items():
            reached[label] += more
            if not reached[label]:
                del reached[label]
        yield low, high, next(iter(reached))[1] if len(reached) == 1 else None


def _other_categories(
    schema: dict[str, Any], outcomes: Iterable[Outcome], now: Scalar
) -> list[tuple[Values, Scalar | None]]:
    known: list[dict[tuple[str, Scalar], None]] = [{} for _ in schema["categories"]]
    unknown: dict[tuple[str, Scalar], None] = {}
    for values, said in outcomes:
        label = (type(said).__name__, said)
        for code in values.codes:
            known[code][label] = None
        if values.other:
            unknown[label] = None
    by_answer: dict[tuple[str, Scalar | None], list[int]] = {}
    for code, labels in enumerate(known):
        said_of_code = _settled(labels)
        if not _same(said_of_code, now):
            by_answer.setdefault((type(said_of_code).__name__, said_of_code), []).append(code)
    others = _settled(unknown)
    if not _same(others, now):
        by_answer.setdefault((type(others).__name__, others), [])
    return [
        (Values((), frozenset(codes), missing=False, other=not codes), said)
        for (_, said), codes in by_answer.items()
    ]


def _settled(labels: Collection[tuple[str, Scalar]]) -> Scalar | None:
    return next(iter(labels))[1] if len(labels) == 1 else None


def _same(one: Scalar | None, other: Scalar | None) -> bool:
    return type(one) is type(other) and one == other
