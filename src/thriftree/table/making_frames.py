"""Frames made, read from Parquet, joined and narrowed, in the dataframe library that is there."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from os import PathLike, fspath
from typing import Any, Literal, TypeAlias

from thriftree.table.frame import Array

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]


def make_frame(columns: Mapping[str, Sequence[Any] | Array], backend: Backend | None = None) -> Any:
    """A frame of the library `backend`, or of the first that is installed of pandas, polars and pyarrow.

    None in a column is a missing value.
    """
    import narwhals as nw

    return nw.from_dict(columns, backend=backend or _installed_backend()).to_native()


def read_parquet(path: str | PathLike[str]) -> Any:
    """A Parquet file as a frame of the first library installed of pandas, polars and pyarrow."""
    import narwhals as nw

    return nw.read_parquet(fspath(path), backend=_installed_backend()).to_native()


def concat_rows(frames: Sequence[Any]) -> Any:
    """The rows of all frames, one after the other; they must have the same columns."""
    import narwhals as nw

    return nw.concat([nw.from_native(frame, eager_only=True) for frame in frames]).to_native()


def without_columns(X: Any, names: Sequence[str]) -> Any:
    """The frame X without these columns, each of which it must have."""
    import narwhals as nw

    return nw.from_native(X, eager_only=True).drop(names).to_native()


def _installed_backend() -> Backend:
    backends: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")
    for backend in backends:
        if importlib.util.find_spec(backend) is not None:
            return backend
    raise ModuleNotFoundError(
        "a frame needs pandas, polars or pyarrow, and none is installed: "
        "install one, or ask for plain columns (as_frame=False)"
    )
