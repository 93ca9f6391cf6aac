"""A table written in batches, as CSV, Parquet or Arrow: the whole file or none of it."""

from __future__ import annotations

import codecs
import csv
import io
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from numpy.typing import NDArray

from thriftree.table.files.problems import TableFileError, pyarrow
from thriftree.table.frame import Levels
from thriftree.whole_files import whole_file

FORMS = {".csv": "csv", ".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}


def form_of(path: str) -> str:
    """ "csv", "parquet" or "arrow", by the end of the file's name; standard output, `-`, is CSV."""
    if path == "-":
        return "csv"
    ending = Path(path).suffix.lower()
    if ending not in FORMS:
        raise TableFileError(
            f"{path}: no form of table has the ending {ending!r}: end the name with {', '.join(FORMS)}"
        )
    return FORMS[ending]


class BatchWriter:
    """Takes batches that all have the same columns; the first decides the types."""

    def __init__(self, form: str, file: Any, stack: ExitStack, quote: bool) -> None:
        self._form, self._file, self._stack, self._quote = form, file, stack, quote
        self._writer: Any = None

    def write(self, kept: Any, columns: Mapping[str, NDArray[Any] | Levels]) -> None:
        """Adds rows: the columns of `kept` (a pyarrow.RecordBatch), then `columns`, of numbers or labels."""
        pa = pyarrow()
        arrays = [_decoded(column) for column in kept.columns] + [
            _array(values) for values in columns.values()
        ]
        batch = pa.record_batch(arrays, names=[*kept.schema.names, *columns])
        if self._writer is None:
            self._writer = self._stack.enter_context(_open(self._form, self._file, batch.schema, self._quote))
        self._writer.write_batch(batch)

    def close(self, names: Sequence[str]) -> None:
        """Ends the table; without any batch it has these columns, and no rows."""
        if self._writer is None:
            pa = pyarrow()
            schema = pa.schema([(name, pa.string()) for name in names])
            self._stack.enter_context(_open(self._form, self._file, schema, self._quote))


@contextmanager
def batch_writer(path: str, names: Sequence[str], *, quote: bool = True) -> Iterator[BatchWriter]:
    """A writer to a file, which appears when all is well at the end; `-` is standard output.

    `names` are the columns. Without `quote` no text in them may need quotes in CSV.
    """
    form = form_of(path)
    with ExitStack() as stack:
        if path == "-":
            file: Any = standard_output()
        else:
            file = stack.enter_context(open(stack.enter_context(whole_file(path)), "wb"))
        writer = BatchWriter(form, file, stack, quote)
        yield writer
        writer.close(names)
    if path == "-":
        file.flush()


def standard_output() -> Any:
    """Standard output for bytes; also where a program put something in its place that takes texts only."""
    return getattr(sys.stdout, "buffer", None) or _Texts(sys.stdout)


class _Texts(io.RawIOBase):
    """Passes bytes of UTF-8 on as texts."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, content: Any) -> int:
        """Writes what is complete of it; the rest of a character follows."""
        given = bytes(content)
        self._stream.write(self._decoder.decode(given))
        return len(given)

    def flush(self) -> None:
        """The stream's own."""
        if not self.closed:
            self._stream.flush()


def _open(form: str, file: Any, schema: Any, quote: bool) -> Any:
    if form == "csv":
        return _csv_writer(file, schema, quote)
    if form == "parquet":
        import pyarrow.parquet as parquet

        return parquet.ParquetWriter(file, schema)
    import pyarrow.ipc as ipc

    return ipc.new_file(file, schema)


@contextmanager
def _csv_writer(file: Any, schema: Any, quote: bool) -> Iterator[Any]:
    """pyarrow quotes every name in the header, and every text or none; so the header is written here."""
    import pyarrow.csv as arrow_csv

    header = io.StringIO()
    csv.writer(header, lineterminator="\n").writerow(schema.names)
    file.write(header.getvalue().encode("utf-8"))
    style = "needed" if quote else "none"
    options = arrow_csv.WriteOptions(include_header=False, quoting_style=style)
    with arrow_csv.CSVWriter(file, schema, write_options=options) as writer:
        yield writer


def _decoded(column: Any) -> Any:
    pa = pyarrow()
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _array(values: NDArray[Any] | Levels) -> Any:
    """A column for pyarrow. Labels of several types are written as texts, since a column has one type.

    By its buffers: `pyarrow.array` would import pandas if that is installed, and `take` all of
    `pyarrow.compute`, either of which takes longer than to answer a hundred thousand rows.
    """
    if not isinstance(values, Levels):
        return _numbers(np.ascontiguousarray(values))
    if {type(level) for level in values.levels} in ({int}, {float}, {bool}):
        return _numbers(np.array(values.levels)[values.codes])
    return _texts([str(level) for level in values.levels], values.codes)


def _numbers(values: NDArray[Any]) -> Any:
    pa = pyarrow()
    bits = np.packbits(values, bitorder="little") if values.dtype == np.bool_ else values
    buffers = [None, pa.py_buffer(bits)]
    return pa.Array.from_buffers(pa.from_numpy_dtype(values.dtype), len(values), buffers)


def _texts(texts: Sequence[str], codes: NDArray[np.int32]) -> Any:
    """The text of each code."""
    pa = pyarrow()
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = np.array([len(text) for text in encoded])
    offsets = np.zeros(len(codes) + 1, np.int32)
    np.cumsum(lengths[codes], out=offsets[1:])
    content = b"".join(map(encoded.__getitem__, codes.tolist()))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.string(), len(codes), buffers)
