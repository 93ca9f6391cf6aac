"""Files that are written whole or not at all: an error leaves an older file as it was."""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
    target = Path(os.path.realpath(path))
    _check_writable(target)
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


def _is_stream(path: str | os.PathLike[str]) -> bool:
    """Whether `path` leads to a pipe or a device, which a file put in its place would remove."""
    place = Path(path)
    return place.exists() and not place.is_file() and not place.is_dir()


def _made_beside(target: Path) -> Path:
    """A new empty file in the folder of `target`, with the permissions that `open` gives."""
    temporary = target.parent / f".{target.name[:50]}.{secrets.token_hex(8)}.part"
    try:
        os.close(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
    except PermissionError as error:
        raise PermissionError(f"the folder {target.parent} cannot be written to: choose another") from error
    return temporary
