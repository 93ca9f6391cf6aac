"""CSV as text: what separates its cells, its header, and the line where something is wrong. No pyarrow."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from thriftree.table.files.problems import TableFileError, quote

DELIMITERS = (",", ";", "\t", "|")
#: What stands for a missing number, beside an empty cell. Texts are missing only if they are empty.
NO_NUMBER = ("NA", "N/A", "n/a", "#N/A", "NaN", "nan", "-nan", "NULL", "null", "None")
_SAMPLE_RECORDS = 30
_CELL_BYTES = 64  # more than a cell takes, in the mean of a row
_CONVERSION = re.compile(
    r"In CSV column #(\d+):.*(?:invalid value|expected (?:no|a) zone offset in) '(.*?)'(?:$|\. If )",
    re.DOTALL,
)
_FOREIGN_BYTE = re.compile("[\udc80-\udcff]")  # what "surrogateescape" makes of bytes that are not text


@dataclass(frozen=True)
class CsvStyle:
    """How a CSV file is written.

    `delimiter` None: comma, semicolon, tab or bar, whichever divides its first lines evenly. `missing` are
    words that mean "missing" in every column, beside the empty cell.
    """

    delimiter: str | None = None
    encoding: str | None = None  # None: UTF-8, with or without a byte order mark
    decimal: str = "."
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n'):
            raise TableFileError(f"the delimiter {quote(self.delimiter)} is not one character, such as ;")
        if len(self.decimal) != 1 or self.decimal.isalnum():
            raise TableFileError(f"the decimal point {quote(self.decimal)} is not one mark, such as ,")
        if self.encoding is not None:
            try:
                codecs.lookup(self.encoding)
            except LookupError:
                raise TableFileError(
                    f"the encoding {quote(self.encoding)} is not known: write latin-1, cp1252, utf-16 …"
                ) from None

    @property
    def codec(self) -> str:
        """The encoding, for Python's readers of text."""
        return self.encoding or "utf-8-sig"


@dataclass(frozen=True)
class CsvLayout:
    """What the first bytes of a CSV file tell; `no_rows`: it is a header that no line end closes.

    `block_bytes` is what to parse at a time, so that a record, however wide, does not reach over two blocks.
    """

    delimiter: str
    header: tuple[str, ...]
    no_rows: bool = False
    block_bytes: int = 4 << 20


def layout_of(head: bytes, style: CsvStyle, place: str) -> CsvLayout:
    """The delimiter and the column names, from the first bytes of a file: at least its first record."""
    sample = _sample(head, style, place)
    if not sample.strip():
        raise TableFileError(f"{place}: the file is empty: a table begins with a line of column names")
    delimiter = style.delimiter or _delimiter(sample)
    header = next(iter(_records(sample, delimiter)), [])
    if not header:  # Python's reader gave up
        raise TableFileError(
            f"{place}: the first line has a cell of more than {csv.field_size_limit():,} characters: it is "
            f"no header, or say --delimiter (cells were divided by {quote(delimiter)})"
        )
    no_rows = not any(end in sample for end in "\r\n")
    return CsvLayout(delimiter, tuple(header), no_rows, _block_bytes(header))


def _block_bytes(header: list[str]) -> int:
    widest = 2 * sum(map(len, header)), _CELL_BYTES * len(header)
    return max(CsvLayout.block_bytes, *widest)


def _sample(head: bytes, style: CsvStyle, place: str) -> str:
    """The text that the first bytes hold; a character cut at their end is left out."""
    if style.encoding is None and head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise TableFileError(f"{place}: the file is UTF-16 text: say --encoding utf-16")
    if head.startswith(b"PK\x03\x04"):
        raise TableFileError(f"{place}: a zip archive or an Excel workbook: save the table as CSV or Parquet")
    if style.encoding is None and head.startswith(b"\x1f\x8b"):
        raise TableFileError(
            f"{place}: compressed: end the file's name with .gz, or send what gunzip makes of it"
        )
    if style.encoding is None and b"\0" in head:
        raise TableFileError(f"{place}: not text, Parquet or Arrow: save the table in one of these forms")
    try:
        return codecs.getincrementaldecoder(style.codec)().decode(head)
    except UnicodeError as error:
        before = head[: getattr(error, "start", 0)]
        raise wrong_encoding(place, before.count(b"\n") + 1, style) from None


def wrong_encoding(place: str, line: int | None, style: CsvStyle) -> TableFileError:
    """The error for bytes that are not text in the file's encoding."""
    said = style.encoding or "UTF-8"
    other = "latin-1 or cp1252" if style.encoding is None else "another one"
    return TableFileError(
        f"{_at(place, line)}: not {said} text: save the file as UTF-8, or say --encoding with {other}"
    )


def _delimiter(sample: str) -> str:
    """The candidate that divides the first records into most cells, all of them into equally many."""
    best, most = ",", 0
    for candidate in DELIMITERS:
        widths = [len(record) for record in _records(sample, candidate)]
        even = all(width == widths[0] for width in widths)
        # A header that is divided counts for something even where later lines are ragged.
        rank = (2 * widths[0] if even else widths[0]) if widths and widths[0] > 1 else 0
        if rank > most:
            best, most = candidate, rank
    return best


def _records(sample: str, delimiter: str) -> list[list[str]]:
    """The first records; one that may be cut by the end of the sample is left out, unless it is the first."""
    reader = csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter)
    records: list[list[str]] = []
    try:
        for record in reader:
            if record:
                records.append(record)
            if len(records) > _SAMPLE_RECORDS:
                break
    except csv.Error:
        return records
    return records[:-1] if len(records) > 1 and not sample.endswith("\n") else records


def numbered_records(
    file: BinaryIO, layout: CsvLayout, style: CsvStyle, *, strict: bool = False
) -> Iterator[tuple[int, list[str]]]:
    """The records after the header, each with the number of its first line; foreign bytes are kept."""
    text = io.TextIOWrapper(file, style.codec, errors="surrogateescape", newline="")
    reader = csv.reader(text, delimiter=layout.delimiter, strict=strict)
    next(reader, None)
    line = reader.line_num + 1
    for record in reader:
        if record:
            yield line, record
        line = reader.line_num + 1


def find_problem(file: BinaryIO, layout: CsvLayout, style: CsvStyle, place: str, said: str) -> TableFileError:
    """The error for a file that pyarrow could not read, with the line; `said` is what pyarrow said of it."""
    conversion = _CONVERSION.search(said)
    try:
        for line, record in numbered_records(file, layout, style):
            if len(record) != len(layout.header):
                return ragged(place, line, len(record), layout)
            if any(_FOREIGN_BYTE.search(cell) for cell in record):
                return wrong_encoding(place, line, style)
            if conversion and record[int(conversion[1])].strip() == conversion[2].strip():
                return _misfit(place, line, layout.header[int(conversion[1])], conversion)
    except csv.Error:  # a cell of more than 128 kB, which Python's reader does not take
        return described(place, layout, said)
    return described(place, layout, said)


def find_open_quote(
    reopen: Callable[[], Any], layout: CsvLayout, style: CsvStyle, place: str
) -> TableFileError | None:
    """The error for a quote that nothing closes, which would make the rest of the file one cell.

    Only where quotes are odd in number can there be one; only then is the file read record by record.
    """
    with reopen() as file:
        n_quotes = sum(block.count(b'"') for block in iter(lambda: file.read(1 << 20), b""))
    if n_quotes % 2 == 0:
        return None
    last = 1
    try:
        for line, _ in numbered_records(reopen(), layout, style, strict=True):
            last = line
    except csv.Error as error:
        if "unexpected end of data" in str(error):
            return TableFileError(
                f"{place}: a quote opened after line {last} is never closed: close it, or double a quote "
                "that is part of a text"
            )
    return None  # a quote within a cell: odd, but harmless


def described(place: str, layout: CsvLayout, said: str) -> TableFileError:
    """The error where the file cannot be read again: with the line, if pyarrow counted rows."""
    row = re.search(r"Row #(\d+)", said)
    line = int(row[1]) if row else None
    if conversion := _CONVERSION.search(said):
        return _misfit(place, line, layout.header[int(conversion[1])], conversion)
    if width := re.search(r"Expected \d+ columns, got (\d+)", said):
        return ragged(place, line, int(width[1]), layout)
    return TableFileError(f"{place}: {' '.join(said.split())}")


def ragged(place: str, line: int | None, cells: int, layout: CsvLayout) -> TableFileError:
    """The error for a record that has more or fewer cells than the header."""
    return TableFileError(
        f"{_at(place, line)}: {cells} cell{'' if cells == 1 else 's'} where the header has "
        f"{len(layout.header)}: correct the line, or say --delimiter (cells were divided by "
        f"{quote(layout.delimiter)})"
    )


def _misfit(place: str, line: int | None, column: str, conversion: re.Match[str]) -> TableFileError:
    """The error for a value that pyarrow could not convert."""
    if " error to time" not in conversion[0]:
        return no_number(place, line, column, conversion[2])
    zone = {"expected no": " without a time zone", "expected a ": " with a time zone"}
    which = next((words for said, words in zone.items() if said in conversion[0]), "")
    what = "time" if "time64" in conversion[0] else "date or datetime"
    return TableFileError(
        f"{_at(place, line)}: {quote(conversion[2])} in the column {quote(column)} is no {what}{which} in "
        "ISO 8601, such as 2021-03-04 or 2021-03-04 12:30: correct it, leave the cell empty, or say "
        "--missing with the word that means missing"
    )


def no_number(place: str, line: int | None, column: str, value: str) -> TableFileError:
    """The error for a value that should be a number."""
    return TableFileError(
        f"{_at(place, line)}: {quote(value)} in the column {quote(column)} is not a number: correct it, "
        "leave the cell empty, or say --missing with the word that means missing"
    )


def _at(place: str, line: int | None) -> str:
    return place if line is None else f"{place}, line {line}"
