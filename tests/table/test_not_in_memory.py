"""What cannot take tables in parts refuses them with the call that reads them, and does not read them."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pytest

from thriftree import CARTClassifier, ParquetTable, SoftTreeClassifier
from thriftree.table.frames import read_frame


def lazy(name: str, module: str, shape: Any = (4, 2)) -> Any:
    """A stand-in that fails the test when its rows are asked for."""

    def read(*_: Any, **__: Any) -> Any:
        raise AssertionError("the rows were read")

    members = {"__module__": module, "__array__": read, "__iter__": read, "__len__": read, "shape": shape}
    return type(name, (), members)()


REFUSED = {
    "dask array": (lazy("Array", "dask.array.core"), r"dask Array.*call {}\.compute\(\) first"),
    "dask frame": (
        lazy("DataFrame", "dask.dataframe.dask_expr._collection", (float("nan"), 2)),
        r"dask DataFrame.*call {}\.compute\(\) first",
    ),
    "older dask frame": (lazy("DataFrame", "dask_expr._collection"), r"dask DataFrame.*{}\.compute\(\)"),
    "Spark frame": (lazy("DataFrame", "pyspark.sql.dataframe"), r"Spark DataFrame.*{}\.toPandas\(\)"),
    "DuckDB relation": (
        duckdb.sql("select * from (values (1, 2), (3, 4)) as t(a, b)"),
        r"DuckDB relation.*call {0}\.df\(\) or {0}\.arrow\(\) first",
    ),
    "pyarrow dataset": (
        pyarrow.dataset.dataset(pa.table({"a": [1, 2]})),
        r"pyarrow InMemoryDataset.*call {}\.to_table\(\) first",
    ),
    "files": (ParquetTable("nowhere"), r"ParquetTable.*call pyarrow\.parquet\.read_table\({}\.files\) first"),
    "polars lazy frame": (pl.LazyFrame({"a": [1, 2]}), r"polars LazyFrame.*call {}\.collect\(\) first"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_features_that_are_not_in_memory_are_refused(kind: str) -> None:
    X, said = REFUSED[kind]
    for refuse in (
        lambda: read_frame(X),
        lambda: SoftTreeClassifier().fit(X, [0, 1]),
        lambda: CARTClassifier().fit(np.eye(2), [0, 1]).decision_path(X),
    ):
        with pytest.raises(TypeError, match="X is a " + said.format("X")):
            refuse()


@pytest.mark.parametrize("kind", REFUSED)
def test_targets_that_are_not_in_memory_are_refused(kind: str) -> None:
    y, said = REFUSED[kind]
    with pytest.raises(TypeError, match="y is a " + said.format("y")):
        CARTClassifier().fit(np.eye(2), y)
