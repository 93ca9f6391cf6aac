"""A tree cut into blocks, so that SQL needs little nesting, whatever the tree's depth.

CASEs nested like the tree read well and compare little, but parsers overflow (SQLite's at 18 levels). One
WHEN for each leaf needs no nesting, but compares a row with every leaf. So a small part of a tree is a
nested CASE, or a list of rules if it is deep; and what is larger is cut: rules lead to blocks, each with
about an eighth of the leaves or less. A tree of a million leaves nests its blocks some six deep.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thriftree.explain.values import Values
from thriftree.export.decisions import Decisions, Guarded, is_nothing

MAX_NESTED = 8  # tests on a path that are written as nested CASEs
MAX_LEAVES = 32  # of a block, if it is not cut
_PARTS = 16


@dataclass(frozen=True)
class SqlRule:
    """What must hold of columns to get from the block's root to a node: a leaf, or where `block` begins."""

    conditions: dict[int, Values]
    node: int
    block: SqlBlock | None


@dataclass(frozen=True)
class SqlBlock:
    """Rules in the order in which they are tried: a row takes the first that fits; the last always does."""

    rules: list[SqlRule]


def nesting(block: SqlBlock) -> int:
    """How deep the CASEs of a block nest; a single rule needs none of its own."""
    inner = max((nesting(rule.block) for rule in block.rules if rule.block is not None), default=0)
    return inner + (len(block.rules) > 1)


class SqlBlocks:
    """Cuts one tree."""

    def __init__(self, document: dict[str, Any], max_nesting: int | None = None) -> None:
        self._max_nesting = max_nesting  # of CASE in CASE, None for any
        self._max_nested = MAX_NESTED
        self._decisions = Decisions(document)
        self._nodes = document["nodes"]
        self._branches: list[list[Guarded]] = [
            self._decisions.branches(number) if "test" in node else []
            for number, node in enumerate(self._nodes)
        ]
        # By node the parent and the values that lead here, for nodes that some value leads to.
        self._way = {
            branch.child: (number, branch.values)
            for number, branches in enumerate(self._branches)
            for branch in branches
        }

    def whole(self) -> SqlBlock:
        """The tree as one block, with less nesting and more comparisons the less nesting is allowed."""
        for self._max_nested in (MAX_NESTED, 0):
            block = self._block(0, frozenset())
            if self._max_nesting is None or nesting(block) <= self._max_nesting:
                return block
        return SqlBlock(self._list(0, self._preorder(0, frozenset())))

    def _block(self, root: int, holes: frozenset[int]) -> SqlBlock:
        """The part of the tree below `root` without the subtrees at `holes`, whose rows never come here."""
        cut = self._cut(root, holes)
        if not cut:
            return SqlBlock(self._small(root, holes))
        rules = []
        for node in cut:
            conditions = self._conditions(root, node)
            if conditions is not None:
                rules.append(SqlRule(conditions, node, self._block(node, holes)))
            holes |= {node}
        rules.append(SqlRule({}, root, self._block(root, holes)))
        return SqlBlock([rule for rule in rules if rule.block is None or rule.block.rules])

    def _cut(self, root: int, holes: frozenset[int]) -> list[int]:
        """The roots of blocks to be cut out of a part, lower ones first; none if the part is small."""
        order = self._preorder(root, holes)
        n_leaves = {node: int(not self._branches[node]) for node in order}
        limit = max(MAX_LEAVES, sum(n_leaves.values()) // _PARTS)
        cut = []
        for node in reversed(order[1:]):
            if n_leaves[node] > limit:
                cut.append(node)
            else:
                n_leaves[self._way[node][0]] += n_leaves[node]
        if n_leaves[root] > limit:  # a test with many branches: each becomes a block
            children = [branch.child for branch in self._branches[root] if branch.child not in holes]
            cut += [child for child in children if self._branches[child] and child not in cut]
        return cut

    def _small(self, root: int, holes: frozenset[int]) -> list[SqlRule]:
        """The rules of a part that is not cut."""
        order = self._preorder(root, holes)
        if self._height(order) > self._max_nested:
            return self._list(root, order)
        rule = self._nested({}, root, holes)
        if rule is None:
            return []
        return [rule] if rule.block is None else rule.block.rules

    def _preorder(self, root: int, holes: frozenset[int]) -> list[int]:
        order = []
        open_ = [root]
        while open_:
            node = open_.pop()
            order.append(node)
            open_ += [branch.child for branch in reversed(self._branches[node]) if branch.child not in holes]
        return order

    def _height(self, order: list[int]) -> int:
        depth = {order[0]: 0}
        for node in order[1:]:
            depth[node] = depth[self._way[node][0]] + 1
        return max(depth.values())

    def _list(self, root: int, order: list[int]) -> list[SqlRule]:
        """One rule for each leaf."""
        rules = []
        for node in order:
            if not self._branches[node] and (conditions := self._conditions(root, node)) is not None:
                rules.append(SqlRule(conditions, node, None))
        return rules

    def _nested(self, conditions: dict[int, Values], node: int, holes: frozenset[int]) -> SqlRule | None:
        """A rule that leads to this node, and on through blocks like the tree's tests; None if all is holes.

        The branch of missing values is the last, so that no other needs to say that the value is not missing.
        """
        if not self._branches[node]:
            return SqlRule(conditions, node, None)
        column = self._nodes[node]["test"]["column"]
        rules = []
        for branch in sorted(self._branches[node], key=lambda branch: branch.values.missing):
            if branch.child not in holes:
                rule = self._nested({column: branch.values}, branch.child, holes)
                rules += [rule] if rule is not None else []
        if len(rules) > 1:
            return SqlRule(conditions, node, SqlBlock(rules))
        return SqlRule(conditions, rules[0].node, rules[0].block) if rules else None

    def _conditions(self, root: int, node: int) -> dict[int, Values] | None:
        """What the tests from `root` to `node` ask for, one set of values a column; None if nothing fits."""
        asked: dict[int, Values] = {}
        while node != root:
            node, values = self._way[node]
            column = self._nodes[node]["test"]["column"]
            asked[column] = asked[column] & values if column in asked else values
            if is_nothing(asked[column]):
                return None
        return {
            column: values
            for column, values in reversed(asked.items())
            if values != self._decisions.everything(column)
        }
