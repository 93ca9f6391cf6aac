"""A tree of its own put into another tree: the code books of the two are brought together."""

from __future__ import annotations

from typing import Any

from thriftree.document.follow import scalar
from thriftree.editing.places import with_subtree
from thriftree.temporal.words import kind_words, temporal_of


def spliced(document: dict[str, Any], node: int, part: dict[str, Any]) -> dict[str, Any]:
    """The tree with `part`, a tree of the same columns and classes, in the place of `node` and all below it.

    Categories of the part are found in the tree's code books by their value. New ones are added at the end of
    a code book: to the tests of the tree they are what they were, values that no key names.
    """
    if node == 0:
        return {**document, "columns": part["columns"], "nodes": part["nodes"]}
    columns, places = [], []
    tested = {one["test"]["column"] for one in part["nodes"] if "test" in one}
    for number, (own, new) in enumerate(zip(document["columns"], part["columns"], strict=True)):
        column, place = _common(own, new) if number in tested else (own, [])
        columns.append(column)
        places.append(place)
    nodes = [_recoded(one, places) for one in part["nodes"]]
    return {**document, "columns": columns, "nodes": with_subtree(document["nodes"], node, nodes)}


def _common(own: dict[str, Any], new: dict[str, Any]) -> tuple[dict[str, Any], list[int]]:
    """A column of both trees, and by category of the new one its place in it."""
    ordered_otherwise = own["kind"] == "ordered" and own["categories"] != new["categories"]
    numbers_of_another_kind = kind_words(temporal_of(own)) != kind_words(temporal_of(new))
    if own["kind"] != new["kind"] or ordered_otherwise or numbers_of_another_kind:
        raise ValueError(
            f"column {own['name']!r} was {_described(own)} when the tree was grown, and is {_described(new)} "
            "in X: give a table of the same kinds of columns, or fit anew"
        )
    if own["kind"] == "number":
        return own, []
    categories = list(own["categories"])
    known = {scalar(category): place for place, category in enumerate(categories)}
    for category in new["categories"]:
        if scalar(category) not in known:
            known[scalar(category)] = len(categories)
            categories.append(category)
    return {**own, "categories": categories}, [known[scalar(category)] for category in new["categories"]]


def _recoded(node: dict[str, Any], places: list[list[int]]) -> dict[str, Any]:
    if "test" not in node or node["test"]["kind"] != "category":
        return node
    test = node["test"]
    place = places[test["column"]]
    keys = sorted((place[key], branch) for key, branch in zip(test["keys"], test["to"], strict=True))
    return {**node, "test": {**test, "keys": [key for key, _ in keys], "to": [branch for _, branch in keys]}}


def _described(column: dict[str, Any]) -> str:
    if column["kind"] == "number":
        return "a number" if temporal_of(column) is None else kind_words(temporal_of(column))
    shown = ", ".join(repr(scalar(category)) for category in column["categories"][:5])
    more = ", ..." if len(column["categories"]) > 5 else ""
    return f"{'ordered categories' if column['kind'] == 'ordered' else 'categories'} ({shown}{more})"
