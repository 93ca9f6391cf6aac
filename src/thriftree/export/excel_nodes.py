"""The sheet of nodes: what each node says, and where each code of the column that it tests leads.

A row's leaf is found by as many look-ups as the tree is deep, and no formula grows with the tree.
"""

from __future__ import annotations

from typing import Any

from thriftree.document.answers import node_numbers, node_shares
from thriftree.document.follow import scalar
from thriftree.explain.prices import node_prices
from thriftree.explain.values import missing_is_telling, values_by_branch
from thriftree.explain.words import Wording, label_words
from thriftree.export.codes import ColumnCodes
from thriftree.export.excel_cells import (
    MAX_COLUMNS,
    MAX_ROWS,
    area,
    letters,
    shortened,
    write_label,
    write_text,
)
from thriftree.export.excel_style import Style

NAME = "Nodes"
MOST_CELLS = 2_000_000
_FIRST_ROW = 2
_NODE, _CONDITION, _COLUMN, _ANSWER, _ROWS, _FIRST_SHARE = range(1, 7)


class Nodes:
    """Writes the nodes and makes the formulas that look something up by a node's number."""

    def __init__(self, sheet: Any, document: dict[str, Any], tested: list[ColumnCodes]) -> None:
        self._document = document
        self._classes = document["classes"] or []
        self._prices = None if document.get("prices") is None else node_prices(document)
        self.has_price = self._prices is not None
        self._price = _FIRST_SHARE + len(self._classes)
        self._first_code = self._price + self.has_price
        self._n_codes = max((len(codes.answers) for codes in tested), default=1)
        self._check_size()
        self._write_heads(sheet)
        self._write_facts(sheet)
        self._write_ways(sheet, tested)

    def _check_size(self) -> None:
        n_nodes, width = len(self._document["nodes"]), self._first_code + self._n_codes
        if n_nodes >= MAX_ROWS or width > MAX_COLUMNS or n_nodes * width > MOST_CELLS:
            raise ValueError(
                f"a table of {n_nodes} nodes with up to {self._n_codes} different answers is too large for a "
                "spreadsheet: prune the tree, or export it to SQL or ONNX"
            )

    def _write_heads(self, sheet: Any) -> None:
        heads = ["node", "reached if", "tests column", "answer", "training rows"]
        heads += [shortened(f"share of {label_words(label)}") for label in self._classes]
        heads += [self.price_words] * self.has_price
        heads += [f"next, code {code + 1}" for code in range(self._n_codes)]
        style = Style()
        for column, head in enumerate(heads, start=1):
            style.head(sheet.cell(1, column), head)
        style.widths(sheet, heads)
        sheet.column_dimensions[letters(_CONDITION)].width = 40
        sheet.freeze_panes = "A2"

    def _write_facts(self, sheet: Any) -> None:
        document = self._document
        shares = node_shares(document) if self._classes else None
        numbers = node_numbers(document).tolist() if shares is None else []
        for number, node in enumerate(document["nodes"]):
            row = _FIRST_ROW + number
            sheet.cell(row, _NODE, number)
            sheet.cell(row, _ROWS, node["rows"])
            if shares is None:
                sheet.cell(row, _ANSWER, numbers[number])
            else:
                write_label(sheet.cell(row, _ANSWER), scalar(self._classes[node["label"]]), "the target")
                for k, share in enumerate(shares[number].tolist()):
                    sheet.cell(row, _FIRST_SHARE + k, share)
            if self._prices is not None:
                sheet.cell(row, self._price, self._prices[number].paid)

    def _write_ways(self, sheet: Any, tested: list[ColumnCodes]) -> None:
        """Where each code leads, and in words what led to each node."""
        place_of = {codes.position: k for k, codes in enumerate(tested)}
        wording = Wording(self._document)
        for number, node in enumerate(self._document["nodes"]):
            row = _FIRST_ROW + number
            if "test" not in node:
                sheet.cell(row, _COLUMN, 0)
                continue
            position = node["test"]["column"]
            codes = tested[place_of[position]]
            sheet.cell(row, _COLUMN, place_of[position] + 1)
            for code, branch in enumerate(codes.branches(node["test"])):
                sheet.cell(row, self._first_code + code, node["children"][branch])
            telling = missing_is_telling(self._document, node)
            for child, values in zip(node["children"], values_by_branch(node, codes.column), strict=True):
                words = wording.condition(position, values, say_missing=telling)
                write_text(sheet.cell(_FIRST_ROW + child, _CONDITION), shortened(words))

    # The formulas, without their "=". `node` is the cell that holds a node's number.

    def next(self, node: str, codes: str) -> str:
        """The node after this one, or this one if it is a leaf; `codes` is the area of a row's codes."""
        column = self.tested_column(node)
        last = (self._last_row, self._first_code + self._n_codes - 1)
        ways = area(NAME, (_FIRST_ROW, self._first_code), last)
        return f"IF({column}=0,{node},INDEX({ways},{node}+1,INDEX({codes},{column})))"

    def tested_column(self, node: str) -> str:
        """Which of the tested columns a node tests, counted from 1; 0 for a leaf."""
        return self._of(_COLUMN, node)

    def answer(self, node: str) -> str:
        """What a node answers."""
        is_text = bool(self._classes) and isinstance(self._classes[0], str)
        # An empty text is a blank cell, and a formula that shows a blank shows 0.
        return self._of(_ANSWER, node) + ('&""' if is_text else "")

    def condition(self, node: str) -> str:
        """In words, what led to a node."""
        return self._of(_CONDITION, node)

    def rows(self, node: str) -> str:
        """How many training rows reached a node."""
        return self._of(_ROWS, node)

    def share(self, k: int, node: str) -> str:
        """The share of class k at a node."""
        return self._of(_FIRST_SHARE + k, node)

    def price(self, node: str) -> str:
        """What the path to a node costs."""
        return self._of(self._price, node)

    @property
    def price_words(self) -> str:
        """What `price` is; where outcomes change prices it is the most that the path can cost."""
        varies = any(price.varies for price in self._prices or ())
        return "price of the questions" + (", at most" if varies else "")

    @property
    def _last_row(self) -> int:
        return _FIRST_ROW + len(self._document["nodes"]) - 1

    def _of(self, column: int, node: str) -> str:
        return f"INDEX({area(NAME, (_FIRST_ROW, column), (self._last_row, column))},{node}+1)"
