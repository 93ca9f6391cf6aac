"""Reading a file that holds a document."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from thriftree.document import MAX_BYTES
from thriftree.document.checks import TreeFormatError, fail, parse

_PART_BYTES = 1 << 20


@contextmanager
def naming_file(path: str | os.PathLike[str]) -> Iterator[None]:
    """Adds the file to what a TreeFormatError says; the message itself is about the document."""
    try:
        yield
    except TreeFormatError as error:
        error.add_note(f"in the file {path}")
        raise


def read_document(path: str | os.PathLike[str]) -> Any:
    """The JSON value in a file of UTF-8 text. Reading never runs code."""
    with open(path, "rb") as file:
        parts, size = [], 0  # in parts: to ask for the most at once would reserve it
        while part := file.read(_PART_BYTES):
            parts.append(part)
            size += len(part)
            if size > MAX_BYTES:
                fail((), f"the file has more than the {MAX_BYTES} bytes that are read")
    raw = b"".join(parts)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise TreeFormatError(f"$: the file is not UTF-8 text: {error}") from error
    return parse(text)
