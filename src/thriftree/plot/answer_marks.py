"""Where a row's value lies: against the cuts of a number, or among the branches of a test."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import isfinite

from thriftree.plot.cards import CardLine
from thriftree.plot.palette import ACCENT, FADED, INK, LINE
from thriftree.plot.scene import Rect, Shape, straight
from thriftree.plot.text_metrics import fit

_SIZE = 10.5
_TAKEN = "#f0b48f"  # the part of a scale, or the branch, that the row takes
_PILL = 17.0
_MOST_LINES = 3


def number_line(
    keys: Sequence[float], names: Sequence[str], value: float, said: str, cuts: Sequence[float], width: float
) -> list[Shape]:
    """A scale with the test's `keys` and the row's value, its interval in colour; the middle is at y = 0.

    `cuts` are the ones that the scale must hold; an infinite value stands at its end.
    """
    shown = [*cuts, *([value] if isfinite(value) else [])]
    low, high = min(shown), max(shown)
    pad = 0.15 * (high - low) or max(abs(high) * 0.1, 1.0)
    low, high = low - pad, high + pad

    def place(x: float) -> float:
        return width * min(max((x - low) / (high - low), 0.0), 1.0)

    branch = bisect_left(keys, value)
    start = place(keys[branch - 1]) if branch > 0 else 0.0
    end = place(keys[branch]) if branch < len(keys) else width
    shapes: list[Shape] = [
        straight((0.0, 0.0), (width, 0.0), LINE, 2.0),
        straight((start, 0.0), (end, 0.0), _TAKEN, 6.0),
    ]
    free = -1.0  # where words below the scale may begin
    for key, name in zip(keys, names, strict=True):
        x = place(key)
        shapes.append(Rect(x - 0.75, -8.0, 1.5, 16.0, INK))
        line = CardLine(name, _SIZE, colour=FADED)
        left = min(max(x - line.width / 2, 0.0), width - line.width)
        if left > free:
            shapes.append(line.at(left, 9.0))
            free = left + line.width + 4
    x = place(value)
    words = CardLine(fit(said, width, _SIZE, bold=True), _SIZE, bold=True, colour=ACCENT)
    left = min(max(x - words.width / 2, 0.0), width - words.width)
    return [*shapes, Rect(x - 4.5, -4.5, 9.0, 9.0, ACCENT, "#ffffff", radius=4.5), words.at(left, -23.0)]


def branch_pills(answers: Sequence[str], taken: int, width: float) -> list[Shape]:
    """The branches of a test, the one that the row takes in colour; the middle is at y = 0."""
    lines: list[list[tuple[int, CardLine, float]]] = [[]]
    x = 0.0
    for branch, answer in enumerate(answers):
        line = CardLine(fit(answer, width - 14, _SIZE), _SIZE, bold=False)
        if x > 0 and x + line.width + 14 > width:
            lines.append([])
            x = 0.0
        lines[-1].append((branch, line, x))
        x += line.width + 20
    if len(lines) > _MOST_LINES:  # the line of the branch taken, and those about it
        at = next(i for i, pills in enumerate(lines) if any(branch == taken for branch, _, _ in pills))
        first = min(max(at - 1, 0), len(lines) - _MOST_LINES)
        lines = lines[first : first + _MOST_LINES]
    top = -(len(lines) * (_PILL + 3) - 3) / 2
    shapes: list[Shape] = []
    for number, pills in enumerate(lines):
        y = top + number * (_PILL + 3)
        for branch, line, left in pills:
            fill, stroke = (_TAKEN, ACCENT) if branch == taken else ("#ffffff", LINE)
            shapes.append(Rect(left, y, line.width + 14, _PILL, fill, stroke, radius=_PILL / 2))
            shapes.append(line.at(left + 7, y + 2))
    return shapes
