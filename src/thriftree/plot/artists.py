"""Scenes drawn with matplotlib. Imports matplotlib: import this module only where a picture is drawn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, Literal

from matplotlib import font_manager, rcParams
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.text import Text

from thriftree.plot.direction import left_to_right
from thriftree.plot.scene import Anchor, Curve, Rect, Scene, Words
from thriftree.plot.text_metrics import text_width

_ANCHORS: dict[Anchor, Literal["left", "center", "right"]] = {
    "start": "left",
    "middle": "center",
    "end": "right",
}
_ROUND = 0.5523  # controls of a Bézier quarter of a circle, from its ends
_NO_GLYPH = "\u25a1"  # a box, as most programs show what their font lacks


def draw(scene: Scene, ax: Axes) -> None:
    """The scene on axes that are made to fit it: equal units, y downwards, no frame."""
    ax.set_axis_off()
    ax.set_xlim(0, scene.width)
    ax.set_ylim(scene.height, 0)
    ax.set_aspect("equal", adjustable="box", anchor="N")
    for shape in scene.shapes():  # all have one zorder, so that they are drawn in this order
        artist = ScaledText(shape) if isinstance(shape, Words) else ScaledPath(shape)
        ax.add_artist(artist)


class ScaledPath(PathPatch):
    """A rectangle or line whose line width is in the units of the axes."""

    def __init__(self, shape: Rect | Curve) -> None:
        if isinstance(shape, Rect):
            path, fill, stroke, self._units = _outline(shape), shape.fill, shape.stroke, shape.stroke_width
        else:
            path, fill, stroke, self._units = _course(shape), None, shape.colour, shape.width
        style = {"facecolor": fill or "none", "edgecolor": stroke or "none"}
        super().__init__(path, **style, capstyle="butt", zorder=2)

    def draw(self, renderer: Any) -> None:
        """With the width that the axes' units have by now."""
        self.set_linewidth(self._units * _points(self))
        super().draw(renderer)


class ScaledText(Text):
    """Text whose size is in the units of the axes, so that it keeps to its box at any size."""

    def __init__(self, words: Words) -> None:
        super().__init__(
            words.x,
            words.y,
            drawable(left_to_right(words.text), bold=words.bold),
            color=words.colour,
            fontweight="bold" if words.bold else "normal",
            horizontalalignment=_ANCHORS[words.anchor],
            verticalalignment="baseline",
            parse_math=False,  # a "$" in a name is a dollar, and nothing is TeX
            usetex=False,
            zorder=2,
        )
        self._words = words

    def draw(self, renderer: Any) -> None:
        """At the size that the axes' units have by now."""
        with _unhinted():
            self._rescale(renderer)
            super().draw(renderer)

    def get_window_extent(self, renderer: Any = None, dpi: float | None = None) -> Any:
        """At the size that the axes' units have by now."""
        with _unhinted():
            self._rescale(renderer)
            return super().get_window_extent(renderer, dpi)

    def _rescale(self, renderer: Any) -> None:
        """Sets the size, somewhat smaller where another font is wider than was measured."""
        words, points = self._words, _points(self)
        self.set_fontsize(words.size * points)
        assert self.axes is not None
        drawn = super().get_window_extent(renderer).width * 72 / self.axes.figure.dpi
        measured = text_width(words.text, words.size, bold=words.bold) * points
        if drawn > measured > 0:
            self.set_fontsize(words.size * points * measured / drawn)
        if words.halo:
            self.set_path_effects([withStroke(linewidth=3.5 * points, foreground=words.halo)])


@contextmanager
def _unhinted() -> Iterator[None]:
    """Hinting rounds the widths of letters to pixels, so that text would not keep its proportions."""
    before = rcParams["text.hinting"]
    rcParams["text.hinting"] = "no_hinting"
    try:
        yield
    finally:
        rcParams["text.hinting"] = before


def drawable(text: str, *, bold: bool = False) -> str:
    """The text with a box for every character that the fonts in use lack; matplotlib warns of those."""
    fonts = _fonts(tuple(rcParams["font.family"]), tuple(rcParams["font.sans-serif"]), bold)
    return "".join(c if any(font.get_char_index(ord(c)) for font in fonts) else _NO_GLYPH for c in text)


@lru_cache(maxsize=8)
def _fonts(families: tuple[str, ...], _sans: tuple[str, ...], bold: bool) -> list[Any]:
    """The fonts in which matplotlib looks for a glyph. What "sans-serif" means is a setting, too: `_sans`."""
    weight = "bold" if bold else "normal"
    wanted = [font_manager.FontProperties(family=[family], weight=weight) for family in families]
    return [font_manager.get_font(font_manager.findfont(properties)) for properties in wanted]


def _points(artist: Artist) -> float:
    """How many points a unit of the artist's axes has."""
    ax = artist.axes
    assert ax is not None
    (x0, _), (x1, _) = ax.transData.transform([(0, 0), (1, 0)])
    return float(abs(x1 - x0) * 72 / ax.figure.dpi)


def _course(curve: Curve) -> Path:
    points = [curve.start, *(point for piece in curve.pieces for point in piece)]
    return Path(points, [Path.MOVETO, *[Path.CURVE4] * (len(points) - 1)])


def _outline(rect: Rect) -> Path:
    x0, y0, x1, y1 = rect.x, rect.y, rect.x + rect.width, rect.y + rect.height
    r = min(rect.radius, rect.width / 2, rect.height / 2)
    if not r:
        return Path([(x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0)], closed=True)
    k = r * (1 - _ROUND)
    corner, line = [Path.CURVE4] * 3, Path.LINETO
    points = [
        *[(x0 + r, y0), (x1 - r, y0), (x1 - k, y0), (x1, y0 + k), (x1, y0 + r)],
        *[(x1, y1 - r), (x1, y1 - k), (x1 - k, y1), (x1 - r, y1)],
        *[(x0 + r, y1), (x0 + k, y1), (x0, y1 - k), (x0, y1 - r)],
        *[(x0, y0 + r), (x0, y0 + k), (x0 + k, y0), (x0 + r, y0), (x0 + r, y0)],
    ]
    codes = [Path.MOVETO, line, *corner, line, *corner, line, *corner, line, *corner, Path.CLOSEPOLY]
    return Path(points, codes)
