"""Trees of any learner as outlines: their tests in codes, tests of many branches as several of two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.methods.optimal.binary_tests import FIRST_OF_TWO, BinaryTest, SeenColumn, SeenTable
from thriftree.methods.optimal.outline import Outline, in_preorder, preorder

if TYPE_CHECKING:
    from thriftree.columns import ColumnSchema

_ORDERED = 1  # a test by cuts, in the core's trees


def outline_of(core: _core.Tree, columns: Sequence[ColumnSchema], seen: SeenTable) -> Outline:
    """The outline of a tree of these columns, which may have other categories than the rows."""
    return _outline_and_nodes(core, columns, seen)[0]


def outline_with_classes(
    core: _core.Tree, columns: Sequence[ColumnSchema], seen: SeenTable
) -> tuple[Outline, NDArray[np.float64]]:
    """The outline of a tree that was grown from the rows seen; and by node of the outline, the weight of each
    class, which the tree knows of its leaves.
    """
    outline, nodes = _outline_and_nodes(core, columns, seen)
    weights = core.value.reshape(len(core.rows), -1)[nodes]
    for node in reversed(range(len(nodes))):
        if outline.tests[node] is not None:
            weights[node] = weights[outline.left[node]] + weights[outline.right[node]]
    return outline, weights


def _outline_and_nodes(
    core: _core.Tree, columns: Sequence[ColumnSchema], seen: SeenTable
) -> tuple[Outline, list[int]]:
    """The outline of a tree, and of each of its leaves which node of the tree it is."""
    tests: list[BinaryTest | None] = []
    left: list[int] = []
    right: list[int] = []
    node_of: list[int] = []

    def add() -> int:
        tests.append(None)
        left.append(-1)
        right.append(-1)
        node_of.append(-1)
        return len(tests) - 1

    stack = [(0, add())]  # node of the tree, node of the outline
    child_begin, children_of_all = core.child_begin.tolist(), core.children.tolist()
    while stack:
        node, at = stack.pop()
        node_of[at] = node
        children = children_of_all[child_begin[node] : child_begin[node + 1]]
        if not children:
            continue
        column = seen[int(core.column[node])]
        to = _branch_of_code(core, node, columns, seen)
        if column.is_two_valued and to[0] != to[1]:
            tests[at] = BinaryTest(column.column, FIRST_OF_TWO)
            left[at], right[at] = add(), add()
            stack += [(children[to[0]], left[at]), (children[to[1]], right[at])]
            continue
        peeled, last = _peeled(column, to)
        for test, branch, goes_left in peeled:
            tests[at] = test
            mine, others = add(), add()
            left[at], right[at] = (mine, others) if goes_left else (others, mine)
            stack.append((children[branch], mine))
            at = others
        stack.append((children[last], at))
    return in_preorder(tests, left, right), [node_of[at] for at in preorder(left, right)]


class _Peeled(NamedTuple):
    """A test that parts the rows of one branch from those that are left."""

    test: BinaryTest
    branch: int
    goes_left: bool


def _peeled(column: SeenColumn, branch: NDArray[np.int64]) -> tuple[list[_Peeled], int]:
    """The two-valued tests that lead rows to these branches by code, one after the other, and the branch of
    the rows that none of them parts from the others. Codes that no row has are not asked about.
    """
    known, missing = column.known, column.missing if column.has_missing else None
    of_missing = -1 if missing is None else int(branch[missing])
    steps: list[_Peeled] = []
    if not len(known):
        return steps, of_missing
    if missing is not None and of_missing not in branch[known]:
        test = column.of_missing()
        steps.append(_Peeled(test, of_missing, bool(test.mask[missing])))
    if column.ordered:
        ends = np.flatnonzero(np.diff(branch[known]))  # the last of each run of codes that go the same way
        for end in known[ends].tolist():
            with_missing = missing is not None and of_missing == branch[end]
            steps.append(_Peeled(column.cut_after(end, missing_left=with_missing), int(branch[end]), True))
        return steps, int(branch[known[-1]])
    branches = list(dict.fromkeys(branch[known].tolist()))
    for one in branches[:-1]:
        test = column.test((branch == one) & column.occurs)
        first = int(known[branch[known] == one][0])
        steps.append(_Peeled(test, one, bool(test.mask[first])))
    return steps, branches[-1]


def _branch_of_code(
    core: _core.Tree, node: int, columns: Sequence[ColumnSchema], seen: SeenTable
) -> NDArray[np.int64]:
    """By code of the rows' column, the branch that it takes."""
    j = int(core.column[node])
    keys = core.keys[core.key_begin[node] : core.key_begin[node + 1]]
    to = core.to[core.to_begin[node] : core.to_begin[node + 1]].astype(np.int64)
    column, n_known = seen[j], seen[j].n_codes - (seen[j].missing is not None)
    branch = np.full(column.n_codes, int(core.missing[node]), dtype=np.int64)
    mine, wanted = seen.table.columns[j], columns[j]
    positions = np.arange(n_known, dtype=np.float64)
    if mine.kind == "number":
        positions = seen.table.numbers(j)[:n_known]
    elif mine.categories != wanted.categories:
        place = {category: number for number, category in enumerate(wanted.categories)}
        positions = np.array([place.get(category, -1) for category in mine.categories], dtype=np.float64)
    elif mine.kind == "ordered":
        positions = seen.table.numbers(j)[:n_known]
    if int(core.kind[node]) == _ORDERED:
        branch[:n_known] = to[np.searchsorted(keys, positions, side="left")]
    else:
        order = np.argsort(keys)
        place_of_key = np.minimum(np.searchsorted(keys, positions, sorter=order), len(keys) - 1)
        key = order[place_of_key]
        branch[:n_known] = np.where(keys[key] == positions, to[key], int(core.other[node]))
    return branch
