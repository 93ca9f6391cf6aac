"""The colours of the pictures: most eyes tell them apart, and they differ in lightness for grey prints."""

from __future__ import annotations

INK, FADED, LINE = "#22262b", "#5c6470", "#aab2bd"
BLUE, GREY, ACCENT = "#1f5fa8", "#8a8f98", "#b8430f"

# Okabe and Ito's colours, the strongest contrasts first; then wine, indigo and olive of Tol's.
CLASS_COLOURS = (
    *("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"),
    *("#882255", "#332288", "#999933"),
)
REST = "#9aa1ab"  # classes beyond these


def class_colours(totals: list[float]) -> list[str]:
    """A colour for each class. If there are more classes than colours, the heaviest get their own, and the
    others share one.
    """
    if len(totals) <= len(CLASS_COLOURS):
        return list(CLASS_COLOURS[: len(totals)])
    heaviest = sorted(range(len(totals)), key=lambda k: -totals[k])[: len(CLASS_COLOURS)]
    own = dict(zip(sorted(heaviest), CLASS_COLOURS, strict=True))
    return [own.get(k, REST) for k in range(len(totals))]
