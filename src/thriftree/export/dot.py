"""The tree as text for Graphviz: `dot -Tpdf tree.dot` draws it."""

from __future__ import annotations

from typing import Any, Literal

from thriftree.plot.flows import flow_width
from thriftree.plot.palette import LINE, class_colours
from thriftree.plot.text_metrics import wrap
from thriftree.plot.tree_words import NodeWords, words_of

_FONTS = "Helvetica,Arial,sans-serif"
_SIZE = 11.0  # points
_WIDEST = 180.0  # of a line


def dot_of(
    document: dict[str, Any],
    *,
    max_depth: int | None = None,
    prices: bool = True,
    direction: Literal["TB", "LR"] = "TB",
) -> str:
    """The tree of a JSON form in Graphviz's language.

    Names and categories are written as text: nothing in them is read as markup or as an escape.

    Parameters
    ----------
    max_depth : deeper nodes are counted, not shown.
    prices : whether a tree that has prices shows them.
    direction : "TB", the root above, or "LR", the root at the left.
    """
    if direction not in ("TB", "LR"):
        raise ValueError(f'direction must be "TB" or "LR", not {direction!r}')
    told = words_of(document, max_depth=max_depth, prices=prices)
    colours = [] if document["classes"] is None else class_colours(document["nodes"][0]["value"])
    lines = [
        "digraph tree {",
        f'  graph [rankdir={direction}, charset="UTF-8", nodesep=0.25, ranksep=0.45];',
        f'  node [shape=box, style="rounded,filled", fillcolor=white, color="{LINE}", '
        f'fontname="{_FONTS}", fontsize={_SIZE:g}, margin="0.12,0.07"];',
        f'  edge [color="{LINE}", arrowhead=none, fontname="{_FONTS}", fontsize={_SIZE - 1:g}];',
    ]
    for node in told:
        colour = ""
        if not node.question:
            ink = colours[document["nodes"][node.number]["label"]] if colours else LINE
            colour = f', style=filled, fillcolor="#f4f6f8", color="{ink}", penwidth=2'
        lines.append(
            f"  n{node.number} [label={_quoted(_label(node))}, tooltip={_quoted(node.title)}{colour}];"
        )
    for node in told:
        for child in node.children:
            below = told[child]
            branch = "\n".join(f" {line}" for line in wrap(below.branch, _WIDEST, _SIZE, lines=3))
            width = f"penwidth={flow_width(below.share, 8.0):.2f}"
            lines.append(f"  n{node.number} -> n{below.number} [label={_quoted(branch)}, {width}];")
    return "\n".join([*lines, "}"]) + "\n"


def _label(node: NodeWords) -> str:
    return "\n".join([*wrap(node.question or node.conclusion, _WIDEST, _SIZE, lines=3), *node.facts])


def _quoted(text: str) -> str:
    """The text in quotes. Graphviz reads backslashes and entities in labels, so that both are escaped."""
    plain = text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return '"' + plain.replace("\n", "\\n") + '"'
