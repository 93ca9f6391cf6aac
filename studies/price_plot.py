"""The study of prices as a picture: accuracy against expected price, a panel for each data set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studies.evaluation import FoldResults
from studies.harness.figures import new_figure, tidy
from studies.price_report import OURS

# Colours that people who see few colours tell apart (Okabe and Ito), with a marker each as well.
LOOKS = {
    "CART": ("#000000", "o"),
    "C4.5": ("#999999", "s"),
    "CART/price": ("#E69F00", "^"),
    "ASR": ("#56B4E9", "v"),
    "EC4.5": ("#0072B2", "D"),
    "ECART": ("#009E73", "P"),
    "ECART/once": ("#009E73", "x"),
    "LightGBM": ("#CC79A7", "h"),
    OURS: ("#D55E00", "*"),
}


def plot(every: Mapping[str, FoldResults], folder: Path) -> list[Path]:
    """Draw prices.png and prices.svg into `folder`, and return their paths."""
    columns = min(2, len(every))
    rows = -(-len(every) // columns)
    figure = new_figure(6.4 * columns, 4.2 * rows + 0.8)
    handles: dict[str, Any] = {}
    for position, (name, results) in enumerate(every.items(), start=1):
        handles |= _panel(figure.add_subplot(rows, columns, position), name, results)
    figure.legend(
        handles.values(), handles, loc="outside lower center", ncols=min(len(handles), 5), frameon=False
    )
    paths = [folder / "prices.png", folder / "prices.svg"]
    for path in paths:
        figure.savefig(path)
    return paths


def _panel(axes: Any, name: str, results: FoldResults) -> dict[str, Any]:
    handles: dict[str, Any] = {}
    for method in results.scores:
        price, accuracy = results.of(method, "price"), results.of(method, "accuracy")
        colour, marker = LOOKS[method]
        handles[method] = axes.errorbar(
            price.mean,
            100 * accuracy.mean,
            xerr=price.error,
            yerr=100 * accuracy.error,
            fmt=marker,
            color=colour,
            markersize=15 if method == OURS else 8,
            elinewidth=1,
            ecolor=(colour, 0.35),
            zorder=3 if method == OURS else 2,
        )
    front = results.not_beaten()
    prices = [results.of(method, "price").mean for method in front]
    accuracies = [100 * results.of(method, "accuracy").mean for method in front]
    (line,) = axes.step(prices, accuracies, where="post", color="#BBBBBB", linewidth=1.5, zorder=1)
    handles["not beaten on both"] = line
    axes.set_title(name, loc="left", fontweight="bold")
    axes.set_xlabel("expected price of the tests, dollars a row")
    axes.set_ylabel("accuracy, %")
    axes.set_xlim(left=min(0.0, axes.get_xlim()[0]))
    tidy(axes)
    return handles
