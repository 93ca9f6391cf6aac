"""Files that commands write: checked before the work, written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from thriftree.cli.errors import InputError


def check_writable(path: str | None) -> None:
    """Refuses, before hours of work, a file that could not be written at the end."""
    if path is None or path == "-":
        return
    file = Path(path)
    folder = file.parent
    if file.is_dir():
        raise InputError(f"{path}: a folder: name a file in it")
    if file.exists() and not file.is_file():
        raise InputError(f"{path}: not an ordinary file: name another, or - for standard output")
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {folder}: make it first")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{path}: the folder {folder} cannot be written to: name another")
