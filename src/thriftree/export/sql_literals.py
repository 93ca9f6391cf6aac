"""Names, texts and numbers as the engines of `sql_dialects` write them: a function for each manner."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

_TINY = 1e-290  # below it, SQLite reads decimal numbers with an error
_BIG_POWER = 2**62
_SMALLEST_NORMAL = 2.2250738585072014e-308

# --- numbers that are DOUBLE


def double(value: float) -> str:
    """A number with an exponent: without one it would be a DECIMAL in DuckDB, which compares otherwise.

    The shortest text that stands for the number, but 17 digits where it is close to standing for the next
    one: SQLite reads numbers with 64 bits and then rounds to 53, which goes wrong there.
    """
    if 0 < abs(value) < _TINY:
        return _divided(value)
    return _read_as_itself(repr(value))


@lru_cache(maxsize=1 << 14)  # a number stands in many conditions; by its text, since 0.0 == -0.0
def _read_as_itself(text: str) -> str:
    value = float(text)
    half_a_step = Fraction(math.ulp(value)) / 2
    if abs(Fraction(text) - Fraction(value)) > half_a_step * Fraction(9, 10):
        text = f"{value:.17g}"
    return text if "e" in text else f"{text}e0"


def exponent(value: float) -> str:
    """The shortest text with an exponent, for engines that read every number exactly."""
    text = repr(value)
    return text if "e" in text else f"{text}e0"


def normal_exponent(value: float) -> str:
    """As `exponent`, for SQL Server, whose FLOAT has no numbers closer to 0 than 2.23e-308."""
    if 0 < abs(value) < _SMALLEST_NORMAL:
        raise ValueError(
            f"SQL Server has no number as close to 0 as {value!r}, which the tree needs: "
            "scale the column before training"
        )
    return exponent(value)


def number_in(form: str) -> Callable[[float], str]:
    """Numbers in a form such as "{number}D": the shortest text, with whatever makes it a DOUBLE."""
    return lambda value: form.format(number=repr(value))


def _divided(value: float) -> str:
    """A number next to 0 as an integer divided by powers of two, each step exact."""
    numerator, denominator = value.as_integer_ratio()
    steps = [f"{numerator}e0"]
    while denominator > 1:
        steps.append(f"{min(denominator, _BIG_POWER)}e0")
        denominator //= min(denominator, _BIG_POWER)
    return f"({' / '.join(steps)})"


# --- names


def doubled_name(name: str) -> str:
    """Standard SQL: in double quotes, and those in the name twice."""
    return '"' + name.replace('"', '""') + '"'


def backtick_name(name: str) -> str:
    """In backticks, and those in the name twice; a backslash is a character like any other."""
    return "`" + name.replace("`", "``") + "`"


def bracket_name(name: str) -> str:
    """In brackets; only the closing one is written twice."""
    return "[" + name.replace("]", "]]") + "]"


def escaped_backtick_name(name: str) -> str:
    """In backticks, with the escapes of texts."""
    return "`" + _escaped(name, "`") + "`"


def escaped_double_quote_name(name: str) -> str:
    """In double quotes, with the escapes of texts."""
    return '"' + _escaped(name, '"') + '"'


# --- texts


def doubled_text(text: str) -> str:
    """Standard SQL: in single quotes, and those in the text twice."""
    return "'" + text.replace("'", "''") + "'"


def escaped_text(text: str) -> str:
    """In single quotes, with backslash escapes for those, for backslashes and for ends of lines."""
    return "'" + _escaped(text, "'") + "'"


def escaped_text_without_dollar(text: str) -> str:
    """As `escaped_text`, with \\u0024 for the dollar sign: ${x} would be replaced by a variable's value."""
    return escaped_text(text).replace("$", "\\u0024")


def doubled_and_escaped_text(text: str) -> str:
    """Single quotes twice, and backslashes, which begin an escape, twice too."""
    return doubled_text(text.replace("\\", "\\\\"))


def explicit_escape_text(text: str) -> str:
    """PostgreSQL: E'...' where there is a backslash, which reads alike whatever
    standard_conforming_strings is.
    """
    return f"E{doubled_and_escaped_text(text)}" if "\\" in text else doubled_text(text)


def backslash_by_code_text(text: str) -> str:
    """Each backslash as CHR(92), which needs no rule on what a backslash is in a literal."""
    first, *rest = [doubled_text(part) if part else "" for part in text.split("\\")]
    pieces = [first, *(piece for part in rest for piece in ("CHR(92)", part))]
    return doubled_text(text) if not rest else "(" + " || ".join(filter(None, pieces)) + ")"


def hex_text(text: str) -> str:
    """MySQL: ASCII without backslashes in quotes, everything else by its bytes. What a backslash is depends
    on NO_BACKSLASH_ESCAPES, and what a byte beyond ASCII is on the connection's character set.
    """
    if text.isascii() and "\\" not in text:
        return doubled_text(text)
    return f"_utf8mb4 X'{text.encode().hex().upper()}'"


def national_text(text: str) -> str:
    """SQL Server: N'...' is Unicode. A backslash before the end of a line would join the lines, both left
    out, so the literal is cut between them.
    """
    lines = text.replace("\\\r", "\\\0\r").replace("\\\n", "\\\0\n").split("\0")
    pieces = ["N" + doubled_text(line) for line in lines]
    return pieces[0] if len(pieces) == 1 else "(" + " + ".join(pieces) + ")"


def _escaped(text: str, quote: str) -> str:
    escapes = {"\\": "\\\\", quote: "\\" + quote, "\n": "\\n", "\r": "\\r"}
    return "".join(escapes.get(c, c) for c in text)
