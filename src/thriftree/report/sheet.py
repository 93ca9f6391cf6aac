"""The tree on one sheet of paper, in a layout that can be read there."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from thriftree.export.svg import svg_of
from thriftree.plot.tree_words import levels_within

MOST_LEAVES: Final = 90  # what a sheet can show
READABLE: Final = 0.19  # mm for a pixel of the picture: its smallest words are then 6 points high
_LAYOUTS: Final = ("top-down", "left-right", "outline")  # the clearest first
_ROOM: Final = {False: (277.0, 120.0), True: (190.0, 195.0)}  # for the tree on A4, in mm; True: it stands
_SIZE: Final = re.compile(r'<svg[^>]* width="([\d.]+)" height="([\d.]+)"')


@dataclass(frozen=True)
class Sheet:
    """A picture of the tree as SVG, and whether the paper stands. Of a tree too large for paper the picture
    has the first `levels`; None: all.
    """

    picture: str
    portrait: bool
    levels: int | None


def sheet_of(document: dict[str, Any]) -> Sheet:
    """The clearest layout that can be read on a sheet, lying or standing; the largest if none can. A tree
    that must be cut is cut where it can be read.
    """
    levels = levels_on_paper(document)
    scale, sheet = _clearest(document, levels)
    if levels is None or scale >= READABLE:
        return sheet
    # Fewer levels are larger on paper: halve the range in which the largest readable number of them is.
    readable, too_many = _clearest(document, 1)[1], levels
    low = 1
    while too_many - low > 1:
        levels = (low + too_many) // 2
        scale, sheet = _clearest(document, levels)
        if scale >= READABLE:
            low, readable = levels, sheet
        else:
            too_many = levels
    return readable


def _clearest(document: dict[str, Any], levels: int | None) -> tuple[float, Sheet]:
    """The first layout that can be read, or else the largest, with its millimetres for a pixel."""
    found: list[tuple[float, Sheet]] = []
    for layout in _LAYOUTS:
        picture = svg_of(document, orientation=layout, max_depth=levels)
        scale, portrait = max((_scale(picture, portrait), portrait) for portrait in _ROOM)
        found.append((scale, Sheet(picture, portrait, levels)))
        if scale >= READABLE:
            return found[-1]
    return max(found, key=lambda one: one[0])


def _scale(picture: str, portrait: bool) -> float:
    """Millimetres for a pixel where the picture fills its room."""
    size = _SIZE.search(picture)
    if size is None:
        raise ValueError("the picture of the tree does not say how large it is")
    width, height = _ROOM[portrait]
    return min(width / float(size[1]), height / float(size[2]))


def levels_on_paper(document: dict[str, Any]) -> int | None:
    """How many levels of questions a sheet can show; None: all."""
    return levels_within(document, MOST_LEAVES)
