"""Exporters: functions from a tree's JSON form to another form. `Tree.to_<name>` finds them here.

To add one: write `export/<name>.py` with a function of the document and its options, a line below, a test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any


@dataclass(frozen=True)
class Exporter:
    """Where an exporter is and what it makes; its module is imported when it is first used."""

    module: str
    function: str
    summary: str

    def load(self) -> Callable[..., Any]:
        """The exporting function."""
        function: Callable[..., Any] = getattr(import_module(self.module), self.function)
        return function


EXPORTERS: dict[str, Exporter] = {
    "rules": Exporter("thriftree.export.rules", "rules_text", "The tree's rules as a table of text."),
    "excel": Exporter(
        "thriftree.export.excel", "excel_of", "The tree as a workbook with formulas: bytes of .xlsx."
    ),
    "onnx": Exporter(
        "thriftree.export.onnx_model", "onnx_of", "The tree as an ONNX model (`onnx.ModelProto`)."
    ),
    "pmml": Exporter(
        "thriftree.export.pmml", "pmml_of", "The tree as a PMML 4.4 document, for scoring engines."
    ),
    "sklearn": Exporter(
        "thriftree.export.sklearn_model", "sklearn_of", "The tree as a fitted scikit-learn tree."
    ),
    "sentences": Exporter("thriftree.export.sentences", "sentences_of", "The tree as sentences."),
    "text": Exporter("thriftree.export.text", "text_of", "The tree drawn with lines, to read at a terminal."),
    "sql": Exporter("thriftree.export.sql", "sql_of", "The tree as SQL: a CASE expression, or a query."),
    "c": Exporter("thriftree.export.c", "c_of", "The tree as one C99 source."),
    "python": Exporter("thriftree.export.python", "python_of", "The tree as Python source without imports."),
    "javascript": Exporter(
        "thriftree.export.javascript", "javascript_of", "The tree as JavaScript, for browsers and Node."
    ),
    "dot": Exporter("thriftree.export.dot", "dot_of", "The tree as text for Graphviz."),
    "svg": Exporter("thriftree.export.svg", "svg_of", "A picture of the tree as SVG text."),
}

#: The same for soft trees: `SoftTree.to_<name>`.
SOFT_EXPORTERS: dict[str, Exporter] = {
    "c": Exporter("thriftree.export.soft_c", "soft_c_of", "The soft tree as one C99 source."),
    "javascript": Exporter(
        "thriftree.export.soft_javascript",
        "soft_javascript_of",
        "The soft tree as JavaScript, for browsers and Node.",
    ),
    "onnx": Exporter(
        "thriftree.export.soft_onnx", "soft_onnx_of", "The soft tree as an ONNX model (`onnx.ModelProto`)."
    ),
    "python": Exporter(
        "thriftree.export.soft_python", "soft_python_of", "The soft tree as Python source without imports."
    ),
    "sql": Exporter(
        "thriftree.export.soft_sql", "soft_sql_of", "The soft tree as SQL: an expression, or a query."
    ),
}
