"""A session of Spark for tests, and frames in given partitions."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet


@contextmanager
def session(cores: int = 2) -> Iterator[Any]:
    """Spark in this machine, whose Python workers find what the tests define."""
    before = {name: os.environ.get(name) for name in ("PYSPARK_PYTHON", "PYTHONPATH")}
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, sys.path))
    from pyspark.sql import SparkSession

    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.files.openCostInBytes": "1000000000",  # a file is a partition, however small
    }
    builder = SparkSession.builder.master(f"local[{cores}]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    try:
        yield made
    finally:
        made.stop()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def divided_frame(spark: Any, pieces: Sequence[pd.DataFrame]) -> Any:
    """A DataFrame whose partitions are these rows, in order; texts and numbers only."""
    folder = tempfile.mkdtemp(prefix="thriftree-test-")
    whole = None
    longest = max(pieces, key=len)
    schema = pa.Schema.from_pandas(longest, preserve_index=False)
    for number, piece in enumerate(pieces):
        path = os.path.join(folder, f"{number:03}.parquet")
        rows = pa.Table.from_pandas(piece, schema=schema, preserve_index=False)
        parquet.write_table(rows, path)
        frame = spark.read.parquet(path)  # a partition each; coalesced ones would be united into one
        whole = frame if whole is None else whole.union(frame)
    return whole
