"""Files that are written whole or not at all: an error leaves an older file as it was."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_TOKEN_BYTES = 8
_STALE_S = 24 * 3600


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A path to write to; what stands there at the end of the block becomes `path`.

    A link stays, and the file it leads to is written. A pipe or a device such as /dev/null stays too: it gets
    what was written. Raises OSError before the block where the file or its folder cannot be written to.
    """
    if _is_stream(path):
        with tempfile.TemporaryDirectory() as folder:
            temporary = Path(folder) / "content"
            yield temporary
            with open(temporary, "rb") as written, open(path, "wb") as stream:
                shutil.copyfileobj(written, stream)
        return
    target = _target_of(path)
    _check_writable(target)
    _sweep(target)
    temporary = _made_beside(target)
    try:
        yield temporary
        with open(temporary, "rb") as written:
            os.fsync(written.fileno())
        if target.exists():
            os.chmod(temporary, target.stat().st_mode & 0o777)
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Writes a file; text as UTF-8 with the line ends it has."""
    with whole_file(path) as temporary:
        temporary.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)


def _target_of(path: str | os.PathLike[str]) -> Path:
    """The file that links lead to, which need not exist."""
    try:
        return Path(path).resolve(strict=True)
    except FileNotFoundError:
        return Path(os.path.realpath(path))
    except (OSError, RuntimeError) as error:  # RuntimeError: Python before 3.13
        if isinstance(error, OSError) and error.errno != errno.ELOOP:
            raise
        message = "a link that leads back to itself: remove it, or name another file"
        raise OSError(errno.ELOOP, message, os.fspath(path)) from error


def _check_writable(target: Path) -> None:
    if target.is_dir():
        raise IsADirectoryError(f"{target} is a folder: name a file in it")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"the folder {target.parent} does not exist: make it first")
    # A file that was made read-only could be replaced all the same, which its owner did not want.
    if target.exists() and not target.stat().st_mode & 0o222:
        raise PermissionError(f"{target} is read-only: allow writing to it, or name another file")


def _is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether `path` leads to a pipe or a device, which a file put in its place would remove."""
    place = Path(path)
    return place.exists() and not place.is_file() and not place.is_dir()


def _sweep(target: Path) -> None:
    """Removes what a process that was killed while it wrote this file left beside it, a day ago or more: a
    younger one may still be written.
    """
    ours = re.compile(re.escape(f".{target.name[:50]}.") + rf"[0-9a-f]{{{2 * _TOKEN_BYTES}}}\.part")
    if not os.access(target.parent, os.R_OK):
        return
    for name in os.listdir(target.parent):
        if ours.fullmatch(name):
            part = target.parent / name
            # Another process may have finished or swept it meanwhile; what is not ours to remove stays.
            with suppress(FileNotFoundError, PermissionError):
                if stat.S_ISREG(part.lstat().st_mode) and time.time() - part.lstat().st_mtime > _STALE_S:
                    part.unlink()


def _sync_folder(folder: Path) -> None:
    """Makes the new name last through a loss of power, where the system has such a call for folders."""
    if os.name == "nt" or not os.access(folder, os.R_OK):
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # file systems that cannot
            raise
    finally:
        os.close(descriptor)


def _made_beside(target: Path) -> Path:
    """A new empty file in the folder of `target`, with the permissions that `open` gives."""
    temporary = target.parent / f".{target.name[:50]}.{secrets.token_hex(_TOKEN_BYTES)}.part"
    try:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except PermissionError as error:
        raise PermissionError(f"the folder {target.parent} cannot be written to: choose another") from error
    return temporary
