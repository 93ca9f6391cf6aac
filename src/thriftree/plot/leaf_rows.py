"""The leaves of a tree drawn from left to right: one row each, in the columns of a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from thriftree.plot.cards import Bar, Line
from thriftree.plot.palette import FADED, INK
from thriftree.plot.scene import Group, Rect, Shape
from thriftree.plot.text_metrics import fit
from thriftree.plot.tree_words import NodeWords

ROW_HEIGHT = 20.0
HEAD_HEIGHT = 20.0
_BAR_WIDTH = 84.0
_GAP = 10.0
_WIDEST_ANSWER = 150.0


@dataclass(frozen=True)
class _Column:
    head: str
    anchor: Literal["start", "end"]
    cells: dict[int, Line]  # by node
    width: float


class LeafRows:
    """Measures and draws the rows of leaves."""

    def __init__(self, leaves: list[NodeWords], size: float, bar: Bar) -> None:
        self._bar = bar
        self._size = size
        answers = {leaf.number: fit(leaf.answer, _WIDEST_ANSWER, size, bold=True) for leaf in leaves}
        columns = [
            self._column("answer", "start", answers, bold=True),
            self._column("", "end", {leaf.number: leaf.certainty for leaf in leaves}),
            self._column("rows", "end", {leaf.number: f"{leaf.rows:,}" for leaf in leaves}),
            self._column("pays", "end", {leaf.number: leaf.paid for leaf in leaves}),
            self._column(
                "",
                "start",
                {leaf.number: f"… {leaf.hidden} nodes below" if leaf.hidden else "" for leaf in leaves},
            ),
        ]
        self._columns = [c for c in columns if any(line.text for line in c.cells.values())]
        self.width = _BAR_WIDTH + sum(column.width + _GAP for column in self._columns) + 2 * _GAP

    def head(self, x: float, y: float) -> Group:
        """The names of the columns, above the rows at `y`."""
        drawn: list[Shape] = []
        for column, left in self._places(x):
            line = Line(column.head, self._size - 1, colour=FADED)
            drawn.append(line.at(left if column.anchor == "start" else left + column.width, y, column.anchor))
        return Group("legend", tuple(drawn))

    def shapes(self, leaf: NodeWords, x: float, y: float, outline: str, outline_width: float) -> list[Shape]:
        """A leaf's row with its upper left corner at (x, y)."""
        drawn: list[Shape] = [Rect(x, y, self.width, ROW_HEIGHT, "#f4f6f8", outline, outline_width, radius=3)]
        drawn += self._bar(leaf, x + _GAP, y + 5, _BAR_WIDTH, ROW_HEIGHT - 10)
        for column, left in self._places(x):
            line = column.cells[leaf.number]
            if line.text:
                place = left if column.anchor == "start" else left + column.width
                drawn.append(line.at(place, y + (ROW_HEIGHT - line.height) / 2, column.anchor))
        return drawn

    def _column(
        self, head: str, anchor: Literal["start", "end"], cells: dict[int, str], *, bold: bool = False
    ) -> _Column:
        lines = {number: Line(text, self._size, bold, INK) for number, text in cells.items()}
        width = max(Line(head, self._size - 1).width, *(line.width for line in lines.values()))
        return _Column(head, anchor, lines, width)

    def _places(self, x: float) -> list[tuple[_Column, float]]:
        places = []
        left = x + _GAP + _BAR_WIDTH + _GAP
        for column in self._columns:
            places.append((column, left))
            left += column.width + _GAP
        return places
