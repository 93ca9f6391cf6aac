"""The lines of a tree: each as wide as its share of the rows, with the answer that leads along it."""

from __future__ import annotations

from collections.abc import Sequence

from thriftree.plot.palette import INK
from thriftree.plot.scene import Anchor, Curve, Point, ShapeGroup, Words
from thriftree.plot.tree_layout import Box
from thriftree.plot.tree_words import NodeWords

BEND = 26.0  # length of the curve between a question and the line to its answer
WIDEST = 16.0  # a line for all rows
_THINNEST = 1.3
_STRAIGHT = 16.0  # the end of a line downwards, where its answer stands
_COLOUR, _MARKED = "#c6ced8", "#f0b48f"

Pieces = tuple[tuple[Point, Point, Point], ...]


def flow_width(share: float, widest: float = WIDEST) -> float:
    """The width of the line for a share of all rows."""
    return max(widest * share, _THINNEST)


class Flows:
    """The lines between placed boxes. Lists are by place among the shown nodes."""

    def __init__(
        self,
        told: Sequence[NodeWords],
        boxes: Sequence[Box],
        labels: Sequence[str],
        path: frozenset[int],
        size: float,
        widest: float = WIDEST,
    ) -> None:
        self._told = told
        self._boxes = boxes
        self._labels = labels
        self._path = path
        self._size = size
        self._widest = widest

    def downwards(self) -> list[ShapeGroup]:
        """From the lower edge of a parent to the upper edge of its children, answers above the children."""
        groups = []
        for parent, child, offset in self._starts():
            above, below = self._boxes[parent], self._boxes[child]
            start, end = (above.centre + offset, above.bottom), (below.centre, below.y)
            turn = (end[0], end[1] - _STRAIGHT)
            bend = (start[1] + turn[1]) / 2
            pieces = (((start[0], bend), (end[0], bend), turn), (turn, end, end))
            line = self._line(parent, child, start, pieces)
            groups.append(self._group(child, line, end[0], end[1] - 8, "middle"))
        return groups

    def rightwards(self) -> list[ShapeGroup]:
        """From the right edge of a parent to the left edge of its children, answers after the curve."""
        groups = []
        for parent, child, offset in self._starts():
            before, after = self._boxes[parent], self._boxes[child]
            start, end = (before.right, before.middle + offset), (after.x, after.middle)
            turn = start[0] + BEND
            bend = start[0] + BEND / 2
            curve = ((bend, start[1]), (bend, end[1]), (turn, end[1]))
            line = self._line(parent, child, start, (curve, ((turn, end[1]), end, end)))
            groups.append(self._group(child, line, turn + 3, end[1] + 0.36 * self._size, "start"))
        return groups

    def indented(self, trunk: float) -> list[ShapeGroup]:
        """From below a parent's beginning, `trunk` from its left edge, to the left edge of its children.
        Wide lines come first, so that thin ones of the same parent show on them.
        """
        groups = []
        for parent, child, _ in sorted(self._starts(), key=lambda edge: -self._told[edge[1]].share):
            above, below = self._boxes[parent], self._boxes[child]
            start, end = (above.x + trunk, above.bottom), (below.x, below.middle)
            corner = (start[0], end[1])
            down = (start[0], end[1] - 7)
            pieces = ((start, down, down), (corner, corner, (corner[0] + 7, end[1])), (corner, end, end))
            line = self._line(parent, child, start, pieces)
            groups.append(self._group(child, line, 0, 0, None))
        return groups

    def _starts(self) -> list[tuple[int, int, float]]:
        """Parent, child and where their line begins, from the middle of the parent's side: lines of one
        parent lie side by side.
        """
        starts = []
        for parent, node in enumerate(self._told):
            widths = [flow_width(self._told[child].share, self._widest) for child in node.children]
            before = -sum(widths) / 2
            for child, width in zip(node.children, widths, strict=True):
                starts.append((parent, child, before + width / 2))
                before += width
        return starts

    def _line(self, parent: int, child: int, start: Point, pieces: Pieces) -> Curve:
        marked = {self._told[parent].number, self._told[child].number} <= self._path
        width = flow_width(self._told[child].share, self._widest)
        return Curve(start, pieces, _MARKED if marked else _COLOUR, width)

    def _group(self, child: int, line: Curve, x: float, y: float, anchor: Anchor | None) -> ShapeGroup:
        node = self._told[child]
        shapes: tuple[Curve | Words, ...] = (line,)
        if anchor is not None:
            halo = "#ffffff" if line.width < self._size else None  # a broad line is a ground to write on
            shapes = (line, Words(x, y, self._labels[child], self._size, INK, anchor=anchor, halo=halo))
        title = f"{node.branch or 'no value'}: {node.rows:,} rows ({node.share:.1%} of all)"
        return ShapeGroup("edge", shapes, node.number, title, marked=line.colour == _MARKED)
