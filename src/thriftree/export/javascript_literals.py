"""Labels, comments and the reading of rows as exported JavaScript writes them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from thriftree.columns import Scalar
from thriftree.temporal.words import count_words, temporal_of

_MAX_SAFE_INTEGER = 2**53 - 1

_WORDS = """
    Array BigInt Infinity JSON Map NaN Number Object String TypeError abstract arguments async await
    boolean break byte case catch char class const continue debugger default delete do double else
    enum eval export extends false final finally float for from function get goto if implements
    import in instanceof int interface let long native new node null of package private protected
    public return row set short static super switch synchronized this throw throws transient true
    try typeof undefined values var void volatile while with yield
"""
RESERVED = frozenset(_WORDS.split())

ENDINGS = {
    "module": "export {{ {names} }};",
    "commonjs": "module.exports = {{ {names} }};",
    "script": "",
}

READING = """
// A number; NaN if the value is missing.
function {name}Number(row, column) {{
  const value = Object.hasOwn(row, column) ? row[column] : null;
  if (value === null || value === undefined) return NaN;
  if (typeof value === "number") return value;
  if (typeof value === "boolean" || typeof value === "bigint") return Number(value);
  throw new TypeError(`column ${{JSON.stringify(column)}} takes numbers, not a ${{typeof value}}`);
}}

// The value; null if it is missing. Numbers that are equal get one form: true is 1, and an integer is a
// BigInt where a Number cannot tell it from its neighbours.
function {name}Category(row, column) {{
  const value = Object.hasOwn(row, column) ? row[column] : null;
  if (value === null || value === undefined || Number.isNaN(value)) return null;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return BigInt(value);
  return value;
}}
"""


def checked_form(form: str) -> str:
    """How the names are given away, if it is known."""
    if form not in ENDINGS:
        raise ValueError(f"form must be one of {', '.join(map(repr, ENDINGS))}, not {form!r}")
    return form


def literal(value: Scalar) -> str:
    """A label as JavaScript writes it, in ASCII. No text can end the literal, nor an inline script."""
    if isinstance(value, str):
        return json.dumps(value).replace("<", "\\u003c").replace(">", "\\u003e")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int) and abs(value) > _MAX_SAFE_INTEGER:
        return f"{value}n"
    return repr(value)


def category_literal(value: Scalar) -> str:
    """A category in the one form that equal numbers have in the generated code."""
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, float) and value.is_integer() and abs(value) > _MAX_SAFE_INTEGER:
        return literal(int(value))
    return literal(value)


def comment(words: str) -> str:
    """Printable words that an HTML parser cannot take for a tag inside an inline script."""
    return re.sub(r"<(?=[^ =])", "< ", words)


def array(values: Iterable[Scalar]) -> str:
    """An array of labels or numbers."""
    return f"[{', '.join(map(literal, values))}]"


def reading_lines(name: str, columns: Sequence[dict[str, Any]], variable: Mapping[int, str]) -> Iterator[str]:
    """A line for each variable, inside a function of `row`; they call what READING has."""
    for column, x in variable.items():
        kind = "Number" if columns[column]["kind"] == "number" else "Category"
        yield f"  const {x} = {name}{kind}(row, {literal(columns[column]['name'])});"


def counting_lines(columns: Sequence[dict[str, Any]], used: Iterable[int]) -> Iterator[str]:
    """What the numbers of dates and the like count, as comments."""
    for column in used:
        if (temporal := temporal_of(columns[column])) is not None:
            yield f"// {literal(columns[column]['name'])} counts {count_words(temporal)}."
