"""A table as each engine has it, divided at given rows, and the arguments of `fit` for it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet

N_ROWS = 400
#: Where parts end: in one, two and seven parts, with an empty one, one of one row, and very unequal ones.
CUTS: dict[str, list[int]] = {
    "one": [],
    "two": [150],
    "seven": [10, 11, 60, 60, 200, 390],
    "one class first": [100],
}


def table(seed: int = 0) -> pd.DataFrame:
    """Numbers, few-valued numbers, categories of which one is in the last rows only, missing values, and
    classes whose first hundred rows are of one.
    """
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(size=N_ROWS),
            "b": rng.integers(0, 5, N_ROWS),
            "c": rng.choice(["x", "y", "z"], N_ROWS),
            "weight": rng.choice([0.5, 1.0, 2.25], N_ROWS),
        }
    )
    frame.loc[rng.random(N_ROWS) < 0.1, "a"] = np.nan
    frame.loc[frame.index[-20:], "c"] = "only here"
    signal = frame.a.fillna(0.3) + frame.b / 3 + (frame.c == "y") - (frame.c == "only here")
    frame["number"] = signal + rng.normal(scale=0.1, size=N_ROWS)
    frame["label"] = np.where(frame.number > 0.8, "high", "low")
    frame.loc[frame.index[:100], "label"] = "low"
    return frame


FEATURES = ["a", "b", "c"]


def pieces(frame: pd.DataFrame, cuts: list[int]) -> list[pd.DataFrame]:
    """The rows between cuts, in order."""
    ends = [0, *cuts, len(frame)]
    return [frame.iloc[begin:end] for begin, end in pairwise(ends)]


def write_files(frame: pd.DataFrame, cuts: list[int], folder: Path) -> Path:
    """One Parquet file a part, all with one schema; the folder."""
    schema = pa.Schema.from_pandas(frame, preserve_index=False)
    for number, piece in enumerate(pieces(frame, cuts)):
        rows = pa.Table.from_pandas(piece, schema=schema, preserve_index=False)
        parquet.write_table(rows, folder / f"part-{number}.parquet")
    return folder


def as_files(frame: pd.DataFrame, cuts: list[int], folder: Path, target: str, weight: str | None) -> Any:
    from thriftree import ParquetTable

    columns = [*FEATURES, target, *([weight] if weight else [])]
    return ParquetTable(write_files(frame, cuts, folder), columns=columns), target, weight


def as_dataset(frame: pd.DataFrame, cuts: list[int], folder: Path, target: str, weight: str | None) -> Any:
    import pyarrow.dataset as dataset

    return dataset.dataset(write_files(_only(frame, target, weight), cuts, folder)), target, weight


def as_relation(frame: pd.DataFrame, cuts: list[int], folder: Path, target: str, weight: str | None) -> Any:
    import duckdb

    rows = pa.Table.from_pandas(_only(frame, target, weight), preserve_index=False)
    connection = duckdb.connect()
    connection.register("rows", rows)
    return connection.sql("select * from rows"), target, weight


def as_dask(frame: pd.DataFrame, cuts: list[int], folder: Path, target: str, weight: str | None) -> Any:
    import dask.dataframe as dd

    def piece(number: int) -> pd.DataFrame:
        return pieces(frame, cuts)[number]

    whole = dd.from_map(piece, range(len(cuts) + 1), meta=frame.iloc[:0])
    return whole[FEATURES], whole[target], None if weight is None else whole[weight]


def _only(frame: pd.DataFrame, target: str, weight: str | None) -> pd.DataFrame:
    return frame[[*FEATURES, target, *([weight] if weight else [])]]


ENGINES = {"files": as_files, "dataset": as_dataset, "duckdb": as_relation, "dask": as_dask}


def fit_in_parts(model: Any, given: tuple[Any, Any, Any]) -> Any:
    X, y, weight = given
    return model.fit(X, y, sample_weight=weight)


def fit_here(model: Any, frame: pd.DataFrame, target: str, weight: str | None) -> Any:
    return model.fit(frame[FEATURES], frame[target], sample_weight=None if weight is None else frame[weight])


def content(model: Any) -> dict[str, Any]:
    """All that a tree says, but what made it."""
    document = dict(model.tree_.to_dict())
    document.pop("settings")
    return document
