"""From a JSON form to a tree's arrays: types, ranges and sizes are checked here, the rest by the core."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thriftree.columns import ColumnSchema, Kind, Scalar, Temporal, TemporalKind
from thriftree.document import FORMAT, MAX_NODES, MAX_PRICES, MAX_SETTINGS, MODEL_FORMAT, VERSION
from thriftree.document.checks import (
    INT32_MAX,
    INT64_MAX,
    Where,
    a_number,
    a_string,
    an_array,
    an_integer,
    an_object,
    check_values,
    distinct_scalars,
    fail,
    plain_json,
    shown,
)
from thriftree.document.leaf_models import LeafModel
from thriftree.document.shrinkage import Shrinkage
from thriftree.temporal.iso_texts import TIME_ZONE

_TEMPORAL: tuple[TemporalKind, ...] = ("date", "datetime", "time", "duration")
_KINDS: tuple[Kind, ...] = ("number", "ordered", "category")
_TEST_KINDS = {"ordered": 1, "category": 2}


@dataclass(frozen=True)
class Content:
    """What a document holds; `arrays` are the keyword arguments of the core tree's `from_arrays`."""

    arrays: dict[str, Any]
    columns: tuple[ColumnSchema, ...]
    classes: tuple[Scalar, ...] | None
    prices: dict[str, Any] | None
    settings: dict[str, Any] | None
    shrinkage: Shrinkage | None
    leaf_models: dict[int, LeafModel]


def content_of(document: Any) -> Content:
    """The checked content of a document. Raises TreeFormatError with the JSON path of what is wrong."""
    if type(document) is dict and document.get("format") == MODEL_FORMAT:
        fail((), "not a tree alone but a model: read it with thriftree.load; its tree_ is the tree")
    check_format(document, "tree", FORMAT, VERSION)
    optional = ("prices", "settings", "learnt_from", "shrinkage")
    an_object(document, (), ("format", "version", "columns", "classes", "nodes"), optional)
    check_learnt_from(document.get("learnt_from"), ("learnt_from",))
    columns = columns_in(document)
    classes = classes_in(document)
    nodes = an_array(document["nodes"], ("nodes",), MAX_NODES)
    if not nodes:
        fail(("nodes",), "must hold at least one node")
    arrays = _Arrays(
        len(columns),
        len(nodes),
        0 if classes is None else len(classes),
        may_state=classes is None and "shrinkage" in document,
    )
    for i, node in enumerate(nodes):
        arrays.add(node, ("nodes", i))
    return Content(
        arrays.finish(),
        columns,
        classes,
        _free_object(document.get("prices"), ("prices",), MAX_PRICES),
        _free_object(document.get("settings"), ("settings",), MAX_SETTINGS),
        _shrinkage(document, tuple(arrays.stated)),
        arrays.models,
    )


def columns_in(document: dict[str, Any]) -> tuple[ColumnSchema, ...]:
    """What the key "columns" holds."""
    given = an_array(document["columns"], ("columns",), INT32_MAX)
    columns = tuple(_column(value, ("columns", i)) for i, value in enumerate(given))
    _check_names(columns)
    return columns


def classes_in(document: dict[str, Any]) -> tuple[Scalar, ...] | None:
    """What the key "classes" holds; None: the target is a number."""
    if document["classes"] is None:
        return None
    classes = distinct_scalars(document["classes"], ("classes",))
    if not classes:
        fail(("classes",), "must hold at least one class, or be null for a numeric target")
    return classes


def check_format(document: Any, what: str, format_: str, version: int) -> None:
    """Refuses what is no document of this format and version."""
    if type(document) is not dict or document.get("format") != format_:
        fail((), f'not a {what}: the key "format" must be {format_!r}')
    if type(document.get("version")) is not int or document["version"] != version:
        fail(
            ("version",),
            f"this release reads version {version}, not {shown(document.get('version'))}; "
            "a newer version needs a newer thriftree",
        )


def _check_names(columns: tuple[ColumnSchema, ...]) -> None:
    seen: set[str] = set()
    for i, column in enumerate(columns):
        if column.name in seen:
            fail(("columns", i, "name"), f"two columns have the same name, {shown(column.name)}")
        seen.add(column.name)


def check_learnt_from(value: Any, where: Where) -> None:
    """What a file says of the rows: it is the file's, and no part of the tree."""
    if value is not None:
        an_object(value, where, ("target", "fingerprints"))
        for key, text in value.items():
            a_string(text, (*where, key))


def _shrinkage(document: dict[str, Any], stated: tuple[int, ...]) -> Shrinkage | None:
    if "shrinkage" not in document:
        return None
    where: Where = ("shrinkage",)
    required = ("strength",) if document["classes"] is None else ("strength", "keeps_labels")
    given = an_object(document["shrinkage"], where, required)
    strength = a_number(given["strength"], (*where, "strength"))
    if strength <= 0:
        fail(
            (*where, "strength"), f"must be above 0, not {shown(strength)}; without the key nothing is shrunk"
        )
    keeps_labels = given.get("keeps_labels", True)
    if type(keeps_labels) is not bool:
        fail((*where, "keeps_labels"), f"must be true or false, not {shown(keeps_labels)}")
    return Shrinkage(strength, keeps_labels, stated)


def _model(node: dict[str, Any], where: Where, n_columns: int) -> LeafModel:
    """The linear model of a leaf. What its columns must be, the tree checks."""
    if "test" in node or "stated" in node:
        fail(where, "only a leaf whose number nobody stated has a model; leave it out elsewhere")
    given = an_object(node["linear"], where, ("columns", "coefficients", "means", "lowest", "highest"))
    columns = an_array(given["columns"], (*where, "columns"), n_columns)
    positions = tuple(
        an_integer(column, (*where, "columns", i), n_columns - 1) for i, column in enumerate(columns)
    )
    coefficients, means = (
        tuple(
            a_number(x, (*where, key, i))
            for i, x in enumerate(an_array(given[key], (*where, key), n_columns))
        )
        for key in ("coefficients", "means")
    )
    lowest, highest = (a_number(given[key], (*where, key)) for key in ("lowest", "highest"))
    return LeafModel(positions, coefficients, means, lowest, highest)


def _free_object(value: Any, where: Where, at_most: int) -> dict[str, Any] | None:
    if value is None:
        return None
    if type(value) is not dict:
        fail(where, f"must be an object or null, not {shown(value)}")
    check_values(value, where, at_most)
    copy: dict[str, Any] = plain_json(value, where)
    return copy


def _column(value: Any, where: Where) -> ColumnSchema:
    column = an_object(value, where, ("name", "kind"), ("categories", "temporal", "time_zone"))
    name = a_string(column["name"], (*where, "name"))
    for kind in _KINDS:
        if column["kind"] == kind:
            break
    else:
        fail((*where, "kind"), f"must be one of {', '.join(_KINDS)}, not {shown(column['kind'])}")
    if (kind == "number") == ("categories" in column):
        fail(where, 'the kinds "ordered" and "category" need the key "categories", "number" must not have it')
    categories = distinct_scalars(column["categories"], (*where, "categories")) if kind != "number" else ()
    return ColumnSchema(name, kind, categories, _temporal(column, kind, where))


def _temporal(column: dict[str, Any], kind: Kind, where: Where) -> Temporal | None:
    what, time_zone = column.get("temporal"), column.get("time_zone")
    if "temporal" in column and (kind != "number" or what not in _TEMPORAL):
        fail(
            (*where, "temporal"),
            f'must be one of {", ".join(_TEMPORAL)}, in a column of kind "number", not {shown(what)}',
        )
    if "time_zone" in column:
        if what != "datetime":
            fail((*where, "time_zone"), 'only a column with "temporal": "datetime" may have a time zone')
        if TIME_ZONE.fullmatch(a_string(time_zone, (*where, "time_zone"))) is None:
            fail((*where, "time_zone"), f"{shown(time_zone)} is no name of a time zone and no offset +01:00")
    return None if what is None else Temporal(what, time_zone)


@dataclass
class _Arrays:
    """The core tree's arrays, filled node by node."""

    n_columns: int
    n_nodes: int
    n_classes: int
    may_state: bool  # whether a leaf may say that a person gave its number
    stated: list[int] = field(default_factory=list)
    models: dict[int, LeafModel] = field(default_factory=dict)
    kind: list[int] = field(default_factory=list)
    column: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    other: list[int] = field(default_factory=list)
    child_begin: list[int] = field(default_factory=lambda: [0])
    children: list[int] = field(default_factory=list)
    key_begin: list[int] = field(default_factory=lambda: [0])
    keys: list[float] = field(default_factory=list)
    to_begin: list[int] = field(default_factory=lambda: [0])
    to: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    objects: list[int] = field(default_factory=list)
    weight: list[float] = field(default_factory=list)
    value: list[list[float]] = field(default_factory=list)
    impurity: list[float] = field(default_factory=list)
    score: list[float] = field(default_factory=list)
    label: list[int] = field(default_factory=list)

    def add(self, value: Any, where: Where) -> None:
        seen = ("rows", "objects", "weight", "value", "impurity")
        optional = ["test", "children", *(["stated"] if self.may_state else [])]
        optional += [] if self.n_classes else ["linear"]
        node = an_object(value, where, (*seen, "label") if self.n_classes else seen, optional)
        if "stated" in node:
            if node["stated"] is not True or "test" in node:
                fail((*where, "stated"), "must be true, and at a leaf; leave it out elsewhere")
            self.stated.append(len(self.rows))
        if "linear" in node:
            self.models[len(self.rows)] = _model(node, (*where, "linear"), self.n_columns)
        self.rows.append(an_integer(node["rows"], (*where, "rows"), INT64_MAX))
        self.objects.append(an_integer(node["objects"], (*where, "objects"), INT64_MAX))
        self.weight.append(a_number(node["weight"], (*where, "weight")))
        self.impurity.append(a_number(node["impurity"], (*where, "impurity")))
        self.label.append(
            an_integer(node["label"], (*where, "label"), self.n_classes - 1) if self.n_classes else 0
        )
        width = self.n_classes or 2
        numbers = an_array(node["value"], (*where, "value"), width)
        if len(numbers) != width:
            fail((*where, "value"), f"must hold {width} numbers, not {len(numbers)}")
        self.value.append([a_number(number, (*where, "value", i)) for i, number in enumerate(numbers)])
        if ("test" in node) != ("children" in node):
            fail(where, 'a node has both "test" and "children", a leaf neither')
        if "test" in node:
            self._add_test(node["test"], (*where, "test"))
            children = an_array(node["children"], (*where, "children"), self.n_nodes - 1)
            number = len(self.rows) - 1
            for i, child in enumerate(children):
                place = (*where, "children", i)
                if an_integer(child, place, self.n_nodes - 1) <= number:
                    fail(place, f"leads back to node {child}: a child comes after its parent")
                self.children.append(child)
        else:
            self._add_leaf()
        self.child_begin.append(len(self.children))
        self.key_begin.append(len(self.keys))
        self.to_begin.append(len(self.to))

    def _add_leaf(self) -> None:
        self.kind.append(0)
        self.column.append(-1)
        self.missing.append(0)
        self.other.append(0)
        self.score.append(np.nan)

    def _add_test(self, value: Any, where: Where) -> None:
        test = an_object(value, where, ("column", "kind", "keys", "to", "missing", "other"), ("score",))
        if type(test["kind"]) is not str or test["kind"] not in _TEST_KINDS:
            fail((*where, "kind"), f'must be "ordered" or "category", not {shown(test["kind"])}')
        if not self.n_columns:
            fail((*where, "column"), "the tree has no columns to test")
        self.kind.append(_TEST_KINDS[test["kind"]])
        self.column.append(an_integer(test["column"], (*where, "column"), self.n_columns - 1))
        self.missing.append(an_integer(test["missing"], (*where, "missing"), INT32_MAX))
        self.other.append(an_integer(test["other"], (*where, "other"), INT32_MAX))
        for i, key in enumerate(an_array(test["keys"], (*where, "keys"), INT32_MAX)):
            self.keys.append(a_number(key, (*where, "keys", i)))
        for i, branch in enumerate(an_array(test["to"], (*where, "to"), INT32_MAX)):
            self.to.append(an_integer(branch, (*where, "to", i), INT32_MAX))
        score = test.get("score")
        self.score.append(np.nan if score is None else a_number(score, (*where, "score")))

    def finish(self) -> dict[str, Any]:
        child_begin, children = np.array(self.child_begin, np.int32), np.array(self.children, np.int32)
        parent = np.full(self.n_nodes, -1, np.int32)
        parent[children] = np.repeat(np.arange(self.n_nodes, dtype=np.int32), np.diff(child_begin))
        return {
            "n_columns": self.n_columns,
            "n_classes": self.n_classes,
            "parent": parent,
            "kind": np.array(self.kind, np.uint8),
            "child_begin": child_begin,
            "children": children,
            **{
                name: np.array(getattr(self, name), np.int32)
                for name in ("column", "missing", "other", "key_begin", "to_begin", "to", "label")
            },
            **{name: np.array(getattr(self, name), np.int64) for name in ("rows", "objects")},
            **{
                name: np.array(getattr(self, name), np.float64)
                for name in ("keys", "weight", "value", "impurity", "score")
            },
        }
