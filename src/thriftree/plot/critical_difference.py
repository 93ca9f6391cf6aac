"""The picture of a comparison by ranks: Demšar's diagram of critical differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thriftree.messages import printable
from thriftree.plot.axes import axes_width, draw_scene
from thriftree.plot.cards import CardLine
from thriftree.plot.palette import BLUE, FADED, INK, LINE
from thriftree.plot.rank_comparison import PostHoc, RankComparison, compare_ranks
from thriftree.plot.scene import Anchor, Rect, Scene, Shape, ShapeGroup, straight
from thriftree.plot.text_metrics import fit, wrap

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Place = Callable[[float], float]  # the x of a rank

_SIZE = 12.0
_AXIS_WIDTH, _WIDEST_AXIS, _LEAST_AXIS = 420.0, 560.0, 200.0
_LEAST_TICK = 16.0  # from one rank to the next
_RANK_WIDTH = 52.0  # of an average rank beside its name
_MARGIN = 16.0
_WIDEST_NAME = 220.0
_ROW = 22.0
_BAR_STEP = 10.0


def plot_critical_difference(
    scores: Any,
    names: Sequence[str] | None = None,
    ax: Axes | None = None,
    *,
    alpha: float = 0.05,
    post_hoc: PostHoc = "nemenyi",
    lower_is_better: bool = False,
) -> Axes:
    """Average ranks of methods over many data sets, the best at the left; bars join methods that do not
    differ significantly.

    Parameters
    ----------
    scores : RankComparison, array (sets x methods), data frame or dict with a column for each method
    names : the methods' names, if `scores` has none
    ax : matplotlib Axes, optional
        Where to draw; a new figure if None.
    alpha, post_hoc, lower_is_better
        As `thriftree.plot.rank_comparison.compare_ranks` takes them; a RankComparison has them already.

    Returns
    -------
    The Axes drawn on.
    """
    if not isinstance(scores, RankComparison):
        scores = compare_ranks(scores, names, alpha=alpha, post_hoc=post_hoc, lower_is_better=lower_is_better)
    return draw_scene(critical_difference_scene(scores, None if ax is None else axes_width(ax)), ax)


def critical_difference_scene(compared: RankComparison, width: float | None = None) -> Scene:
    """The diagram as shapes, in this width as far as its axis can give way; None: at ease."""
    names = [fit(printable(name) or '""', _WIDEST_NAME, _SIZE) for name in compared.names]
    k = len(names)
    left = _MARGIN + max(CardLine(name, _SIZE).width for name in names) + _RANK_WIDTH
    shortest = max(_LEAST_AXIS, _LEAST_TICK * (k - 1))
    axis_width = _AXIS_WIDTH if width is None else min(max(width - 2 * left, shortest), _WIDEST_AXIS)

    def place(rank: float) -> float:
        return left + axis_width * (rank - 1) / (k - 1)

    axis = _MARGIN + 44.0
    bars, depth = _bars(compared, place, axis + 9)
    shapes = [*_axis(k, place, axis), *_difference(compared, place, _MARGIN + 4), *bars]
    first = axis + 9 + depth * _BAR_STEP + 14
    order = [int(i) for i in np.argsort(compared.ranks, kind="stable")]
    half = (k + 1) // 2
    sides = ((order[:half], left - 8), (order[half:][::-1], left + axis_width + 8))
    for methods, end in sides:
        for row, method in enumerate(methods):
            rank = float(compared.ranks[method])
            shapes += _method(names[method], rank, place, axis, first + row * _ROW, end)
    bottom = first + half * _ROW
    whole = 2 * left + axis_width
    for text in wrap(_note(compared), whole - 2 * _MARGIN, _SIZE - 1.5, lines=3):
        note = CardLine(text, _SIZE - 1.5, colour=FADED)
        shapes.append(note.at(whole / 2, bottom, "middle"))
        bottom += note.height
    title = "Average ranks and critical difference"
    return Scene(whole, bottom + _MARGIN, (ShapeGroup("legend", tuple(shapes)),), title)


def _axis(k: int, place: Place, y: float) -> list[Shape]:
    """The scale of ranks, numbered."""
    shapes: list[Shape] = [straight((place(1), y), (place(k), y), INK, 1.2)]
    for rank in range(1, k + 1):
        shapes.append(straight((place(rank), y - 6), (place(rank), y), INK, 1.2))
        shapes.append(CardLine(str(rank), _SIZE - 1, colour=FADED).at(place(rank), y - 22, "middle"))
        if rank < k:
            shapes.append(straight((place(rank + 0.5), y - 3), (place(rank + 0.5), y), LINE, 1.0))
    return shapes


def _difference(compared: RankComparison, place: Place, y: float) -> list[Shape]:
    """The critical difference, as long as it is on the scale."""
    if compared.critical_difference is None:
        return []
    scale = len(compared.names) - 1.0
    start, end = place(1), place(1 + compared.critical_difference)
    longer = ", more than the scale" if compared.critical_difference > scale else ""
    words = CardLine(f"CD = {compared.critical_difference:.2f}{longer}", _SIZE - 1)
    if longer:
        return [words.at(start, y - words.height / 2)]
    return [
        straight((start, y), (end, y), INK, 2.0),
        straight((start, y - 4), (start, y + 4), INK, 1.2),
        straight((end, y - 4), (end, y + 4), INK, 1.2),
        words.at(end + 8, y - words.height / 2),
    ]


def _bars(compared: RankComparison, place: Place, y: float) -> tuple[list[Shape], int]:
    """A bar for each clique, and how many lie below one another: those that overlap."""
    rank = dict(zip(compared.names, compared.ranks.tolist(), strict=True))
    ends: list[float] = []  # of the last bar in each line
    shapes: list[Shape] = []
    for clique in compared.cliques:
        start, end = place(rank[clique[0]]) - 5, place(rank[clique[-1]]) + 5
        line = next((i for i, last in enumerate(ends) if last + 8 < start), len(ends))
        ends[line : line + 1] = [end]
        shapes.append(Rect(start, y + line * _BAR_STEP, end - start, 4.5, BLUE, radius=2.0))
    return shapes, len(ends)


def _method(name: str, rank: float, place: Place, axis: float, y: float, end: float) -> list[Shape]:
    """A method: a line from its rank down to `y` and sideways to `end`, where its name and rank stand."""
    at = place(rank)
    anchor: Anchor = "end" if end < at else "start"
    toward = -1 if end < at else 1
    figure = CardLine(f"{rank:.2f}", _SIZE - 1.5, colour=FADED)
    words = CardLine(name, _SIZE, bold=False)
    top = y - words.height / 2
    return [
        straight((at, axis), (at, y), FADED, 1.0),
        straight((at, y), (end, y), FADED, 1.0),
        Rect(at - 3, axis - 3, 6, 6, INK, radius=3),
        words.at(end + toward * 5, top, anchor),
        figure.at(end + toward * (13 + words.width), top + 1, anchor),
    ]


def _note(compared: RankComparison) -> str:
    friedman = f"Average ranks over {compared.n_sets} sets; Friedman p = {compared.friedman_p:.2g}"
    if not compared.significant:
        return f"{friedman}: no difference shown at {compared.alpha:g}"
    test = {"nemenyi": "Nemenyi", "wilcoxon-holm": "Wilcoxon with Holm's correction"}[compared.post_hoc]
    return f"{friedman}. Bars join what does not differ at {compared.alpha:g} ({test})"
