"""Values of a table, and settings, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from thriftree.costs import TestCosts
from thriftree.explain.words import label_words
from thriftree.messages import printable

MOST_LETTERS: Final = 160  # of a setting


def value_words(value: Any) -> str:
    """A label or category as Python holds it, in the words that a tree has for it."""
    return label_words({"float": value} if isinstance(value, float) else value)


def count_words(n: int) -> str:
    """A number of rows, in groups of three digits if it has five or more."""
    return f"{n:,}".replace(",", "\u2009") if n >= 10_000 else str(n)


def setting_rows(settings: Mapping[str, Any] | None) -> list[list[str]]:
    """Settings as pairs of texts, what is nested named with dots; `params` needs no name of its own."""
    rows: list[list[str]] = []
    for name, value in (settings or {}).items():
        shown = printable(str(name))
        if isinstance(value, Mapping) and value:
            prefix = "" if name == "params" else f"{shown}."
            rows += [[prefix + key, text] for key, text in setting_rows(value)]
        else:
            text = "see Prices" if isinstance(value, TestCosts) else printable(_text(value))
            rows.append([shown, text if len(text) <= MOST_LETTERS else text[:MOST_LETTERS] + "…"])
    return rows


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)
