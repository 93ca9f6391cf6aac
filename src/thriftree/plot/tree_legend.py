"""What the colours and marks in the picture of a tree stand for."""

from __future__ import annotations

from typing import Any

from thriftree.explain.words import label_words
from thriftree.plot.cards import Bar, CardLine, class_bar, number_bar
from thriftree.plot.palette import BLUE, FADED, REST, class_colours
from thriftree.plot.scene import Rect, Shape, ShapeGroup
from thriftree.plot.text_metrics import fit, wrap
from thriftree.plot.tree_words import NodeWords

_SIZE = 11.0
_SWATCH = 11.0
_WIDEST_LABEL = 170.0


def bar_of(document: dict[str, Any], told: list[NodeWords]) -> Bar:
    """What draws the bar of a node: shares of classes, or a place on the scale that all leaves share."""
    if document["classes"] is not None:
        return class_bar(class_colours(document["nodes"][0]["value"]))
    return number_bar(*scale_of(told), BLUE)


def scale_of(told: list[NodeWords]) -> tuple[float, float]:
    """The least and largest value within a standard deviation of a leaf's mean."""
    leaves = [node for node in told if not node.question]
    low = min(node.mean - node.deviation for node in leaves)
    high = max(node.mean + node.deviation for node in leaves)
    return (low, high) if high > low else (low - 1.0, high + 1.0)


def legend(document: dict[str, Any], width: float, note: str) -> tuple[ShapeGroup, float]:
    """The colours of the classes and a note, at the origin, in as many lines as `width` asks for; and the
    height.
    """
    shapes: list[Shape] = []
    y = 0.0
    if document["classes"] is not None:
        x = 0.0
        for text, colour in _entries(document):
            line = CardLine(fit(text, _WIDEST_LABEL, _SIZE), _SIZE)
            length = _SWATCH + 6 + line.width + 18
            if x > 0 and x + length > width:
                x, y = 0.0, y + 18
            shapes += [Rect(x, y + 1, _SWATCH, _SWATCH, colour, radius=2), line.at(x + _SWATCH + 6, y - 1)]
            x += length
        y += 18
    for text in wrap(note, width, _SIZE - 1, lines=4) if note else ():
        line = CardLine(text, _SIZE - 1, colour=FADED)
        shapes.append(line.at(0.0, y))
        y += line.height
    return ShapeGroup("legend", tuple(shapes)), y


def _entries(document: dict[str, Any]) -> list[tuple[str, str]]:
    colours = class_colours(document["nodes"][0]["value"])
    own = [
        (label_words(c), colour)
        for c, colour in zip(document["classes"], colours, strict=True)
        if colour != REST
    ]
    rest = colours.count(REST)
    return [*own, ("another class" if rest == 1 else f"{rest} other classes", REST)] if rest else own


def tree_note(document: dict[str, Any], told: list[NodeWords], *, cards: bool) -> str:
    """What bars and lines mean; on `cards` prices, too: in columns they have heads."""
    notes = [bar_note(document, told)]
    if len(told) > 1:
        notes.append("Lines are as wide as their share of the rows.")
        if cards and told[0].adds:
            notes.append("+1.00 → 3.50: price of the question → paid after it.")
    return " ".join(note for note in notes if note)


def bar_note(document: dict[str, Any], told: list[NodeWords]) -> str:
    """What the bars of a numeric target mean; those of classes have their colours."""
    if document["classes"] is not None:
        return ""
    low, high = scale_of(told)
    return f"Bars: mean and standard deviation, from {low:.4g} to {high:.4g}."
