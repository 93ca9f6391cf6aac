"""The tree as a picture in SVG: one self-contained text, without scripts, style sheets or ids."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from thriftree.plot.direction import left_to_right
from thriftree.plot.scene import Curve, Rect, Scene, Shape, ShapeGroup, Words
from thriftree.plot.tree_scene import SMALLEST, Orientation, tree_scene
from thriftree.plot.tree_words import levels_within

_FONTS = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"

_NOTEBOOK_WIDTH, _NOTEBOOK_LEAVES = 960, 60


def svg_of(
    document: dict[str, Any],
    *,
    width: float | None = None,
    max_depth: int | None = None,
    orientation: Orientation = "auto",
    prices: bool = True,
    path: Collection[int] | None = None,
) -> str:
    """The tree of a JSON form as SVG text, to open in a browser or to put into a page.

    Each node shows its question, rows, prices and the shares of the classes (or the mean on a common scale);
    pointing at it shows everything in full. Small trees grow downwards, larger ones to the right, and the
    largest are outlines with a row for each node.

    Parameters
    ----------
    width : the width to fit into, in pixels; None: 1280. Words are never smaller than 9 pixels, so a deep
        tree can be wider.
    max_depth : deeper nodes are counted, not shown.
    orientation : "top-down", "left-right", "outline", or "auto": the first of these that fits.
    prices : whether a tree that has prices shows them.
    path : numbers of nodes to mark, such as those that a row passes.

    Nodes are `<g class="thriftree-node" data-node="3">`, the lines to them `<g class="thriftree-edge"
    data-node="3">`; marked ones have `data-marked="true"`.
    """
    scene = tree_scene(
        document, width=width, max_depth=max_depth, orientation=orientation, prices=prices, path=path or ()
    )
    return svg_text(scene, width)


def notebook_html(document: dict[str, Any]) -> str:
    """The picture as a notebook shows it; of a large tree the first levels."""
    picture = svg_of(document, width=_NOTEBOOK_WIDTH, max_depth=levels_within(document, _NOTEBOOK_LEAVES))
    return f'<div style="overflow-x: auto">{picture}</div>'


def svg_text(scene: Scene, width: float | None = None) -> str:
    """A scene as SVG, no smaller than readable words allow, no larger than full size."""
    scale = 1.0 if width is None else min(1.0, max(SMALLEST, width / scene.width))
    size = f'width="{_number(scene.width * scale)}" height="{_number(scene.height * scale)}"'
    box = f'viewBox="0 0 {_number(scene.width)} {_number(scene.height)}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="thriftree-tree" role="img" {size} {box} '
        f'aria-label={_attribute(scene.title)} font-family="{_FONTS}" direction="ltr">',
        f'<rect width="{_number(scene.width)}" height="{_number(scene.height)}" fill="#ffffff"/>',
        *(line for group in scene.groups for line in _group(group)),
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _group(group: ShapeGroup) -> list[str]:
    number = "" if group.number is None else f' data-node="{group.number}"'
    marked = ' data-marked="true"' if group.marked else ""
    title = [f"<title>{_content(group.title)}</title>"] if group.title else []
    shapes = (_shape(shape) for shape in group.shapes)
    return [f'<g class="thriftree-{group.kind}"{number}{marked}>', *title, *shapes, "</g>"]


def _shape(shape: Shape) -> str:
    match shape:
        case Rect():
            return _rect(shape)
        case Curve():
            return _curve(shape)
        case Words():
            return _words(shape)


def _rect(rect: Rect) -> str:
    place = " ".join(f'{name}="{_number(getattr(rect, name))}"' for name in ("x", "y", "width", "height"))
    radius = f' rx="{_number(rect.radius)}"' if rect.radius else ""
    stroke = f' stroke="{rect.stroke}" stroke-width="{_number(rect.stroke_width)}"' if rect.stroke else ""
    return f'<rect {place}{radius} fill="{rect.fill or "none"}"{stroke}/>'


def _curve(curve: Curve) -> str:
    def at(point: tuple[float, float]) -> str:
        return f"{_number(point[0])} {_number(point[1])}"

    pieces = " ".join("C" + " ".join(at(point) for point in piece) for piece in curve.pieces)
    stroke = f'stroke="{curve.colour}" stroke-width="{_number(curve.width)}"'
    return f'<path d="M{at(curve.start)} {pieces}" fill="none" {stroke}/>'


def _words(words: Words) -> str:
    bold = ' font-weight="bold"' if words.bold else ""
    anchor = f' text-anchor="{words.anchor}"' if words.anchor != "start" else ""
    halo = (
        f' stroke="{words.halo}" stroke-width="3.5" stroke-linejoin="round" paint-order="stroke"'
        if words.halo
        else ""
    )
    place = f'x="{_number(words.x)}" y="{_number(words.y)}" font-size="{_number(words.size)}"'
    return f'<text {place} fill="{words.colour}"{bold}{anchor}{halo}>{_content(words.text)}</text>'


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _content(text: str) -> str:
    return escape(left_to_right(text))


def _attribute(text: str) -> str:
    return quoteattr(left_to_right(text))
