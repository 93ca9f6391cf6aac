"""Where a table comes from: a file or standard input, and what form it has by its first bytes."""

from __future__ import annotations

import codecs
import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias

from thriftree.table.files.csv_blocks import Resumed
from thriftree.table.files.problems import TableFileError, pyarrow, unreadable

Form: TypeAlias = Literal["csv", "parquet", "arrow file", "arrow stream"]

_HEAD_BYTES = 1 << 17
#: What a first record may take: else a file with a quote that nothing closes would be held in memory.
MAX_HEADER_BYTES = 1 << 26
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
    head: bytes  # of CSV the whole first record, with some of what follows
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


def source_of(path: str, encoding: str | None = None) -> Source:
    """Looks at the first bytes; `-` is standard input. `encoding` is that of CSV; None: UTF-8."""
    if path == "-":
        pipe = _standard_input()
        form, head = _form_and_head(pipe, encoding, "standard input")
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
            form, head = _form_and_head(stream, encoding, path)
    except OSError as error:
        raise unreadable(path, error) from None
    return Source(path, form, head, file)


def _standard_input() -> BinaryIO:
    """The bytes of standard input; also where a program put a stream of texts in its place."""
    binary: BinaryIO | None = getattr(sys.stdin, "buffer", None)
    return binary if binary is not None else io.BytesIO(sys.stdin.read().encode("utf-8"))


def _form_and_head(stream: Any, encoding: str | None, place: str) -> tuple[Form, bytes]:
    head = _read_fully(stream, _HEAD_BYTES)
    form: Form = next((form for magic, form in _MAGIC if head.startswith(magic)), "csv")
    if form != "csv" or (b"\0" in head and encoding is None):
        return form, head
    # What ends a record in UTF-8 is the same byte in every encoding that has ASCII's characters.
    record = _FirstRecord(codecs.getincrementaldecoder(encoding or "latin-1")("replace"))
    parts, size = [head], len(head)
    while not record.ends_in(parts[-1]):
        if size >= MAX_HEADER_BYTES:
            raise TableFileError(
                f"{place}: the first line has no end within {MAX_HEADER_BYTES >> 20} MiB: it is no header, "
                "or a quote in it is never closed"
            )
        part = _read_fully(stream, min(size, MAX_HEADER_BYTES - size))
        if not part:
            break
        parts.append(part)
        size += len(part)
    return form, b"".join(parts)


class _FirstRecord:
    """Looks for the end of the first record in bytes that come part by part."""

    def __init__(self, decoder: codecs.IncrementalDecoder) -> None:
        self._decoder = decoder
        self._begun = self._quoted = False

    def ends_in(self, part: bytes) -> bool:
        """Whether the record ends in this part; a line end in quotes, or before the record, ends nothing."""
        for line in self._decoder.decode(part).splitlines(keepends=True):
            self._begun = self._begun or bool(line.strip("\r\n"))
            self._quoted ^= line.count('"') % 2 == 1
            if self._begun and not self._quoted and line.endswith(("\r", "\n")):
                return True
        return False


def _read_fully(stream: Any, size: int) -> bytes:
    """Up to `size` bytes: a pipe gives fewer at a time."""
    parts, left = [], size
    while left > 0 and (part := stream.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
