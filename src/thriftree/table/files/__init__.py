"""Tables in files: CSV, Parquet and Arrow, read whole or in batches, and written in batches.

Beside `thriftree.table.dataframes` the only place that knows pyarrow (the extra `thriftree[cli]`).
"""

from thriftree.table.files.csv_text import CsvStyle
from thriftree.table.files.problems import TableFileError
from thriftree.table.files.reading import read_table
from thriftree.table.files.streaming import Batch, stream_table
from thriftree.table.files.writing import BatchWriter, batch_writer

__all__ = [
    "Batch",
    "BatchWriter",
    "CsvStyle",
    "TableFileError",
    "batch_writer",
    "read_table",
    "stream_table",
]
