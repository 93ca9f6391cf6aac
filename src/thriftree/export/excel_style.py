"""How the cells of a workbook look, and what may be typed into them."""

from __future__ import annotations

from typing import Any

from thriftree.export.excel_cells import import_openpyxl, write_text
from thriftree.export.excel_lists import Lists

_HEAD, _INPUT, _ANSWER, _HELP = "D9E2EC", "FFF6CC", "DDF0DA", "8A8A8A"


class Style:
    """Cells of the kinds that the sheets have: heads, inputs, answers, and helpers in grey."""

    def __init__(self) -> None:
        package = import_openpyxl()
        self._styles = package.styles
        self._validation = package.worksheet.datavalidation.DataValidation

    def title(self, cell: Any, words: str) -> None:
        """A sheet's title."""
        write_text(cell, words).font = self._styles.Font(bold=True, size=14)

    def head(self, cell: Any, words: str) -> None:
        """The head of a column or block."""
        write_text(cell, words).font = self._styles.Font(bold=True)
        cell.fill = self._fill(_HEAD)
        cell.alignment = self._styles.Alignment(wrap_text=True, vertical="top")

    def answer(self, cell: Any, formula: str, number_format: str = "General", *, bold: bool = False) -> None:
        """A cell that answers."""
        cell.value = f"={formula}"
        cell.fill = self._fill(_ANSWER)
        cell.font = self._styles.Font(bold=bold)
        cell.number_format = number_format
        cell.alignment = self._styles.Alignment(horizontal="left")

    def helper(self, cell: Any, content: str | int) -> None:
        """A cell that other cells need: a number, or a formula without its "="."""
        cell.value = f"={content}" if isinstance(content, str) else content
        cell.font = self._styles.Font(color=_HELP)

    def text(self, cell: Any, words: str, *, fixed_width: bool = False) -> None:
        """Words to read."""
        write_text(cell, words)
        if fixed_width:
            cell.font = self._styles.Font(name="Courier New", size=10)

    def inputs(self, sheet: Any, cells: str, lists: Lists, k: int) -> None:
        """Cells such as "B4" or "A2:A101" that take values of a tested column."""
        found = sheet[cells]
        for cell in [cell for (cell,) in found] if isinstance(found, tuple) else [found]:
            cell.fill = self._fill(_INPUT)
            cell.alignment = self._styles.Alignment(horizontal="left")
            # As text, "1" stays a text when it is typed or chosen.
            cell.number_format = "@" if lists.is_text(k) else "General"
        rule = self._rule(lists, k)
        if rule is not None:
            sheet.add_data_validation(rule)
            rule.add(cells)

    def _rule(self, lists: Lists, k: int) -> Any:
        if lists.is_number(k):
            rule = self._validation("decimal", "between", "-9E+307", "9E+307", allow_blank=True)
            rule.errorTitle, rule.error = "Not a number", "Type a number, or leave the cell blank."
        elif (values := lists.values(k)) is not None:
            rule = self._validation("list", formula1=values, allow_blank=True)
            rule.errorStyle = "information"
            rule.errorTitle = "Not on the list"
            rule.error = "The tree does not know this value. It will go where unknown values go."
        else:
            return None
        rule.showErrorMessage = True
        return rule

    def _fill(self, colour: str) -> Any:
        return self._styles.PatternFill("solid", fgColor=colour)
