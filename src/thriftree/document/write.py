"""From a tree to its JSON form."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from thriftree.columns import ColumnSchema, Scalar
from thriftree.document import FORMAT, VERSION
from thriftree.document.leaf_models import LeafModels, model_document
from thriftree.document.shrinkage import Shrinkage

KINDS = ("leaf", "ordered", "category")

#: The core tree's arrays that a document holds.
ARRAYS = (
    *("kind", "column", "missing", "other", "child_begin", "children", "key_begin", "keys", "to_begin", "to"),
    *("rows", "objects", "weight", "value", "impurity", "score", "label"),
)


def document_of(
    arrays: Mapping[str, list[Any]],
    columns: Sequence[ColumnSchema],
    classes: Sequence[Scalar] | None,
    prices: dict[str, Any] | None,
    settings: dict[str, Any] | None,
    shrinkage: Shrinkage | None = None,
    leaf_models: LeafModels | None = None,
) -> dict[str, Any]:
    """The JSON form as Python values. `arrays` has all of ARRAYS, as lists; nothing is copied."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "settings": settings,
        "prices": prices,
        **({} if shrinkage is None else {"shrinkage": _shrinkage(shrinkage, classes is not None)}),
        "columns": [column_of(column) for column in columns],
        "classes": None if classes is None else [label_of(label) for label in classes],
        "nodes": [_node(arrays, i, classes is not None) for i in range(len(arrays["kind"]))],
    }
    for leaf in () if shrinkage is None else shrinkage.stated:
        document["nodes"][leaf]["stated"] = True
    for leaf, model in (leaf_models or {}).items():
        document["nodes"][leaf]["linear"] = model_document(model)
    return document


def to_json(document: dict[str, Any]) -> str:
    """The document as text: one line for each column and node, ASCII only."""
    lines = []
    for key, value in document.items():
        if key in ("columns", "nodes") and value:
            items = ",\n".join(f"  {_compact(item)}" for item in value)
            lines.append(f"{_compact(key)}: [\n{items}\n]")
        else:
            lines.append(f"{_compact(key)}: {_compact(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _compact(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def label_of(label: Scalar) -> Any:
    """A class or category as the JSON form holds it."""
    return {"float": label} if isinstance(label, float) else label


def column_of(column: ColumnSchema) -> dict[str, Any]:
    """A column as the JSON form holds it."""
    described: dict[str, Any] = {"name": column.name, "kind": column.kind}
    if column.temporal is not None:
        described["temporal"] = column.temporal.what
        if column.temporal.time_zone is not None:
            described["time_zone"] = column.temporal.time_zone
    if column.kind != "number":
        described["categories"] = [label_of(category) for category in column.categories]
    return described


def _shrinkage(shrinkage: Shrinkage, has_classes: bool) -> dict[str, Any]:
    strength = {"strength": shrinkage.strength}
    return {**strength, "keeps_labels": shrinkage.keeps_labels} if has_classes else strength


def _node(arrays: Mapping[str, list[Any]], i: int, has_classes: bool) -> dict[str, Any]:
    node: dict[str, Any] = {name: arrays[name][i] for name in ("rows", "objects", "weight", "value")}
    if has_classes:
        node["label"] = arrays["label"][i]
    node["impurity"] = arrays["impurity"][i]
    if arrays["kind"][i]:
        kind = KINDS[arrays["kind"][i]]
        keys, score = _own(arrays, "keys", "key_begin", i), arrays["score"][i]
        node["test"] = {
            "column": arrays["column"][i],
            "kind": kind,
            "keys": [int(key) for key in keys] if kind == "category" else keys,
            "to": _own(arrays, "to", "to_begin", i),
            "missing": arrays["missing"][i],
            "other": arrays["other"][i],
            "score": None if math.isnan(score) else score,
        }
        node["children"] = _own(arrays, "children", "child_begin", i)
    return node


def _own(arrays: Mapping[str, list[Any]], name: str, begin: str, i: int) -> list[Any]:
    """Node i's part of a flat array."""
    return arrays[name][arrays[begin][i] : arrays[begin][i + 1]]
