"""The picture of a tree as shapes, for SVG and matplotlib alike."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal, TypeAlias

from thriftree.plot.cards import leaf_card, question_card
from thriftree.plot.flows import BEND, Flows
from thriftree.plot.leaf_rows import HEAD_HEIGHT, ROW_HEIGHT, LeafRows
from thriftree.plot.palette import ACCENT, LINE
from thriftree.plot.scene import Group, Scene, Shape, moved
from thriftree.plot.text_metrics import fit, text_width
from thriftree.plot.tree_layout import Box, Size, left_to_right, top_down
from thriftree.plot.tree_legend import bar_of, legend
from thriftree.plot.tree_words import NodeWords, words_of

Orientation: TypeAlias = Literal["auto", "top-down", "left-right"]

USUAL_WIDTH = 1280.0
_MARGIN = 14.0
_QUESTION_WIDTHS = (180.0, 150.0, 120.0, 96.0)  # tried in turn until the tree is narrow enough


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

    It can be wider than `width`: words are never smaller than the layout makes them.
    """
    if orientation not in ("auto", "top-down", "left-right"):
        raise ValueError(f'orientation must be "auto", "top-down" or "left-right", not {orientation!r}')
    if width is not None and not width > 0:
        raise ValueError(f"width must be a positive number of pixels, not {width!r}")
    if max_depth is not None and max_depth < 0:
        raise ValueError(f"max_depth must be at least 0, not {max_depth!r}")
    last = len(document["nodes"]) - 1
    unknown = [number for number in path if not 0 <= number <= last]
    if unknown:
        raise ValueError(f"path names node {unknown[0]}, but the tree's nodes are 0 to {last}")
    told = words_of(document, max_depth=max_depth, prices=prices)
    drawing = _Drawing(document, told, frozenset(path), USUAL_WIDTH if width is None else float(width))
    if orientation != "left-right":
        scene = drawing.top_down()
        if orientation == "top-down" or scene.width <= drawing.room:
            return scene
    return drawing.left_right()


class _Drawing:
    """One tree, drawn in one of two ways. Lists are by place among the shown nodes."""

    def __init__(
        self, document: dict[str, Any], told: list[NodeWords], path: frozenset[int], room: float
    ) -> None:
        self.document = document
        self.told = told
        self.path = path
        self.room = room
        self.bar = bar_of(document, told)
        self.children = [node.children for node in told]

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
        right, bottom = max(slot.right for slot in slots), max(box.bottom for box in boxes)
        return self._scene([*edges, *nodes], right, bottom)

    def left_right(self) -> Scene:
        """The root at the left; questions are broken into lines as short as the room asks for."""
        size = 11.0
        rows = LeafRows([node for node in self.told if not node.question], size, self.bar)
        labels = [fit(node.branch, 120.0, size - 1) for node in self.told]
        gaps = [BEND + text_width(label, size - 1) + 10 for label in labels]
        for widest in _QUESTION_WIDTHS:
            cards = {
                i: question_card(node, widest, size, lines=2)
                for i, node in enumerate(self.told)
                if node.question
            }
            sizes = [
                Size(cards[i].width, cards[i].height) if i in cards else Size(rows.width, ROW_HEIGHT)
                for i in range(len(self.told))
            ]
            boxes = left_to_right(self.children, sizes, row_gap=3.0, gaps=gaps)
            right = max(box.right for box in boxes)
            if right + 2 * _MARGIN <= self.room:
                break
        boxes = [Box(box.x, box.y + HEAD_HEIGHT, box.width, box.height) for box in boxes]
        nodes = []
        for i, (node, box) in enumerate(zip(self.told, boxes, strict=True)):
            outline = self._outline(node)
            if i in cards:
                shapes = cards[i].shapes(box.x, box.y, self.bar, *outline)
            else:
                shapes = rows.shapes(node, box.x, box.y, *outline)
            nodes.append(self._node(node, shapes))
        edges = Flows(self.told, boxes, labels, self.path, size - 1).rightwards()
        head = rows.head(right - rows.width, 0.0)
        return self._scene([*edges, head, *nodes], right, max(box.bottom for box in boxes))

    def _outline(self, node: NodeWords) -> tuple[str, float]:
        return (ACCENT, 2.0) if node.number in self.path else (LINE, 1.0)

    def _node(self, node: NodeWords, shapes: list[Shape]) -> Group:
        return Group("node", tuple(shapes), node.number, node.title, node.number in self.path)

    def _scene(self, groups: list[Group], right: float, bottom: float) -> Scene:
        """The groups below the legend, with a margin."""
        key, height = legend(self.document, self.told, max(right, 260.0))
        top = _MARGIN + height + 10
        leaves = sum(not node.question for node in self.told)
        return Scene(
            max(right, 260.0) + 2 * _MARGIN,
            top + bottom + _MARGIN,
            (moved(key, _MARGIN, _MARGIN), *(moved(group, _MARGIN, top) for group in groups)),
            f"Decision tree with {leaves} {'leaf' if leaves == 1 else 'leaves'}",
        )
