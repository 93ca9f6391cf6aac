"""The sheet to score many rows: values on the left, answers after them, helpers at the right."""

from __future__ import annotations

from typing import Any

from thriftree.explain.words import label_words
from thriftree.export.codes import ColumnCodes
from thriftree.export.excel_cells import MAX_COLUMNS, letters
from thriftree.export.excel_lists import Lists
from thriftree.export.excel_nodes import Nodes
from thriftree.export.excel_style import Style

NAME = "Many rows"


def write_rows(
    sheet: Any,
    tested: list[ColumnCodes],
    classes: list[Any],
    lists: Lists,
    nodes: Nodes,
    depth: int,
    n_rows: int,
) -> None:
    """Writes the sheet: a head, and formulas for `n_rows` rows below it. A row without any value has no
    answer.
    """
    style = Style()
    n_inputs, n_answers = len(tested), 1 + len(classes) + nodes.has_price
    first_code = n_inputs + n_answers + 1
    first_step = first_code + n_inputs
    last_step = first_step + depth
    if last_step > MAX_COLUMNS:
        raise ValueError(
            f"a tree of depth {depth} is too deep for a spreadsheet: prune it, or export it to SQL or ONNX"
        )
    heads = [codes.column["name"] for codes in tested]
    heads += ["answer", *(f"share of {label_words(label)}" for label in classes)]
    heads += [nodes.price_words] * nodes.has_price
    heads += [f"code {k + 1}" for k in range(n_inputs)] + [f"node {step}" for step in range(depth + 1)]
    for column, words in enumerate(heads, start=1):
        style.head(sheet.cell(1, column), words)
    style.widths(sheet, heads)
    style.fold(sheet, first_code, last_step)
    for k in range(n_inputs):
        style.inputs(sheet, f"{letters(k + 1)}2:{letters(k + 1)}{n_rows + 1}", lists, k)
    for row in range(2, n_rows + 2):
        leaf = f"${letters(last_step)}{row}"
        formulas = [(nodes.answer(leaf), "General")]
        formulas += [(nodes.share(k, leaf), "0.0%") for k in range(len(classes))]
        formulas += [(nodes.price(leaf), "0.00")] * nodes.has_price
        for i, (formula, number_format) in enumerate(formulas):
            given = f"COUNTA($A{row}:${letters(n_inputs)}{row})" if n_inputs else "1"
            cell = sheet.cell(row, n_inputs + 1 + i)
            style.answer(cell, f'IF({given}=0,"",{formula})', number_format, bold=i == 0)
        for k in range(n_inputs):
            style.helper(sheet.cell(row, first_code + k), lists.code(k, f"${letters(k + 1)}{row}"))
        codes = f"${letters(first_code)}{row}:${letters(first_step - 1)}{row}"
        style.helper(sheet.cell(row, first_step), 0)
        for column in range(first_step + 1, last_step + 1):
            style.helper(sheet.cell(row, column), nodes.next(f"${letters(column - 1)}{row}", codes))
    sheet.freeze_panes = "A2"
