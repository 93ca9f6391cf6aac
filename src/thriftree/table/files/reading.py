"""A whole table from a file, to learn from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from typing import Any

from thriftree.table.files.csv_text import (
    NO_NUMBER,
    CsvLayout,
    CsvStyle,
    described,
    find_open_quote,
    find_problem,
    layout_of,
    wrong_encoding,
)
from thriftree.table.files.problems import TableFileError, check_names, named, pyarrow, unreadable
from thriftree.table.files.sources import Source, source_of

_DATETIME = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", re.ASCII)
_OFFSET = re.compile(r"(Z|[+-]\d\d(:?\d\d)?)$", re.ASCII)
_TIME = re.compile(r"\d\d:\d\d:\d\d\.", re.ASCII)


def read_table(path: str, *, style: CsvStyle | None = None, as_text: Iterable[str] = ()) -> Any:
    """The table as a pyarrow.Table; the form (CSV, Parquet, Arrow) is seen from the first bytes.

    In CSV an empty cell is missing, and so is "NA" and the like among numbers; a column whose other cells are
    all numbers holds numbers, and one whose cells are all dates, datetimes or times of ISO 8601 holds these.
    `as_text` names columns that stay text whatever they look like, if they are
    there, so that "01" and "1" differ.
    """
    style = style or CsvStyle()
    source = source_of(path, style.encoding)
    pa = pyarrow()
    if source.form == "csv":
        table = _read_csv(source, style, tuple(as_text))
    else:
        with arrow_problems(source):
            if source.form == "parquet":
                import pyarrow.parquet as parquet

                table = parquet.read_table(str(source.path))
            else:
                table = source.open_stream_of_batches().read_all()
        check_names(table.column_names, source.place)
        table = _with_plain_texts(table)
    if not table.num_columns:
        raise TableFileError(f"{source.place}: the table has no columns")
    if not table.num_rows:
        raise TableFileError(f"{source.place}: there is a header but no row below it")
    assert isinstance(table, pa.Table)
    return table


def _read_csv(source: Source, style: CsvStyle, as_text: Sequence[str]) -> Any:
    import pyarrow.csv as csv

    pa = pyarrow()
    layout = checked_layout(source, style)
    types = {name: pa.string() for name in as_text}
    if layout.no_rows:
        return pa.table({name: pa.array([], pa.string()) for name in layout.header})
    with csv_problems(source, layout, style):
        table = csv.read_csv(source.open(), **csv_options(source, layout, style, types))
    check_quotes(source, layout, style)
    blobs = [field.name for field in table.schema if pa.types.is_binary(field.type)]
    if blobs:  # what pyarrow makes of texts that are not UTF-8
        raise wrong_encoding(f"{source.place}, column {named(blobs)}", None, style)
    table = _with_dates_in_texts(table, frozenset(as_text), style)
    return _changed(table, pa.types.is_string, lambda column: known_texts(column, style))


def _with_dates_in_texts(table: Any, as_text: Set[str], style: CsvStyle) -> Any:
    """Columns of texts that are all datetimes or times as such: pyarrow sees those that nanoseconds hold."""
    import pyarrow.compute as compute

    pa = pyarrow()
    for place, field in enumerate(table.schema):
        if not pa.types.is_string(field.type) or field.name in as_text:
            continue
        nothing = pa.array(["", *NO_NUMBER, *style.missing], pa.string())
        cells = table.column(place)
        cells = compute.if_else(compute.is_in(cells, value_set=nothing), pa.scalar(None, pa.string()), cells)
        first = compute.first(cells).as_py() or ""
        zone = "UTC" if _DATETIME.match(first) and _OFFSET.search(first) else None
        if is_time := _TIME.match(first) is not None:  # pyarrow casts no text to a time
            cells = compute.binary_join_element_wise("1970-01-01", cells, " ")
        if is_time or _DATETIME.match(first):
            try:
                moments = cells.cast(pa.timestamp("us", zone))
            except pa.ArrowInvalid:  # some cell is a text, so all are
                continue
            table = table.set_column(place, field.name, moments.cast(pa.time64("us")) if is_time else moments)
    return table


def check_quotes(source: Source, layout: CsvLayout, style: CsvStyle) -> None:
    """Refuses a file whose last quote is open; a pipe cannot be read again, and is believed."""
    if source.path is not None and (problem := find_open_quote(source.open, layout, style, source.place)):
        raise problem


def checked_layout(source: Source, style: CsvStyle) -> CsvLayout:
    """What separates cells, and the column names, each of which is another."""
    layout = layout_of(source.head, style, source.place)
    check_names(layout.header, source.place)
    return layout


def csv_options(
    source: Source, layout: CsvLayout, style: CsvStyle, types: dict[str, Any], columns: Sequence[str] = ()
) -> dict[str, Any]:
    """Options of pyarrow's CSV readers. Without `columns` all are read."""
    import pyarrow.csv as csv

    return {
        "read_options": csv.ReadOptions(
            encoding=style.encoding or "utf8",
            block_size=layout.block_bytes,
            use_threads=source.path is not None,  # one thread numbers the rows that it complains of
        ),
        "parse_options": csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
        "convert_options": csv.ConvertOptions(
            null_values=["", *NO_NUMBER, *style.missing],
            strings_can_be_null=False,  # a text may be called "NA"; `known_texts` knows better
            decimal_point=style.decimal,
            column_types=types,
            include_columns=list(columns),
        ),
    }


def known_texts(column: Any, style: CsvStyle) -> Any:
    """A column of texts in which empty ones, and those that mean missing, are null."""
    import pyarrow.compute as compute

    pa = pyarrow()
    nothing = pa.array(["", *style.missing], column.type)
    return compute.if_else(compute.is_in(column, value_set=nothing), pa.scalar(None, column.type), column)


@contextmanager
def csv_problems(source: Source, layout: CsvLayout, style: CsvStyle) -> Iterator[None]:
    """Turns pyarrow's complaints about a CSV file into ours, which name the line."""
    try:
        yield
    except UnicodeError:
        raise _located(source, layout, style, "not text") from None
    except pyarrow().ArrowInvalid as error:
        raise _located(source, layout, style, str(error)) from None
    except OSError as error:  # a compressed file that is cut or damaged
        raise unreadable(source.place, error) from None


def _located(source: Source, layout: CsvLayout, style: CsvStyle, said: str) -> TableFileError:
    if source.path is not None:
        if problem := find_open_quote(source.open, layout, style, source.place):
            return problem
        return find_problem(source.open(), layout, style, source.place, said)
    return described(source.place, layout, said)


@contextmanager
def arrow_problems(source: Source) -> Iterator[None]:
    """Names the file that is damaged."""
    try:
        yield
    except (pyarrow().ArrowException, OSError) as error:
        said = " ".join(str(error).split())
        raise TableFileError(
            f"{source.place}: a damaged {source.form.split()[0].capitalize()} file: {said}"
        ) from None


def _with_plain_texts(table: Any) -> Any:
    """Large and viewed strings as the plain ones, which every reader of columns knows."""
    types = pyarrow().types
    return _changed(
        table,
        lambda kind: types.is_large_string(kind) or types.is_string_view(kind),
        lambda column: column.cast(pyarrow().string()),
    )


def _changed(table: Any, concerns: Callable[[Any], bool], change: Callable[[Any], Any]) -> Any:
    """The table with the columns of some types changed, made once: each change would copy the schema."""
    pairs = zip(table.schema.types, table.columns, strict=True)
    columns = [change(column) if concerns(kind) else column for kind, column in pairs]
    return pyarrow().table(columns, names=table.column_names)
