"""`SoftTree.to_<format>`: the exporters of soft trees as methods, with the signatures of the exporters."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import onnx

    from thriftree.columns import Scalar


class SoftExports(ABC):
    """What a soft tree can be written as. There is no PMML: its trees take one way at each test."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""

    def to_c(self, *, name: str = "predict") -> str:
        """The soft tree as one C99 source.

        The options are those of `thriftree.export.soft_c.soft_c_of`.
        """
        from thriftree.export.soft_c import soft_c_of

        return soft_c_of(self.to_dict(), name=name)

    def to_javascript(self, *, name: str = "predict", form: str = "module") -> str:
        """The soft tree as JavaScript, for browsers and Node.

        The options are those of `thriftree.export.soft_javascript.soft_javascript_of`.
        """
        from thriftree.export.soft_javascript import soft_javascript_of

        return soft_javascript_of(self.to_dict(), name=name, form=form)

    def to_onnx(self, *, missing_inputs: bool = False) -> onnx.ModelProto:
        """The soft tree as an ONNX model (`onnx.ModelProto`).

        The options are those of `thriftree.export.soft_onnx.soft_onnx_of`.
        """
        from thriftree.export.soft_onnx import soft_onnx_of

        return soft_onnx_of(self.to_dict(), missing_inputs=missing_inputs)

    def to_python(self, *, name: str = "predict") -> str:
        """The soft tree as Python source without imports.

        The options are those of `thriftree.export.soft_python.soft_python_of`.
        """
        from thriftree.export.soft_python import soft_python_of

        return soft_python_of(self.to_dict(), name=name)

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
    ) -> str:
        """The soft tree as SQL: an expression, or a query.

        The options are those of `thriftree.export.soft_sql.soft_sql_of`.
        """
        from thriftree.export.soft_sql import soft_sql_of

        return soft_sql_of(
            self.to_dict(),
            table=table,
            answer=answer,
            what=what,
            of=of,
            columns=columns,
            dialect=dialect,
            nan=nan,
        )
