"""XML written line by line: well-formed whatever the data hold, and as deep as a tree may be."""

from __future__ import annotations

import re
from collections.abc import Mapping

#: What XML 1.0 cannot hold, not even as a reference.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# Markup; white space that a parser would change to a blank; and whatever an encoding could garble.
_ESCAPED = re.compile("[&<>\"'\t\n\r]|[^\x20-\x7e]")


class XmlText:
    """A document under construction: elements are opened and closed in order."""

    def __init__(self) -> None:
        self._lines = ['<?xml version="1.0"?>']
        self._open: list[str] = []

    def open(self, tag: str, attributes: Mapping[str, str | int | float] | None = None) -> None:
        """Begins an element that holds others."""
        self._line(f"<{tag}{_attributes(attributes)}>")
        self._open.append(tag)

    def close(self) -> None:
        """Ends the element that was opened last."""
        tag = self._open.pop()
        self._line(f"</{tag}>")

    def add(
        self, tag: str, attributes: Mapping[str, str | int | float] | None = None, text: str | None = None
    ) -> None:
        """An element without others in it."""
        start = f"<{tag}{_attributes(attributes)}"
        self._line(f"{start}/>" if text is None else f"{start}>{_escaped(text)}</{tag}>")

    def __str__(self) -> str:
        return "\n".join(self._lines) + "\n"

    def _line(self, text: str) -> None:
        self._lines.append(" " * len(self._open) + text)


def _attributes(attributes: Mapping[str, str | int | float] | None) -> str:
    return "".join(f' {name}="{_escaped(str(value))}"' for name, value in (attributes or {}).items())


def _escaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: f"&#{ord(found[0])};", text)
