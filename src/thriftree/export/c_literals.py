"""Texts, numbers and comments as C99 writes them, whatever they hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from thriftree.columns import Scalar

#: Words of C and C++, and macros that a field or a function must not be called.
_WORDS = """
    EOF INFINITY NAN NULL alignas alignof and and_eq asm auto bitand bitor bool break case catch
    char char16_t char32_t char8_t class co_await co_return co_yield compl complex concept const
    const_cast consteval constexpr constinit continue decltype default delete do double dynamic_cast else enum
    errno explicit export extern false float for friend goto i386 if in inline int isnan linux long
    main math_errhandling mutable namespace new noexcept not not_eq nullptr operator or or_eq
    private protected public register reinterpret_cast requires restrict return short signed sizeof static
    static_assert static_cast strcmp struct switch template this thread_local throw true try typedef
    typeid typename typeof union unix unsigned using virtual void volatile wchar_t while xor xor_eq
"""
RESERVED = frozenset(_WORDS.split())

INT64_MIN, INT64_MAX, UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1


def text(value: str) -> str:
    """A string literal of the text's UTF-8 bytes, written in ASCII."""
    try:
        raw = value.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError(
            f"{value!r} is half of a surrogate pair, which no text in C can hold: rename it before training"
        ) from None
    if 0 in raw:
        raise ValueError(
            f"{value!r} holds the character 0, which ends every text in C: rename it before training"
        )
    # Octal escapes end after three digits whatever follows; \? keeps trigraphs away.
    return '"' + "".join(_character(byte) for byte in raw) + '"'


def _character(byte: int) -> str:
    if chr(byte) in '"\\?':
        return "\\" + chr(byte)
    return chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}"


def comment(words: str) -> str:
    """Printable words that neither end a comment nor begin one, and hold no trigraph."""
    return re.sub(r"\?(?=\?)", "? ", words.replace("*/", "* /").replace("/*", "/ *"))


def decimal(value: float) -> str:
    """A number to store: the shortest text that reads back as the same double."""
    return repr(float(value))


def exact(value: float) -> str:
    """A number to compare with: decimal where that is the value itself, otherwise hexadecimal, so that a
    compiler that computes with more than 64 bits compares with the same value.
    """
    shortest = decimal(value)
    return shortest if Fraction(shortest) == Fraction(value) else value.hex()


@dataclass(frozen=True)
class NumberType:
    """A C type for some numbers, and how they are written."""

    name: str
    write: Callable[[Scalar], str]


def number_type(values: Sequence[Scalar], *, prefer: Literal["double", "integer"]) -> NumberType | None:
    """A type that holds all of these numbers, or none. Most numbers fit several types: `prefer` one."""
    double = all(float(value) == value for value in values)
    if double and prefer == "double":
        return NumberType("double", lambda value: exact(float(value)))
    if all(isinstance(value, int) and INT64_MIN <= value <= INT64_MAX for value in values):
        return NumberType("long long", _long_long)
    if all(isinstance(value, int) and 0 <= value <= UINT64_MAX for value in values):
        return NumberType("unsigned long long", lambda value: f"{int(value)}ULL")
    return NumberType("double", lambda value: exact(float(value))) if double else None


def _long_long(value: Scalar) -> str:
    # The least one has no literal of its own: -9223372036854775808 is minus a number that does not fit.
    return f"{INT64_MIN + 1}LL - 1" if value == INT64_MIN else f"{int(value)}LL"
