"""What the pictures of trees take: a tree, an estimator that has one, and rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def document_of(tree: Any) -> dict[str, Any]:
    """The JSON form of a Tree, of the tree of a fitted estimator, or of itself."""
    if isinstance(tree, dict):
        return tree
    owner = getattr(tree, "tree_", tree)
    if not hasattr(owner, "to_dict") or not hasattr(owner, "to_json"):
        raise TypeError(
            f"a picture needs a thriftree Tree or a fitted estimator of thriftree, not {type(tree).__name__}"
        )
    document: dict[str, Any] = owner.to_dict()
    return document


def named_row(document: dict[str, Any], row: Any) -> dict[str, Any]:
    """The values of a row by column name.

    A row is a dict, a pandas Series or anything else with `get`, or the values in the order of the columns.
    """
    names = [column["name"] for column in document["columns"]]
    if isinstance(row, Mapping) or hasattr(row, "get"):
        named = {name: row.get(name) for name in names}
        if all(name not in row for name in names):
            raise ValueError(f"the row has none of the tree's columns, which are: {', '.join(names)}")
        return named
    values = list(row)
    if len(values) != len(names):
        raise ValueError(f"the row has {len(values)} values, but the tree has {len(names)} columns")
    return dict(zip(names, values, strict=True))
