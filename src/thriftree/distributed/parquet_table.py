"""`ParquetTable`: a table in Parquet files, which need not fit into memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from glob import glob, has_magic
from pathlib import Path
from typing import Any, Final

from thriftree.table.files.problems import TableFileError, pyarrow, quote

ENDINGS: Final = (".parquet", ".pq", ".parq")
PART_BYTES: Final = 1 << 27  # of values that a part has at most, if it is not one row group
_TOGETHER: Final = 8  # columns whose bytes, as they are in the file, are in memory beside the values

Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


@dataclass(frozen=True)
class FilePart:
    """Row groups that follow each other, read together."""

    pieces: tuple[tuple[str, tuple[int, ...]], ...]  # of each file: its path and the numbers of row groups
    n_rows: int

    @property
    def place(self) -> str:
        """What messages call it."""
        (first, groups), (last, _) = self.pieces[0], self.pieces[-1]
        if last != first:
            return f"{first} to {last}"
        return f"{first}, row group {groups[0]}" if len(groups) == 1 else first


class ParquetTable:
    """A table in Parquet files that is read a part at a time, for `fit` and `predict`.

    Parameters
    ----------
    path : path or list of paths
        A file, a folder (its files that end in .parquet, .pq or .parq, in order of their names), a pattern
        such as "data/*.parquet", or a list of files. Files may have no rows.
    columns : list of names, optional
        The columns to read, target and weight among them. All of them, if it is not given.

    Examples
    --------
    >>> import os, tempfile
    >>> import pyarrow as pa, pyarrow.parquet as parquet
    >>> from thriftree import CARTClassifier, ParquetTable
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for k in range(2):
    ...         rows = pa.table({"a": [1.0 + k, 5.0 + k], "label": ["low", "high"]})
    ...         parquet.write_table(rows, os.path.join(folder, f"{k}.parquet"))
    ...     table = ParquetTable(folder)
    ...     model = CARTClassifier().fit(table, "label")
    ...     print(table.shape, model.predict(table).tolist())
    (4, 2) ['low', 'high', 'low', 'high']
    """

    def __init__(self, path: Paths, *, columns: Sequence[str] | None = None) -> None:
        self.path = path
        self.columns = None if columns is None else _distinct_names(columns)

    def __repr__(self) -> str:
        columns = "" if self.columns is None else f", columns={self.columns!r}"
        return f"ParquetTable({self.path!r}{columns})"

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns, the target's among them: from what the files say of themselves."""
        return sum(part.n_rows for part in self.parts), len(self.column_names)

    @property
    def column_names(self) -> list[str]:
        """The columns that are read, in the order of the first file."""
        return list(self.schema.names)

    @cached_property
    def files(self) -> list[str]:
        """The paths of the files, in the order of their rows."""
        return _files_of(self.path)

    @cached_property
    def schema(self) -> Any:
        """The types of the columns: what holds the values of all files."""
        return self._headers[0]

    @cached_property
    def parts(self) -> list[FilePart]:
        """What is read at a time: row groups of one file."""
        return self._headers[1]

    @cached_property
    def n_bytes(self) -> int:
        """What the values of all columns take when they are read, by the files' own count."""
        return int(self._headers[2])

    def read(self, part: FilePart, columns: Sequence[str] | None = None) -> Any:
        """The rows of a part, or some columns of them, as a pyarrow.Table."""
        import pyarrow.parquet as parquet

        names = self.column_names if columns is None else list(columns)
        wanted = pyarrow().schema([self.schema.field(name) for name in names])
        rows = []
        for path, row_groups in part.pieces:
            try:
                with parquet.ParquetFile(path) as file:
                    rows.append(_read(file, list(row_groups), names).cast(wanted))
            except (pyarrow().ArrowException, OSError) as error:
                said = " ".join(str(error).split())
                raise TableFileError(f"{path}: cannot be read: {said}") from None
        return pyarrow().concat_tables(rows)

    def batches(self) -> Iterator[Any]:
        """The rows, a part at a time, each a pyarrow.Table that `predict` takes."""
        for part in self.parts:
            if part.n_rows:
                yield self.read(part)

    @cached_property
    def _headers(self) -> tuple[Any, list[FilePart], int]:
        """Schema, parts and bytes: all that the ends of the files say."""
        import pyarrow.parquet as parquet

        pa = pyarrow()
        schema, first, headers = None, "", []
        for path in self.files:
            try:
                header = parquet.read_metadata(path)
                own = header.schema.to_arrow_schema().remove_metadata()
            except (pa.ArrowException, OSError) as error:
                said = " ".join(str(error).split())
                raise TableFileError(f"{path}: not a Parquet file, or a damaged one: {said}") from None
            own = _chosen(own, self.columns, path)
            if schema is None:
                schema, first = own, path
            else:
                schema = _unified(schema, own, first, path)
            headers.append((path, header))
        assert schema is not None
        parts = list(_parts(headers, len(schema)))
        total = sum(_n_bytes(group, len(schema)) for _, header in headers for group in _groups(header))
        return schema, parts, total


def _read(file: Any, row_groups: list[int], names: list[str]) -> Any:
    """These columns, a few at a time: the reader holds what it was asked for twice."""
    columns = []
    for first in range(0, len(names), _TOGETHER):
        some = names[first : first + _TOGETHER]
        columns += file.read_row_groups(row_groups, columns=some, use_threads=False).select(some).columns
    return pyarrow().table(columns, names)


def _files_of(path: Paths) -> list[str]:
    if not isinstance(path, (str, os.PathLike)):
        given = list(path) if isinstance(path, Iterable) else [path]
        if not all(isinstance(one, (str, os.PathLike)) for one in given) or isinstance(path, bytes):
            raise TypeError(f"ParquetTable takes a path or a list of paths, not {path!r}")
        files = [os.fspath(one) for one in given]
        if not files:
            raise TableFileError("the list of Parquet files is empty: name at least one")
        for one in files:
            if not Path(one).is_file():
                raise TableFileError(f"{one}: there is no such file: check the name and the folder")
        return files
    text = os.fspath(path)
    if not text:
        raise TableFileError("the path is empty: name a file, a folder or a pattern")
    if Path(text).is_dir():
        files = sorted(
            str(one)
            for one in Path(text).iterdir()
            if one.is_file() and one.name.endswith(ENDINGS) and not one.name.startswith((".", "_"))
        )
        if not files:
            raise TableFileError(
                f"{text}: the folder has no file that ends in {', '.join(ENDINGS)}: name another, or a "
                f"pattern such as {os.path.join(text, '**', '*.parquet')!r} for folders in it"
            )
        return files
    if Path(text).is_file():
        return [text]
    if has_magic(text):
        files = sorted(one for one in glob(text, recursive=True) if os.path.isfile(one))
        if files:
            return files
        raise TableFileError(f"{text}: no file has a name like this: check the pattern and the folder")
    raise TableFileError(f"{text}: there is no such file or folder: check the name")


def _distinct_names(columns: Sequence[str]) -> list[str]:
    """The columns to read, if they are a list of names."""
    names = [] if isinstance(columns, (str, bytes)) or not isinstance(columns, Iterable) else list(columns)
    if not names or not all(isinstance(name, str) for name in names):
        raise TypeError(f"columns must be a list of names of columns, not {columns!r}")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"columns names {quote(name)} twice: name each column once")
    return names


def _chosen(schema: Any, columns: Sequence[str] | None, path: str) -> Any:
    if columns is None:
        twice = sorted({name for name in schema.names if schema.names.count(name) > 1})
        if twice:
            raise TableFileError(f"{path}: two columns are called {quote(twice[0])}: rename one")
        return schema
    for name in columns:
        _check_has(schema, name, path)
    return pyarrow().schema([schema.field(name) for name in columns])


def _check_has(schema: Any, name: str, path: str) -> None:
    if name not in schema.names:
        raise TableFileError(f"{path}: the column {quote(name)} is missing in this file")


def _unified(schema: Any, own: Any, first: str, path: str) -> Any:
    """One schema for the rows of both. Columns without any value have a type of their own, `null`."""
    pa = pyarrow()
    for name in schema.names:
        _check_has(own, name, path)
    for name in own.names:
        if name not in schema.names:
            raise TableFileError(
                f"{path}: the column {quote(name)} is not in {first}: write all files with the same columns, "
                "or name those to read in columns="
            )
    fields = []
    for field in schema:
        other = own.field(field.name)
        try:
            both = pa.schema([field]), pa.schema([other])
            if _is_plain(field.type) != _is_plain(other.type):
                both = _decoded(both[0]), _decoded(both[1])
            fields.append(pa.unify_schemas(both, **_PROMOTED).field(0))
        except pa.ArrowException:
            raise TableFileError(
                f"{path}: the column {quote(field.name)} holds {other.type} and in {first} {field.type}: "
                "write it with one type"
            ) from None
    return pa.schema(fields)


def _is_plain(kind: Any) -> bool:
    return not pyarrow().types.is_dictionary(kind)


def _decoded(schema: Any) -> Any:
    """The same columns without dictionaries, but for those that say an order."""
    fields = [f if _is_plain(f.type) or f.type.ordered else f.with_type(f.type.value_type) for f in schema]
    return pyarrow().schema(fields)


_PROMOTED: Final = {"promote_options": "permissive"}


def _groups(header: Any) -> list[Any]:
    return [header.row_group(number) for number in range(header.num_row_groups)]


def _n_bytes(group: Any, n_columns: int) -> int:
    """What a row group takes in memory, about: texts are longer than numbers, repeated ones stored once."""
    return int(max(group.total_byte_size, 8 * group.num_rows * n_columns))


def _parts(headers: Sequence[tuple[str, Any]], n_columns: int) -> Iterator[FilePart]:
    """Row groups that follow each other, also of several small files, up to so many bytes together."""
    pieces: dict[str, tuple[int, ...]] = {}
    rows = n_bytes = 0
    for path, header in headers:
        for number, group in enumerate(_groups(header)):
            more = _n_bytes(group, n_columns)
            if rows and n_bytes + more > PART_BYTES:
                yield FilePart(tuple(pieces.items()), rows)
                pieces, rows, n_bytes = {}, 0, 0
            pieces[path] = (*pieces.get(path, ()), number)
            rows += group.num_rows
            n_bytes += more
        pieces.setdefault(path, ())  # one without row groups
    yield FilePart(tuple(pieces.items()), rows)
