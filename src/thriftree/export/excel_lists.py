"""The sheet of lists: for each column that the tree tests its cuts or categories, and formulas for codes.

A code counts from 1: the interval or category of a value, then "other" (categories only), then missing.
"""

from __future__ import annotations

from typing import Any

from thriftree.columns import Temporal
from thriftree.document.follow import scalar
from thriftree.export.codes import ColumnCodes
from thriftree.export.excel_cells import (
    area,
    cut_in_15_digits,
    days_at_cut,
    letters,
    write_label,
    write_text,
)
from thriftree.export.labels import common_type
from thriftree.temporal.words import temporal_of

NAME = "Lists"
_FIRST_ROW = 3


class Lists:
    """Writes the lists: two columns of the sheet for each tested column, the values and a number for each."""

    def __init__(self, sheet: Any, tested: list[ColumnCodes]) -> None:
        self._tested = tested
        for k, codes in enumerate(tested):
            left = 2 * k + 1
            write_text(sheet.cell(1, left), codes.column["name"])
            write_text(sheet.cell(2, left), "values up to" if codes.is_number else "category")
            write_text(sheet.cell(2, left + 1), "code" if codes.is_number else "codes before other")
            sheet.column_dimensions[letters(left)].width = 32
            sheet.column_dimensions[letters(left + 1)].width = 18
            self._write(sheet, left, codes)

    def _write(self, sheet: Any, left: int, codes: ColumnCodes) -> None:
        if codes.is_number:
            temporal = temporal_of(codes.column)
            for i, cut in enumerate(codes.cuts):
                value = cut_in_15_digits(cut) if temporal is None else days_at_cut(temporal, cut)
                sheet.cell(_FIRST_ROW + i, left, value)
            for i in range(len(codes.cuts) + 1):
                sheet.cell(_FIRST_ROW + i, left + 1, i + 1)
            return
        what = f"column {codes.column['name']!r}"
        common_type(codes.column["categories"], what)  # texts and numbers need different comparisons
        for i, label in enumerate(codes.column["categories"]):
            write_label(sheet.cell(_FIRST_ROW + i, left), scalar(label), what)
            sheet.cell(_FIRST_ROW + i, left + 1, codes.other - i)

    def values(self, k: int) -> str | None:
        """A reference to the values of a tested column; None if there are none."""
        codes = self._tested[k]
        return self._area(2 * k + 1, len(codes.cuts) if codes.is_number else codes.other)

    def is_number(self, k: int) -> bool:
        """Whether the column holds numbers that the tree compares with cuts."""
        return self._tested[k].is_number

    def temporal(self, k: int) -> Temporal | None:
        """How the column's numbers are to be read."""
        return temporal_of(self._tested[k].column)

    def is_text(self, k: int) -> bool:
        """Whether the column holds texts."""
        codes = self._tested[k]
        return not codes.is_number and common_type(codes.column["categories"], "") is str

    def code(self, k: int, cell: str) -> str:
        """The formula, without its "=", of the code of the value in a cell. A blank is missing; a text in a
        number column is #N/A.
        """
        codes, values = self._tested[k], self.values(k)
        if codes.is_number:
            # FREQUENCY counts x in the first interval with x <= its end, and compares all digits.
            numbers = self._area(2 * k + 2, len(codes.cuts) + 1)
            known = "1" if values is None else f"SUMPRODUCT(FREQUENCY({cell},{values}),{numbers})"
            known = f"IF(ISNUMBER({cell}),{known},NA())"
        else:
            known = f"{codes.other + 1}"
            if values is not None:
                # = takes "A" for "a", and a look-up would take * and ? for wildcards.
                is_equal = f"EXACT({values},{cell})" if self.is_text(k) else f"({values}={cell})"
                known += f"-SUMPRODUCT(--{is_equal},{self._area(2 * k + 2, codes.other)})"
        return f'IF({cell}="",{codes.missing + 1},{known})'

    def _area(self, column: int, n_rows: int) -> str | None:
        if n_rows == 0:
            return None
        return area(NAME, (_FIRST_ROW, column), (_FIRST_ROW + n_rows - 1, column))
