"""A table written in batches, as CSV, Parquet or Arrow: the whole file or none of it."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from thriftree.table_files.problems import TableFileError
from thriftree.whole_files import whole_file

FORMS = {".csv": "csv", ".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}


class BatchWriter(Protocol):
    """What takes batches, all of one schema."""

    def write_batch(self, batch: Any) -> None:
        """Adds the rows of a pyarrow.RecordBatch."""


def form_of(path: str) -> str:
    """ "csv", "parquet" or "arrow", by the end of the file's name; standard output, `-`, is CSV."""
    if path == "-":
        return "csv"
    ending = Path(path).suffix.lower()
    if ending not in FORMS:
        raise TableFileError(
            f"{path}: no form of table is known by the ending {ending or 'of no name'!r}: "
            f"end it with {', '.join(FORMS)}"
        )
    return FORMS[ending]


@contextmanager
def batch_writer(path: str, schema: Any, *, quote: bool = True) -> Iterator[BatchWriter]:
    """A writer of batches of this schema to a file, which appears when all is well at the end; `-` is
    standard output. Without `quote` no text in them may need quotes in CSV.
    """
    form = form_of(path)
    if path == "-":
        with _csv_writer(sys.stdout.buffer, schema, quote) as writer:
            yield writer
        sys.stdout.buffer.flush()
        return
    with (
        whole_file(path) as temporary,
        open(temporary, "wb") as file,
        _writer(form, file, schema, quote) as writer,
    ):
        yield writer


def _writer(form: str, file: Any, schema: Any, quote: bool) -> Any:
    if form == "csv":
        return _csv_writer(file, schema, quote)
    if form == "parquet":
        import pyarrow.parquet as parquet

        return parquet.ParquetWriter(file, schema)
    import pyarrow.ipc as ipc

    return ipc.new_file(file, schema)


@contextmanager
def _csv_writer(file: Any, schema: Any, quote: bool) -> Iterator[BatchWriter]:
    """pyarrow quotes every name in the header, and every text or none; so the header is written here."""
    import pyarrow.csv as arrow_csv

    header = io.StringIO()
    csv.writer(header, lineterminator="\n").writerow(schema.names)
    file.write(header.getvalue().encode("utf-8"))
    style = "needed" if quote else "none"
    options = arrow_csv.WriteOptions(include_header=False, quoting_style=style)
    with arrow_csv.CSVWriter(file, schema, write_options=options) as writer:
        yield writer
