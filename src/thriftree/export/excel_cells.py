"""Cells of a workbook: data as text or number, never as a formula; and numbers as spreadsheets know them."""

from __future__ import annotations

import re
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from typing import Any

from thriftree.columns import Scalar, Temporal
from thriftree.temporal import DAY
from thriftree.temporal.words import last_tick, temporal_of

MAX_ROWS, MAX_COLUMNS, MAX_TEXT = 2**20, 2**14, 32767

# Characters that a workbook holds as _xHHHH_ only, and texts that would be read as such.
_ESCAPED = re.compile("[\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")


def import_openpyxl() -> Any:
    """The package openpyxl, or an error that says how to get it."""
    try:
        import openpyxl
    except ImportError as error:
        raise ImportError("to_excel needs the package openpyxl: pip install 'thriftree[excel]'") from error
    return openpyxl


def write_text(cell: Any, text: str) -> Any:
    """Makes a text the content of a cell, whatever it begins with; returns the cell."""
    if len(text) > MAX_TEXT:
        raise ValueError(
            f"a text of {len(text)} characters, {text[:40]!r}..., is too long for a spreadsheet's "
            f"cell ({MAX_TEXT}): rename it"
        )
    cell.value = _ESCAPED.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
    cell.data_type = "s"  # openpyxl would take =... for a formula and #N/A for an error
    cell.quotePrefix = True  # and so would a spreadsheet, once the cell is edited
    return cell


def shortened(words: str) -> str:
    """Words to read, as many as a cell holds."""
    return words if len(words) <= MAX_TEXT else words[: MAX_TEXT - 1] + "…"


def write_label(cell: Any, label: Scalar, what: str) -> Any:
    """Makes a label the content of a cell: a text, a boolean, or a number of at most 15 digits."""
    if isinstance(label, str):
        return write_text(cell, label)
    if not isinstance(label, bool) and float(f"{label:.15g}") != label:
        raise ValueError(f"{what} has the label {label!r}, but spreadsheets keep 15 digits: make it a text")
    cell.value = label
    return cell


def cut_in_15_digits(cut: float) -> float:
    """The largest number of at most 15 digits that is not above the cut.

    A number x of at most 15 digits is <= the cut if and only if it is <= this one; and spreadsheets, which
    may compare no more than 15 digits, can tell them apart.
    """
    for rounding in (ROUND_CEILING, ROUND_FLOOR):
        rounded = float(Context(prec=15, rounding=rounding).create_decimal(Decimal(cut)))
        if rounded <= cut:
            break
    return rounded


#: How spreadsheets show what they hold as a number of days.
DATE_FORMATS = {
    "date": "yyyy-mm-dd",
    "datetime": "yyyy-mm-dd hh:mm:ss",
    "time": "hh:mm:ss",
    "duration": "[h]:mm:ss",
}
_SINCE = {"date": 25_569, "datetime": 25_569, "time": 0, "duration": 0}  # days from 1899-12-30 to 1970-01-01


def days_at_cut(temporal: Temporal, cut: float) -> float:
    """The number of days, as spreadsheets count them, that divides dates and the like as the cut does.

    Spreadsheets hold dates in days and times in fractions of days, rounded to whole milliseconds at best. So
    it lies half a day, or half a millisecond, after the last one that is not above the cut.
    """
    tick = last_tick(cut)
    days = tick + 0.5 if temporal.what == "date" else (tick // 1000 * 1000 + 500) / DAY
    return cut_in_15_digits(days + _SINCE[temporal.what])


def refuse_time_zone(column: dict[str, Any]) -> None:
    """Raises ValueError for datetimes with a time zone: those of spreadsheets have none."""
    temporal = temporal_of(column)
    if temporal is not None and temporal.time_zone is not None:
        raise ValueError(
            f"column {column['name']!r} holds datetimes with a time zone, which a spreadsheet cannot hold: "
            "make them datetimes of one time zone without it before training, or export to SQL or code"
        )


def letters(column: int) -> str:
    """A, B, ..., Z, AA, ...: the name of a column counted from 1."""
    name = ""
    while column:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def area(sheet: str, first: tuple[int, int], last: tuple[int, int]) -> str:
    """A reference to cells of a sheet that stays when it is copied; corners are (row, column) from 1."""
    corners = (f"${letters(column)}${row}" for row, column in (first, last))
    return f"{sheet}!{':'.join(corners)}"
