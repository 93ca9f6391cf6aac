"""A picture as shapes: what SVG and matplotlib draw alike.

Lengths are pixels at full size; x grows to the right, y downwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

Point: TypeAlias = tuple[float, float]
Anchor: TypeAlias = Literal["start", "middle", "end"]


@dataclass(frozen=True)
class Rect:
    """A rectangle, filled and outlined as told."""

    x: float
    y: float
    width: float
    height: float
    fill: str | None = None
    stroke: str | None = None
    stroke_width: float = 1.0
    radius: float = 0.0


@dataclass(frozen=True)
class Curve:
    """A line from `start` through cubic Bézier pieces, each of two controls and an end."""

    start: Point
    pieces: tuple[tuple[Point, Point, Point], ...]
    colour: str
    width: float


@dataclass(frozen=True)
class Words:
    """One line of text. `x` is its left, middle or right end by `anchor`, `y` its baseline."""

    x: float
    y: float
    text: str
    size: float
    colour: str
    bold: bool = False
    anchor: Anchor = "start"
    halo: str | None = None  # a rim of this colour, to be read on lines


Shape: TypeAlias = Rect | Curve | Words


@dataclass(frozen=True)
class ShapeGroup:
    """Shapes that stand for one thing: a node, an edge (named by its lower node), or a legend."""

    kind: Literal["node", "edge", "legend", "step"]
    shapes: tuple[Shape, ...]
    number: int | None = None  # of the node
    title: str = ""  # everything in full, to show when pointed at
    marked: bool = False


@dataclass(frozen=True)
class Scene:
    """A picture: groups in the order in which they are drawn."""

    width: float
    height: float
    groups: tuple[ShapeGroup, ...] = field(default_factory=tuple)
    title: str = ""

    def shapes(self) -> Iterator[Shape]:
        """All shapes, from back to front."""
        for group in self.groups:
            yield from group.shapes


def straight(start: Point, end: Point, colour: str, width: float) -> Curve:
    """A straight line."""
    return Curve(start, ((start, end, end),), colour, width)


def moved(group: ShapeGroup, dx: float, dy: float) -> ShapeGroup:
    """The group somewhere else."""

    def shifted(point: Point) -> Point:
        return point[0] + dx, point[1] + dy

    def shift(shape: Shape) -> Shape:
        if isinstance(shape, Curve):
            pieces = tuple((shifted(a), shifted(b), shifted(c)) for a, b, c in shape.pieces)
            return replace(shape, start=shifted(shape.start), pieces=pieces)
        return replace(shape, x=shape.x + dx, y=shape.y + dy)

    return replace(group, shapes=tuple(shift(shape) for shape in group.shapes))
