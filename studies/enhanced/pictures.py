"""The study as pictures: AUC against cost by set, the effect of λ, ranks, and time against rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from studies.enhanced import published
from studies.enhanced.learners import PRICES, SWEEP, Prices
from studies.enhanced.scores import EnhancedScores
from studies.harness.figures import new_figure, tidy
from thriftree.plot import plot_critical_difference

# Colours that people who see few colours tell apart (Okabe and Ito), with a marker each as well.
LOOKS = {
    "ASR": ("#56B4E9", "v"),
    "IP": ("#CC79A7", "P"),
    "BAL": ("#999999", "s"),
    "C4.5": ("#000000", "^"),
    "CC4.5": ("#000000", "^"),
    "CART": ("#E69F00", "o"),
    "CCART": ("#E69F00", "o"),
    "EC4.5": ("#0072B2", "D"),
    "ECART": ("#009E73", "X"),
    "ThriftTree": ("#D55E00", "*"),
    "Optimal": ("#D55E00", "h"),
}
SHOWN = {
    "unit": ("ASR", "IP", "BAL", "CART", "C4.5", "ECART", "EC4.5", "ThriftTree", "Optimal"),
    "random": ("ASR", "IP", "BAL", "CCART", "CC4.5", "ECART", "EC4.5", "ThriftTree", "Optimal"),
}
COLUMNS = 5


def draw(scores: EnhancedScores, folder: Path, source: str) -> list[Path]:
    """All pictures; `source` is the digest of the results, which stands in their files."""
    pictures: dict[str, Callable[[EnhancedScores], Any]] = {
        "enhanced_unit": lambda of: _scatter(of, "unit"),
        "enhanced_random": lambda of: _scatter(of, "random"),
        "enhanced_trade_off": _sweep,
        "enhanced_ranks": _ranks,
        "enhanced_time": _time,
    }
    paths = []
    for name, drawn in pictures.items():
        paths.append(folder / f"{name}.png")
        drawn(scores).savefig(paths[-1], metadata={"Source": source})
    return paths


def _scatter(scores: EnhancedScores, prices: Prices) -> Any:
    """A panel a set: test AUC against expected cost, bars of one standard deviation over splits."""
    rows = -(-len(scores.sets) // COLUMNS)
    figure = new_figure(14, 2.6 * rows + 0.8)
    handles: dict[str, Any] = {}
    for place, name in enumerate(scores.sets, start=1):
        axes = figure.add_subplot(rows, COLUMNS, place)
        for learner in SHOWN[prices]:
            if name in scores.finished(prices, learner):
                handles[learner] = _point(axes, scores, prices, name, learner)
        axes.set_title(name, fontsize=10, loc="left")
        _count_by_factors(axes)
        axes.tick_params(labelsize=7, which="both")
        tidy(axes)
    figure.supxlabel(f"expected cost of training rows, {prices} prices", fontsize=10)
    figure.supylabel("AUC of test rows", fontsize=10)
    figure.legend(handles.values(), handles, loc="outside upper center", ncols=len(handles), frameon=False)
    return figure


def _count_by_factors(axes: Any) -> None:
    """A logarithmic axis whose figures have room: where it spans much, those of 1, 2 and 5 alone."""
    from matplotlib.ticker import LogLocator

    axes.set_xscale("log")
    axes.xaxis.set_major_formatter("{x:g}")
    low, high = axes.get_xlim()
    if high < 4 * low:
        axes.xaxis.set_minor_formatter("{x:g}")
    else:
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        axes.xaxis.set_minor_formatter("")


def _point(axes: Any, scores: EnhancedScores, prices: Prices, name: str, learner: str) -> Any:
    colour, marker = LOOKS[learner]
    auc = np.array(scores.values(prices, name, learner, "auc"))
    cost = np.array(scores.values(prices, name, learner, "cost"))
    return axes.errorbar(
        max(cost.mean(), 0.1),
        auc.mean(),
        xerr=cost.std(),
        yerr=auc.std(),
        fmt=marker,
        color=colour,
        markersize=9 if learner == "ThriftTree" else 6,
        elinewidth=0.8,
        alpha=0.9,
    )


def _sweep(scores: EnhancedScores) -> Any:
    """Means over sets of EC4.5 by λ, here and published: validation AUC, and cost over that at λ = 10,000."""
    figure = new_figure(11, 4.2)
    left, right = figure.subplots(1, 2)
    lambdas = sorted(SWEEP)
    for learner in ("EC4.5", "ECART"):
        paths = [scores.path(name, learner) for name in scores.sets]
        auc = [np.mean([path[one][0] for path in paths]) for one in lambdas]
        cost = [_geometric([path[one][1] / path[lambdas[-1]][1] for path in paths]) for one in lambdas]
        colour, marker = LOOKS[learner]
        left.plot(lambdas, auc, marker=marker, color=colour, label=f"{learner}, here")
        right.plot(lambdas, cost, marker=marker, color=colour, label=f"{learner}, here")
    of = published.of_sweep
    auc = [np.mean([of("auc", name, one) for name in scores.sets]) for one in lambdas]
    last = lambdas[-1]
    cost = [
        _geometric([of("cost", name, one) / of("cost", name, last) for name in scores.sets])
        for one in lambdas
    ]
    left.plot(lambdas, auc, "--D", color="#999999", label="EC4.5, published")
    right.plot(lambdas, cost, "--D", color="#999999", label="EC4.5, published")
    left.set_ylabel("AUC of validation rows, mean over sets")
    right.set_ylabel("expected cost, of that at λ = 10,000")
    for axes in (left, right):
        axes.set_xscale("log")
        axes.set_xlabel("λ")
        axes.legend(frameon=False)
        tidy(axes)
    return figure


def _geometric(values: Sequence[float]) -> float:
    return float(np.exp(np.mean(np.log(values))))


def _ranks(scores: EnhancedScores) -> Any:
    """Four diagrams of critical differences: AUC and expected cost, unit and random prices."""
    figure = new_figure(14, 7.6)
    places = figure.subplots(2, 2)
    for row, prices in zip(places, PRICES, strict=True):
        for axes, (measure, words) in zip(row, (("auc", "AUC"), ("cost", "expected cost")), strict=True):
            compared = scores.ranks(prices, measure)
            if compared is None:
                axes.set_axis_off()
                continue
            plot_critical_difference(compared, ax=axes)
            axes.set_title(f"{words}, {prices} prices: best at the left", loc="left", fontsize=11)
    return figure


def _time(scores: EnhancedScores) -> Any:
    figure = new_figure(6.4, 4.2)
    axes = figure.subplots()
    for learner, of_rows in scores.speed().items():
        colour, marker = LOOKS[learner]
        axes.plot(list(of_rows), list(of_rows.values()), marker=marker, color=colour, label=learner)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("rows of covertype, of which 70 % are trained on")
    axes.set_ylabel("seconds of one core to fit one tree")
    if scores.speed():
        axes.legend(frameon=False)
    tidy(axes)
    return figure
