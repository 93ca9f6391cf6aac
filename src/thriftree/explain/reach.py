"""What a tree can still say and ask when only some answers are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan
from typing import Any

from thriftree.columns import Scalar
from thriftree.document.follow import MISSING, Answer, Unknown, branch_of
from thriftree.explain.answers import NodeAnswers
from thriftree.explain.values import Values, all_values, values_by_branch

Known = Mapping[int, Answer]  # by column number, in the order of asking


@dataclass(frozen=True)
class Place:
    """A node that can still be reached. `left` has, for each column that is not known and is tested on the
    way, the values that lead here, in the order of the tests.
    """

    node: int
    left: dict[int, Values]


@dataclass(frozen=True)
class Reach:
    """The part of a tree that known answers leave open, in preorder.

    `tests` are the nodes that ask for a column that is not known and whose answer is not settled by what an
    earlier test of the column lets pass. `answers` are the labels (or numbers) of the leaves, each once;
    `used` are the known columns that decided something. `reads` are columns that are not known and that the
    models of linear leaves here read.
    """

    tests: tuple[Place, ...]
    leaves: tuple[Place, ...]
    answers: tuple[Scalar, ...]
    used: tuple[int, ...]
    reads: tuple[int, ...] = ()

    @property
    def settled(self) -> bool:
        """Whether every leaf that can be reached says the same."""
        return len(self.answers) == 1 and not self.reads


class ReachableTree:
    """A tree in its JSON form, ready to be asked what known answers leave of it."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self.columns: list[dict[str, Any]] = document["columns"]
        self.nodes: list[dict[str, Any]] = document["nodes"]
        self._branches = [
            values_by_branch(node, self.columns[node["test"]["column"]]) if "test" in node else []
            for node in self.nodes
        ]
        self.answers = NodeAnswers(document)
        # Of each node as a leaf.
        self.says: list[Scalar] = [self.answers.predicted(number)[0] for number in range(len(self.nodes))]

    def said_at(self, leaf: int, known: Known) -> Scalar:
        """What a leaf says; a linear one of these answers, where what is not known counts as missing."""
        model = self.answers.models.get(leaf)
        if model is None:
            return self.says[leaf]
        values = (known.get(column, MISSING) for column in model.columns)
        return model.answer(
            float(self.says[leaf]), [nan if isinstance(value, Unknown) else float(value) for value in values]
        )

    def unread(self, leaf: int, known: Known) -> tuple[int, ...]:
        """The columns that a linear leaf reads and that are not known."""
        model = self.answers.models.get(leaf)
        return () if model is None else tuple(column for column in model.columns if column not in known)

    def column_of(self, place: Place) -> int:
        """The column that a test asks for."""
        return int(self.nodes[place.node]["test"]["column"])

    def branches(self, number: int) -> Iterator[tuple[int, Values]]:
        """The children of a test, each with the values that lead to it."""
        return zip(self.nodes[number]["children"], self._branches[number], strict=True)

    def reach(self, known: Known) -> Reach:
        """What is left of the tree if these answers are known."""
        tests: list[Place] = []
        leaves: list[Place] = []
        used: dict[int, None] = {}
        open_ = [Place(0, {})]
        while open_:
            place = open_.pop()
            node = self.nodes[place.node]
            if "test" not in node:
                leaves.append(place)
                continue
            ways = list(self._ways(place, known))
            if node["test"]["column"] in known:
                used[node["test"]["column"]] = None
            elif len(ways) > 1:
                tests.append(place)
            open_.extend(reversed(ways))
        answers: dict[tuple[str, Scalar], Scalar] = {}
        for leaf in leaves:
            label = self.said_at(leaf.node, known)
            answers.setdefault((type(label).__name__, label), label)
        reads = dict.fromkeys(column for leaf in leaves for column in self.unread(leaf.node, known))
        return Reach(tuple(tests), tuple(leaves), tuple(answers.values()), tuple(used), tuple(reads))

    def _ways(self, place: Place, known: Known) -> Iterator[Place]:
        node = self.nodes[place.node]
        column = node["test"]["column"]
        if column in known:
            yield Place(node["children"][branch_of(node["test"], known[column])], place.left)
            return
        before = place.left.get(column, all_values(self.columns[column]))
        for child, values in self.branches(place.node):
            passing = before & values
            if passing:
                yield Place(child, {**place.left, column: passing})
