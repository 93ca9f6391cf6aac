"""Identifiers for source code, made from names that may hold anything."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable

_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def identifiers(names: Iterable[str], reserved: Collection[str], empty: str = "column") -> list[str]:
    """For each name an identifier of lower-case ASCII letters, digits and "_"; no two are equal, none is
    reserved. A name of which no letter or digit is left becomes `empty`.

    >>> identifiers(["Größe", "grosse", "Grosse", "2nd test", "class", "🌳"], {"class"})
    ['grosse', 'grosse_2', 'grosse_3', 'column_2nd_test', 'class_2', 'column']
    """
    taken = set(reserved)
    next_number: dict[str, int] = {}
    made = []
    for name in names:
        plain = unicodedata.normalize("NFKD", name.replace("ß", "ss")).encode("ascii", "ignore").decode()
        stem = re.sub(r"[^a-z0-9]+", "_", plain.lower()).strip("_")
        if not stem or stem[0].isdigit():
            stem = f"{empty}_{stem}".rstrip("_")
        identifier = stem
        while identifier in taken:
            number = next_number[stem] = next_number.get(stem, 1) + 1
            identifier = f"{stem}_{number}"
        taken.add(identifier)
        made.append(identifier)
    return made


def checked_name(name: str, reserved: Collection[str], language: str) -> str:
    """The name that the caller chose for a function, if it can be one."""
    if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name) or name in reserved:
        raise ValueError(
            f"name must be an identifier of {language} (ASCII letters, digits and _, a letter first, and "
            f"not a word of the language), not {name!r}"
        )
    return name
