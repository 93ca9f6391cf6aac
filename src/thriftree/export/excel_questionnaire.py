"""The sheet to ask one case through: values on the left; on the right the answer and the way to it."""

from __future__ import annotations

from typing import Any

from thriftree.explain.words import label_words
from thriftree.export.codes import ColumnCodes
from thriftree.export.excel_lists import Lists
from thriftree.export.excel_nodes import Nodes
from thriftree.export.excel_style import Style

NAME = "Questionnaire"
_FIRST_ROW = 4
_WIDTHS = {"A": 32, "B": 24, "C": 12, "D": 7, "E": 3, "F": 30, "G": 50, "H": 7, "I": 7}


def write_questionnaire(
    sheet: Any, tested: list[ColumnCodes], classes: list[Any], lists: Lists, nodes: Nodes, depth: int
) -> None:
    """Writes the sheet. `depth` is the number of tests on the longest path."""
    style = Style()
    style.title(sheet["A1"], "Ask the tree")
    style.text(sheet["A2"], "Fill in the yellow cells; leave blank what is not known.")
    way_head = _FIRST_ROW + 2 + len(classes) + nodes.has_price + 1
    first, last = way_head + 1, way_head + 1 + depth  # rows of the nodes on the way
    for letter, words in zip("ABCD", ("question", "value", "needed", "code"), strict=True):
        style.head(sheet[f"{letter}{_FIRST_ROW - 1}"], words)
    for k, codes in enumerate(tested):
        row = _FIRST_ROW + k
        style.text(sheet[f"A{row}"], codes.column["name"])
        style.inputs(sheet, f"B{row}", lists, k)
        asked = f"COUNTIF($I${first}:$I${last},{k + 1})"
        style.words(sheet[f"C{row}"], f'IF({asked}>0,"yes","no")')
        style.helper(sheet[f"D{row}"], lists.code(k, f"$B${row}"))
    _write_answers(sheet, style, classes, nodes, f"$H${last}")
    _write_way(sheet, style, nodes, len(tested), first, last)
    for letter, width in _WIDTHS.items():
        sheet.column_dimensions[letter].width = width
    style.fold(sheet, 4, 4)
    style.fold(sheet, 8, 9)


def _write_answers(sheet: Any, style: Style, classes: list[Any], nodes: Nodes, leaf: str) -> None:
    lines = [
        ("answer", nodes.answer(leaf), "General"),
        ("training rows like it", nodes.rows(leaf), "General"),
    ]
    for k, label in enumerate(classes):
        lines.append((f"share of {label_words(label)}", nodes.share(k, leaf), "0.0%"))
    if nodes.has_price:
        lines.append((nodes.price_words, nodes.price(leaf), "0.00"))
    for letter, words in zip("FG", ("the tree says", ""), strict=True):
        style.head(sheet[f"{letter}{_FIRST_ROW - 1}"], words)
    for row, (words, formula, number_format) in enumerate(lines, start=_FIRST_ROW):
        style.text(sheet[f"F{row}"], words)
        style.answer(sheet[f"G{row}"], formula, number_format, bold=row == _FIRST_ROW)


def _write_way(sheet: Any, style: Style, nodes: Nodes, n_inputs: int, first: int, last: int) -> None:
    """A line for each node on the way; after the leaf the lines repeat it, and say nothing."""
    names, values, codes = (f"${c}${_FIRST_ROW}:${c}${_FIRST_ROW + n_inputs - 1}" for c in "ABD")
    for letter, words in zip("FGHI", ("step", "because", "node", "asks"), strict=True):
        style.head(sheet[f"{letter}{first - 1}"], words)
    for row in range(first, last + 1):
        node, before = f"$H${row}", f"$H${row - 1}"
        style.helper(sheet[f"H{row}"], 0 if row == first else nodes.next(before, codes))
        style.helper(sheet[f"I{row}"], nodes.tested_column(node))
        if row == first:
            style.text(sheet[f"F{row}"], "start")
        else:
            style.words(sheet[f"F{row}"], f'IF({node}={before},"","step {row - first}")')
            asked = f"$I${row - 1}"
            missing = f'IF(INDEX({values},{asked})="",INDEX({names},{asked})&" is missing",'
            style.words(sheet[f"G{row}"], f'IF({node}={before},"",{missing}{nodes.condition(node)}))')
