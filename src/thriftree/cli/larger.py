"""`thriftree fit` on Parquet files that are larger than memory, or that Dask or Spark read."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from glob import has_magic
from typing import TYPE_CHECKING, Any, Final

from thriftree.cli import screen
from thriftree.cli.errors import InputError, input_errors
from thriftree.messages import printable

if TYPE_CHECKING:
    from thriftree.distributed.parquet_table import ParquetTable

_SHARE: Final = 0.25  # of memory that values may take to be read whole: a fit needs some of it, too
_GIGABYTE: Final = 2**30


@dataclass(frozen=True)
class Where:
    """How the rows are to be read, as the options say."""

    in_memory: bool = False
    spill: bool = False
    dask: str | None = None
    spark: str | None = None

    def __post_init__(self) -> None:
        options = {
            "--in-memory": self.in_memory,
            "--spill": self.spill,
            "--dask": self.dask,
            "--spark": self.spark,
        }
        given = [option for option, value in options.items() if value]
        if len(given) > 1:
            raise InputError(f"{' and '.join(given)} are two ways to read a table: take one of them")

    @property
    def in_parts(self) -> str | None:
        """The option that asks for parts, if one does."""
        if self.spill:
            return "--spill"
        return "--dask" if self.dask else "--spark" if self.spark else None


def is_several(path: str) -> bool:
    """Whether this is a folder or a pattern, and no single file."""
    return os.path.isdir(path) or (has_magic(path) and not os.path.isfile(path))


def read_whole(path: str) -> Any:
    """All files of a folder or a pattern as one pyarrow.Table."""
    import pyarrow as pa

    from thriftree.distributed.parquet_table import ParquetTable

    table = ParquetTable(path)
    return pa.concat_tables(table.batches()) if table.shape[0] else table.schema.empty_table()


def in_parts(path: str, where: Where) -> ParquetTable | None:
    """The table, if it is to be learnt from in parts: because an option says so, or its values take more than
    a share of memory.
    """
    from thriftree.distributed.memory import memory_bytes
    from thriftree.distributed.parquet_table import ENDINGS, ParquetTable

    if not (is_several(path) or path.endswith(ENDINGS)):
        if where.in_parts:
            raise InputError(f"{path}: {where.in_parts} reads Parquet files: give some, or leave it out")
        return None
    if where.in_memory:
        return None
    with input_errors():
        table = ParquetTable(path)
        n_bytes, memory = table.n_bytes, memory_bytes()
    if where.in_parts:
        return table
    if n_bytes <= _SHARE * memory:
        return None
    screen.remark(
        f"the values take {n_bytes / _GIGABYTE:.1f} GB, more than a quarter of the "
        f"{memory / _GIGABYTE:.1f} GB of memory: learning out of memory, a part at a time (--in-memory reads "
        "them whole)"
    )
    return table


def without(table: ParquetTable, target: str, weight: str | None, drop: Sequence[str]) -> ParquetTable:
    """The table without the columns that are not to be learnt from, once those that were named are there."""
    from thriftree.distributed.parquet_table import ParquetTable
    from thriftree.table.files.problems import check_columns

    names, place = table.column_names, str(table.path)
    with input_errors():
        check_columns([target], names, place, "--target names")
        check_columns([] if weight is None else [weight], names, place, "--weight names")
        check_columns(drop, names, place, "--drop names")
    if target in drop or weight == target:
        option = "--drop" if target in drop else "--weight"
        raise InputError(f"{option} names the target {target!r}: name another column")
    return ParquetTable(table.path, columns=[name for name in names if name not in drop])


def some_targets(table: ParquetTable, target: str) -> Any:
    """The target in the first part that has rows: enough to see whether it is classes or a number."""
    for part in table.parts:
        if part.n_rows:
            return table.read(part, [target])
    raise InputError(f"{table.path}: the files have no rows")


def learn(
    model: Any, table: ParquetTable, target: str, weight: str | None, where: Where, quiet: bool
) -> None:
    """Fits the model to the files, by whom the options name."""
    with _read_by(table, where) as X, screen.progress("learning", quiet=quiet) as progress, _told(progress):
        model.fit(X, target, sample_weight=weight)


@contextmanager
def _told(progress: screen.ShownProgress) -> Iterator[None]:
    """Inside, every level of a tree that is counted is shown."""
    from thriftree.learning.progress import listening_to_rounds

    def told(rounds: int, n_rows: int, seconds: float) -> None:
        progress(rounds, None, f"level {rounds}, {n_rows / max(seconds, 1e-9):,.0f} rows/s")

    with listening_to_rounds(told):
        yield


@contextmanager
def _read_by(table: ParquetTable, where: Where) -> Iterator[Any]:
    names = table.column_names
    if where.dask:
        with input_errors():
            import dask.dataframe as dd
            from distributed import Client

            client = Client(where.dask)
        with client:
            yield dd.read_parquet(table.files, columns=names)
    elif where.spark:
        with input_errors():
            from pyspark.sql import SparkSession

        session = SparkSession.builder.master(where.spark).appName("thriftree").getOrCreate()
        try:
            yield session.read.parquet(*map(os.path.abspath, table.files)).select(*names)
        finally:
            session.stop()
    else:
        yield table


def show(model: Any, tree: Any, table: ParquetTable, target: str, method: str, file: str | None) -> None:
    """The table, the tree, and what it costs."""
    facts = facts_of(model, tree, table, target, method)
    name = printable(os.path.basename(str(table.path).rstrip("/")) or str(table.path))
    files, columns = _counted(len(table.files), "file"), _counted(facts["columns"], "column")
    screen.heading(f"{name}: {_counted(facts['rows'], 'row')} in {files}, {columns}")
    parts = _counted(len(table.parts), "part")
    screen.say(f"Learnt from all of them by {method}, in {parts}; nothing is held out.\n")
    screen.tree(tree, file)
    screen.say()
    asked = "price" if tree.prices is not None else "questions"
    screen.figures(
        [
            (f"expected {asked}", f"{model.expected_cost_:.2f}", "mean of the rows learnt from"),
            (f"worst-case {asked}", f"{model.worst_case_cost_:.2f}", "no path costs more"),
            ("leaves", f"{tree.n_leaves}", f"at most {tree.depth} question{'' if tree.depth == 1 else 's'}"),
        ]
    )


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def facts_of(model: Any, tree: Any, table: ParquetTable, target: str, method: str) -> dict[str, Any]:
    """The same for programs."""
    return {
        "rows": table.shape[0],
        "columns": len(tree.columns),
        "target": target,
        "target_kind": "numbers" if tree.classes is None else "classes",
        "method": method,
        "estimator": type(model).__name__,
        "parts": len(table.parts),
        "held_out": None,
        "cross_validation": None,
        "expected_cost": model.expected_cost_,
        "worst_case_cost": model.worst_case_cost_,
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "text": tree.to_text(),
    }
