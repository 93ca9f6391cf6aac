"""Text of both directions in one line."""

from __future__ import annotations

import unicodedata

_MARK = "\u200e"  # left-to-right mark: has a direction, and nothing to see


def left_to_right(text: str) -> str:
    """The text with marks about words that are written from right to left: otherwise a viewer would move the
    numbers and signs beside them to their other side, and "<=" would read as ">=".
    """
    marked = []
    before = False
    for c in text:
        backwards = unicodedata.bidirectional(c) in ("R", "AL", "AN")
        if backwards != before:
            marked.append(_MARK)
        marked.append(c)
        before = backwards
    return "".join(marked) + (_MARK if before else "")
