"""How the cells of a workbook look, and what may be typed into them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thriftree.export.excel_cells import DATE_FORMATS, import_openpyxl, letters, write_text
from thriftree.export.excel_lists import Lists


class Style:
    """Cells of the kinds that the sheets have: heads, inputs, answers, and helpers in grey."""

    def __init__(self) -> None:
        package = import_openpyxl()
        make = package.styles
        self._validation = package.worksheet.datavalidation.DataValidation
        # Made once: openpyxl takes its time over them.
        self._plain = make.Font(name="Calibri", size=11)
        self._bold = make.Font(name="Calibri", size=11, bold=True)
        self._title = make.Font(name="Calibri", size=14, bold=True)
        self._grey = make.Font(name="Calibri", size=11, color="8A8A8A")
        self._fixed_width = make.Font(name="Courier New", size=10)
        self._head_fill, self._input_fill, self._answer_fill = (
            make.PatternFill("solid", fgColor=colour) for colour in ("D9E2EC", "FFF6CC", "DDF0DA")
        )
        self._left = make.Alignment(horizontal="left")
        self._wrapped = make.Alignment(wrap_text=True, vertical="top")

    def title(self, cell: Any, words: str) -> None:
        """A sheet's title."""
        write_text(cell, words).font = self._title

    def head(self, cell: Any, words: str) -> None:
        """The head of a column or block."""
        write_text(cell, words).font = self._bold
        cell.fill = self._head_fill
        cell.alignment = self._wrapped

    def answer(self, cell: Any, formula: str, number_format: str = "General", *, bold: bool = False) -> None:
        """A cell that answers."""
        cell.value = f"={formula}"
        cell.fill = self._answer_fill
        cell.font = self._bold if bold else self._plain
        cell.number_format = number_format
        cell.alignment = self._left

    def helper(self, cell: Any, content: str | int) -> None:
        """A cell that other cells need: a number, or a formula without its "="."""
        cell.value = f"={content}" if isinstance(content, str) else content
        cell.font = self._grey

    def text(self, cell: Any, words: str, *, fixed_width: bool = False) -> None:
        """Words to read."""
        write_text(cell, words).font = self._fixed_width if fixed_width else self._plain

    def words(self, cell: Any, formula: str) -> None:
        """Words that a formula, without its "=", chooses."""
        cell.value = f"={formula}"
        cell.font = self._plain

    def inputs(self, sheet: Any, cells: str, lists: Lists, k: int) -> None:
        """Cells such as "B4" or "A2:A101" that take values of a tested column."""
        temporal = lists.temporal(k)
        shown_as = "General" if temporal is None else DATE_FORMATS[temporal.what]
        found = sheet[cells]
        for cell in [cell for (cell,) in found] if isinstance(found, tuple) else [found]:
            cell.fill = self._input_fill
            cell.font = self._plain
            cell.alignment = self._left
            # As text, "1" stays a text when it is typed or chosen.
            cell.number_format = "@" if lists.is_text(k) else shown_as
        rule = self._rule(lists, k)
        if rule is not None:
            sheet.add_data_validation(rule)
            rule.add(cells)

    @staticmethod
    def widths(sheet: Any, heads: Sequence[str], least: int = 18) -> None:
        """Columns as wide as their heads, within reason."""
        for column, head in enumerate(heads, start=1):
            sheet.column_dimensions[letters(column)].width = min(max(len(head) + 2, least), 40)

    @staticmethod
    def fold(sheet: Any, first: int, last: int) -> None:
        """Columns that are there to look into, but closed at first."""
        sheet.column_dimensions.group(letters(first), letters(last), hidden=True)

    def _rule(self, lists: Lists, k: int) -> Any:
        if lists.is_number(k):
            rule = self._validation(type="decimal", formula1="-9E+307", formula2="9E+307", allow_blank=True)
            rule.operator = "between"
            what = "number" if (temporal := lists.temporal(k)) is None else temporal.what
            rule.errorTitle, rule.error = f"Not a {what}", f"Type a {what}, or leave the cell blank."
        elif (values := lists.values(k)) is not None:
            rule = self._validation(type="list", formula1=values, allow_blank=True)
            rule.errorStyle = "information"
            rule.errorTitle = "Not on the list"
            rule.error = "The tree does not know this value. It will go where unknown values go."
        else:
            return None
        rule.showErrorMessage = True
        return rule
