"""The page of a soft tree: one HTML text that needs no network and runs no code."""

from __future__ import annotations

from typing import Any

from thriftree import __version__
from thriftree.export.svg import svg_text
from thriftree.plot.soft_scene import soft_scene
from thriftree.report.rendering import environment, in_base64, part_of_page, policy_of


def soft_page_of(facts: dict[str, Any], document: dict[str, Any]) -> str:
    """The page of these facts, with the picture of the tree."""
    from markupsafe import Markup

    picture = svg_text(soft_scene(document, facts["reach"]))
    style = part_of_page("page.css") + "\n" + part_of_page("soft.css")
    return (
        environment()
        .from_string(part_of_page("soft_page.html.j2"))
        .render(
            facts=facts,
            version=__version__,
            style=Markup(style),  # ours, and not from data
            picture=f"data:image/svg+xml;base64,{in_base64(picture.encode('utf-8'))}",
            policy=policy_of("", style),
        )
    )
