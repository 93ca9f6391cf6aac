"""Where the boxes of a tree go: no two overlap, and a parent stands amid its children.

Trees are lists of children by box, box 0 the root, a parent before its children (as in preorder).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

Children = Sequence[Sequence[int]]


@dataclass(frozen=True)
class Size:
    """What a box needs."""

    width: float
    height: float


@dataclass(frozen=True)
class Box:
    """Where a box is: its upper left corner and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + self.height

    @property
    def centre(self) -> float:
        """The x of its middle."""
        return self.x + self.width / 2

    @property
    def middle(self) -> float:
        """The y of its middle."""
        return self.y + self.height / 2


def top_down(children: Children, sizes: Sequence[Size], *, gap: float, level_gap: float) -> list[Box]:
    """The root above, each level in a row; subtrees as close to one another as their outlines allow
    (Reingold and Tilford 1981, for boxes of any width and any number of children).
    """
    depth = _depths(children)
    offset = [0.0] * len(children)  # of a box's centre from its parent's
    outlines: dict[int, _Outline] = {}  # of each finished subtree, from its root's centre
    for number in range(len(children) - 1, -1, -1):
        merged = _Outline()
        places: list[float] = []
        for child in children[number]:
            outline = outlines.pop(child)
            place = merged.room_for(outline, gap)
            places.append(place)
            merged = merged.beside(outline, place)
        centre = (places[0] + places[-1]) / 2 if places else 0.0
        for child, place in zip(children[number], places, strict=True):
            offset[child] = place - centre
        outlines[number] = merged.below(sizes[number].width / 2, centre)

    heights = [0.0] * (max(depth) + 1)
    for number, level in enumerate(depth):
        heights[level] = max(heights[level], sizes[number].height)
    tops = [above + level_gap * level for level, above in enumerate(accumulate(heights, initial=0.0))]
    left = outlines[0].left
    centres = [-left] * len(children)
    for number, below in enumerate(children):
        for child in below:
            centres[child] = centres[number] + offset[child]
    return [
        Box(centre - size.width / 2, tops[level], size.width, size.height)
        for centre, size, level in zip(centres, sizes, depth, strict=True)
    ]


def left_to_right(
    children: Children, sizes: Sequence[Size], *, row_gap: float, gaps: Sequence[float], top: float = 0.0
) -> list[Box]:
    """The root at the left, each leaf in a row of its own, all leaves in one column at the right.

    `gaps` is the room left of each box for the line from its parent. Each subtree has a band of rows to
    itself, so boxes cannot meet.
    """
    band = [0.0] * len(children)
    for number in range(len(children) - 1, -1, -1):
        rows = sum(band[child] for child in children[number])
        band[number] = max(rows, sizes[number].height + row_gap)
    first_row = [top] * len(children)
    left = [0.0] * len(children)
    for number, below in enumerate(children):
        start = first_row[number] + (band[number] - sum(band[child] for child in below)) / 2
        for child in below:
            first_row[child] = start
            start += band[child]
            left[child] = left[number] + sizes[number].width + gaps[child]
    leaves = [number for number, below in enumerate(children) if not below]
    column = max(left[leaf] for leaf in leaves)
    middle = [start + height / 2 for start, height in zip(first_row, band, strict=True)]
    for number in range(len(children) - 1, -1, -1):
        if children[number]:
            first, last = children[number][0], children[number][-1]
            wanted = (middle[first] + middle[last]) / 2
            room = sizes[number].height / 2
            highest, lowest = first_row[number] + room, first_row[number] + band[number] - room
            middle[number] = min(max(wanted, highest), lowest)  # within its own band
    for leaf in leaves:
        left[leaf] = column
    return [
        Box(left[number], middle[number] - size.height / 2, size.width, size.height)
        for number, size in enumerate(sizes)
    ]


def outline(children: Children, row_height: float, *, indent: float, top: float = 0.0) -> list[Box]:
    """A row for each box, in order; children begin `indent` to the right of their parent. Boxes are as wide
    as an indentation: words may follow them.
    """
    depths = _depths(children)
    return [
        Box(depth * indent, top + row * row_height, indent, row_height) for row, depth in enumerate(depths)
    ]


def _depths(children: Children) -> list[int]:
    depth = [0] * len(children)
    for number, below in enumerate(children):
        for child in below:
            depth[child] = depth[number] + 1
    return depth


class _Outline:
    """Leftmost and rightmost x of a subtree by level. Levels are held from the lowest up, and relative to
    `_shift`, so that to add a level above, or to move all, takes no time: a chain has very many levels.
    """

    def __init__(self) -> None:
        self._lows: list[float] = []
        self._highs: list[float] = []
        self._shift = 0.0

    @property
    def left(self) -> float:
        """The least x of any level."""
        return min(self._lows) + self._shift

    def room_for(self, right: _Outline, gap: float) -> float:
        """How far to the right of this one's origin the other's must be, so that no level overlaps."""
        shared = min(len(self._lows), len(right._lows))
        if not shared:
            return 0.0
        between = zip(self._highs[-shared:], right._lows[-shared:], strict=True)
        return max(mine - theirs for mine, theirs in between) + self._shift - right._shift + gap

    def beside(self, right: _Outline, place: float) -> _Outline:
        """Both, with the other's origin at `place`; neither is to be used again. As many steps as the
        levels that both have.
        """
        shared = min(len(self._lows), len(right._lows))
        apart = place + right._shift - self._shift
        if len(self._lows) >= len(right._lows):
            if shared:
                self._highs[-shared:] = [high + apart for high in right._highs[-shared:]]
            return self
        if shared:
            right._lows[-shared:] = [low - apart for low in self._lows[-shared:]]
        right._shift += place
        return right

    def below(self, half_width: float, centre: float) -> _Outline:
        """With a box above, whose centre is the origin from now on; it was at `centre`."""
        self._shift -= centre
        self._lows.append(-half_width - self._shift)
        self._highs.append(half_width - self._shift)
        return self
