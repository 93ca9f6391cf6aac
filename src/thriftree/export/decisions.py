"""A tree of the JSON form as guarded branches: what source code in any language is written from.

A language gives the words (`Language`): how a condition on a number or on a category is written, how a
branch begins, what stands at a leaf. Which condition leads where is decided here, once.

Deep trees are cut into sections of at most MAX_LEVELS tests on a path. A section is a function of its own;
where it ends it names the next one instead of calling it: neither parsers nor the call stack see the depth.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from thriftree.document.follow import scalar
from thriftree.document.leaf_models import read_columns
from thriftree.explain.answers import rows_words
from thriftree.explain.values import Interval, Values, all_values, values_by_branch
from thriftree.explain.words import Wording

MAX_LEVELS = 12

Place = Literal["first", "middle", "last"]


class Conditions(Protocol):
    """How a language writes that a value is in a set."""

    def number(self, column: int, intervals: tuple[Interval, ...], missing: bool) -> str:
        """The number is in one of the intervals (open below, closed above), or missing if `missing`."""

    def category(self, column: int, codes: tuple[int, ...], missing: bool, inside: bool) -> str:
        """The category is among those listed if `inside`, otherwise it is none of them. `missing` says
        whether the missing value is listed too.
        """


class Language(Conditions, Protocol):
    """How a language writes a tree of branches."""

    indent: str
    closing: str | None  # ends the branches of a test; None where indentation does

    def branch(self, place: Place, condition: str, words: str, rows: str) -> str:
        """The line that begins a branch of a test; the last one is taken without a condition. For comments:
        the condition in words, and how many training rows it met.

        Every branch returns, so that one in the middle is an "if" after the "if" before it: parsers recurse
        into a chain of "else if", and overflow where a test has thousands of branches.
        """

    def leaf(self, node: int) -> str:
        """The line that ends at a leaf."""

    def onward(self, node: int) -> str:
        """The line that ends at the section which begins with this node."""


@dataclass(frozen=True)
class Guarded:
    """A child of a test, and the values that lead to it: never none."""

    child: int
    values: Values


class Decisions:
    """The branches of one tree."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.columns = document["columns"]
        self.nodes = document["nodes"]
        self._matched = [matched_codes(column) for column in self.columns]
        # The nodes at which sections begin, in preorder; the root is the first, even if it is a leaf.
        self.section_roots = [
            number
            for number, depth in enumerate(depths(self.nodes))
            if number == 0 or ("test" in self.nodes[number] and depth % MAX_LEVELS == 0)
        ]
        self._ends = frozenset(self.section_roots)

    def used_columns(self) -> list[int]:
        """Positions of the columns that some test asks for, ascending."""
        return sorted({node["test"]["column"] for node in self.nodes if "test" in node})

    def read_columns(self) -> list[int]:
        """The same with the columns that linear leaves read."""
        return read_columns({"nodes": self.nodes})

    def branches(self, number: int) -> list[Guarded]:
        """The branches of a test that a value can take."""
        node = self.nodes[number]
        column = node["test"]["column"]
        guarded = [
            Guarded(child, self._possible(column, values))
            for child, values in zip(
                node["children"], values_by_branch(node, self.columns[column]), strict=True
            )
        ]
        return [branch for branch in guarded if not is_nothing(branch.values)]

    def everything(self, column: int) -> Values:
        """All values that a column can have."""
        return self._possible(column, all_values(self.columns[column]))

    def condition(self, language: Conditions, column: int, values: Values) -> str:
        """The values as a condition of the language."""
        if self.columns[column]["kind"] == "number":
            return language.number(column, values.intervals, values.missing)
        inside = not values.other
        codes = values.codes if inside else self._matched[column] - values.codes
        return language.category(column, tuple(sorted(codes)), values.missing == inside, inside)

    def section(
        self, root: int, language: Language, wording: Wording, indent: str, *, below: int | None = None
    ) -> Iterator[str]:
        """The lines of the section that begins at `root`, or of its part from the node `below` on."""
        number = root if below is None else below
        node = self.nodes[number]
        if "test" not in node:
            yield indent + language.leaf(number)
            return
        if number in self._ends and number != root:
            yield indent + language.onward(number)
            return
        column = node["test"]["column"]
        branches = self.branches(number)
        if len(branches) == 1:
            yield from self.section(root, language, wording, indent, below=branches[0].child)
            return
        for i, branch in enumerate(branches):
            place: Place = "first" if i == 0 else "last" if i == len(branches) - 1 else "middle"
            condition = self.condition(language, column, branch.values)
            words, rows = wording.condition(column, branch.values), rows_words(self.nodes[branch.child])
            if place == "middle" and language.closing is not None:
                yield indent + language.closing
            yield indent + language.branch(place, condition, words, rows)
            inner = indent + language.indent
            yield from self.section(root, language, wording, inner, below=branch.child)
        if language.closing is not None:
            yield indent + language.closing

    def _possible(self, column: int, values: Values) -> Values:
        return Values(values.intervals, values.codes & self._matched[column], values.missing, values.other)


def is_nothing(values: Values) -> bool:
    """Whether no value is among them."""
    return not (values.intervals or values.codes or values.missing or values.other)


def matched_codes(column: dict[str, Any]) -> frozenset[int]:
    """The codes that a value can have. Categories are matched by value, so of 1, 1.0 and True only the last
    one listed is ever met.
    """
    return frozenset(
        {scalar(label): code for code, label in enumerate(column.get("categories", ()))}.values()
    )


def depths(nodes: list[dict[str, Any]]) -> list[int]:
    """By node, the tests above it."""
    depth = [0] * len(nodes)
    for number, node in enumerate(nodes):
        for child in node.get("children", ()):
            depth[child] = depth[number] + 1
    return depth
