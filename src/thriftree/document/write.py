"""From a tree to its JSON form."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from thriftree.columns import ColumnSchema, Scalar
from thriftree.document import FORMAT, VERSION

if TYPE_CHECKING:
    from collections.abc import Sequence

    from thriftree._core import Tree as CoreTree

KINDS = ("leaf", "ordered", "category")


def document_of(
    core: CoreTree,
    columns: Sequence[ColumnSchema],
    classes: Sequence[Scalar] | None,
    prices: dict[str, Any] | None,
    settings: dict[str, Any] | None,
) -> dict[str, Any]:
    """The JSON form as Python values; `settings` and `prices` must be JSON-able and are not copied."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "settings": settings,
        "prices": prices,
        "columns": [_column(column) for column in columns],
        "classes": None if classes is None else [_scalar(label) for label in classes],
        "nodes": _nodes(core),
    }


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


def _scalar(label: Scalar) -> Any:
    return {"float": label} if isinstance(label, float) else label


def _column(column: ColumnSchema) -> dict[str, Any]:
    described: dict[str, Any] = {"name": column.name, "kind": column.kind}
    if column.kind != "number":
        described["categories"] = [_scalar(category) for category in column.categories]
    return described


def _nodes(core: CoreTree) -> list[dict[str, Any]]:
    # Plain lists: one pass over the nodes, where reading numpy scalars would take most of the time.
    kind, column = core.kind.tolist(), core.column.tolist()
    missing, other = core.missing.tolist(), core.other.tolist()
    child_begin, children = core.child_begin.tolist(), core.children.tolist()
    key_begin, keys = core.key_begin.tolist(), core.keys.tolist()
    to_begin, to = core.to_begin.tolist(), core.to.tolist()
    rows, objects, weight = core.rows.tolist(), core.objects.tolist(), core.weight.tolist()
    value, impurity, score = core.value.tolist(), core.impurity.tolist(), core.score.tolist()
    label = core.label.tolist() if core.n_classes else None
    nodes: list[dict[str, Any]] = []
    for i in range(core.n_nodes):
        node: dict[str, Any] = {
            "rows": rows[i],
            "objects": objects[i],
            "weight": weight[i],
            "value": value[i],
        }
        if label is not None:
            node["label"] = label[i]
        node["impurity"] = impurity[i]
        if kind[i]:
            node_keys = keys[key_begin[i] : key_begin[i + 1]]
            node["test"] = {
                "column": column[i],
                "kind": KINDS[kind[i]],
                "keys": [int(key) for key in node_keys] if KINDS[kind[i]] == "category" else node_keys,
                "to": to[to_begin[i] : to_begin[i + 1]],
                "missing": missing[i],
                "other": other[i],
                "score": None if math.isnan(score[i]) else score[i],
            }
            node["children"] = children[child_begin[i] : child_begin[i + 1]]
        nodes.append(node)
    return nodes
