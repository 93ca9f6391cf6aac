"""Runs ONNX models on rows of Python values."""

import json

import numpy as np
import onnx
import onnxruntime

TYPES = {
    onnx.TensorProto.DOUBLE: "double",
    onnx.TensorProto.STRING: "string",
    onnx.TensorProto.INT64: "int64",
    onnx.TensorProto.BOOL: "bool",
}
FILL = {"double": np.nan, "string": "", "int64": 0, "bool": False}
DTYPES = {"double": np.float64, "string": object, "int64": np.int64, "bool": np.bool_}


def session_of(model):
    onnx.checker.check_model(model, full_check=True)
    return onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])


def listing_of(model):
    return json.loads({entry.key: entry.value for entry in model.metadata_props}["thriftree.inputs"])


def feed_of(model, rows):
    """The rows as a model's inputs; None is given as the model's listing of inputs says."""
    types = {given.name: TYPES[given.type.tensor_type.elem_type] for given in model.graph.input}
    feed = {}
    for entry in listing_of(model):
        values = rows[entry["column"]]
        kind = types[entry["input"]]
        plain = [FILL[kind] if value is None else value for value in values]
        feed[entry["input"]] = np.array(plain, DTYPES[kind])[:, None]
        if entry["missing_input"] is not None:
            feed[entry["missing_input"]] = np.array([[value is None] for value in values])
    return feed


def run(model, rows):
    """The model's outputs by name."""
    session, feed = session_of(model), feed_of(model, rows)
    return dict(zip([out.name for out in session.get_outputs()], session.run(None, feed), strict=True))
