"""Words for people in messages: what a misspelt name may have meant, and text that is safe to show."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Collection

_UNSAFE = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}  # controls, direction marks, surrogates, line separators


def did_you_mean(name: object, known: Collection[object]) -> str:
    """A hint for a misspelt name, or nothing."""
    close = difflib.get_close_matches(str(name), [str(k) for k in known], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def printable(text: str) -> str:
    """The text with every character escaped that would break a line, hide or move the terminal's cursor."""
    return "".join(
        c.encode("unicode_escape").decode("ascii") if unicodedata.category(c) in _UNSAFE else c for c in text
    )
