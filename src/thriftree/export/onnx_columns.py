"""The inputs of an ONNX model, and the code of each row's value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from thriftree.document.follow import scalar
from thriftree.export.codes import ColumnCodes
from thriftree.export.onnx_graph import ML, Graph, label_dtype
from thriftree.temporal.words import count_words, temporal_of


@dataclass(frozen=True)
class Input:
    """How a column is given: the name and type of its input, and what is missing: a value of that input
    (NaN or an empty text), or true in an input of its own; None: nothing can be missing.
    """

    name: str
    dtype: np.dtype[Any]
    missing_value: Literal["NaN", ""] | None
    missing_input: str | None


def add_inputs(graph: Graph, tested: Sequence[ColumnCodes], missing_inputs: bool) -> list[Input]:
    """Declares an input for each column; and, where `missing_inputs` and NaN cannot say it, one for its
    missing values. Only a column whose name no value can have gets another one.
    """
    names = {c.position: graph.name(c.column["name"]) for c in tested if graph.is_free(c.column["name"])}
    for codes in tested:
        if codes.position not in names:
            names[codes.position] = graph.name(f"input_{codes.position}")
    return [_add_input(graph, codes, names[codes.position], missing_inputs) for codes in tested]


def _add_input(graph: Graph, codes: ColumnCodes, name: str, missing_inputs: bool) -> Input:
    dtype = _dtype(codes)
    graph.declare_input(name, dtype)
    if dtype == np.float64:
        return Input(name, dtype, "NaN", None)
    if missing_inputs:
        mark = graph.name(f"{name} is missing")
        graph.declare_input(mark, np.bool_)
        return Input(name, dtype, None, mark)
    empty_is_free = dtype.hasobject and "" not in codes.column["categories"]
    return Input(name, dtype, "" if empty_is_free else None, None)


def add_code(graph: Graph, codes: ColumnCodes, given: Input) -> str:
    """The code of each row, shape [rows]; returns its name."""
    code = _interval(graph, codes, given) if codes.is_number else _category(graph, codes, given)
    is_missing = graph.add("IsNaN", [given.name]) if given.missing_value == "NaN" else given.missing_input
    if is_missing is not None:
        missing_code = graph.constant("missing_code", np.int64(codes.missing))
        code = graph.add("Where", [is_missing, missing_code, code])
    return graph.flat(code)


def listing_of_inputs(used: Sequence[ColumnCodes], inputs: Sequence[Input]) -> dict[str, str]:
    """The model's metadata: which input each column is, what is missing there, and what dates count."""
    listing = [
        {
            "column": codes.column["name"],
            "input": given.name,
            "missing_value": given.missing_value,
            "missing_input": given.missing_input,
            **_counted(codes.column),
        }
        for codes, given in zip(used, inputs, strict=True)
    ]
    return {"thriftree.inputs": json.dumps(listing)}


def _counted(column: dict[str, Any]) -> dict[str, str]:
    """What the numbers of a column of dates or the like count."""
    temporal = temporal_of(column)
    return {} if temporal is None else {"counts": count_words(temporal)}


def _dtype(codes: ColumnCodes) -> np.dtype[Any]:
    if codes.is_number:
        return np.dtype(np.float64)
    return label_dtype(codes.column["categories"], f"column {codes.column['name']!r}")


def _interval(graph: Graph, codes: ColumnCodes, given: Input) -> str:
    """The number of cuts below the value, shape [rows, 1]."""
    below = graph.add("Less", [graph.constant("cuts", np.array([codes.cuts], np.float64)), given.name])
    return _row_sums(graph, graph.integers(below))


def _category(graph: Graph, codes: ColumnCodes, given: Input) -> str:
    """The position of the value among the categories, or the code of "other", shape [rows, 1]."""
    categories = codes.column["categories"]
    places = np.arange(len(categories))
    if given.dtype.hasobject:
        code_of = dict(zip(categories, places.tolist(), strict=True))
        # ONNX has no empty list of keys, and this one changes nothing where the empty text is not missing.
        code_of.setdefault("", codes.missing if given.missing_value == "" else codes.other)
        return graph.add(
            "LabelEncoder",
            [given.name],
            domain=ML,
            keys_strings=list(code_of),
            values_int64s=list(code_of.values()),
            default_int64=codes.other,
        )
    labels = graph.constant("categories", np.array([[scalar(label) for label in categories]], given.dtype))
    matches = graph.integers(graph.add("Equal", [given.name, labels]))
    before_other = graph.constant("before_other", (codes.other - places)[None, :])
    back = _row_sums(graph, graph.add("Mul", [matches, before_other]))
    return graph.add("Sub", [graph.constant("other_code", np.int64(codes.other)), back])


def _row_sums(graph: Graph, matrix: str) -> str:
    return graph.add("ReduceSum", [matrix, graph.constant("columns_axis", np.array([1]))], keepdims=1)
