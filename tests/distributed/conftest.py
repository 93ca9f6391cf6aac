"""The engines that the shared tests run on."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from tables_in_parts import ENGINE_NAMES
from thoroughness import FULL

from thriftree import ParquetTable
from thriftree.distributed import loaded, parquet_table
from thriftree.distributed.engines import parts_of
from thriftree.distributed.loaded import LoadedParts
from thriftree.distributed.local import LocalParts
from thriftree.distributed.parts import Parts, TablePart

MakeParts = Callable[[Sequence[TablePart]], Parts]


@pytest.fixture(params=ENGINE_NAMES)
def engine(request: Any) -> MakeParts:
    """Makes parts of tables in memory. All but the first in the full run only."""
    if request.param == "local":
        return LocalParts
    made: MakeParts = request.getfixturevalue(f"{request.param}_engine")
    return made


@pytest.fixture(params=["local", "spilled", "dask"] if FULL else ["local"])
def engine_of_unlike_parts(request: Any) -> MakeParts:
    """The same without files: a schema of theirs would refuse parts that do not fit together before we do
    (tests/distributed/test_parquet_table.py).
    """
    if request.param == "local":
        return LocalParts
    made: MakeParts = request.getfixturevalue(f"{request.param}_engine")
    return made


def numbered(parts: Sequence[TablePart]) -> list[TablePart]:
    return [replace(part, index=number) for number, part in enumerate(parts)]


def itself(part: TablePart) -> TablePart:
    return part


@pytest.fixture
def spilled_engine(monkeypatch: pytest.MonkeyPatch) -> MakeParts:
    """Whatever is kept lies in a file, and is mapped for every question."""
    monkeypatch.setattr(loaded, "_SHARE", 0)

    def make(parts: Sequence[TablePart]) -> Parts:
        rows = [len(part.y) for part in parts]
        return LoadedParts([partial(itself, part) for part in numbered(parts)], lambda: rows)

    return make


@pytest.fixture
def files_engine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> MakeParts:
    """One Parquet file a part."""
    monkeypatch.setattr(parquet_table, "PART_BYTES", 1)

    def make(parts: Sequence[TablePart]) -> Parts:
        folder = tmp_path / f"{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        frames = [framed(part) for part in parts]
        longest = max(frames, key=len)  # the others may lack values to see a type from
        schema = pa.Schema.from_pandas(longest, preserve_index=False)
        for number, frame in enumerate(frames):
            rows = pa.Table.from_pandas(frame, schema=schema, preserve_index=False)
            parquet.write_table(rows, folder / f"{number:03}.parquet")
        weight = None if parts[0].weight is None else "the weight"
        made = parts_of(ParquetTable(folder), "the target", weight)
        assert made is not None
        return made

    return make


def framed(part: TablePart) -> pd.DataFrame:
    frame = part.X.assign(**{"the target": part.y})
    return frame if part.weight is None else frame.assign(**{"the weight": part.weight})


@pytest.fixture(scope="session")
def dask_processes() -> Iterator[Any]:
    """Two workers in processes of their own, that come back when they are killed."""
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        yield client


@pytest.fixture
def dask_engine(dask_processes: Any) -> MakeParts:
    """Workers in processes."""
    from dask import delayed

    from thriftree.distributed.dask import DaskParts

    def make(parts: Sequence[TablePart]) -> Parts:
        return DaskParts(dask_processes, [delayed(itself)(part) for part in numbered(parts)])

    return make


@pytest.fixture(scope="session")
def spark(require: Any) -> Iterator[Any]:
    """A session of Spark with two cores."""
    from spark_session import session

    require("java")
    with session() as made:
        yield made
