"""What a user can put right, told apart from what is our fault."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


class InputError(Exception):
    """Bad input: one line that says what, where, and what to do. Exit code 2."""


@contextmanager
def input_errors(place: str | None = None) -> Iterator[None]:
    """Around library calls on the user's files, tables and words: what they refuse is bad input.

    `place` is put before the message, unless the message names it already.
    """
    try:
        yield
    except (InputError, BrokenPipeError):  # the latter: nobody reads on, which is nobody's mistake
        raise
    except (ValueError, TypeError, ImportError, OSError) as error:
        message = _one_line(error)
        if place is not None and not message.startswith(place):
            message = f"{place}: {message}"
        raise InputError(message) from error


def _one_line(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__
