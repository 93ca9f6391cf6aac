"""Asking another question first: the same decisions by a tree that tests a given column earlier.

Let S be the subtree at a node and T a test of the column somewhere in it. The new subtree asks T, and in each
of its branches S again, from which all that T has already answered is left out: a test of the same column of
which only one branch can still be taken, and the branches that no value can take. Every value of the column,
missing and unseen ones too, takes exactly one branch of T, and there S decides as it did: so the answers are
the same for every row, while leaves and tests of other columns may come to stand in several places.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thriftree.editing.changes import joined
from thriftree.editing.places import (
    Nodes,
    checked_column,
    checked_node,
    column_names,
    parents,
    path_to,
    with_subtree,
)
from thriftree.explain.values import Values, all_values, values_by_branch
from thriftree.preorder import subtree_ends


@dataclass(frozen=True)
class AskedFirst:
    """The new tree, and by node which node of the old tree it copies; the numbers of the copied nodes are
    still those of the old ones.
    """

    document: dict[str, Any]
    origin: list[int]
    begin: int  # the nodes of the new subtree are begin, ..., end - 1
    end: int


def asked_first(document: dict[str, Any], node: Any, column: Any) -> AskedFirst:
    """The tree that tests `column` at `node`, by the first test of it below: the one of fewest questions
    before it, of equals the leftmost.
    """
    nodes = document["nodes"]
    node = checked_node(node, len(nodes))
    column = checked_column(column, column_names(document))
    schema = document["columns"][column]
    at_node = all_values(schema)
    for above, branch in path_to(nodes, node):
        if nodes[above]["test"]["column"] == column:
            at_node &= values_by_branch(nodes[above], schema)[branch]
    pulled, ways = _first_test(document, node, column, at_node)
    parts, origin = [], [node]
    for values in ways.values():
        part, copied = _after(document, node, column, values)
        parts.append(part)
        origin += copied
    new = joined({**nodes[node], "test": _narrowed(nodes[pulled]["test"], list(ways))}, parts)
    end = subtree_ends(parents(nodes))[node]
    origins = [*range(node), *origin, *range(end, len(nodes))]
    whole = {**document, "nodes": with_subtree(nodes, node, new)}
    return AskedFirst(whole, origins, node, node + len(new))


def _first_test(
    document: dict[str, Any], node: int, column: int, values: Values
) -> tuple[int, dict[int, Values]]:
    """The first test of `column` below `node` that tells some of `values` apart, and how it does."""
    nodes, names = document["nodes"], column_names(document)
    if "test" not in nodes[node]:
        raise ValueError(
            f"node {node} is a leaf and asks nothing: name a node with a test of the column below"
        )
    if nodes[node]["test"]["column"] == column:
        raise ValueError(
            f"node {node} asks about {names[column]!r} already: name a column that is asked below"
        )
    level = list(nodes[node]["children"])
    asked = set()
    while level:
        for number in level:
            if "test" not in nodes[number]:
                continue
            asked.add(names[nodes[number]["test"]["column"]])
            if nodes[number]["test"]["column"] == column:
                ways = _ways(nodes[number], values, document["columns"][column])
                if len(ways) > 1:
                    return number, ways
        level = [child for number in level for child in nodes[number].get("children", ())]
    raise ValueError(
        f"no node below node {node} asks about {names[column]!r} to any effect (asked are: "
        f"{', '.join(map(repr, sorted(asked - {names[column]}))) or 'none'}): name a column that is asked, "
        f"or force this one with refit_below({node}, X, y, feature={names[column]!r})"
    )


def _after(document: dict[str, Any], root: int, column: int, values: Values) -> tuple[Nodes, list[int]]:
    """The subtree at `root` for rows whose value of `column` is among `values`, as a tree of its own; and
    which node each of its nodes copies.
    """
    nodes, schema = document["nodes"], document["columns"][column]
    new: Nodes = []
    origin: list[int] = []
    open_: list[tuple[int, Values, int, int]] = [(root, values, -1, 0)]
    while open_:
        number, values, parent, branch = open_.pop()
        number, ways = _first_that_decides(nodes, number, column, values, schema)
        if parent >= 0:
            new[parent]["children"][branch] = len(new)
        here = len(new)
        origin.append(number)
        old = nodes[number]
        if "test" not in old:
            new.append(old)
            continue
        new.append({**old, "test": _narrowed(old["test"], list(ways)), "children": [0] * len(ways)})
        following = [(old["children"][way], left, here, i) for i, (way, left) in enumerate(ways.items())]
        open_.extend(reversed(following))
    return new, origin


def _first_that_decides(
    nodes: Nodes, number: int, column: int, values: Values, schema: dict[str, Any]
) -> tuple[int, dict[int, Values]]:
    """From `number` on, the first node that is a leaf or has two branches that can be taken; and by branch
    that can be taken, the values of `column` left there.
    """
    while "test" in nodes[number]:
        test = nodes[number]["test"]
        if test["column"] != column:
            return number, dict.fromkeys(range(len(nodes[number]["children"])), values)
        ways = _ways(nodes[number], values, schema)
        if len(ways) > 1:
            return number, ways
        number = nodes[number]["children"][next(iter(ways))]
    return number, {}


def _ways(node: dict[str, Any], values: Values, schema: dict[str, Any]) -> dict[int, Values]:
    """The branches that some of `values` take, and which."""
    left = [values & branch for branch in values_by_branch(node, schema)]
    return {branch: some for branch, some in enumerate(left) if _is_some(some)}


def _is_some(values: Values) -> bool:
    return bool(values.intervals or values.codes or values.missing or values.other)


def _narrowed(test: dict[str, Any], ways: list[int]) -> dict[str, Any]:
    """The test with these of its branches only, numbered anew. What took another branch cannot occur, so it
    may take any: in an ordered test that of its neighbour, which saves a cut.
    """
    place = {way: i for i, way in enumerate(ways)}
    known = [place.get(branch) for branch in test["to"]]
    first = next((branch for branch in known if branch is not None), 0)
    keys = list(test["keys"])
    to: list[int] = []
    for branch in known:
        to.append(branch if branch is not None else (to[-1] if to else first))
    if test["kind"] == "ordered":
        kept = [i for i in range(len(keys)) if to[i] != to[i + 1]]
        keys, to = [keys[i] for i in kept], [*(to[i] for i in kept), to[-1]]
    return {
        **test,
        "keys": keys,
        "to": to,
        "missing": place.get(test["missing"], 0),
        "other": place.get(test["other"], 0),
        "score": None,
    }
