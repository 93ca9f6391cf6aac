"""From the facts of a report to its page: one HTML text that needs no network and runs only its own code."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from importlib.resources import files
from typing import Any, Final

from thriftree import __version__
from thriftree.plot.palette import REST
from thriftree.report.facts.words import count_words
from thriftree.report.sheet import Sheet

#: In the order in which they are joined: each uses those before it.
SCRIPTS: Final = (
    *("walk", "elements", "layout", "node_card", "drawing", "tree_view", "charts"),
    *("moments", "values", "follow", "questionnaire", "frontier", "page"),
)
STYLES: Final = ("page", "tree", "questionnaire", "charts", "print")

_MOST_RULE_LETTERS: Final = 800
_MOST_DIGITS: Final = 6
_MOST_OPEN_COLUMNS: Final = 40  # of more, those that the tree does not ask for are folded away


def page_of(facts: dict[str, Any], sheet: Sheet) -> str:
    """The page of these facts, with the tree for paper."""
    page = environment()
    from markupsafe import Markup

    script = (
        "(() => {\n'use strict';\n" + "\n".join(part_of_page(f"{name}.js") for name in SCRIPTS) + "})();\n"
    )
    style = "\n".join(part_of_page(f"{name}.css") for name in STYLES)
    page.filters.update(
        amount=_amount,
        told=lambda value: value if isinstance(value, str) else _amount(value),  # a date is in words
        digits=_digits,
        bars=_bars,
        shade=_shade,
        rules_for_paper=_rules_for_paper,
    )
    return page.from_string(part_of_page("page.html.j2")).render(
        facts=facts,
        version=__version__,
        # Ours, and not from data; what is from data has no character that could end the element.
        script=Markup(script),
        style=Markup(style),
        data=Markup(embedded_json(facts)),
        picture=f"data:image/svg+xml;base64,{in_base64(sheet.picture.encode('utf-8'))}",
        sheet=sheet,
        rest=REST,
        most_open_columns=_MOST_OPEN_COLUMNS,
        policy=policy_of(script, style),
    )


def environment() -> Any:
    """Jinja2, as our pages are made."""
    try:
        import jinja2
    except ImportError as error:
        raise ImportError("a report needs Jinja2: pip install 'thriftree[report]'") from error
    return jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )


def embedded_json(value: Any) -> str:
    """JSON that is the same in a script element: nothing in it can end the element or a line."""
    text = json.dumps(value, allow_nan=False, ensure_ascii=True, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def part_of_page(name: str) -> str:
    """A file of page/."""
    return files("thriftree.report").joinpath("page", name).read_text(encoding="utf-8")


def policy_of(script: str, style: str) -> str:
    """No network, no code and no style but the page's own, known by their hashes."""
    return "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hashed(script)}",
            f"style-src {_hashed(style)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )


def _hashed(text: str) -> str:
    return f"'sha256-{in_base64(hashlib.sha256(text.encode('utf-8')).digest())}'"


def in_base64(content: bytes) -> str:
    """As it stands in an address."""
    return base64.b64encode(content).decode("ascii")


def _amount(value: float, form: str = "number", digits: int | None = None) -> str:
    """A figure as people read it; of a share or score the `digits` behind the point can be told."""
    digits = _digits(value, form) if digits is None else digits
    match form:
        case "share":
            return f"{100 * value:.{0 if value in (0, 1) else digits}f}\u00a0%"
        case "score":
            return f"{value:.{digits}f}"
        case "price":
            return f"{value:,.2f}".replace(",", "\u2009")
        case "count":
            return count_words(int(value))
        case _:
            return f"{value:.4g}" if abs(value) < 10_000 else f"{value:,.0f}".replace(",", "\u2009")


def _digits(value: float, form: str, interval: list[float] | None = None) -> int:
    """How many digits behind the point a share or score needs: so many that the ends of its interval differ,
    and that what is not quite 0 or 1 does not read as 0 or 1.
    """
    scale, digits = (100, 0 if 0.1 <= value <= 0.9 else 1) if form == "share" else (1, 2)
    width = scale * (interval[1] - interval[0]) if interval else math.inf
    between = 0 < value < 1
    while digits < _MOST_DIGITS and (
        width < 2 * 10**-digits or (between and round(scale * value, digits) in (0, scale))
    ):
        digits += 1
    return digits


def _bars(counts: list[int], height: float) -> list[float]:
    """Heights of a histogram's bars."""
    return [round(height * count / max(counts), 2) for count in counts]


def _shade(share: float) -> int:
    """A shade of 0 to 5 for a cell."""
    return round(5 * share)


def _rules_for_paper(rules: list[str]) -> str:
    """As many rules as a sheet has room for."""
    kept: list[str] = []
    for rule in rules:
        if sum(map(len, kept)) + len(rule) > _MOST_RULE_LETTERS:
            kept.append("Further rules: see the report.")
            break
        kept.append(rule)
    return " ".join(kept)
