"""The picture of a soft tree: gates as cards with their weights as bars, or as a curve where they weigh one
number alone; leaves with what they answer. It grows to the right, left branches above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from thriftree.plot.palette import FADED, INK, LINE, class_colours
from thriftree.plot.scene import Curve, Point, Rect, Scene, Shape, ShapeGroup, Words, straight
from thriftree.plot.text_metrics import fit, text_width
from thriftree.temporal.words import temporal_of, tick_words

if TYPE_CHECKING:
    from thriftree.columns import Temporal

CARD: Final = 268.0  # width of a card
GATE_HEIGHT, LEAF_HEIGHT, SLOT = 104.0, 44.0, 56.0  # of a gate, of a leaf, and what a leaf has for itself
GAP: Final = 76.0  # between cards and their children
MARGIN, LEGEND = 14.0, 58.0
TO_LEFT, TO_RIGHT = "#3b4450", "#a3abb6"  # no colours, which are those of classes
_MOST_BARS: Final = 4
_LONGEST_BAR: Final = 30.0
_STEPS: Final = 24  # pieces of a curve
_NEAR: Final = 6  # a gate's sum that is as good as certain: a curve has pieces of its own below it
_SECOND: Final = 1_000_000  # in the unit of datetimes, times of day and durations
_STEEP: Final = 1e-9  # what the sum of a step differs by from one side of it to the other
_RANGE: Final = 2.5  # standard deviations that a curve shows on each side of the mean


@dataclass(frozen=True)
class WeighedTerm:
    """What a weight is of."""

    name: str
    column: int
    centre: float = 0.0
    scale: float = 0.0  # 0: it is a category or missing, or a number that never differs
    temporal: Temporal | None = None


def terms_of(document: dict[str, Any]) -> list[WeighedTerm]:
    """The terms of a soft tree's JSON form, in their order."""
    found = []
    for j, (column, design) in enumerate(zip(document["columns"], document["design"], strict=True)):
        if column["kind"] == "category":
            found += [WeighedTerm(f"{column['name']} = {_label(one)}", j) for one in column["categories"]]
        else:
            number = WeighedTerm(column["name"], j, design["centre"], design["scale"], temporal_of(column))
            found.append(number)
        if design["missing"]:
            found.append(WeighedTerm(f"{column['name']} missing", j))
    return found


def soft_scene(document: dict[str, Any], reach: Sequence[float] | None = None) -> Scene:
    """The picture. `reach` has the probability of reaching each gate, then each leaf, of a row or of rows on
    average: lines are as wide.
    """
    drawing = _Drawing(document, reach)
    groups = (*drawing.edges, *drawing.cards, drawing.legend())
    return Scene(drawing.width, drawing.height, groups, title=f"a soft tree of {drawing.n_leaves} leaves")


class _Drawing:
    """Lays out and draws while it walks the tree."""

    def __init__(self, document: dict[str, Any], reach: Sequence[float] | None) -> None:
        self.document, self.reach = document, reach
        self.gates = document["gates"]
        self.n_leaves = len(document["leaves"])
        self.terms = terms_of(document)
        self.colours = class_colours([1.0] * len(document["classes"] or ()))
        numbers = [leaf[0] for leaf in document["leaves"]]
        self.span = (min(numbers), max(numbers))
        self.edges: list[ShapeGroup] = []
        self.cards: list[ShapeGroup] = []
        self.next_leaf, self.depth = 0, 0
        self._place(0 if self.gates else -1, 0)
        self.width = 2 * MARGIN + (self.depth + 1) * CARD + self.depth * GAP
        self.height = LEGEND + self.n_leaves * SLOT + max(0.0, GATE_HEIGHT - SLOT) + MARGIN

    def _place(self, child: int, depth: int) -> float:
        """Draws a node and all below it; returns the height of its middle."""
        self.depth = max(self.depth, depth)
        x = MARGIN + depth * (CARD + GAP)
        if child < 0:
            middle = LEGEND + max(0.0, GATE_HEIGHT - SLOT) / 2 + (self.next_leaf + 0.5) * SLOT
            self.next_leaf += 1
            self.cards.append(self._leaf(-1 - child, x, middle))
            return middle
        gate = self.gates[child]
        places = [self._place(gate[side], depth + 1) for side in ("left", "right")]
        middle = sum(places) / 2
        for side, place, colour in zip(("left", "right"), places, (TO_LEFT, TO_RIGHT), strict=True):
            self.edges.append(self._edge(gate[side], (x + CARD, middle), (x + CARD + GAP, place), colour))
        self.cards.append(self._gate(child, x, middle))
        return middle

    def _edge(self, child: int, start: Point, end: Point, colour: str) -> ShapeGroup:
        node = child if child >= 0 else len(self.gates) - 1 - child
        share = None if self.reach is None else float(self.reach[node])
        bend = (end[0] - start[0]) / 2
        piece = ((start[0] + bend, start[1]), (end[0] - bend, end[1]), end)
        width = 1.5 if share is None else 0.6 + 13 * share
        shapes: list[Shape] = [Curve(start, (piece,), colour, width)]
        if share is not None:
            down = end[1] > start[1]
            at = (end[0] - 4, end[1] + (13 + width / 2 if down else -5 - width / 2))
            shapes.append(Words(*at, f"{100 * share:.0f} %", 10, FADED, anchor="end", halo="#ffffff"))
        return ShapeGroup("edge", tuple(shapes), number=node)

    def _gate(self, number: int, x: float, middle: float) -> ShapeGroup:
        gate, top = self.gates[number], middle - GATE_HEIGHT / 2
        weighed = [
            (self.terms[gate["first"] + k], weight) for k, weight in enumerate(gate["weights"]) if weight
        ]
        weighed.sort(key=lambda pair: -abs(pair[1]))
        shapes: list[Shape] = [
            Rect(x, top, CARD, GATE_HEIGHT, fill="#ffffff", stroke=LINE, radius=6),
        ]
        numbers = [pair for pair in weighed if pair[0].scale]
        if len(numbers) == 1 and len({term.column for term, _ in weighed}) == 1:
            shapes += self._curve(gate, *numbers[0], x, top)
            shapes.append(Words(x + CARD - 8, top + 16, f"gate {number}", 10, FADED, anchor="end"))
        else:
            shapes += _bars(weighed, x, top)
            more = len(weighed) - _MOST_BARS
            told = f"gate {number} · offset {gate['offset']:+.3g}"
            told += f" · {more} smaller weight{'' if more == 1 else 's'}" if more > 0 else ""
            shapes.append(Words(x + 8, top + 98, told, 10, FADED))
        lines = [f"offset {gate['offset']:.4g}", *(f"{term.name}: {w:.4g}" for term, w in weighed[:30])]
        return ShapeGroup("node", tuple(shapes), number=number, title="\n".join(lines))

    def _curve(
        self, gate: dict[str, Any], term: WeighedTerm, weight: float, x: float, top: float
    ) -> list[Shape]:
        """The probability of going left by the column's value."""
        left, right, low, high = x + 12, x + CARD - 12, top + 82, top + 26
        sharpness = self.document["sharpness"]
        points = []
        for at in _places(gate["offset"], weight, sharpness):
            share = _opened(gate["offset"] + weight * at, sharpness)
            points.append((left + (right - left) * (at / _RANGE + 1) / 2, low - (low - high) * share))
        pieces = tuple((_between(a, b, 1 / 3), _between(a, b, 2 / 3), b) for a, b in pairwise(points))
        ends = [term.centre + sign * _RANGE / term.scale for sign in (-1, 1)]
        return [
            Words(x + 8, top + 16, fit(term.name, CARD - 66, 11), 11, INK),
            straight((left, low), (right, low), LINE, 1),
            straight((left, (low + high) / 2), (right, (low + high) / 2), "#e3e6ea", 1),
            Curve(points[0], pieces, TO_LEFT, 2),
            Words(left, top + 97, _number_words(ends[0], term.temporal), 10, FADED),
            Words(right, top + 97, _number_words(ends[1], term.temporal), 10, FADED, anchor="end"),
        ]

    def _leaf(self, number: int, x: float, middle: float) -> ShapeGroup:
        top, outputs = middle - LEAF_HEIGHT / 2, self.document["leaves"][number]
        shapes: list[Shape] = [
            Rect(x, top, CARD, LEAF_HEIGHT, fill="#f6f7f9", stroke=LINE, radius=6),
        ]
        linear = self.document["leaf_weights"] is not None
        if self.document["classes"] is None:
            target = self.document["target"]
            said = f"{target['centre'] + target['deviation'] * outputs[0]:.4g}"
            low, high = self.span
            share = (outputs[0] - low) / (high - low) if high > low else 0.5
            shapes.append(Rect(x + 8, top + 28, CARD - 16, 6, fill="#e3e6ea"))
            shapes.append(Rect(x + 8 + (CARD - 20) * share, top + 25, 4, 12, fill=INK))
        else:
            shares = _softmax(outputs)
            best = max(range(len(shares)), key=shares.__getitem__)
            said = f"{_label(self.document['classes'][best])}: {100 * shares[best]:.0f} %"
            begin = x + 8
            for share, colour in zip(shares, self.colours, strict=True):
                shapes.append(Rect(begin, top + 26, (CARD - 16) * share, 10, fill=colour))
                begin += (CARD - 16) * share
        words = f"{said}, linear" if linear else said
        shapes.append(Words(x + 8, top + 18, fit(words, CARD - 66, 12, bold=True), 12, INK, bold=True))
        shapes.append(Words(x + CARD - 8, top + 18, f"leaf {number}", 10, FADED, anchor="end"))
        title = f"leaf {number}: {words}"
        return ShapeGroup("node", tuple(shapes), number=len(self.gates) + number, title=title)

    def legend(self) -> ShapeGroup:
        """Which way colours push, and the classes."""
        shapes: list[Shape] = [
            Rect(MARGIN, 12, 11, 11, fill=TO_LEFT),
            Words(MARGIN + 17, 22, "pushes to the upper branch", 11, INK),
            Rect(MARGIN + 190, 12, 11, 11, fill=TO_RIGHT),
            Words(MARGIN + 207, 22, "to the lower", 11, INK),
        ]
        at = MARGIN
        for label, colour in zip(self.document["classes"] or (), self.colours, strict=True):
            words = fit(_label(label), 110, 11)
            shapes += [Rect(at, 34, 11, 11, fill=colour), Words(at + 17, 44, words, 11, INK)]
            at += 40 + 7 * len(words)
        return ShapeGroup("legend", tuple(shapes))


def _bars(weighed: list[tuple[WeighedTerm, float]], x: float, top: float) -> list[Shape]:
    """The largest weights of a gate, as numbers and as bars: the longest bar is its largest weight."""
    if not weighed:
        return [Words(x + 8, top + 20, "weighs nothing", 11, FADED)]
    shapes: list[Shape] = []
    zero = x + CARD - 8 - _LONGEST_BAR
    end = zero - _LONGEST_BAR - 6
    for i, (term, weight) in enumerate(weighed[:_MOST_BARS]):
        y = top + 8 + 19 * i
        length = _LONGEST_BAR * abs(weight / weighed[0][1])
        colour, left = (TO_LEFT, zero - length) if weight > 0 else (TO_RIGHT, zero)
        number = f"{weight:+.3g}"
        room = end - text_width(number, 10) - 6 - (x + 8)
        shapes.append(Words(x + 8, y + 12, fit(term.name, room, 11), 11, INK))
        shapes.append(Words(end, y + 12, number, 10, FADED, anchor="end"))
        shapes.append(Rect(left, y + 3, max(length, 1.0), 11, fill=colour))
    shapes.append(straight((zero, top + 6), (zero, top + 8 + 19 * _MOST_BARS), LINE, 1))
    return shapes


def _places(offset: float, weight: float, sharpness: float | None) -> list[float]:
    """Where a curve is told, in standard deviations: evenly, and closely where it rises."""
    even = [_RANGE * (2 * step / _STEPS - 1) for step in range(_STEPS + 1)]
    unit = _STEEP if sharpness is None else 1 / sharpness
    near = [(k * unit - offset) / weight for k in range(-_NEAR, _NEAR + 1)]
    return sorted(even + [at for at in near if abs(at) < _RANGE])


def _number_words(value: float, temporal: Temporal | None) -> str:
    """A number briefly, a day, or a time to the second."""
    if temporal is None:
        return f"{value:.4g}"
    unit = 1 if temporal.what == "date" else _SECOND
    return fit(tick_words(temporal, round(value / unit) * unit), CARD / 2 - 16, 10)


def _between(a: Point, b: Point, share: float) -> Point:
    return a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])


def _opened(total: float, sharpness: float | None) -> float:
    if sharpness is None:
        return 1.0 if total >= 0 else 0.0
    return 1 / (1 + math.exp(min(700.0, -sharpness * total)))


def _softmax(logits: list[float]) -> list[float]:
    top = max(logits)
    raised = [math.exp(one - top) for one in logits]
    return [one / sum(raised) for one in raised]


def _label(value: Any) -> str:
    return str(value["float"]) if isinstance(value, dict) else str(value)
