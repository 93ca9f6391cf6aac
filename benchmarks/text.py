"""The table as plain text of at most 100 columns, a line at a time."""

from __future__ import annotations

import textwrap

from benchmarks.measurement import Measurement

WIDTH = 100
_LINE = "  {:<30} {:<25} {:>8} {:>8} {:>7} {:>7}  {}"


def heading() -> str:
    return _LINE.format("", "against", "ours", "theirs", "ratio", "target", "").rstrip()


def line(measured: Measurement, *, judged: bool) -> str:
    """A remark that takes the place of the numbers goes on lines of its own."""
    ratio = "" if measured.ratio is None else f"{measured.ratio:.3g}×"
    numbers = [_quantity(value, measured.unit) for value in (measured.ours, measured.theirs)]
    target = "" if measured.target is None else str(measured.target)
    verdict = "" if measured.ratio is None else measured.verdict(judged=judged)
    text = _LINE.format(measured.work, measured.against, *numbers, ratio, target, verdict).rstrip()
    return text if measured.ratio is not None else f"{text}\n{remark(measured.remark)}"


def remark(text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent="    ", subsequent_indent="    ")


def _quantity(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    if unit == "s" and value < 1:
        value, unit = 1000 * value, "ms"
    return f"{value:.3g} {unit}" if value < 1000 else f"{value:.0f} {unit}"
