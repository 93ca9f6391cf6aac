"""The tree as an ONNX model, for onnxruntime and whatever else runs ONNX.

Tree operators compare 32-bit floats in some runtimes. So no cut reaches one: each column's value first
becomes a small integer code by exact comparisons of 64-bit floats (or of texts), the code becomes the
branch that it takes at each test, and the tree operator follows branch numbers, which a 32-bit float holds
exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thriftree.document.answers import node_shares
from thriftree.document.follow import scalar
from thriftree.export.codes import ColumnCodes, codes_of
from thriftree.export.decisions import Decisions
from thriftree.export.labels import LONE_SURROGATE, refuse_texts
from thriftree.export.onnx_columns import add_code, add_inputs, listing_of_inputs
from thriftree.export.onnx_graph import Graph, label_dtype
from thriftree.export.onnx_numbers import add_numbers
from thriftree.export.onnx_walk import add_walk

if TYPE_CHECKING:
    import onnx


def onnx_of(document: dict[str, Any], *, missing_inputs: bool = False) -> onnx.ModelProto:
    """The tree as an ONNX model (opset 15, ai.onnx.ml 3). Needs `pip install 'thriftree[onnx]'`.

    Inputs, each of shape [rows, 1]: one for each column that the tree tests or a linear leaf reads, named as
    the column (`input_3` for column 3 if that name is empty or the name of an output). Number columns and
    categories that are floats take doubles, texts strings, integers int64, booleans bool. Dates are doubles
    too, in days since 1970-01-01, and datetimes, times and durations in microseconds: the metadata says since
    when. A category that the tree does not know takes its "other" branch.

    A missing double is NaN. A missing text is the empty string, unless that is one of the column's
    categories. Integers and booleans cannot be missing. With `missing_inputs` each column that is not a
    double has a second input, `<column> is missing` (bool), and the empty string is a text like any other.

    Outputs: `label` [rows] and `probabilities` [rows, classes] (doubles); for a numeric target `variable`
    [rows, 1]. The metadata entry `thriftree.inputs` tells the inputs of each column as JSON.

    Raises ValueError where a column's categories, or the classes, have no common type.
    """
    tested = codes_of(document)
    read = [
        ColumnCodes(column, document["columns"][column], ())
        for column in Decisions(document).read_columns()
        if column not in {codes.position for codes in tested}
    ]  # by linear leaves alone
    if not tested:
        tested, read = (read[:1], read[1:]) if read else ([ColumnCodes(0, document["columns"][0], ())], [])
    columns = [codes.column for codes in (*tested, *read)]
    refuse_texts(document, columns, LONE_SURROGATE, "is not valid Unicode, which ONNX needs")
    is_classifier = document["classes"] is not None
    graph = Graph(["label", "probabilities"] if is_classifier else ["variable"])
    inputs = add_inputs(graph, [*tested, *read], missing_inputs)
    code_names = [add_code(graph, codes, given) for codes, given in zip(tested, inputs, strict=False)]
    leaf = add_walk(graph, document, tested, code_names)
    if is_classifier:
        _add_class_outputs(graph, document, leaf)
    else:
        given = {codes.position: one.name for codes, one in zip((*tested, *read), inputs, strict=True)}
        add_numbers(graph, document, leaf, given)
    return graph.model(listing_of_inputs((*tested, *read), inputs))


def _add_class_outputs(graph: Graph, document: dict[str, Any], leaf: str) -> None:
    classes = document["classes"]
    dtype = label_dtype(classes, "the target")
    by_node = np.array([scalar(classes[node["label"]]) for node in document["nodes"]], dtype)
    graph.add("Gather", [graph.constant("labels", by_node), leaf], output="label")
    graph.declare_output("label", dtype, ["rows"])
    shares = node_shares(document)
    graph.add("Gather", [graph.constant("shares", shares), leaf], output="probabilities")
    graph.declare_output("probabilities", shares.dtype, ["rows", len(classes)])
