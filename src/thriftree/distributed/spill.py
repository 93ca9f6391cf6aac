"""What is kept of parts, in a file without a name that goes with the process: arrays are mapped, not read."""

from __future__ import annotations

import mmap
import os
import pickle
import tempfile
from dataclasses import dataclass
from threading import Lock
from typing import Any, Final
from weakref import finalize

FOLDER: Final = "THRIFTREE_SPILL"  # the environment's name for the folder
_ALIGNMENT: Final = 64  # bytes: of every array, so that the core's vector code finds it where it likes


@dataclass(frozen=True)
class Spilled:
    """Where a content lies in the file: its pickle, and the arrays that the pickle refers to."""

    start: int  # a multiple of what the system maps
    n_bytes: int
    buffers: tuple[tuple[int, int], ...]  # where each array begins and ends, from `start`
    pickled: bytes


def n_bytes_of(content: Any) -> int:
    """What a content's arrays take."""
    return _laid_out(content)[3]


def save_content(path: str, content: Any) -> None:
    """The content as a file of its own, there whole or not at all."""
    pickled, views, places, end = _laid_out(content)
    header = pickle.dumps(Spilled(0, end, places, pickled))
    handle, unfinished = tempfile.mkstemp(dir=os.path.dirname(path))
    try:
        with open(handle, "wb") as file:
            for view, (begin, _) in zip(views, places, strict=True):
                file.seek(begin)
                file.write(view)
            file.seek(end)
            file.write(header)
            file.write(len(header).to_bytes(8, "little"))
        os.replace(unfinished, path)
    except BaseException:
        os.unlink(unfinished)
        raise


def load_content(path: str) -> Any:
    """What `save_content` wrote; its arrays are pages of the file, mapped as long as one is in use."""
    with open(path, "rb") as file:
        pages = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    length = int.from_bytes(pages[-8:], "little")
    spilled: Spilled = pickle.loads(pages[-8 - length : -8])
    view = memoryview(pages)
    return pickle.loads(spilled.pickled, buffers=[view[begin:end] for begin, end in spilled.buffers])


class SpillFile:
    """Contents of parts, written once and mapped when asked for.

    The file lies in the folder that THRIFTREE_SPILL names, or in that for temporary files. It is taken out of
    the folder as soon as it is open, so that its space is free again when the process ends, however it ends.
    """

    def __init__(self) -> None:
        folder = os.environ.get(FOLDER) or None
        try:
            self._file = tempfile.TemporaryFile(prefix="thriftree-", dir=folder)  # noqa: SIM115
        except OSError as error:
            raise OSError(
                f"no file can be made in {folder or tempfile.gettempdir()} for the codes of a table that is "
                f"larger than memory ({error.strerror}): let {FOLDER} name a folder with space"
            ) from None
        self._end = 0
        self._lock = Lock()
        finalize(self, self._file.close)

    @property
    def n_bytes(self) -> int:
        """What has been written."""
        return self._end

    def write(self, content: Any) -> Spilled:
        """The content, whose contiguous numpy arrays are not pickled but lie in the file as they are."""
        pickled, views, places, end = _laid_out(content)
        with self._lock:
            start = self._end
            self._end = start + -(-end // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
            self._file.truncate(self._end)  # also where the last array has no bytes
        for view, (begin, _) in zip(views, places, strict=True):
            self._write_at(view, start + begin)
        return Spilled(start, end, places, pickled)

    def read(self, spilled: Spilled) -> Any:
        """The content; its arrays are pages of the file, mapped as long as one of them is in use."""
        if not spilled.n_bytes:
            return pickle.loads(spilled.pickled, buffers=[b""] * len(spilled.buffers))
        pages = mmap.mmap(self._file.fileno(), spilled.n_bytes, access=mmap.ACCESS_READ, offset=spilled.start)
        view = memoryview(pages)
        return pickle.loads(spilled.pickled, buffers=[view[begin:end] for begin, end in spilled.buffers])

    def close(self) -> None:
        """The space is free again once nothing is mapped any more."""
        self._file.close()

    def _write_at(self, view: memoryview, offset: int) -> None:
        with self._lock:
            self._file.seek(offset)
            self._file.write(view)
            self._file.flush()


def _laid_out(content: Any) -> tuple[bytes, list[memoryview], tuple[tuple[int, int], ...], int]:
    """The pickle without the arrays, the arrays' bytes, where each is to lie, and where the last one ends."""
    arrays: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(content, protocol=5, buffer_callback=arrays.append)
    views = [array.raw() for array in arrays]
    places, end = [], 0
    for view in views:
        start = -(-end // _ALIGNMENT) * _ALIGNMENT
        end = start + view.nbytes
        places.append((start, end))
    return pickled, views, tuple(places), end
