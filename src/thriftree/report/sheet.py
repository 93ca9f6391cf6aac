"""The tree on one sheet of paper: the layout in which it is largest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from thriftree.export.svg import svg_of

MOST_LEAVES: Final = 90  # what a sheet can show
_LAYOUTS: Final = ("top-down", "left-right", "outline")
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
    """The layout and the side of the paper that show a tree largest."""
    levels = levels_on_paper(document)
    best: tuple[float, Sheet] | None = None
    for layout in _LAYOUTS:
        picture = svg_of(document, orientation=layout, max_depth=levels)
        found = _SIZE.search(picture)
        if found is None:
            raise ValueError("the picture of the tree does not say how large it is")
        for portrait, (width, height) in _ROOM.items():
            scale = min(width / float(found[1]), height / float(found[2]))
            if best is None or scale > best[0]:
                best = scale, Sheet(picture, portrait, levels)
    assert best is not None
    return best[1]


def levels_on_paper(document: dict[str, Any]) -> int | None:
    """How many levels of questions a sheet can show; None: all."""
    nodes = document["nodes"]
    level = [0]
    leaves, depth = 0, 0
    while level:
        leaves += sum("children" not in nodes[number] for number in level)
        below = [child for number in level for child in nodes[number].get("children", ())]
        # Cut here, what goes on counts as a leaf.
        if leaves + len(below) > MOST_LEAVES and depth > 0:
            return depth
        level, depth = below, depth + 1
    return None
