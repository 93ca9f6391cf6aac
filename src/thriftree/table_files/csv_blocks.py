"""A CSV file parsed block by block on several threads, in order, in bounded memory.

A line end divides records for certain only where no quote opens a text that may hold one. So blocks without a
quote are parsed side by side; from the first quote on, pyarrow's own reader goes through the rest.
"""

from __future__ import annotations

import io
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, BinaryIO

from thriftree.table_files.problems import pyarrow

BLOCK_BYTES = 4 << 20
_MOST_THREADS = 8


def parse_in_blocks(file: BinaryIO, options: dict[str, Any]) -> Iterator[Any]:
    """The record batches of a CSV file in UTF-8, in order. `options` are those of `pyarrow.csv.open_csv`."""
    import pyarrow.csv as csv

    rest = file.read(BLOCK_BYTES)
    header = rest[: rest.find(b"\n") + 1]
    threads = _n_threads()
    if header.strip() and b'"' not in header:
        rest = rest[len(header) :]
        with ThreadPoolExecutor(threads) as pool:
            under_way: deque[Future[list[Any]]] = deque()
            while b'"' not in rest and (end := rest.rfind(b"\n") + 1):
                under_way.append(pool.submit(_parse, header, rest[:end], options))
                rest = rest[end:] + file.read(BLOCK_BYTES)
                if len(under_way) > threads:
                    yield from under_way.popleft().result()
            while under_way:
                yield from under_way.popleft().result()
        if not rest:
            return
        rest = header + rest  # the last line, if no line end closes it; or all from the first quote on
    yield from csv.open_csv(io.BufferedReader(Resumed(rest, file), 1 << 20), **options)


def _parse(header: bytes, block: bytes, options: dict[str, Any]) -> list[Any]:
    import pyarrow.csv as csv

    own = {**options, "read_options": csv.ReadOptions(block_size=len(header) + len(block) + 1)}
    return list(csv.open_csv(pyarrow().BufferReader(header + block), **own))


def _n_threads() -> int:
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(available, _MOST_THREADS)


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
