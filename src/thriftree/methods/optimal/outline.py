"""The outline of a tree: which test stands where, before rows are counted into nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thriftree.methods.optimal.binary_tests import BinaryTest


@dataclass(frozen=True)
class Outline:
    """A binary tree, nodes in preorder."""

    tests: tuple[BinaryTest | None, ...]  # None: a leaf
    left: tuple[int, ...]  # -1 at leaves
    right: tuple[int, ...]

    @property
    def n_leaves(self) -> int:
        """Nodes without a test."""
        return sum(test is None for test in self.tests)

    @property
    def depths(self) -> list[int]:
        """By node, the tests above it."""
        depth = [0] * len(self.tests)
        for node, test in enumerate(self.tests):
            if test is not None:
                depth[self.left[node]] = depth[self.right[node]] = depth[node] + 1
        return depth

    @property
    def depth(self) -> int:
        """Tests on the longest path."""
        return max(self.depths)

    @property
    def asked(self) -> list[BinaryTest]:
        """Its tests, each once, in preorder."""
        return list(dict.fromkeys(test for test in self.tests if test is not None))

    def at(self, path: Sequence[int]) -> int:
        """The node that is reached by these branches, 0 for left."""
        node = 0
        for branch in path:
            node = (self.right if branch else self.left)[node]
        return node

    def below(self, node: int) -> Outline:
        """The part that begins at a node."""
        return in_preorder(self.tests, self.left, self.right, node)


LEAF = Outline((None,), (-1,), (-1,))


def joined(test: BinaryTest, left: Outline, right: Outline) -> Outline:
    """The tree that begins with a test."""
    tests: list[BinaryTest | None] = [test]
    lefts, rights = [1], [1 + len(left.tests)]
    for part, offset in ((left, 1), (right, 1 + len(left.tests))):
        tests += part.tests
        lefts += [child + offset if child >= 0 else -1 for child in part.left]
        rights += [child + offset if child >= 0 else -1 for child in part.right]
    return Outline(tuple(tests), tuple(lefts), tuple(rights))


def from_preorder(tests: Sequence[BinaryTest | None]) -> Outline:
    """The tree whose nodes these are, in preorder; None: a leaf."""
    left, right = [-1] * len(tests), [-1] * len(tests)
    open_nodes: list[int] = []  # whose right branch is still to come
    for node, test in enumerate(tests):
        if test is not None:
            left[node] = node + 1
            open_nodes.append(node)
        elif open_nodes:
            right[open_nodes.pop()] = node + 1
    return Outline(tuple(tests), tuple(left), tuple(right))


def in_preorder(
    tests: Sequence[BinaryTest | None], left: Sequence[int], right: Sequence[int], root: int = 0
) -> Outline:
    """The tree below `root`, with its nodes in preorder; nodes that it does not reach are left out."""
    order = preorder(left, right, root)
    number = {node: place for place, node in enumerate(order)}
    number[-1] = -1
    return Outline(
        tuple(tests[node] for node in order),
        tuple(number[left[node]] for node in order),
        tuple(number[right[node]] for node in order),
    )


def preorder(left: Sequence[int], right: Sequence[int], root: int = 0) -> list[int]:
    """The nodes below `root`, each before its children; leaves have -1 for both."""
    order: list[int] = []
    stack = [root]
    while stack:
        node = stack.pop()
        order.append(node)
        if left[node] >= 0:
            stack += [right[node], left[node]]
    return order
