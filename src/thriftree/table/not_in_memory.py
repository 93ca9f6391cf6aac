"""Tables whose rows are not in memory: refused by what needs the rows, with the call that brings them."""

from __future__ import annotations

from typing import Any, Final

# By the module that a type comes from, or a package around it: what its tables are called, and how they are
# read.
_HOW_TO_READ: Final = {
    "dask": ("dask {kind}", "{name}.compute()"),
    "dask_expr": ("dask {kind}", "{name}.compute()"),
    "duckdb": ("DuckDB relation", "{name}.df() or {name}.arrow()"),
    "_duckdb": ("DuckDB relation", "{name}.df() or {name}.arrow()"),
    "pyarrow._dataset": ("pyarrow {kind}", "{name}.to_table()"),
    "pyspark": ("Spark {kind}", "{name}.toPandas()"),
    "thriftree.distributed.parquet_table": ("{kind}", "pyarrow.parquet.read_table({name}.files)"),
}


def refuse_if_not_in_memory(table: Any, name: str) -> None:
    """Raises TypeError for lazy tables: reading one whole, unasked, may take more memory than there is.
    Whoever learns from parts or answers about them has taken such a table before.

    ``name`` is what the caller's argument is called. Types are known by where they come from, so that no
    library is imported.
    """
    kind = type(table)
    package, _, inside = kind.__module__.partition(".")
    if package == "polars" and kind.__name__ == "LazyFrame":
        what, call = "polars LazyFrame", "{name}.collect()"
    elif (module := package if package in _HOW_TO_READ else f"{package}.{inside}") in _HOW_TO_READ:
        what, call = _HOW_TO_READ[module]
    else:
        return
    raise TypeError(
        f"{name} is a {what.format(kind=kind.__name__)}, whose rows are not in memory: "
        f"call {call.format(name=name)} first"
    )
