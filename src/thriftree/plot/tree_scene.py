"""The picture of a tree as shapes, for SVG and matplotlib alike."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal, TypeAlias, get_args

from thriftree.plot.cards import CardLine, leaf_card, question_card
from thriftree.plot.flows import BEND, Flows
from thriftree.plot.node_table import HEAD_HEIGHT, ROW_HEIGHT, NodeTable
from thriftree.plot.palette import ACCENT, FADED, LINE
from thriftree.plot.scene import Rect, Scene, Shape, ShapeGroup, moved
from thriftree.plot.text_metrics import fit, text_width, wrap
from thriftree.plot.tree_layout import Box, Size, left_to_right, outline, top_down
from thriftree.plot.tree_legend import bar_of, legend, tree_note
from thriftree.plot.tree_words import NodeWords, words_of

Orientation: TypeAlias = Literal["auto", "top-down", "left-right", "outline"]

USUAL_WIDTH = 1280.0
SMALLEST = 0.8  # of full size: words of 11.5 pixels are still read at 9
_MARGIN = 14.0
_QUESTION_WIDTHS = (190.0, 150.0, 120.0)  # tried in turn until the tree is narrow enough
_TALLEST = 1.5  # times the room's width: beyond, questions from left to right are too far apart to follow


def tree_scene(
    document: dict[str, Any],
    *,
    width: float | None = None,
    max_depth: int | None = None,
    orientation: Orientation = "auto",
    prices: bool = True,
    path: Collection[int] = (),
) -> Scene:
    """The tree of a JSON form; see `thriftree.export.svg.svg_of` for the options.

    The scene has its full size: to fit into `width` it may have to be drawn smaller, down to SMALLEST; a very
    deep tree may be wider still.
    """
    if orientation not in get_args(Orientation):
        raise ValueError(
            f"orientation must be one of {', '.join(get_args(Orientation))}, not {orientation!r}"
        )
    if width is not None and not width > 0:
        raise ValueError(f"width must be a positive number of pixels, not {width!r}")
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth must be at least 0, not {max_depth!r}")
    last = len(document["nodes"]) - 1
    unknown = [number for number in path if not 0 <= number <= last]
    if unknown:
        raise ValueError(f"path names node {unknown[0]}, but the tree's nodes are 0 to {last}")
    told = words_of(document, max_depth=max_depth, prices=prices)
    room = USUAL_WIDTH if width is None else width / SMALLEST
    drawing = _Drawing(document, told, frozenset(path), room)
    return drawing.drawn(orientation)


class _Drawing:
    """One tree, drawn in one of three ways. Lists are by place among the shown nodes."""

    def __init__(
        self, document: dict[str, Any], told: list[NodeWords], path: frozenset[int], room: float
    ) -> None:
        self.document = document
        self.told = told
        self.path = path
        self.room = room
        self.bar = bar_of(document, told)
        self.children = [node.children for node in told]

    def drawn(self, orientation: Orientation) -> Scene:
        """In the way asked for, or in the first that fits the room."""
        if orientation in ("auto", "top-down"):
            scene = self.top_down()
            if orientation == "top-down" or scene.width <= self.room:
                return scene
        if orientation in ("auto", "left-right"):
            scene = self.left_right()
            if orientation == "left-right" or (
                scene.width <= self.room and scene.height <= _TALLEST * self.room
            ):
                return scene
        return self.outline()

    def top_down(self) -> Scene:
        """The root above; boxes as wide as their words."""
        size = 12.0
        cards = [
            question_card(node, 176.0, size, lines=3) if node.question else leaf_card(node, 150.0, size)
            for node in self.told
        ]
        labels = [fit(node.branch, 150.0, size - 1) for node in self.told]
        needs = [
            Size(max(card.width, text_width(label, size - 1) + 6), card.height)
            for card, label in zip(cards, labels, strict=True)
        ]
        slots = top_down(self.children, needs, gap=16.0, level_gap=50.0)
        boxes = [
            Box(slot.centre - card.width / 2, slot.y, card.width, card.height)
            for slot, card in zip(slots, cards, strict=True)
        ]
        nodes = [
            self._node(node, card.shapes(box.x, box.y, self.bar, *self._outline(node)))
            for node, card, box in zip(self.told, cards, boxes, strict=True)
        ]
        edges = Flows(self.told, boxes, labels, self.path, size - 1).downwards()
        return self._scene([*edges, *nodes], max(slot.right for slot in slots), boxes)

    def left_right(self) -> Scene:
        """The root at the left; questions are broken into lines as short as the room asks for."""
        size = 11.0
        table = NodeTable([node for node in self.told if not node.question], size, self.bar, answers=True)
        labels = [fit(node.branch, 120.0, size - 1) for node in self.told]
        gaps = [BEND + text_width(label, size - 1) + 10 for label in labels]
        for widest in _QUESTION_WIDTHS:
            cards = {
                i: question_card(node, widest, size, lines=3)
                for i, node in enumerate(self.told)
                if node.question
            }
            sizes = [
                Size(cards[i].width, cards[i].height) if i in cards else Size(table.width, ROW_HEIGHT)
                for i in range(len(self.told))
            ]
            boxes = left_to_right(self.children, sizes, row_gap=5.0, gaps=gaps, top=HEAD_HEIGHT)
            right = max(box.right for box in boxes)
            if right + 2 * _MARGIN <= self.room:
                break
        nodes = []
        for i, (node, box) in enumerate(zip(self.told, boxes, strict=True)):
            if i in cards:
                shapes = cards[i].shapes(box.x, box.y, self.bar, *self._outline(node))
            else:
                row = Rect(box.x, box.y, box.width, box.height, "#f4f6f8", *self._outline(node), radius=3)
                shapes = [row, *table.cells(node, box.x, box.y)]
            nodes.append(self._node(node, shapes))
        edges = Flows(self.told, boxes, labels, self.path, size - 1).rightwards()
        return self._scene([*edges, table.head(right - table.width, 0.0), *nodes], right, boxes)

    def outline(self) -> Scene:
        """A row for each node, indented by depth, figures in columns: words keep their size in deep trees."""
        size, indent = 11.5, 26.0
        table = NodeTable(self.told, size, self.bar, answers=False)
        boxes = outline(self.children, ROW_HEIGHT, indent=indent, top=HEAD_HEIGHT)
        wanted = max(
            box.x + text_width(_way(node), size) + text_width(_end(node), size, bold=True)
            for node, box in zip(self.told, boxes, strict=True)
        )
        deepest = max(box.x for box in boxes)
        column = max(min(wanted + 18, self.room - table.width - 2 * _MARGIN), deepest + 160)
        nodes = []
        for node, box in zip(self.told, boxes, strict=True):
            shapes = self._row_ground(node, box, column + table.width)
            way = CardLine(fit(_way(node), 0.6 * (column - box.x), size), size, colour=FADED)
            room = column - box.x - way.width - 10
            end = CardLine(wrap(_end(node), room, size, lines=1, bold=True)[0], size, bold=True)
            y = box.y + (ROW_HEIGHT - way.height) / 2
            shapes += [way.at(box.x + 5, y), end.at(box.x + 5 + way.width, y)]
            nodes.append(self._node(node, [*shapes, *table.cells(node, column, box.y)]))
        edges = Flows(self.told, boxes, [""] * len(boxes), self.path, size, widest=9.0).indented(indent / 2)
        groups = [*edges, table.head(column, 0.0), *nodes]
        return self._scene(groups, column + table.width, boxes, cards=False)

    def _row_ground(self, node: NodeWords, box: Box, right: float) -> list[Shape]:
        """What lies under a row of the outline: something to guide the eye at leaves and on the path."""
        marked = node.number in self.path
        if node.question and not marked:
            return []
        fill, stroke = ("#fdf0e8", ACCENT) if marked else ("#f4f6f8", None)
        return [Rect(box.x, box.y + 1, right - box.x, ROW_HEIGHT - 2, fill, stroke, radius=3)]

    def _outline(self, node: NodeWords) -> tuple[str, float]:
        return (ACCENT, 2.0) if node.number in self.path else (LINE, 1.0)

    def _node(self, node: NodeWords, shapes: list[Shape]) -> ShapeGroup:
        return ShapeGroup("node", tuple(shapes), node.number, node.title, node.number in self.path)

    def _scene(
        self, groups: list[ShapeGroup], right: float, boxes: list[Box], *, cards: bool = True
    ) -> Scene:
        """The groups below the legend, with a margin."""
        width = max(right, 260.0)
        key, height = legend(self.document, width, tree_note(self.document, self.told, cards=cards))
        top = _MARGIN + height + 10
        leaves = sum(not node.question for node in self.told)
        return Scene(
            width + 2 * _MARGIN,
            top + max(box.bottom for box in boxes) + _MARGIN,
            (moved(key, _MARGIN, _MARGIN), *(moved(group, _MARGIN, top) for group in groups)),
            f"Decision tree with {leaves} {'leaf' if leaves == 1 else 'leaves'}",
        )


def _way(node: NodeWords) -> str:
    """What stands first in a row of the outline: the answer that leads there."""
    return node.branch and node.branch + (": " if node.question else " → ")


def _end(node: NodeWords) -> str:
    """What stands next: the question, or the answer."""
    return node.question or node.answer
