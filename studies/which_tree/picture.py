"""The study as a picture: accuracy against leaves, and how far each learner is from the default tree."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from matplotlib.ticker import LogLocator, NullFormatter

from studies.harness.figures import new_figure, tidy
from studies.which_tree.kept import KeptStudy
from studies.which_tree.learners import OURS
from studies.which_tree.scores import Difference, PartScores

# Colours that people who see few colours tell apart (Okabe and Ito), with a marker each as well.
LOOKS = {"ours": ("#0072B2", "o"), "peer": ("#E69F00", "s"), "ceiling": ("#999999", "D")}
WORDS = {"ours": "thriftree", "peer": "other libraries", "ceiling": "not a single tree"}
OURS_COLOUR = "#D55E00"


def draw(study: KeptStudy, path: Path, source: str) -> None:
    """Two panels; `source` is the digest of the results."""
    scores = PartScores(study, "classes")
    gaps = {name: scores.difference(name, OURS, "accuracy") for name in _whole(scores)}
    order = sorted(gaps, key=lambda name: -gaps[name].mean)
    figure = new_figure(13, 6.5)
    left, right = figure.subplots(1, 2)
    _sizes(left, scores, order)
    _differences(right, scores, {name: gaps[name] for name in order})
    if study.about["quick"]:
        figure.suptitle("quick run: too few sets and splits to choose by", color=OURS_COLOUR)
    figure.savefig(path, metadata={"Source": source})


def _sizes(axes: Any, scores: PartScores, order: list[str]) -> None:
    """Mean accuracy against mean leaves, numbered as in the other panel; dashed: what is no single tree."""
    for number, name in enumerate(order, start=1):
        accuracy = 100 * scores.mean(name, "accuracy").mean
        if scores.group(name) == "ceiling":
            axes.axhline(accuracy, color=LOOKS["ceiling"][0], linestyle="--", linewidth=1)
            place = (1.0 - 0.03 * (number % 3), accuracy)
            axes.annotate(str(number), place, xycoords=("axes fraction", "data"), ha="right", va="bottom")
            continue
        leaves = scores.mean(name, "leaves").mean
        colour, marker = _look(scores, name)
        axes.plot(leaves, accuracy, marker, color=colour, markersize=14 if name == OURS else 7)
        words = f"{number} {name}" if name == OURS else str(number)
        axes.annotate(words, (leaves, accuracy), textcoords="offset points", xytext=(6, 4), fontsize=9)
    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlabel("leaves, mean over sets")
    axes.set_ylabel("accuracy, %, mean over sets")
    axes.set_title("accurate and small is top left; numbers are those at the right", loc="left")
    tidy(axes)


def _differences(axes: Any, scores: PartScores, gaps: dict[str, Difference]) -> None:
    """Points of accuracy to the default tree, with 95 % intervals over sets, the best at the top."""
    for row, (name, gap) in enumerate(gaps.items()):
        colour, marker = _look(scores, name)
        if not math.isnan(gap.low):
            axes.plot([100 * gap.low, 100 * gap.high], [row, row], color=colour, linewidth=1.5)
        axes.plot(100 * gap.mean, row, marker, color=colour, markersize=14 if name == OURS else 7)
    axes.axvline(0, color=OURS_COLOUR, linewidth=1.5, zorder=0)
    axes.set_yticks(range(len(gaps)), [f"{name}  {number}" for number, name in enumerate(gaps, start=1)])
    axes.invert_yaxis()
    axes.set_xlabel(f"points of accuracy more than {OURS}, 95 % interval over sets")
    axes.set_title(f"right of the line: more accurate than {OURS}", loc="left")
    for group, (colour, marker) in LOOKS.items():
        axes.plot([], [], marker, color=colour, label=WORDS[group])
    axes.legend(frameon=False, loc="upper left")
    tidy(axes)


def _whole(scores: PartScores) -> list[str]:
    """Learners that finished every set: others' means are of other sets."""
    return [name for name in scores.learners if scores.finished(name) == scores.sets]


def _look(scores: PartScores, name: str) -> tuple[str, str]:
    colour, marker = LOOKS[scores.group(name)]
    return (OURS_COLOUR, "*") if name == OURS else (colour, marker)
