"""`Tree.to_<format>`: the exporters of thriftree.export as methods, with the signatures of the exporters."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import onnx
    from sklearn.base import BaseEstimator

    from thriftree.columns import Scalar
    from thriftree.explain.rules import RuleOrder, Simplify
    from thriftree.plot.tree_scene import Orientation


class Exports(ABC):
    """What a tree can be written as. Options are explained at the functions that the methods call."""

    __slots__ = ()

    @property
    @abstractmethod
    def _document(self) -> dict[str, Any]:
        """The tree's JSON form, which nobody may change."""

    def to_c(self, *, name: str = "predict", smoothing: float = 0.0) -> str:
        """The tree as one C99 source.

        The options are those of `thriftree.export.c.c_of`.
        """
        from thriftree.export.c import c_of

        return c_of(self._document, name=name, smoothing=smoothing)

    def to_dot(
        self, *, max_depth: int | None = None, prices: bool = True, direction: Literal["TB", "LR"] = "TB"
    ) -> str:
        """The tree as text for Graphviz.

        The options are those of `thriftree.export.dot.dot_of`.
        """
        from thriftree.export.dot import dot_of

        return dot_of(self._document, max_depth=max_depth, prices=prices, direction=direction)

    def to_excel(self, path: str | os.PathLike[str] | None = None, *, rows: int = 100) -> bytes:
        """The tree as a workbook with formulas: bytes of .xlsx.

        The options are those of `thriftree.export.excel.excel_of`.
        """
        from thriftree.export.excel import excel_of

        return excel_of(self._document, path, rows=rows)

    def to_javascript(self, *, name: str = "predict", form: str = "module", smoothing: float = 0.0) -> str:
        """The tree as JavaScript, for browsers and Node.

        The options are those of `thriftree.export.javascript.javascript_of`.
        """
        from thriftree.export.javascript import javascript_of

        return javascript_of(self._document, name=name, form=form, smoothing=smoothing)

    def to_onnx(self, *, missing_inputs: bool = False) -> onnx.ModelProto:
        """The tree as an ONNX model (`onnx.ModelProto`).

        The options are those of `thriftree.export.onnx_model.onnx_of`.
        """
        from thriftree.export.onnx_model import onnx_of

        return onnx_of(self._document, missing_inputs=missing_inputs)

    def to_pmml(self, *, target: str = "target") -> str:
        """The tree as a PMML 4.4 document, for scoring engines.

        The options are those of `thriftree.export.pmml.pmml_of`.
        """
        from thriftree.export.pmml import pmml_of

        return pmml_of(self._document, target=target)

    def to_python(self, *, name: str = "predict", smoothing: float = 0.0) -> str:
        """The tree as Python source without imports.

        The options are those of `thriftree.export.python.python_of`.
        """
        from thriftree.export.python import python_of

        return python_of(self._document, name=name, smoothing=smoothing)

    def to_rules(self, *, simplify: Simplify = "labels", order: RuleOrder = "label") -> str:
        """The tree's rules as a table of text.

        The options are those of `thriftree.export.rules.rules_text`.
        """
        from thriftree.export.rules import rules_text

        return rules_text(self._document, simplify=simplify, order=order)

    def to_sentences(self, *, exact: bool = False) -> str:
        """The tree as sentences.

        The options are those of `thriftree.export.sentences.sentences_of`.
        """
        from thriftree.export.sentences import sentences_of

        return sentences_of(self._document, exact=exact)

    def to_sklearn(self, *, forest: bool = False) -> BaseEstimator:
        """The tree as a fitted scikit-learn tree.

        The options are those of `thriftree.export.sklearn_model.sklearn_of`.
        """
        from thriftree.export.sklearn_model import sklearn_of

        return sklearn_of(self._document, forest=forest)

    def to_sql(
        self,
        *,
        table: str | Sequence[str] | None = None,
        answer: str = "prediction",
        what: str = "label",
        of: Scalar | None = None,
        columns: Mapping[str, str] | None = None,
        dialect: str = "ansi",
        nan: bool = True,
        comments: bool = True,
        smoothing: float = 0.0,
    ) -> str:
        """The tree as SQL: a CASE expression, or a query.

        The options are those of `thriftree.export.sql.sql_of`.
        """
        from thriftree.export.sql import sql_of

        return sql_of(
            self._document,
            table=table,
            answer=answer,
            what=what,
            of=of,
            columns=columns,
            dialect=dialect,
            nan=nan,
            comments=comments,
            smoothing=smoothing,
        )

    def to_svg(
        self,
        *,
        width: float | None = None,
        max_depth: int | None = None,
        orientation: Orientation = "auto",
        prices: bool = True,
        path: Collection[int] | None = None,
    ) -> str:
        """A picture of the tree as SVG text.

        The options are those of `thriftree.export.svg.svg_of`.
        """
        from thriftree.export.svg import svg_of

        return svg_of(
            self._document,
            width=width,
            max_depth=max_depth,
            orientation=orientation,
            prices=prices,
            path=path,
        )

    def to_text(
        self,
        *,
        max_depth: int | None = None,
        max_categories: int = 8,
        prices: bool = True,
        numbers: bool = False,
    ) -> str:
        """The tree drawn with lines, to read at a terminal.

        The options are those of `thriftree.export.text.text_of`.
        """
        from thriftree.export.text import text_of

        return text_of(
            self._document, max_depth=max_depth, max_categories=max_categories, prices=prices, numbers=numbers
        )
