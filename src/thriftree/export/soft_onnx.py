"""A soft tree as an ONNX model: sums, products and exponentials of doubles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thriftree.export.codes import ColumnCodes
from thriftree.export.labels import LONE_SURROGATE, refuse_texts
from thriftree.export.onnx_columns import Input, add_code, add_inputs, listing_of_inputs
from thriftree.export.onnx_graph import Graph, label_dtype
from thriftree.export.soft_form import SoftColumn, SoftForm
from thriftree.preorder import gate_steps

if TYPE_CHECKING:
    import onnx
    from numpy.typing import NDArray


def soft_onnx_of(document: dict[str, Any], *, missing_inputs: bool = False) -> onnx.ModelProto:
    """The soft tree as an ONNX model (opset 15, ai.onnx.ml 3). Needs `pip install 'thriftree[onnx]'`.

    Inputs, each of shape [rows, 1]: one for each column that is weighed, named as the column (`input_3` for
    column 3 if that name is empty or the name of an output). Number columns and categories that are floats
    take doubles, which must not be infinite, texts strings, integers int64, booleans bool. Dates are doubles
    too, in days since 1970-01-01, and datetimes, times and durations in microseconds: the metadata says since
    when. A category that training did not see has no weight.

    A missing double is NaN. A missing text is the empty string, unless that is one of the column's
    categories. Integers and booleans cannot be missing. With `missing_inputs` each column that is not a
    double has a second input, `<column> is missing` (bool), and the empty string is a text like any other.

    Outputs: `label` [rows] and `probabilities` [rows, classes] (doubles); for a numeric target `variable`
    [rows, 1]. The metadata entry `thriftree.inputs` tells the inputs of each column as JSON.

    Raises ValueError where a column's categories, or the classes, have no common type.
    """
    form = SoftForm(document)
    used = [ColumnCodes(c.position, c.column, ()) for c in form.columns]
    used = used or [ColumnCodes(0, document["columns"][0], ())]  # so that there are rows to count
    columns = [codes.column for codes in used]
    refuse_texts(document, columns, LONE_SURROGATE, "is not valid Unicode, which ONNX needs")
    graph = Graph(["label", "probabilities"] if form.classes else ["variable"])
    inputs = add_inputs(graph, used, missing_inputs)
    each = zip(form.columns, used, inputs, strict=False)
    parts = [_add_terms(graph, column, codes, given) for column, codes, given in each]
    terms = graph.add("Concat", parts, axis=1) if parts else _nothing(graph, inputs)
    reach = _add_reach(graph, form, terms) if form.gates else _ones(graph, inputs[0])
    _add_outputs(
        graph, form, _linear(graph, form, terms, reach) if form.is_linear else _constant(graph, form, reach)
    )
    return graph.model(listing_of_inputs(used, inputs))


def _ones(graph: Graph, given: Input) -> str:
    """1 for each row, shape [rows, 1]."""
    shape = graph.add("Shape", [given.name])
    return graph.add("Expand", [graph.constant("one", np.ones((1, 1))), shape])


def _nothing(graph: Graph, inputs: list[Input]) -> str:
    """Terms of gates that weigh nothing: a 0 that nothing is multiplied by."""
    return graph.add("Sub", [_ones(graph, inputs[0]), graph.constant("one", np.ones((1, 1)))])


def _add_terms(graph: Graph, column: SoftColumn, codes: ColumnCodes, given: Input) -> str:
    """The column's terms, shape [rows, terms]."""
    if not column.is_number:
        table = graph.constant("terms_of_codes", _terms_of_codes(column, codes))
        return graph.add("Gather", [table, add_code(graph, codes, given)])
    missing = graph.add("IsNaN", [given.name])
    away = graph.add("Sub", [given.name, graph.constant("centre", np.float64(column.centre))])
    scaled = graph.add("Mul", [away, graph.constant("scale", np.float64(column.scale))])
    known = graph.add("Where", [missing, graph.constant("zero", np.float64(0)), scaled])
    return graph.add("Concat", [known, graph.doubles(missing)], axis=1) if column.has_missing else known


def _terms_of_codes(column: SoftColumn, codes: ColumnCodes) -> NDArray[np.float64]:
    """A row for each code: of the categories, of "other" and of missing."""
    table = np.zeros((len(codes.answers), column.width))
    for code in range(codes.other):
        if column.is_category:
            table[code, code] = 1.0
        else:
            table[code, 0] = column.known(float(code))
    if column.has_missing:
        # An ordered category that was not seen counts as missing.
        table[codes.missing if column.is_category else slice(codes.other, None), -1] = 1.0
    return table


def _add_reach(graph: Graph, form: SoftForm, terms: str) -> str:
    """The probability of reaching each leaf, shape [rows, leaves]."""
    left = _add_shares(graph, form, terms)
    one = graph.constant("one", np.float64(1))
    right = graph.add("Sub", [one, left])
    # Beside the ways left and right a column of ones, for the ends of short paths.
    ones = graph.add("Add", [graph.add("Mul", [_first(graph, left), graph.constant("no", np.zeros(1))]), one])
    ways = graph.add("Concat", [left, right, ones], axis=1)
    reach = ones
    for step in gate_steps([gate.left for gate in form.gates], [gate.right for gate in form.gates]):
        way = graph.add("Gather", [ways, graph.constant("ways", np.array(step, np.int64))], axis=1)
        reach = graph.add("Mul", [reach, way])
    return reach


def _first(graph: Graph, matrix: str) -> str:
    """Its first column, shape [rows, 1]."""
    return graph.add("Gather", [matrix, graph.constant("first", np.array([0], np.int64))], axis=1)


def _add_shares(graph: Graph, form: SoftForm, terms: str) -> str:
    """The probability of going left at each gate, shape [rows, gates]."""
    weights = np.zeros((max(form.n_terms, 1), len(form.gates)))
    for number, gate in enumerate(form.gates):
        weights[gate.first : gate.first + len(gate.weights), number] = gate.weights
    offsets = np.array([[gate.offset for gate in form.gates]])
    if form.is_hard:
        return graph.doubles(
            graph.add("GreaterOrEqual", [_summed(graph, terms, weights, offsets), _zero(graph)])
        )
    total = graph.add("MatMul", [terms, graph.constant("weights", -form.sharpness * weights)])
    total = graph.add("Add", [total, graph.constant("offsets", -form.sharpness * offsets)])
    one = graph.constant("one", np.float64(1))
    return graph.add("Div", [one, graph.add("Add", [one, graph.add("Exp", [total])])])


def _zero(graph: Graph) -> str:
    return graph.constant("zero", np.float64(0))


def _summed(graph: Graph, terms: str, weights: NDArray[np.float64], offsets: NDArray[np.float64]) -> str:
    """The sums of the gates, term by term: a hard gate asks for the sign of a sum in this very order."""
    total = graph.constant("offsets", offsets)
    for place in np.flatnonzero(weights.any(axis=1)).tolist():
        term = graph.add("Gather", [terms, graph.constant("place", np.array([place], np.int64))], axis=1)
        product = graph.add("Mul", [term, graph.constant("weights", weights[place : place + 1])])
        total = graph.add("Add", [total, product])
    if not weights.any():
        total = graph.add("Add", [total, graph.add("Mul", [_first(graph, terms), _zero(graph)])])
    return total


def _constant(graph: Graph, form: SoftForm, reach: str) -> str:
    """What the leaves hold, by the probability of reaching them, shape [rows, outputs]."""
    leaves = np.array(form.leaves, np.float64) * form.deviation
    return graph.add("MatMul", [reach, graph.constant("leaves", leaves)])


def _linear(graph: Graph, form: SoftForm, terms: str, reach: str) -> str:
    """The same, of leaves that hold what is linear in the terms."""
    n_leaves, n_outputs = len(form.leaves), form.n_outputs
    weights = np.array(form.leaf_weights, np.float64).reshape(n_leaves * n_outputs, -1).T * form.deviation
    total = graph.add("MatMul", [terms, graph.constant("leaf_weights", weights)])
    offsets = np.array(form.leaves, np.float64).reshape(1, -1) * form.deviation
    total = graph.add("Add", [total, graph.constant("leaves", offsets)])
    shape = graph.constant("leaves_and_outputs", np.array([-1, n_leaves, n_outputs]))
    held = graph.add("Reshape", [total, shape])
    if form.classes:
        held = graph.add("Softmax", [held], axis=2)
    each = graph.add("Unsqueeze", [reach, graph.constant("last_axis", np.array([2]))])
    return graph.add(
        "ReduceSum",
        [graph.add("Mul", [each, held]), graph.constant("leaves_axis", np.array([1]))],
        keepdims=0,
    )


def _add_outputs(graph: Graph, form: SoftForm, mixed: str) -> None:
    if form.classes is None:
        # The deviation is in the leaves: onnxruntime would join a product by it with that of the matrices, as
        # a 32-bit float.
        graph.add("Add", [mixed, graph.constant("centre", np.float64(form.centre))], output="variable")
        graph.declare_output("variable", np.float64, ["rows", 1])
        return
    graph.add("Identity", [mixed], output="probabilities")
    graph.declare_output("probabilities", np.float64, ["rows", form.n_outputs])
    dtype = label_dtype(form.classes, "the target")
    best = graph.add("ArgMax", [mixed], axis=1, keepdims=0)
    graph.add("Gather", [graph.constant("labels", np.array(form.classes, dtype)), best], output="label")
    graph.declare_output("label", dtype, ["rows"])
