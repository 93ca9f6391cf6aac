"""Names, texts and numbers as databases write them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from thriftree.columns import Scalar

_TINY = 1e-290  # below it, SQLite reads decimal numbers with an error
_BIG_POWER = 2**62


@dataclass(frozen=True)
class Dialect:
    """How a database writes names and values, and what NaN is to it.

    `nan` is the condition that a number (`{x}`) is NaN, None where no number is. `above` is the condition
    that it is above a cut (`{t}`, negative `{minus_t}`) and not NaN.
    """

    quote_name: Callable[[str], str]
    quote_text: Callable[[str], str]
    boolean: str = "BOOLEAN"  # the type
    text: str = "{x}"  # a column of texts that compares byte by byte
    nan: str | None = None
    above: str = "{x} > {t}"

    def literal(self, value: Scalar) -> str:
        """A label. A float is always written so that it is a DOUBLE, never a DECIMAL."""
        if isinstance(value, str):
            return self.quote_text(value)
        if isinstance(value, bool):
            return f"CAST({int(value)} AS {self.boolean})"  # SQLite takes TRUE for a column, if there is one
        return str(value) if isinstance(value, int) else double(value)


def double(value: float) -> str:
    """A number with an exponent: without one it would be a DECIMAL in DuckDB, which compares otherwise.

    The shortest text that stands for the number, but 17 digits where it is close to standing for the next
    one: SQLite reads numbers with 64 bits and then rounds to 53, which goes wrong there.
    """
    if 0 < abs(value) < _TINY:
        return _divided(value)
    text = repr(value)
    half_a_step = Fraction(math.ulp(value)) / 2
    if abs(Fraction(text) - Fraction(value)) > half_a_step * Fraction(9, 10):
        text = f"{value:.17g}"
    return text if "e" in text else f"{text}e0"


def _divided(value: float) -> str:
    """A number next to 0 as an integer divided by powers of two, each step exact."""
    numerator, denominator = value.as_integer_ratio()
    steps = [f"{numerator}e0"]
    while denominator > 1:
        steps.append(f"{min(denominator, _BIG_POWER)}e0")
        denominator //= min(denominator, _BIG_POWER)
    return f"({' / '.join(steps)})"


def _checked(text: str, what: str) -> str:
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError(
            f"the {what} {text!r} holds the character 0 or half of a surrogate pair, which no database "
            "takes: rename it"
        )
    return text


def _standard_name(name: str) -> str:
    return '"' + _checked(name, "name").replace('"', '""') + '"'


def _standard_text(text: str) -> str:
    return "'" + _checked(text, "text").replace("'", "''") + "'"


def _tick_name(name: str) -> str:
    return "`" + _checked(name, "name").replace("`", "``") + "`"


def _bracket_name(name: str) -> str:
    return "[" + _checked(name, "name").replace("]", "]]") + "]"


def _backslash_text(text: str) -> str:
    return _standard_text(text.replace("\\", "\\\\"))


def _national_text(text: str) -> str:
    return "N" + _standard_text(text)


DIALECTS = {
    # DuckDB, PostgreSQL and SQLite. NaN, where it exists, is above every number, and so is its negative.
    "standard": Dialect(
        _standard_name, _standard_text, nan="{x} > 0 AND 0e0 - {x} > 0", above="0e0 - {x} < {minus_t}"
    ),
    "mysql": Dialect(_tick_name, _backslash_text, boolean="SIGNED", text="CAST({x} AS BINARY)"),
    "sqlserver": Dialect(_bracket_name, _national_text, boolean="BIT"),
}
