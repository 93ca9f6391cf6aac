"""Tables in files: CSV, Parquet and Arrow, read whole or in batches, and written in batches.

Beside `thriftree.frames` the only place that knows pyarrow (the extra `thriftree[cli]`).
"""

from thriftree.table_files.csv_text import CsvStyle
from thriftree.table_files.problems import TableFileError
from thriftree.table_files.reading import read_table
from thriftree.table_files.streaming import Batch, stream_table
from thriftree.table_files.writing import BatchWriter, batch_writer

__all__ = [
    "Batch",
    "BatchWriter",
    "CsvStyle",
    "TableFileError",
    "batch_writer",
    "read_table",
    "stream_table",
]
