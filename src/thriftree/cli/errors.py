"""What a user can put right, told apart from what is our fault."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

_REMEDIES = {
    errno.ENOSPC: ": make room, or name a file elsewhere",
    errno.EDQUOT: ": make room, or name a file elsewhere",
    errno.EACCES: ": ask for the right to it, or name another file",
}


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
        message = one_line(error)
        if place is not None and not message.startswith(place):
            message = f"{place}: {message}"
        raise InputError(message) from error


@contextmanager
def naming_output(path: str) -> Iterator[None]:
    """Around writing: an error of the system, such as a full disk, names the file that was to be written."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        message = one_line(OSError(error.errno, error.strerror) if error.strerror else error)
        raise InputError(f"{'standard output' if path == '-' else path}: {message}") from error


def one_line(error: BaseException) -> str:
    """What an error says, with the file it is about and what to do, as far as it tells."""
    if isinstance(error, OSError) and error.strerror:
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror}{_REMEDIES.get(error.errno or 0, '')}"
    return " ".join(str(error).split()) or type(error).__name__
