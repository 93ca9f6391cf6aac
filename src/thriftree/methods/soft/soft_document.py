"""The JSON form of a soft tree, version 1 (docs/spec/soft-tree-v1.md): written, read and checked."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from thriftree.columns import ColumnSchema
from thriftree.costs import TestCosts
from thriftree.document import SOFT_FORMAT
from thriftree.document.checks import (
    INT32_MAX,
    Where,
    a_number,
    an_array,
    an_integer,
    an_object,
    fail,
    plain_json,
    shown,
)
from thriftree.document.read import check_format, check_learnt_from, classes_in, columns_in
from thriftree.document.write import column_of, label_of
from thriftree.methods.soft.design import Design, Floats
from thriftree.methods.soft.soft_tree import SoftTree

VERSION: Final = 1
MAX_GATES: Final = 2**20
_KEYS: Final = (
    *("format", "version", "columns", "design", "classes", "target", "prices"),
    *("sharpness", "gates", "leaves", "leaf_weights"),
)


def document_of(tree: SoftTree) -> dict[str, Any]:
    """The JSON form."""
    design, at, gates = tree.design, 0, []
    for left, right, first, count in zip(
        tree.left.tolist(), tree.right.tolist(), tree.first.tolist(), tree.count.tolist(), strict=True
    ):
        *weights, offset = tree.parameters[at : at + count + 1].tolist()
        at += count + 1
        gates.append({"left": left, "right": right, "first": first, "weights": weights, "offset": offset})
    weights = tree.leaf_weights
    is_number = tree.classes is None
    return {
        "format": SOFT_FORMAT,
        "version": VERSION,
        "columns": [column_of(column) for column in design.columns],
        "design": described_design(design),
        "classes": None if tree.classes is None else [label_of(label) for label in tree.classes],
        "target": {"centre": tree.centre, "deviation": tree.deviation} if is_number else None,
        "prices": None if tree.prices is None else plain_json(tree.prices, ("prices",)),
        "sharpness": None if math.isinf(tree.sharpness) else tree.sharpness,
        "gates": gates,
        "leaves": tree.leaf_offsets.tolist(),
        "leaf_weights": None if weights is None else weights.tolist(),
    }


def soft_tree_of(document: Any) -> SoftTree:
    """The soft tree of a checked document. Raises TreeFormatError with the JSON path of what is wrong."""
    check_format(document, "soft tree", SOFT_FORMAT, VERSION)
    an_object(document, (), _KEYS, ("learnt_from",))
    check_learnt_from(document.get("learnt_from"), ("learnt_from",))
    design = design_in(document, columns_in(document))
    classes = classes_in(document)
    centre, deviation = _target(document["target"], classes is None)
    sharpness = math.inf if document["sharpness"] is None else a_number(document["sharpness"], ("sharpness",))
    if sharpness <= 0:
        fail(("sharpness",), f"must be greater than 0, or null for infinity, not {shown(sharpness)}")
    gates = an_array(document["gates"], ("gates",), MAX_GATES)
    read = [_gate(gate, ("gates", g), design.n_terms) for g, gate in enumerate(gates)]
    places = np.array([gate[0] for gate in read], np.int32).reshape(-1, 4)
    width = 1 if classes is None else len(classes)
    leaves = _leaves(document, width, design.n_terms)
    tree = SoftTree(
        design,
        left=places[:, 0].copy(),
        right=places[:, 1].copy(),
        first=places[:, 2].copy(),
        count=places[:, 3].copy(),
        parameters=np.concatenate([*(gate[1] for gate in read), *leaves]),
        linear=document["leaf_weights"] is not None,
        prices=_prices(document["prices"], design.columns),
        sharpness=sharpness,
        classes=classes,
        centre=centre,
        deviation=deviation,
    )
    try:
        tree.shape()
    except ValueError as error:
        fail(("gates",), str(error))
    return tree


def described_design(design: Design) -> list[dict[str, Any]]:
    """The JSON form of what each column becomes."""
    return [_column_design(design, j) for j in range(len(design.columns))]


def _column_design(design: Design, j: int) -> dict[str, Any]:
    described: dict[str, Any] = {"missing": design.has_missing[j]}
    if design.columns[j].kind != "category":
        begin = design.begins[j]
        described |= {"centre": float(design.centres[begin]), "scale": float(design.scales[begin])}
    return described


def design_in(document: dict[str, Any], columns: tuple[ColumnSchema, ...]) -> Design:
    """What the columns become, by the key "design"."""
    given = an_array(document["design"], ("design",), len(columns))
    if len(given) != len(columns):
        fail(("design",), f"must have an entry for each of the {len(columns)} columns, not {len(given)}")
    centres: list[float] = []
    scales: list[float] = []
    has_missing = []
    for j, (schema, value) in enumerate(zip(columns, given, strict=True)):
        where: Where = ("design", j)
        is_category = schema.kind == "category"
        an_object(value, where, ("missing",) if is_category else ("missing", "centre", "scale"))
        if type(value["missing"]) is not bool:
            fail((*where, "missing"), f"must be true or false, not {shown(value['missing'])}")
        n_indicators = value["missing"] + (len(schema.categories) if is_category else 0)
        if not is_category:
            centres.append(a_number(value["centre"], (*where, "centre")))
            scales.append(a_number(value["scale"], (*where, "scale")))
        centres += [0.0] * n_indicators
        scales += [1.0] * n_indicators
        has_missing.append(value["missing"])
    return Design(columns, tuple(has_missing), np.array(centres), np.array(scales))


def _target(value: Any, is_number: bool) -> tuple[float, float]:
    if not is_number:
        if value is not None:
            fail(("target",), "must be null where there are classes")
        return 0.0, 1.0
    target = an_object(value, ("target",), ("centre", "deviation"))
    return a_number(target["centre"], ("target", "centre")), a_number(
        target["deviation"], ("target", "deviation")
    )


def _gate(value: Any, where: Where, n_terms: int) -> tuple[list[int], Floats]:
    """Left, right, first and count; and its weights with the offset."""
    gate = an_object(value, where, ("left", "right", "first", "weights", "offset"))
    for side in ("left", "right"):
        if type(gate[side]) is not int or not -INT32_MAX <= gate[side] <= INT32_MAX:
            fail((*where, side), f"must be a gate, or of leaf i the number -1 - i, not {shown(gate[side])}")
    first = an_integer(gate["first"], (*where, "first"), n_terms)
    weights = an_array(gate["weights"], (*where, "weights"), n_terms - first)
    numbers = [a_number(weight, (*where, "weights", i)) for i, weight in enumerate(weights)]
    offset = a_number(gate["offset"], (*where, "offset"))
    return [gate["left"], gate["right"], first, len(numbers)], np.array([*numbers, offset])


def _leaves(document: dict[str, Any], width: int, n_terms: int) -> list[Floats]:
    """Per leaf what it holds, each number after its weights if there are any."""
    leaves = _one_a_leaf(document, "leaves")
    offsets = [numbers_in(leaf, ("leaves", i), width) for i, leaf in enumerate(leaves)]
    if document["leaf_weights"] is None:
        return offsets
    found = []
    for i, leaf in enumerate(_one_a_leaf(document, "leaf_weights")):
        where: Where = ("leaf_weights", i)
        of_outputs = an_array(leaf, where, width)
        if len(of_outputs) != width:
            fail(where, f"must have {width} lists of weights, not {len(of_outputs)}")
        weights = [numbers_in(one, (*where, k), n_terms) for k, one in enumerate(of_outputs)]
        found += [np.append(one, offset) for one, offset in zip(weights, offsets[i], strict=True)]
    return found


def _one_a_leaf(document: dict[str, Any], key: str) -> list[Any]:
    n_leaves = len(document["gates"]) + 1
    given = an_array(document[key], (key,), n_leaves)
    if len(given) != n_leaves:
        fail((key,), f"must be {n_leaves}, one more than the gates, not {len(given)}")
    return given


def _prices(value: Any, columns: tuple[ColumnSchema, ...]) -> dict[str, Any] | None:
    """As `TestCosts.to_dict` gives them, for all of the columns."""
    if value is None:
        return None
    if type(value) is not dict:
        fail(("prices",), f"must be an object or null, not {shown(value)}")
    prices: dict[str, Any] = plain_json(value, ("prices",))
    try:
        TestCosts.from_dict(prices).bind(columns)
    except (TypeError, ValueError, KeyError) as error:
        fail(("prices",), str(error))
    return prices


def numbers_in(value: Any, where: Where, n: int) -> Floats:
    """An array of so many finite numbers."""
    numbers = an_array(value, where, n)
    if len(numbers) != n:
        fail(where, f"must have {n} numbers, not {len(numbers)}")
    return np.array([a_number(number, (*where, i)) for i, number in enumerate(numbers)])
