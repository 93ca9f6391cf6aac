"""How wide text is, without drawing it, and text cut or broken to fit a width.

The widths are those of DejaVu Sans, matplotlib's font and the widest of the common ones: what fits in it fits
in the fonts that browsers choose.
"""

from __future__ import annotations

import unicodedata

ELLIPSIS = "…"
LINE_HEIGHT = 1.25  # of the font size
ASCENT = 0.93  # of the font size, from the top of a line to its baseline

# Advance widths from " " to "~", in thousandths of the font size.
_REGULAR = (
    *(318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337),  # to "/"
    *(636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531),  # to "?"
    *(1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787),  # to "O"
    *(603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500),  # to "_"
    *(500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612),  # to "o"
    *(635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838),  # to "~"
)
_BOLD = (
    *(348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365),
    *(696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580),
    *(1000, 774, 762, 734, 830, 683, 683, 821, 837, 372, 372, 775, 637, 995, 837, 850),
    *(733, 850, 770, 720, 682, 812, 774, 1103, 771, 724, 725, 457, 365, 457, 838, 500),
    *(500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665, 343, 1042, 712, 687),
    *(716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838),
)
_OTHER = {ELLIPSIS: 1000, "·": 380, "−": 838, "±": 838, "→": 838, "\u200e": 0}


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of one line, in the unit of the font size."""
    return sum(_thousandths(c, bold) for c in text) * size / 1000


def fit(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """The text, or as much of it as is no wider than `width` with an ellipsis at its end."""
    if text_width(text, size, bold=bold) <= width:
        return text
    room = width - text_width(ELLIPSIS, size, bold=bold)
    kept = 0
    for kept, c in enumerate(text):  # noqa: B007  where room ends is wanted
        room -= _thousandths(c, bold) * size / 1000
        if room < 0:
            break
    return text[:kept].rstrip() + ELLIPSIS


def wrap(text: str, width: float, size: float, *, lines: int, bold: bool = False) -> list[str]:
    """The text in at most `lines` lines no wider than `width`, broken at spaces and after underscores where
    possible. Text that is too long loses its middle: of a question, beginning and end tell most.
    """
    if (whole := _broken(text, width, size, lines, bold)) is not None:
        return whole
    kept, best = 0, [fit(text, width, size, bold=bold)]
    step = 1 << len(text).bit_length()
    while step := step // 2:
        shorter = _broken(_without_middle(text, kept + step), width, size, lines, bold)
        if kept + step < len(text) and shorter is not None:
            kept, best = kept + step, shorter
    return best


def _without_middle(text: str, kept: int) -> str:
    tail = kept // 2
    return text[: kept - tail].rstrip() + ELLIPSIS + text[len(text) - tail :].lstrip()


def _broken(text: str, width: float, size: float, lines: int, bold: bool) -> list[str] | None:
    """The text in lines, or None if it takes more than allowed."""
    wrapped: list[str] = []
    while text_width(text, size, bold=bold) > width:
        place = _break(text, width, size, bold)
        wrapped.append(text[:place].rstrip())
        text = text[place:].lstrip()
        if len(wrapped) == lines:
            return None
    return [*wrapped, text] if text or not wrapped else wrapped


def _break(text: str, width: float, size: float, bold: bool) -> int:
    """Where the first line ends: after the last gap that fits, or within a word that is too long."""
    used, gap = 0.0, 0
    for place, c in enumerate(text):
        used += _thousandths(c, bold) * size / 1000
        if used > width and not c.isspace():
            return gap or max(place, 1)
        after_sign = place > 0 and text[place - 1] in "<>="  # a cut stays with its sign
        if (c.isspace() and not after_sign) or (c in "_-/" and place > 0):
            gap = place + 1
    return len(text)


def _thousandths(c: str, bold: bool) -> int:
    if " " <= c <= "~":
        return (_BOLD if bold else _REGULAR)[ord(c) - 32]
    if c in _OTHER:
        return _OTHER[c]
    if unicodedata.combining(c):
        return 0
    base = unicodedata.normalize("NFD", c)[0]
    if " " <= base <= "~":
        return _thousandths(base, bold)
    return 1300 if unicodedata.east_asian_width(c) in "WF" else 1050
