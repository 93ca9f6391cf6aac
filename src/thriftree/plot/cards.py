"""What is drawn at one node: its words and its bar, measured before they are placed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from thriftree.plot.palette import FADED, INK, LINE
from thriftree.plot.scene import Anchor, Rect, Shape, Words, straight
from thriftree.plot.text_metrics import ASCENT, LINE_HEIGHT, fit, text_width, wrap
from thriftree.plot.tree_words import NodeWords

PAD = 8.0
_SEAM = 0.8  # white between two classes of a bar, for prints without colour

Bar = Callable[[NodeWords, float, float, float, float], list[Shape]]  # of a node: x, y, width, height


@dataclass(frozen=True)
class CardLine:
    """A line of text on a card."""

    text: str
    size: float
    bold: bool = False
    colour: str = INK

    @property
    def width(self) -> float:
        """As measured."""
        return text_width(self.text, self.size, bold=self.bold)

    @property
    def height(self) -> float:
        """From this line to the next."""
        return self.size * LINE_HEIGHT

    def at(self, x: float, y: float, anchor: Anchor = "start") -> Words:
        """The line with its upper end at y."""
        return Words(x, y + self.size * ASCENT, self.text, self.size, self.colour, self.bold, anchor)


@dataclass(frozen=True)
class Card:
    """A box with lines of text above a bar (an inner node) or below it (a leaf)."""

    node: NodeWords
    lines: tuple[CardLine, ...]
    width: float
    bar_height: float

    @property
    def height(self) -> float:
        """Of the whole box."""
        return sum(line.height for line in self.lines) + self.bar_height + 4 + 2 * (PAD - 2)

    def shapes(self, x: float, y: float, bar: Bar, outline: str, outline_width: float) -> list[Shape]:
        """The card with its upper left corner at (x, y)."""
        is_leaf = not self.node.question
        fill = "#f4f6f8" if is_leaf else "#ffffff"
        drawn: list[Shape] = [
            Rect(x, y, self.width, self.height, fill, outline, outline_width, radius=4 if is_leaf else 8)
        ]
        inside = self.width - 2 * PAD
        top = y + PAD - 2
        if is_leaf:
            drawn += bar(self.node, x + PAD, top, inside, self.bar_height)
            top += self.bar_height + 4
        for line in self.lines:
            drawn.append(line.at(x + PAD, top))
            top += line.height
        if not is_leaf:
            drawn += bar(self.node, x + PAD, top + 4, inside, self.bar_height)
        return drawn


def question_card(node: NodeWords, width: float, size: float, *, lines: int) -> Card:
    """A node with its question, its rows and its price, no wider than `width` inside."""
    small = size - 1.5
    question = [
        CardLine(text, size, bold=True) for text in wrap(node.question, width, size, lines=lines, bold=True)
    ]
    told = [*question, *(CardLine(text, small, colour=FADED) for text in _joined(node.facts, width, small))]
    return Card(node, tuple(told), max(line.width for line in told) + 2 * PAD, 5.0)


def leaf_card(node: NodeWords, width: float, size: float) -> Card:
    """A leaf with its answer, how sure it is, its rows and what its path paid."""
    small = size - 1.5
    told = [
        CardLine(fit(node.conclusion, width, size + 1, bold=True), size + 1, bold=True),
        *(CardLine(fit(fact, width, small), small, colour=FADED) for fact in node.facts),
    ]
    return Card(node, tuple(told), max(70.0, *(line.width for line in told)) + 2 * PAD, 10.0)


def class_bar(colours: Sequence[str]) -> Bar:
    """A bar of the classes' shares in their colours."""

    def bar(node: NodeWords, x: float, y: float, width: float, height: float) -> list[Shape]:
        if not node.class_shares:
            return [Rect(x, y, width, height, None, LINE)]
        drawn: list[Shape] = []
        shown = [(share, colour) for share, colour in zip(node.class_shares, colours, strict=True) if share]
        for share, colour in shown:
            length = share * width
            seam = _SEAM if len(shown) > 1 and length > 3 * _SEAM else 0.0
            drawn.append(Rect(x, y, length - seam, height, colour))
            x += length
        return drawn

    return bar


def number_bar(low: float, high: float, colour: str) -> Bar:
    """A scale from `low` to `high` with the mean as a tick and a standard deviation about it as a band."""

    def bar(node: NodeWords, x: float, y: float, width: float, height: float) -> list[Shape]:
        def place(value: float) -> float:
            return x + width * min(max((value - low) / (high - low), 0.0), 1.0)

        start, end = place(node.mean - node.deviation), place(node.mean + node.deviation)
        mean = place(node.mean)
        middle = y + height / 2
        return [
            straight((x, middle), (x + width, middle), LINE, 1.0),
            Rect(start, middle - height / 4, end - start, height / 2, "#9dbfe0"),
            Rect(min(max(mean - 1.25, x), x + width - 2.5), y, 2.5, height, colour),
        ]

    return bar


def _joined(facts: list[str], width: float, size: float) -> list[str]:
    """Facts in one line where they fit, otherwise each in its own."""
    line = " · ".join(facts)
    if text_width(line, size) <= width:
        return [line]
    return [fit(fact, width, size) for fact in facts]
