"""The tree as a workbook for Excel and LibreOffice, with formulas and without macros."""

from __future__ import annotations

import io
import os
from numbers import Integral
from typing import Any

from thriftree.explain.rules import rules_of
from thriftree.export import excel_lists, excel_nodes, excel_questionnaire, excel_rows
from thriftree.export.codes import codes_of
from thriftree.export.decisions import depths
from thriftree.export.excel_cells import MAX_ROWS, import_openpyxl, refuse_time_zone, shortened
from thriftree.export.excel_style import Style
from thriftree.export.labels import LONE_SURROGATE, common_type, refuse_texts
from thriftree.export.leaves import refuse_linear_leaves
from thriftree.export.text import text_of
from thriftree.whole_files import write_whole


def excel_of(
    document: dict[str, Any], path: str | os.PathLike[str] | None = None, *, rows: int = 100
) -> bytes:
    """The tree as an .xlsx file, written to `path` if given. Needs `pip install 'thriftree[excel]'`.

    Sheets: "Questionnaire" asks one case through and shows the way to the answer; "Many rows" has formulas
    for `rows` rows; "Tree" is the tree and its rules to read; "Lists" and "Nodes" are the tables that the
    formulas use.

    A blank cell is a missing value. Numbers of at most 15 digits are decided as the tree decides them, and
    texts letter for letter; so are dates from 1900-03-01 on, which are the first that Excel counts as the
    calendar does, and datetimes, times and durations of whole milliseconds. Names and labels are texts or
    numbers, never formulas.

    Raises ValueError where a column mixes texts and numbers or holds datetimes with a time zone, a label is a
    number of more than 15 digits, a text is too long for a cell, or the tree is too large for a spreadsheet.
    """
    refuse_linear_leaves(document, "to_excel")
    if isinstance(rows, bool) or not isinstance(rows, Integral) or not 1 <= rows < MAX_ROWS:
        raise ValueError(f"rows must be an integer from 1 to {MAX_ROWS - 1}, not {rows!r}")
    tested = codes_of(document)
    columns = [codes.column for codes in tested]
    for column in columns:
        refuse_time_zone(column)
    refuse_texts(document, columns, LONE_SURROGATE, "is not valid Unicode, which a workbook needs")
    classes = document["classes"] or []
    common_type(classes, "the target")
    book = import_openpyxl().Workbook()
    book.properties.creator = "thriftree"
    book.calculation.fullCalcOnLoad = True  # the file has formulas, but no values of theirs
    asked = book.active
    asked.title = excel_questionnaire.NAME
    many, read, values, table = (
        book.create_sheet(name) for name in (excel_rows.NAME, "Tree", excel_lists.NAME, excel_nodes.NAME)
    )
    nodes = excel_nodes.Nodes(table, document, tested)
    lists = excel_lists.Lists(values, tested)
    depth = max(depths(document["nodes"]))
    excel_questionnaire.write_questionnaire(asked, tested, classes, lists, nodes, depth)
    excel_rows.write_rows(many, tested, classes, lists, nodes, depth, rows)
    _write_tree(read, document)
    for sheet in (asked, many, read):
        sheet.page_setup.orientation = "landscape"
        sheet.sheet_properties.pageSetUpPr.fitToPage = True
        sheet.page_setup.fitToHeight = 0  # as many pages as it takes, each as wide as the sheet
    buffer = io.BytesIO()
    book.save(buffer)
    content = buffer.getvalue()
    if path is not None:
        write_whole(path, content)
    return content


def _write_tree(sheet: Any, document: dict[str, Any]) -> None:
    style = Style()
    style.title(sheet["A1"], "The tree")
    lines = text_of(document).split("\n")
    for row, line in enumerate(lines, start=3):
        style.text(sheet.cell(row, 1), shortened(line), fixed_width=True)
    first = len(lines) + 4
    style.title(sheet.cell(first, 1), "The same as rules: exactly one fits")
    for row, rule in enumerate(rules_of(document), start=first + 2):
        style.text(sheet.cell(row, 1), shortened(rule.text))
    sheet.column_dimensions["A"].width = 120
