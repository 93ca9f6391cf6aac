"""Nodes of a tree as the rows of a table: bar, answer, rows and prices in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thriftree.plot.cards import Bar, CardLine
from thriftree.plot.palette import FADED, INK
from thriftree.plot.scene import Anchor, Shape, ShapeGroup
from thriftree.plot.text_metrics import fit
from thriftree.plot.tree_words import NodeWords

ROW_HEIGHT = 18.0
HEAD_HEIGHT = 20.0
_BAR_WIDTH = 84.0
_GAP = 10.0
_WIDEST_ANSWER = 150.0


@dataclass(frozen=True)
class _Column:
    head: str
    anchor: Anchor
    cells: dict[int, CardLine]  # by the node's number
    width: float


class NodeTable:
    """Measures and draws the columns. A node with a question shows no answer, and a thin bar.

    `answers` says whether the table has a column of answers.
    """

    def __init__(self, nodes: Sequence[NodeWords], size: float, bar: Bar, *, answers: bool) -> None:
        self._bar = bar
        self._size = size
        said = {n.number: "" if n.question else fit(n.answer, _WIDEST_ANSWER, size, bold=True) for n in nodes}
        hidden = {n.number: f"… {n.hidden} nodes below" if n.hidden else "" for n in nodes}
        columns = [
            self._column("answer", "start", said if answers else {}, bold=True),
            self._column("", "end", {n.number: "" if n.question else n.certainty for n in nodes}),
            self._column("rows", "end", {n.number: f"{n.rows:,}" for n in nodes}),
            self._column("price", "end", {n.number: n.adds for n in nodes}),
            self._column("paid", "end", {n.number: n.paid for n in nodes}),
            self._column("", "start", hidden),
        ]
        self._columns = [c for c in columns if any(line.text for line in c.cells.values())]
        self.width = _BAR_WIDTH + sum(column.width + _GAP for column in self._columns) + 2 * _GAP

    def head(self, x: float, y: float) -> ShapeGroup:
        """The names of the columns, above the rows at `y`."""
        drawn: list[Shape] = []
        for column, left in self._places(x):
            if column.head:
                line = CardLine(column.head, self._size - 1, colour=FADED)
                place = left if column.anchor == "start" else left + column.width
                drawn.append(line.at(place, y, column.anchor))
        return ShapeGroup("legend", tuple(drawn))

    def cells(self, node: NodeWords, x: float, y: float) -> list[Shape]:
        """A node's row with its upper left corner at (x, y)."""
        bar_height = 4.0 if node.question else 10.0
        drawn = self._bar(node, x + _GAP, y + (ROW_HEIGHT - bar_height) / 2, _BAR_WIDTH, bar_height)
        for column, left in self._places(x):
            line = column.cells[node.number]
            if line.text:
                place = left if column.anchor == "start" else left + column.width
                drawn.append(line.at(place, y + (ROW_HEIGHT - line.height) / 2, column.anchor))
        return drawn

    def _column(self, head: str, anchor: Anchor, cells: dict[int, str], *, bold: bool = False) -> _Column:
        lines = {number: CardLine(text, self._size, bold, INK) for number, text in cells.items()}
        width = max([CardLine(head, self._size - 1).width, *(line.width for line in lines.values())])
        return _Column(head, anchor, lines, width)

    def _places(self, x: float) -> list[tuple[_Column, float]]:
        places = []
        left = x + _GAP + _BAR_WIDTH + _GAP
        for column in self._columns:
            places.append((column, left))
            left += column.width + _GAP
        return places
