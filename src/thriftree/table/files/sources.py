"""Where a table comes from: a file or standard input, and what form it has by its first bytes."""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

from thriftree.table.files.csv_blocks import Resumed
from thriftree.table.files.problems import TableFileError, pyarrow, unreadable

Form: TypeAlias = Literal["csv", "parquet", "arrow file", "arrow stream"]

HEAD_BYTES = 1 << 17
_MAGIC: tuple[tuple[bytes, Form], ...] = (
    (b"PAR1", "parquet"),
    (b"ARROW1", "arrow file"),
    (b"\xff\xff\xff\xff", "arrow stream"),
)
_ARROW_FILE_PREFIX = 8  # the magic and its padding; what follows is a stream


@dataclass(frozen=True)
class Source:
    """An input that can be opened: a file any number of times, standard input once."""

    place: str  # as errors name it
    form: Form
    head: bytes
    path: Path | None  # None: standard input
    _pipe: BinaryIO | None = None

    def open(self) -> Any:
        """The bytes from the start, decompressed if the file's name ends with .gz, .bz2, .zst or .lz4."""
        if self.path is None:
            assert self._pipe is not None
            return io.BufferedReader(Resumed(self.head, self._pipe), 1 << 20)
        return pyarrow().input_stream(str(self.path))

    def open_stream_of_batches(self) -> Any:
        """A reader of an Arrow stream; the file form holds one after its magic."""
        file = self.open()
        if self.form == "arrow file":
            file.read(_ARROW_FILE_PREFIX)
        return pyarrow().ipc.open_stream(file)


def source_of(path: str) -> Source:
    """Looks at the first bytes; `-` is standard input."""
    if path == "-":
        pipe = sys.stdin.buffer
        head = _read_fully(pipe, HEAD_BYTES)
        form = _form(head)
        if form == "parquet":
            raise TableFileError(
                "standard input: Parquet cannot be read from a pipe: name the file, or send CSV or Arrow"
            )
        return Source("standard input", form, head, None, pipe)
    file = Path(path)
    if not file.exists():
        raise TableFileError(f"{path}: there is no such file: check the name and the folder")
    if file.is_dir():
        raise TableFileError(f"{path}: a folder, not a file: name a file in it")
    try:
        with pyarrow().input_stream(path) as stream:
            head = _read_fully(stream, HEAD_BYTES)
    except OSError as error:
        raise unreadable(path, error) from None
    return Source(path, _form(head), head, file)


def _form(head: bytes) -> Form:
    return next((form for magic, form in _MAGIC if head.startswith(magic)), "csv")


def _read_fully(stream: Any, size: int) -> bytes:
    """Up to `size` bytes: a pipe gives fewer at a time."""
    parts, left = [], size
    while left > 0 and (part := stream.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
