"""A tree as the text that MSI compresses: the template of paper 002, section IV.

    def tree{X1, X3}:
        if X3 <= 2.350:
            return 0
        else:
            if X1 in {0, 2, nan}:
                return 1
            else:
                return 2

Columns are X1, X2, ... by position; the list names those that are used, in that order. Thresholds have three
decimals. Classes are numbers, by their position among the sorted labels, and so are categories. Where a
column has missing values among the rows of fit, the text says where they go: `nan` in a set, and
`not X3 > 2.350` for "at most 2.350, or missing", since a comparison with NaN is false; `X3 <= inf` parts the
known from the missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import Final

from thriftree import _core

CATEGORY: Final = 2  # the kind of a node that tests categories


def condition(core: _core.Tree, node: int, has_missing: Sequence[bool]) -> str:
    """What leads into the first of the two branches of a test."""
    column = int(core.column[node])
    name = attribute(column)
    keys = core.keys[core.key_begin[node] : core.key_begin[node + 1]].tolist()
    to = core.to[core.to_begin[node] : core.to_begin[node + 1]].tolist()
    with_missing = has_missing[column] and int(core.missing[node]) == 0
    if core.kind[node] == CATEGORY:
        members = [str(int(code)) for code, branch in zip(keys, to, strict=True) if branch == 0]
        if with_missing:
            members.append("nan")
        return f"{name} in {{{', '.join(members)}}}"
    threshold = keys[0] if keys else inf
    return f"not {name} > {threshold:.3f}" if with_missing else f"{name} <= {threshold:.3f}"


def attribute(column: int) -> str:
    """What the text calls a column."""
    return f"X{column + 1}"


class TreeText:
    """The text of a tree that grows, and the texts it would have one test later."""

    def __init__(self, core: _core.Tree, has_missing: Sequence[bool]) -> None:
        """The text of the root alone. `core` is the tree that nodes and their tests are taken from."""
        self._core = core
        self._has_missing = has_missing  # by column: whether a row of fit lacks its value
        self._depths = core.depths
        self._used: set[int] = set()  # the columns of the tests
        self._pieces = [self._leaf(0)]  # the body, in order; a leaf is a piece of its own
        self._place = {0: 0}  # of each leaf among the pieces
        self._tests: dict[int, list[str]] = {}  # the pieces that a leaf would become, once asked for

    def __str__(self) -> str:
        return self._header(self._used) + "".join(self._pieces)

    def after(self, tests: Sequence[int]) -> str:
        """The text of the tree that these tests make, each on a leaf of those before."""
        tree = TreeText(self._core, self._has_missing)
        for leaf in tests:
            tree.add_test(leaf)
        return str(tree)

    def with_test(self, leaf: int) -> str:
        """The text as if this leaf were tested."""
        place = self._place[leaf]
        body = [*self._pieces[:place], *self._test(leaf), *self._pieces[place + 1 :]]
        return self._header(self._used | {int(self._core.column[leaf])}) + "".join(body)

    def add_test(self, leaf: int) -> None:
        """Turns a leaf into its test, with two leaves."""
        place, test = self._place.pop(leaf), self._test(leaf)
        self._pieces[place : place + 1] = test
        self._used.add(int(self._core.column[leaf]))
        for other, at in self._place.items():
            if at > place:
                self._place[other] = at + len(test) - 1
        first, second = self._children(leaf)
        self._place |= {first: place + 1, second: place + 3}

    def _header(self, used: set[int]) -> str:
        return f"def tree{{{', '.join(attribute(column) for column in sorted(used))}}}:\n"

    def _leaf(self, node: int) -> str:
        return f"{self._indent(node)}return {int(self._core.label[node])}\n"

    def _test(self, node: int) -> list[str]:
        if node not in self._tests:
            indent = self._indent(node)
            first, second = self._children(node)
            question = condition(self._core, node, self._has_missing)
            test = [f"{indent}if {question}:\n", self._leaf(first), f"{indent}else:\n", self._leaf(second)]
            self._tests[node] = test
        return self._tests[node]

    def _indent(self, node: int) -> str:
        return "    " * (int(self._depths[node]) + 1)

    def _children(self, node: int) -> list[int]:
        begin, end = self._core.child_begin[node : node + 2].tolist()
        return [int(child) for child in self._core.children[begin:end]]
