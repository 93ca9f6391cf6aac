"""A table in batches, with only the columns that a tree tests: any number of rows in bounded memory."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.columns import ColumnSchema, Scalar, Temporal
from thriftree.table.column_values import as_trained
from thriftree.table.files.csv_blocks import parse_in_blocks
from thriftree.table.files.csv_text import NO_NUMBER, CsvStyle
from thriftree.table.files.problems import TableFileError, check_columns, check_names, pyarrow, quote
from thriftree.table.files.reading import (
    arrow_problems,
    check_quotes,
    checked_layout,
    csv_options,
    csv_problems,
)
from thriftree.table.files.sources import Source, source_of
from thriftree.table.frame import Frame, Levels, Numbers
from thriftree.table.frames import read_frame
from thriftree.temporal.words import kind_words

BATCH_ROWS = 1 << 16


@dataclass(frozen=True)
class Batch:
    """Some rows: for the tree, and what is kept of them as they were (a pyarrow.RecordBatch)."""

    frame: Frame
    kept: Any
    n_rows: int

    def pieces(self, most_rows: int) -> Iterator[Batch]:
        """The same rows, in batches of at most so many."""
        if self.n_rows <= most_rows:
            yield self
            return
        for start in range(0, self.n_rows, most_rows):
            n_rows = min(most_rows, self.n_rows - start)
            place = slice(start, start + n_rows)
            cells = [_slice(column, place) for column in self.frame.columns]
            frame = Frame(n_rows, self.frame.names, self.frame.has_names, cells)
            yield Batch(frame, self.kept.slice(start, n_rows), n_rows)


def _slice(column: Numbers | Levels, place: slice) -> Numbers | Levels:
    if isinstance(column, Numbers):
        return Numbers(column.values[place], column.temporal)
    return Levels(column.codes[place], column.levels, column.ordered)


def stream_table(
    path: str,
    columns: Sequence[ColumnSchema],
    tested: Iterable[int],
    *,
    keep: Sequence[str] = (),
    style: CsvStyle | None = None,
) -> Iterator[Batch]:
    """The rows of a file, in their order, as a tree of these `columns` takes them.

    Only the columns at the positions `tested`, and those to `keep`, are read; the others are missing in every
    row. Cells are read as the schema has them: a number, or a category by its value, so that "01" is not "1"
    where categories are texts. Errors name the line.
    """
    style = style or CsvStyle()
    source = source_of(path, style.encoding)
    wanted = {columns[position].name: columns[position] for position in sorted(set(tested))}
    batches = _csv_batches if source.form == "csv" else _arrow_batches
    for batch in batches(source, style, wanted, keep):
        if batch.num_rows:
            read = _read_columns(batch, wanted, style, source)
            cells = [read.get(column.name) or _unread(column, batch.num_rows) for column in columns]
            frame = Frame(batch.num_rows, [column.name for column in columns], True, cells)
            yield Batch(frame, batch.select(list(keep)), batch.num_rows)


def _csv_batches(
    source: Source, style: CsvStyle, wanted: Mapping[str, ColumnSchema], keep: Sequence[str]
) -> Iterator[Any]:
    pa = pyarrow()
    layout = checked_layout(source, style)
    _check_present(wanted, keep, layout.header, source.place)
    if layout.no_rows:
        return
    types = {name: pa.string() for name in keep}
    for name, column in wanted.items():
        types[name] = _csv_type(column)
    read = list(types) or [layout.header[0]]  # one column tells how many rows there are
    if not types:
        types = {read[0]: pa.string()}
    with csv_problems(source, layout, style):
        options = csv_options(source, layout, style, types, read)
        if style.encoding is None and source.path is not None:
            quoted = yield from parse_in_blocks(source.open(), layout.header, options)
        else:
            import pyarrow.csv as csv

            yield from csv.open_csv(source.open(), **options)
            quoted = True
        if quoted:
            check_quotes(source, layout, style)


def _csv_type(column: ColumnSchema) -> Any:
    """What pyarrow is to read. It knows no durations: those are texts first."""
    pa = pyarrow()
    if column.kind == "number" and column.temporal is None:
        return pa.float64()
    temporal = column.temporal
    if temporal is None or temporal.what == "duration":
        return pa.dictionary(pa.int32(), pa.string())
    if temporal.what == "time":
        return pa.time64("us")
    return pa.timestamp("us", None if temporal.time_zone is None else "UTC")


def _arrow_batches(
    source: Source, style: CsvStyle, wanted: Mapping[str, ColumnSchema], keep: Sequence[str]
) -> Iterator[Any]:
    with arrow_problems(source):
        if source.form == "parquet":
            import pyarrow.parquet as parquet

            file = parquet.ParquetFile(str(source.path))
            names = file.schema_arrow.names
        else:
            reader = source.open_stream_of_batches()
            names = reader.schema.names
    check_names(names, source.place)
    _check_present(wanted, keep, names, source.place)
    read = list(dict.fromkeys([*wanted, *keep])) or names[:1]
    with arrow_problems(source):
        if source.form == "parquet":
            yield from file.iter_batches(BATCH_ROWS, columns=read)
        else:
            for batch in reader:
                for start in range(0, batch.num_rows, BATCH_ROWS):
                    yield batch.slice(start, BATCH_ROWS).select(read)


def _check_present(
    wanted: Mapping[str, ColumnSchema], keep: Sequence[str], present: Sequence[str], place: str
) -> None:
    check_columns(wanted, present, place, "the tree tests")
    check_columns(keep, present, place, "--keep names")


def _unread(column: ColumnSchema, n_rows: int) -> Numbers | Levels:
    """A column that no test looks at: missing in every row."""
    if column.kind == "number":
        return Numbers(np.broadcast_to(np.float64(np.nan), n_rows), column.temporal)
    return Levels(np.broadcast_to(np.int32(-1), n_rows), [])


def _read_columns(
    batch: Any, wanted: Mapping[str, ColumnSchema], style: CsvStyle, source: Source
) -> dict[str, Numbers | Levels]:
    if source.form != "csv":
        if not wanted:
            return {}
        return {name: _arrow_column(batch, column, source.place) for name, column in wanted.items()}
    columns: dict[str, Numbers | Levels] = {}
    for name, column in wanted.items():
        cells = batch.column(name)
        if pyarrow().types.is_float64(cells.type):
            columns[name] = Numbers(_plain(cells, np.float64, np.nan))
        elif pyarrow().types.is_temporal(cells.type):
            columns[name] = _moments(cells, column)
        else:
            columns[name] = _labels(cells, column, style)
    return {name: _as_trained(columns[name], wanted[name], source.place) for name in columns}


def _as_trained(read: Numbers | Levels, column: ColumnSchema, place: str) -> Numbers | Levels:
    """Dates and the like as the tree takes them; what it cannot take is named with the file."""
    try:
        return as_trained(read, column)
    except ValueError as error:
        raise TableFileError(f"{place}: {error}") from None


def _moments(cells: Any, column: ColumnSchema) -> Numbers:
    """Microseconds as numbers; dates were read as datetimes, so that midnights are dates too."""
    assert column.temporal is not None
    numbers = _plain(cells, np.int64, np.iinfo(np.int64).min)
    kind = Temporal("datetime") if column.temporal.what == "date" else column.temporal
    return Numbers(np.where(numbers == np.iinfo(np.int64).min, np.nan, numbers), kind)


def _labels(cells: Any, column: ColumnSchema, style: CsvStyle) -> Levels:
    """Texts as labels of the column's types; only the distinct ones are looked at."""
    types = {type(category) for category in column.categories}
    missing = {"", *style.missing} | (set() if str in types else set(NO_NUMBER))
    texts = cells.dictionary.to_pylist()
    known = frozenset(column.categories)
    levels = [label_of(text, known, types, style.decimal) for text in texts]
    place = [-1 if text in missing else number for number, text in enumerate(texts)]
    codes = _plain(cells.indices, np.int32, -1)
    return Levels(np.array([*place, -1], np.int32)[codes], levels)


def _plain(cells: Any, dtype: type, missing: float) -> NDArray[Any]:
    """A pyarrow array of numbers as numpy's; its own `to_numpy` imports pandas if that is installed."""
    known, data = cells.buffers()
    place = slice(cells.offset, cells.offset + len(cells))
    values: NDArray[Any] = np.frombuffer(data, dtype)[place]
    if not cells.null_count:
        return values
    return np.where(np.unpackbits(np.frombuffer(known, np.uint8), bitorder="little")[place], values, missing)


def label_of(text: str, known: Collection[Scalar], types: Set[type], decimal: str = ".") -> Scalar:
    """The category that a text spells, exactly, as true or false, or as a number; else the text.

    `known` are the column's categories, and `types` theirs: made once for many texts.
    """
    if text in known:
        return text
    if bool in types and text.strip().lower() in ("true", "false"):
        return text.strip().lower() == "true"
    if types & {int, float, bool}:
        for number in (int, float):
            try:
                return number(text.replace(decimal, "."))
            except ValueError:
                continue
    return text


def _arrow_column(batch: Any, column: ColumnSchema, place: str) -> Numbers | Levels:
    """Integers are texts where the tree knows texts; what else is not of the column's kind is a mistake."""
    pa = pyarrow()
    cells = batch.column(column.name)
    texts = bool(column.categories) and all(isinstance(category, str) for category in column.categories)
    if texts and pa.types.is_integer(cells.type):
        cells = cells.cast(pa.string())  # before missing ones make them floats
    try:
        read = as_trained(read_frame(pa.table({column.name: cells})).column(0), column)
    except (TypeError, ValueError) as error:
        raise TableFileError(f"{place}: {error}") from None
    if column.kind == "number" and isinstance(read, Numbers) and read.temporal != column.temporal:
        raise TableFileError(
            f"{place}: the column {quote(column.name)} holds {kind_words(read.temporal)}, but the tree knows "
            "numbers there: write it as numbers"
        )
    if texts and isinstance(read, Numbers) and not np.isnan(read.values).all():
        raise TableFileError(
            f"{place}: the column {quote(column.name)} holds numbers, but the tree knows texts there, such "
            f"as {quote(str(column.categories[0]))}: write it as text"
        )
    plain = column.kind == "number" and column.temporal is None
    if plain and isinstance(read, Levels) and (read.codes >= 0).any():
        said = read.levels[int(read.codes[np.argmax(read.codes >= 0)])]
        raise TableFileError(
            f"{place}: the column {quote(column.name)} holds {quote(str(said))}, but the tree knows numbers "
            "there: write it as numbers"
        )
    return read
