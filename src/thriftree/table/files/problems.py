"""What can be wrong with a table's file: one line that says what, where, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from thriftree.messages import did_you_mean, printable


class TableFileError(ValueError):
    """A file that cannot be read as a table, or lacks a column."""


def named(names: Iterable[str], most: int = 6) -> str:
    """The first few names, quoted, safe to print."""
    quoted = [quote(name) for name in names]
    more = len(quoted) - most
    return ", ".join(quoted[:most]) + (f" and {more} more" if more > 0 else "")


def quote(text: str) -> str:
    """A name or value as an error shows it: in quotes, on one line, not too long."""
    shown = printable(text)
    return f"'{shown[:60]}…'" if len(shown) > 60 else f"'{shown}'"


def check_columns(asked: Iterable[str], present: Sequence[str], place: str, reason: str) -> None:
    """Raises at the first name that `present` does not have. `reason` says who asks: "--keep names"."""
    there = frozenset(present)
    for name in asked:
        if name not in there:
            hint = did_you_mean(name, present) or f"; its columns are {named(present)}"
            raise TableFileError(f"{place}: {reason} the column {quote(name)}, which is not there{hint}")


def check_names(names: Sequence[str], place: str) -> None:
    """Raises where two columns share a name."""
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        where = [str(i + 1) for i, name in enumerate(names) if name == twice[0]]
        raise TableFileError(
            f"{place}: the columns {' and '.join(where)} have the same name {quote(twice[0])}: rename one"
        )


def unreadable(place: str, error: OSError) -> TableFileError:
    """The error for a file that the system, or its compression, does not let be read."""
    said = " ".join((error.strerror or str(error)).split())
    return TableFileError(f"{place}: cannot be read: {said}: make the file anew, or name another")


def pyarrow() -> Any:
    """The library, or an error that says how to get it."""
    try:
        import pyarrow
    except ImportError as error:
        raise ImportError("table files need pyarrow: pip install 'thriftree[cli]'") from error
    return pyarrow
