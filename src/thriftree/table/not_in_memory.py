"""Tables whose rows are not in memory yet: they are refused, with the call that brings the rows."""

from __future__ import annotations

from typing import Any, Final

# By the package that a type comes from: what its tables are called, and how they are read.
_HOW_TO_READ: Final = {
    "dask": ("dask {kind}", "{name}.compute()"),
    "dask_expr": ("dask {kind}", "{name}.compute()"),
    "duckdb": ("DuckDB relation", "{name}.df() or {name}.arrow()"),
    "_duckdb": ("DuckDB relation", "{name}.df() or {name}.arrow()"),
    "pyspark": ("Spark {kind}", "{name}.toPandas()"),
}


def refuse_if_not_in_memory(table: Any, name: str) -> None:
    """Raises TypeError for lazy tables: reading one whole, unasked, may take more memory than there is.

    ``name`` is what the caller's argument is called. Types are known by where they come from, so that no
    library is imported.
    """
    kind = type(table)
    package = kind.__module__.partition(".")[0]
    if package == "polars" and kind.__name__ == "LazyFrame":
        what, call = "polars LazyFrame", "{name}.collect()"
    elif package in _HOW_TO_READ:
        what, call = _HOW_TO_READ[package]
    else:
        return
    raise TypeError(
        f"{name} is a {what.format(kind=kind.__name__)}, whose rows are not in memory: "
        f"call {call.format(name=name)} first"
    )
