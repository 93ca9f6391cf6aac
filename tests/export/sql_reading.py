"""SQL as an independent parser reads it: sqlglot's tree of an expression, evaluated on rows.

The evaluation is as strict as engines are lax: a text compared with a number, an unquoted name, a node that
the exporter has no reason to write, all are errors. NaN compares as the engine has it, or both ways where
that is not known. Where an engine's own comparison of texts ignores blanks or case, so does the one here.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.dialects.oracle import Oracle

Row = dict[str, Any]
Value = Callable[[Row], Any]

NAN_ORDERS = ("ieee", "largest")


class OracleWithDoubles(Oracle):
    """sqlglot takes the d of Oracle's 0.5d for an alias; here it is the suffix that Oracle documents."""

    class Tokenizer(Oracle.Tokenizer):
        NUMERIC_LITERALS = {"D": "DOUBLE"}  # noqa: RUF012


#: sqlglot's dialect, where its name is another one.
PARSERS: dict[str, Any] = {"ansi": "", "sqlserver": "tsql", "oracle": OracleWithDoubles}

#: How NaN compares, as the engine documents it or was seen to do, once for engines without NaN; both ways for
#: the others.
NAN_ORDER = {
    **dict.fromkeys(("postgres", "duckdb", "spark", "databricks", "snowflake", "oracle"), ("largest",)),
    **dict.fromkeys(("trino", "clickhouse", "bigquery", "sqlite", "mysql", "sqlserver"), ("ieee",)),
}
WITHOUT_NAN = {"sqlite", "mysql", "sqlserver"}
INTEGER_BOOLEANS = {"mysql", "oracle"}
BLANKS_IGNORED = {"mysql", "sqlserver", "redshift"}
CASE_IGNORED = {"mysql", "sqlserver"}
#: sqlglot leaves \\u0024 as it is, which these read as a dollar sign; runs in Spark prove it.
UNICODE_ESCAPES = {"spark", "databricks", "hive"}
#: A number literal without a cast is a DECIMAL, even with an exponent.
DECIMAL_LITERALS = {"postgres", "snowflake", "redshift", "oracle", "spark", "databricks", "hive"}


@dataclass
class Reading:
    """An expression, and the names and literals that were found in it."""

    dialect: str
    nan: str
    columns: set[str] = field(default_factory=set)
    texts: set[str] = field(default_factory=set)
    doubles: set[float] = field(default_factory=set)

    def expression(self, sql: str) -> Value:
        """What the expression says of a row."""
        return self.compile(sqlglot.parse_one(sql, dialect=PARSERS.get(self.dialect, self.dialect)))

    def compile(self, node: exp.Expression) -> Value:
        kind = type(node).__name__
        assert hasattr(self, f"_{kind.lower()}"), f"{self.dialect}: {kind} has no place here: {node!r}"
        value: Value = getattr(self, f"_{kind.lower()}")(node)
        return self._not_of(value) if node.args.get("negate") else value  # PostgreSQL's IS NOT

    # --- names and literals

    def _column(self, node: exp.Column) -> Value:
        identifier = node.this
        assert isinstance(identifier, exp.Identifier), node
        assert identifier.quoted, node
        assert len(node.parts) == 1, node
        name = identifier.this
        self.columns.add(name)
        return lambda row: row[name]

    def _text(self, text: str) -> Value:
        self.texts.add(text)
        return lambda row: text

    def _literal(self, node: exp.Literal) -> Value:
        if node.is_string:
            return self._text(
                node.this.replace("\\u0024", "$") if self.dialect in UNICODE_ESCAPES else node.this
            )
        is_double = not set(node.this).isdisjoint(".eE")
        assert not is_double or self.dialect not in DECIMAL_LITERALS, f"a DECIMAL: {node!r}"
        assert not is_double or "e" in node.this.lower(), f"a DECIMAL in some engines: {node!r}"
        return self._number(float(node.this) if is_double else int(node.this))

    def _number(self, number: float) -> Value:
        if isinstance(number, float):
            self.doubles |= {number, -number}
        return lambda row: number

    def _national(self, node: exp.National) -> Value:
        return self._text(node.this)

    def _bytestring(self, node: exp.ByteString) -> Value:
        assert self.dialect == "postgres", node  # E'...'
        return self._text(node.this)

    def _introducer(self, node: exp.Introducer) -> Value:
        assert str(node.this) == "_utf8mb4", node
        assert isinstance(node.expression, exp.HexString), node
        return self._text(bytes.fromhex(node.expression.this).decode())

    def _boolean(self, node: exp.Boolean) -> Value:
        value = bool(node.this)
        return lambda row: value

    def _cast(self, node: exp.Cast) -> Value:
        to, inner = node.to.this.name, node.this
        if isinstance(inner, exp.Literal):
            match to:
                case "DOUBLE" | "FLOAT":
                    return self._number(float(inner.this))
                case "BOOLEAN" | "BIT":
                    return self._boolean(exp.Boolean(this=int(inner.this)))
                case "BIGINT" if self.dialect == "mysql":  # SIGNED
                    return self._number(int(inner.this))
        of = self.compile(inner)
        match to:
            case "BINARY" | "VARBINARY":
                return lambda row: None if of(row) is None else of(row).encode()
            case "CHARACTER_SET" | "NVARCHAR":
                return of
        raise AssertionError(f"a cast that has no place here: {node!r}")

    def _trycast(self, node: exp.TryCast) -> Value:  # what sqlglot makes of a CAST in Hive and Spark
        return self._cast(node)

    def _chr(self, node: exp.Chr) -> Value:
        (code,) = node.expressions
        return self._text(chr(int(code.this)))

    # --- what a condition is made of

    def _paren(self, node: exp.Paren) -> Value:
        return self.compile(node.this)

    def _case(self, node: exp.Case) -> Value:
        branches = [
            (self.compile(branch.this), self.compile(branch.args["true"])) for branch in node.args["ifs"]
        ]
        otherwise = self.compile(node.args["default"])

        def value(row: Row) -> Any:
            for condition, answer in branches:
                holds = condition(row)
                assert holds is None or isinstance(holds, bool), holds
                if holds:
                    return answer(row)
            return otherwise(row)

        return value

    def _and(self, node: exp.And) -> Value:
        parts = [self.compile(part) for part in node.flatten()]
        return lambda row: _all_hold([part(row) for part in parts])

    def _or(self, node: exp.Or) -> Value:
        parts = [self._not_of(self.compile(part)) for part in node.flatten()]
        return self._not_of(lambda row: _all_hold([part(row) for part in parts]))

    def _not(self, node: exp.Not) -> Value:
        return self._not_of(self.compile(node.this))

    @staticmethod
    def _not_of(of: Value) -> Value:
        def value(row: Row) -> bool | None:
            holds = of(row)
            return None if holds is None else not holds

        return value

    def _is(self, node: exp.Is) -> Value:
        assert isinstance(node.expression, exp.Null), node
        of = self.compile(node.this)
        return lambda row: of(row) is None

    def _isnan(self, node: exp.IsNan) -> Value:
        of = self.compile(node.this)
        return lambda row: None if of(row) is None else math.isnan(of(row))

    def _in(self, node: exp.In) -> Value:
        of, listed = self.compile(node.this), [self.compile(value) for value in node.expressions]

        def value(row: Row) -> bool | None:
            x = of(row)
            return None if x is None else any(self._compared(operator.eq, x, one(row)) for one in listed)

        return value

    def _comparison(self, node: exp.Binary, holds: Callable[[Any, Any], bool]) -> Value:
        left, right = self.compile(node.this), self.compile(node.expression)

        def value(row: Row) -> bool | None:
            a, b = left(row), right(row)
            return None if a is None or b is None else self._compared(holds, a, b)

        return value

    def _eq(self, node: exp.EQ) -> Value:
        return self._comparison(node, operator.eq)

    def _neq(self, node: exp.NEQ) -> Value:
        return self._comparison(node, operator.ne)

    def _gt(self, node: exp.GT) -> Value:
        return self._comparison(node, operator.gt)

    def _lt(self, node: exp.LT) -> Value:
        return self._comparison(node, operator.lt)

    def _lte(self, node: exp.LTE) -> Value:
        return self._comparison(node, operator.le)

    def _compared(self, holds: Callable[[Any, Any], bool], a: Any, b: Any) -> bool:
        if isinstance(a, bytes) and isinstance(b, str):  # MySQL: a binary and a text compare as bytes
            b = b.encode()
        if isinstance(a, str | bytes) or isinstance(b, str | bytes):
            assert type(a) is type(b), f"{a!r} compared with {b!r}"
            return holds(self._plain(a), self._plain(b))
        if isinstance(a, bool) != isinstance(b, bool):
            assert self.dialect in INTEGER_BOOLEANS, f"{a!r} compared with {b!r}"
        if self.nan == "largest" and (math.isnan(a) or math.isnan(b)):
            return holds((math.isnan(a), 0), (math.isnan(b), 0))
        return holds(a, b)

    def _plain(self, text: Any) -> Any:
        if isinstance(text, bytes):
            return text
        text = text.rstrip(" ") if self.dialect in BLANKS_IGNORED else text
        return text.casefold() if self.dialect in CASE_IGNORED else text

    # --- arithmetic and joined texts

    def _arithmetic(self, node: exp.Binary, of: Callable[[Any, Any], Any]) -> Value:
        left, right = self.compile(node.this), self.compile(node.expression)

        def value(row: Row) -> Any:
            a, b = left(row), right(row)
            return None if a is None or b is None else of(a, b)

        return value

    def _neg(self, node: exp.Neg) -> Value:
        of = self.compile(node.this)
        return lambda row: -of(row)

    def _sub(self, node: exp.Sub) -> Value:
        return self._arithmetic(node, operator.sub)

    def _div(self, node: exp.Div) -> Value:  # a number next to 0, by exact steps
        doubles = set(self.doubles)
        number = self._arithmetic(node, operator.truediv)({})
        self.doubles = doubles
        return self._number(number)

    def _mul(self, node: exp.Mul) -> Value:
        return self._arithmetic(node, operator.mul)

    def _add(self, node: exp.Add) -> Value:
        if self.dialect == "sqlserver" and list(node.find_all(exp.National)):
            return self._joined(node)
        return self._arithmetic(node, operator.add)

    def _dpipe(self, node: exp.DPipe) -> Value:
        return self._joined(node)

    def _joined(self, node: exp.Binary) -> Value:
        """Two texts as one; of constant ones, only what they make counts as a text."""
        texts = set(self.texts)
        joined = self._arithmetic(node, operator.add)
        if not list(node.find_all(exp.Column)):
            self.texts = texts
            return self._text(joined({}))
        return joined


def _all_hold(parts: list[bool | None]) -> bool | None:
    if any(part is False for part in parts):
        return False
    return None if any(part is None for part in parts) else True
