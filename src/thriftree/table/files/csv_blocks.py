"""A CSV file parsed block by block on several threads, in order, in bounded memory.

A line end divides records for certain only where no quote opens a text that may hold one. So blocks without a
quote are parsed side by side; from the first quote on, pyarrow's own reader goes through the rest.
"""

from __future__ import annotations

import io
import os
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, BinaryIO

from thriftree.table.files.problems import pyarrow

BLOCK_BYTES = 2 << 20
_MOST_THREADS = 8


def parse_in_blocks(file: Any, names: Sequence[str], options: dict[str, Any]) -> Generator[Any, None, bool]:
    """The record batches of a CSV file in UTF-8, in order; and at its end whether there may be quotes in it.

    `file` is open at its start, `names` are those of the header, `options` those of `pyarrow.csv.open_csv`.
    """
    import pyarrow.csv as csv

    blocks = _Blocks(file)
    rest = blocks.header
    if rest.strip() and b'"' not in rest:
        threads = _n_threads()
        with ThreadPoolExecutor(threads) as pool:
            under_way: deque[Future[list[Any]]] = deque()
            for block in blocks:
                under_way.append(pool.submit(_parse, block, names, options))
                if len(under_way) > threads:
                    yield from under_way.popleft().result()
            while under_way:
                yield from under_way.popleft().result()
        if not blocks.rest:
            return False
    # The last line, if no line end closes it; all from the first quote on; or all.
    resumed = Resumed(rest + blocks.rest, file)
    yield from csv.open_csv(io.BufferedReader(resumed, 1 << 20), **options)
    return True


class _Blocks:
    """Whole lines without quotes, a few megabytes at a time; `rest` is what was read and is none of these."""

    def __init__(self, file: Any) -> None:
        self._file = file
        start = file.read(BLOCK_BYTES)
        end = start.find(b"\n") + 1
        self.header, self.rest = start[:end], start[end:]

    def __iter__(self) -> Iterator[memoryview]:
        while True:
            carried = len(self.rest)
            buffer = bytearray(carried + BLOCK_BYTES)  # one copy of what is read, and none after
            buffer[:carried] = self.rest
            view = memoryview(buffer)
            size = carried + (self._file.readinto(view[carried:]) or 0)
            end = buffer.rfind(b"\n", 0, size) + 1
            if not end or buffer.find(b'"', 0, size) >= 0:
                self.rest = bytes(view[:size])
                return
            self.rest = bytes(view[end:size])
            yield view[:end]


def _parse(block: memoryview, names: Sequence[str], options: dict[str, Any]) -> list[Any]:
    import pyarrow.csv as csv

    pa = pyarrow()
    own = {
        **options,
        "read_options": csv.ReadOptions(column_names=names, block_size=len(block) + 1, use_threads=False),
        "parse_options": csv.ParseOptions(delimiter=options["parse_options"].delimiter, quote_char=False),
    }
    return list(csv.open_csv(pa.BufferReader(pa.py_buffer(block)), **own))


def _n_threads() -> int:
    """One more than there are cores: whoever takes the batches waits now and then."""
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available + 1, _MOST_THREADS)


class Resumed(io.RawIOBase):
    """A stream of which the first bytes have been read already."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = io.BytesIO(head)
        self._rest = rest

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fills the buffer, first from the head."""
        count = self._head.readinto(buffer)
        if count:
            return count
        part = self._rest.read(len(buffer))
        buffer[: len(part)] = part
        return len(part)
