"""The engine of files: Parquet, pyarrow datasets, and DuckDB relations, a part in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, Final

import numpy as np

from thriftree.distributed.columns_of_parts import Roles
from thriftree.distributed.loaded import Load, LoadedParts
from thriftree.distributed.parquet_table import PART_BYTES, ParquetTable
from thriftree.distributed.parts import TablePart
from thriftree.distributed.questions import RowQuestion
from thriftree.distributed.spill import SpillFile

_BATCH_ROWS: Final = 1 << 16  # that DuckDB hands over at a time


def parts_of(X: Any, y: Any, sample_weight: Any, n_threads: int) -> LoadedParts:
    """The parts of a ParquetTable, a pyarrow dataset or a DuckDB relation; the others name columns of it."""
    if isinstance(X, ParquetTable):
        roles = Roles.of(X.column_names, y, sample_weight, "the ParquetTable")
        wanted = _wanted(roles)
        loads: list[Load] = [partial(_read_files, X, k, roles, wanted) for k in range(len(X.parts))]
        rows = [part.n_rows for part in X.parts]
        return LoadedParts(loads, lambda: rows, n_threads=n_threads)
    if _is_relation(X):
        roles = Roles.of(list(X.columns), y, sample_weight, "the DuckDB relation")
        return _spilled(_relation_tables(X), roles, n_threads)
    roles = Roles.of(list(X.schema.names), y, sample_weight, "the dataset")
    if _is_filtered(X):
        return _spilled(_joined(X.to_batches(columns=_wanted(roles))), roles, n_threads)
    fragments = list(_fragments(X))
    loads = [partial(_read_fragment, *numbered, X.schema, roles) for numbered in enumerate(fragments)]
    return LoadedParts(loads, lambda: list(map(_n_rows, fragments)), n_threads=n_threads)


def batches_of(X: Any) -> Iterator[Any]:
    """The rows of such a table, a part at a time, as pyarrow.Tables; those without rows are left out."""
    if isinstance(X, ParquetTable):
        yield from X.batches()
    elif _is_relation(X):
        yield from _relation_tables(X)
    else:
        yield from _joined(X.to_batches())


def answered(X: Any, question: RowQuestion) -> np.ndarray[Any, Any]:
    """The answers of all rows in one array; the rows are in memory a part at a time."""
    answers = [question.ask(_features(rows, question)) for rows in batches_of(X)]
    return np.concatenate(answers) if answers else question.example


def _features(rows: Any, question: RowQuestion) -> Any:
    """The features that the tree was fitted to, where the table has more columns; else what is missing is
    said as of any table.
    """
    names = question.columns
    if names is None or not set(names) <= set(rows.column_names):
        return rows
    return rows.select(list(names))


def _wanted(roles: Roles) -> list[str]:
    weight = [] if roles.weight is None else [roles.weight]
    return [*roles.features, roles.target, *weight]


def _read_files(table: ParquetTable, index: int, roles: Roles, columns: Sequence[str]) -> TablePart:
    return roles.part(table.read(table.parts[index], columns), index)


def _read_fragment(index: int, fragment: Any, schema: Any, roles: Roles) -> TablePart:
    return roles.part(fragment.to_table(schema=schema, columns=_wanted(roles), use_threads=False), index)


def _fragments(dataset: Any) -> Iterator[Any]:
    """What is read at a time: row groups of Parquet, files of other formats."""
    for fragment in dataset.get_fragments():
        if hasattr(fragment, "split_by_row_group") and fragment.num_row_groups:
            yield from fragment.split_by_row_group()
        else:
            yield fragment


def _n_rows(fragment: Any) -> int:
    groups = getattr(fragment, "row_groups", None)  # `count_rows` counts those of the whole file
    if groups is None:
        return int(fragment.count_rows())
    return sum(int(group.num_rows) for group in groups)


def _is_filtered(dataset: Any) -> bool:
    """Whether rows are left out when it is read, as after `filter`; then its files alone do not say which
    rows there are, and all are read once. So is what a later pyarrow keeps in another way.
    """
    return bool(getattr(dataset, "_scan_options", True))


def _is_relation(X: Any) -> bool:
    return type(X).__name__ == "DuckDBPyRelation"


def _relation_tables(relation: Any) -> Iterator[Any]:
    reader = relation.to_arrow_reader if hasattr(relation, "to_arrow_reader") else relation.fetch_arrow_reader
    return _joined(reader(_BATCH_ROWS))


def _joined(batches: Any) -> Iterator[Any]:
    """Record batches that follow each other as tables of some size; rows that are nowhere are left out."""
    import pyarrow as pa

    waiting, n_bytes, n_tables, schema = [], 0, 0, None
    for batch in batches:
        schema = batch.schema
        if batch.num_rows:
            waiting.append(batch)
            n_bytes += max(batch.nbytes, 8 * batch.num_rows * batch.num_columns)
        if n_bytes > PART_BYTES:
            yield pa.Table.from_batches(waiting)
            waiting, n_bytes, n_tables = [], 0, n_tables + 1
    if waiting or (not n_tables and schema is not None):
        yield pa.Table.from_batches(waiting, schema)


def _spilled(tables: Iterator[Any], roles: Roles, n_threads: int) -> LoadedParts:
    """Parts of rows that are read once, and lie in a file of ours from then on: asked for again, they could
    come in another order.
    """
    file = SpillFile()
    try:
        spilled = [(file.write(table), table.num_rows) for table in tables]
    except BaseException:
        file.close()
        raise
    if not spilled:
        raise ValueError("the table has no rows: nothing can be learnt from it")
    loads = [partial(_read_spilled, file, one, roles, index) for index, (one, _) in enumerate(spilled)]
    rows = [n_rows for _, n_rows in spilled]
    return LoadedParts(loads, lambda: rows, n_threads=n_threads, file=file)


def _read_spilled(file: SpillFile, spilled: Any, roles: Roles, index: int) -> TablePart:
    return roles.part(file.read(spilled), index)
