"""Files that are written whole or not at all: an error leaves an older file as it was."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path beside `path` to write to; what stands there at the end of the block becomes `path`.

    A link stays, and the file it leads to is written. Raises OSError before the block where the file or its
    folder cannot be written to.
    """
    target = Path(os.path.realpath(path))
    _check_writable(target)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:50]}.", suffix=".part", dir=target.parent)
    except PermissionError as error:
        raise PermissionError(f"the folder {target.parent} cannot be written to: choose another") from error
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with open(temporary, "rb") as written:
            os.fsync(written.fileno())
        os.chmod(temporary, _mode_for(target))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Writes a file; text as UTF-8 with the line ends it has."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def _check_writable(target: Path) -> None:
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder: name a file in it")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist: make it first")
    # A file that was made read-only could be replaced all the same, which its owner did not want.
    if target.exists() and not target.stat().st_mode & 0o222:
        raise PermissionError(f"{target} is read-only: allow writing to it, or name another file")


def _mode_for(target: Path) -> int:
    """Permissions that `open` would have given the file: those it has, or the process's default."""
    if target.exists():
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
