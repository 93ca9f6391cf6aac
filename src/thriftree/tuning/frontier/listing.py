"""Trees as text: one line a tree, numbers aligned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

# How each figure is written. Settings are written together, since methods differ in theirs.
FIGURES: Final = {
    "accuracy": (".3f", "accuracy"),
    "measured_accuracy": (".3f", "measured"),
    "auc": (".3f", "auc"),
    "measured_auc": (".3f", "measured"),
    "r2": (".3f", "r2"),
    "measured_r2": (".3f", "measured"),
    "training_error": (".3f", "training error"),
    "test_error": (".3f", "test error"),
    "expected_cost": (".2f", "expected"),
    "worst_case_cost": (".2f", "at worst"),
    "leaves": ("d", "leaves"),
    "compared": ("d", "best of"),
}


def as_text(rows: Sequence[Mapping[str, Any]]) -> str:
    """A table of these rows, each with a `method` and its figures."""
    if not rows:
        return "no trees"
    shown = [name for name in FIGURES if name in rows[0]]
    header = [*(FIGURES[name][1] for name in shown), "method"]
    lines = [[*(format(row[name], FIGURES[name][0]) for name in shown), _making(row)] for row in rows]
    widths = [max(map(len, cells)) for cells in zip(header, *lines, strict=True)]
    return "\n".join(
        "  ".join([*(cell.rjust(width) for cell, width in zip(cells[:-1], widths, strict=False)), cells[-1]])
        for cells in [header, *lines]
    )


def _making(row: Mapping[str, Any]) -> str:
    """The method with its settings."""
    settings = {name: value for name, value in row.items() if name not in FIGURES and name != "method"}
    words = (
        f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in settings.items()
    )
    return f"{row['method']} ({', '.join(words)})" if settings else str(row["method"])
