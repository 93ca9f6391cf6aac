"""An ONNX graph under construction: names that never clash, constants, and the finished model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike

from thriftree import __version__
from thriftree.columns import Scalar
from thriftree.export.labels import common_type, fresh_name

if TYPE_CHECKING:
    import onnx

OPSET, ML_OPSET, IR_VERSION = 15, 3, 8  # old enough for runtimes since 2022
ML = "ai.onnx.ml"


def import_onnx() -> Any:
    """The package onnx, or an error that says how to get it."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs the package onnx: pip install 'thriftree[onnx]'") from error
    return onnx


def label_dtype(labels: Sequence[Any], what: str) -> np.dtype[Any]:
    """numpy's type of labels of the JSON form; texts are objects. A ValueError names `what` if they have no
    type in common, or are integers beyond 64 bits.
    """
    kinds: dict[type[Scalar], DTypeLike] = {str: object, bool: np.bool_, int: np.int64, float: np.float64}
    kind = common_type(labels, what)
    if kind is int and not all(-(2**63) <= label < 2**63 for label in labels):
        raise ValueError(f"{what} has integer labels beyond ONNX's int64: make them texts")
    return np.dtype(kinds[kind])


class Graph:
    """Collects nodes, constants, inputs and outputs. `outputs` are the names of the model's outputs."""

    def __init__(self, outputs: Sequence[str]) -> None:
        self._onnx = import_onnx()
        self._taken = set(outputs)
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._inputs: list[Any] = []
        self._outputs: list[Any] = []

    def name(self, wanted: str) -> str:
        """A name for a new value: `wanted`, or that with a number."""
        name = fresh_name(wanted, self._taken)
        self._taken.add(name)
        return name

    def is_free(self, name: str) -> bool:
        """Whether a new value could have this name; the empty name means "absent" in ONNX."""
        return name != "" and name not in self._taken

    def declare_input(self, name: str, dtype: DTypeLike) -> None:
        """An input of shape [rows, 1]."""
        self._inputs.append(self._value(name, dtype, ["rows", 1]))

    def declare_output(self, name: str, dtype: DTypeLike, shape: Sequence[str | int]) -> None:
        """An output, which a node of this name makes."""
        self._outputs.append(self._value(name, dtype, shape))

    def constant(self, wanted: str, value: Any) -> str:
        """A constant; returns its name."""
        name = self.name(wanted)
        self._constants.append(self._onnx.numpy_helper.from_array(np.asarray(value), name))
        return name

    def add(
        self,
        operator: str,
        inputs: Sequence[str],
        *,
        output: str | None = None,
        domain: str = "",
        **attributes: Any,
    ) -> str:
        """A node with one output; returns the output's name, which is fresh unless given."""
        made = self.name(operator.lower()) if output is None else output
        node = self._onnx.helper.make_node(operator, inputs, [made], domain=domain, **attributes)
        self._nodes.append(node)
        return made

    def integers(self, value: str) -> str:
        """The value as 64-bit integers."""
        return self.add("Cast", [value], to=self._onnx.TensorProto.INT64)

    def doubles(self, value: str) -> str:
        """The value as 64-bit floats."""
        return self.add("Cast", [value], to=self._onnx.TensorProto.DOUBLE)

    def flat(self, value: str) -> str:
        """The value with one axis."""
        return self.add("Reshape", [value, self.constant("one_axis", np.array([-1]))])

    def model(self, metadata: dict[str, str]) -> onnx.ModelProto:
        """The finished model."""
        helper = self._onnx.helper
        graph = helper.make_graph(self._nodes, "thriftree", self._inputs, self._outputs, self._constants)
        made: onnx.ModelProto = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid(ML, ML_OPSET)],
            ir_version=IR_VERSION,
            producer_name="thriftree",
            producer_version=__version__,
        )
        helper.set_model_props(made, metadata)
        return made

    def _value(self, name: str, dtype: DTypeLike, shape: Sequence[str | int]) -> Any:
        element = self._onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        return self._onnx.helper.make_tensor_value_info(name, element, shape)
