"""A slow, obvious price of a tree: nested questions, one row at a time, sets. The oracle for
`thriftree.costs`.

`row_price` follows the definition (first the path, then the sets of what it buys, then their prices) and
shares nothing with the code it checks. A row is a list of values: a number or a code, `MISSING`, or `UNSEEN`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

MISSING = None
UNSEEN = "unseen"

Value: TypeAlias = float | int | str | None


@dataclass(frozen=True)
class Leaf:
    """Where a path ends, with the weight of the rows that end there."""

    weight: float = 1.0


@dataclass(frozen=True)
class Question:
    """A node that tests a column; the fields mean what they mean in the tree's arrays."""

    column: int
    kind: str  # "ordered" or "category"
    keys: tuple[float, ...]
    to: tuple[int, ...]
    children: tuple[Node, ...]
    missing: int = 0
    other: int = 0


Node: TypeAlias = Leaf | Question


def threshold(column: int, cut: float, low: Node, high: Node, missing: int = 0) -> Question:
    """The question "is it at most `cut`?"."""
    return Question(column, "ordered", (cut,), (0, 1), (low, high), missing)


@dataclass(frozen=True)
class Rules:
    """Prices and rules by column number."""

    own: Callable[[int, Value], float]
    group_of: dict[int, str]
    setup: dict[str, float]
    known: frozenset[int] = frozenset()
    delayed: frozenset[int] = frozenset()
    pay: str = "once"
    delayed_scope: str = "delayed"


def row_price(root: Node, rules: Rules, row: Sequence[Value]) -> float:
    """What the row pays."""
    path = [node for node in path_of(root, row) if isinstance(node, Question)]
    payable = [node for node in path if node.column not in rules.known]
    first_delayed = next((i for i, node in enumerate(payable) if node.column in rules.delayed), None)

    ordered: list[Question] = []
    immediate = [node for node in payable if node.column not in rules.delayed]
    if first_delayed is not None:
        below = [node for node in questions(payable[first_delayed]) if node.column not in rules.known]
        if rules.delayed_scope == "all":
            ordered, immediate = below, payable[:first_delayed]
        else:
            ordered = [node for node in below if node.column in rules.delayed]

    columns = {node.column for node in immediate} | {node.column for node in ordered}
    if rules.pay == "once":
        paid = [rules.own(column, row[column]) for column in columns]
    else:
        distinct = {(node.column, _division(node)) for node in ordered}
        paid = [rules.own(node.column, row[node.column]) for node in immediate]
        paid += [rules.own(column, row[column]) for column, _ in distinct]
    opened = {rules.group_of[column] for column in columns if column in rules.group_of}
    return sum(paid) + sum(rules.setup[group] for group in opened)


def worst_price(root: Node, rules: Rules, domains: Sequence[Sequence[Value]]) -> float:
    """The largest price over every possible row."""
    return max(row_price(root, rules, row) for row in itertools.product(*domains))


def path_of(root: Node, row: Sequence[Value]) -> list[Node]:
    """The nodes that the row visits, the leaf included."""
    path = [root]
    while isinstance(node := path[-1], Question):
        path.append(node.children[branch_of(node, row[node.column])])
    return path


def branch_of(node: Question, value: Value) -> int:
    """The child that a row with this value goes to."""
    if value is MISSING:
        return node.missing
    if value == UNSEEN:
        return node.other
    assert not isinstance(value, str)
    if node.kind == "ordered":
        return node.to[sum(1 for cut in node.keys if cut < value)]
    return node.to[node.keys.index(value)] if value in node.keys else node.other


def questions(root: Node) -> Iterator[Question]:
    """The questions at and below `root`, in preorder."""
    if isinstance(root, Question):
        yield root
        for child in root.children:
            yield from questions(child)


def _division(node: Question) -> tuple[str, tuple[float, ...], frozenset[frozenset[int]]]:
    """How the node divides known values, whatever its branches are called."""
    parts = {branch: frozenset(i for i, b in enumerate(node.to) if b == branch) for branch in node.to}
    return node.kind, node.keys, frozenset(parts.values())


@dataclass(frozen=True, eq=False)
class FlatTree:
    """Nested questions as the arrays that pricing reads."""

    parent: NDArray[np.int32]
    kind: NDArray[np.uint8]
    column: NDArray[np.int32]
    missing: NDArray[np.int32]
    other: NDArray[np.int32]
    child_begin: NDArray[np.int32]
    children: NDArray[np.int32]
    key_begin: NDArray[np.int32]
    keys: NDArray[np.float64]
    to_begin: NDArray[np.int32]
    to: NDArray[np.int32]
    weight: NDArray[np.float64]
    nodes: tuple[Node, ...]  # in the arrays' order

    def leaf_of(self, root: Node, row: Sequence[Value]) -> int:
        """The number of the leaf that the row reaches."""
        leaf = path_of(root, row)[-1]
        return next(i for i, node in enumerate(self.nodes) if node is leaf)


def flatten(root: Node) -> FlatTree:
    """The arrays of `root`, nodes in preorder. Every node of the tree must be an object of its own."""
    nodes: list[Node] = []
    parent: list[int] = []
    children: list[list[int]] = []
    stack: list[tuple[Node, int]] = [(root, -1)]
    while stack:
        node, up = stack.pop()
        index = len(nodes)
        nodes.append(node)
        parent.append(up)
        children.append([])
        if up >= 0:
            children[up].append(index)
        if isinstance(node, Question):
            stack.extend((child, index) for child in reversed(node.children))
    asked = [node if isinstance(node, Question) else None for node in nodes]
    keys = [node.keys if node else () for node in asked]
    to = [node.to if node else () for node in asked]
    weight = np.array([node.weight if isinstance(node, Leaf) else 0.0 for node in nodes])
    for index in range(len(nodes) - 1, 0, -1):
        weight[parent[index]] += weight[index]
    kind_code = {"ordered": 1, "category": 2}
    return FlatTree(
        parent=np.array(parent, dtype=np.int32),
        kind=np.array([kind_code[node.kind] if node else 0 for node in asked], dtype=np.uint8),
        column=np.array([node.column if node else -1 for node in asked], dtype=np.int32),
        missing=np.array([node.missing if node else 0 for node in asked], dtype=np.int32),
        other=np.array([node.other if node else 0 for node in asked], dtype=np.int32),
        child_begin=_offsets(children),
        children=np.array([c for own in children for c in own], dtype=np.int32),
        key_begin=_offsets(keys),
        keys=np.array([k for own in keys for k in own], dtype=np.float64),
        to_begin=_offsets(to),
        to=np.array([t for own in to for t in own], dtype=np.int32),
        weight=weight,
        nodes=tuple(nodes),
    )


def _offsets(lists: Sequence[Sequence[Any]]) -> NDArray[np.int32]:
    return np.cumsum([0, *(len(own) for own in lists)], dtype=np.int32)
