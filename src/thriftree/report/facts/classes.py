"""How often the tree is right: accuracy with its interval, and which classes it takes for which."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thriftree.explain.intervals import wilson
from thriftree.explain.words import label_words
from thriftree.plot.text_metrics import text_width
from thriftree.report.facts.measured import MeasuredRows
from thriftree.report.facts.words import value_words

MOST_CLASSES: Final = 12  # of a confusion matrix that is still read; the rarest beyond are taken together
THIRD_OF_PAGE: Final = 360.0  # pixels that it has beside the two charts
_CELL, _PADDING = 74.0, 28.0


def accuracy_facts(measured: MeasuredRows) -> dict[str, Any]:
    """Accuracy, the accuracy of always answering the commonest class, and the confusion matrix.

    Its rows are true classes, with those that the tree does not know at the end, its columns the answers.
    `counts` are rows; `shares` are of the weight of each true class. `wide` tells that the names, broken
    between words only, need more room than a third of the page.
    """
    nodes = measured.document["nodes"]
    labels = [label_words(label) for label in measured.document["classes"]]
    strangers = [value_words(value) for value in measured.strangers]
    answer = np.array([node["label"] for node in nodes])[measured.leaf]
    right = answer == measured.truth
    share = float(np.average(right, weights=measured.weight))
    by_class = np.bincount(measured.truth, measured.weight, minlength=len(labels))
    rows, names, answers = _folded(measured.truth, answer, [*labels, *strangers], len(labels))
    shape = (len(names), len(answers))
    flat = rows[0] * len(answers) + rows[1]
    counts = np.bincount(flat, minlength=shape[0] * shape[1]).reshape(shape)
    weights = np.bincount(flat, measured.weight, minlength=shape[0] * shape[1]).reshape(shape)
    totals = weights.sum(axis=1, keepdims=True)
    return {
        "accuracy": share,
        "interval": list(wilson(share, measured.effective)),
        "commonest": float(by_class.max() / by_class.sum()),
        "truths": names,
        "answers": answers,
        "wide": _width(names, answers) > THIRD_OF_PAGE,
        "counts": counts.tolist(),
        "shares": np.divide(weights, totals, out=np.zeros(shape), where=totals > 0).tolist(),
        "folded": len(labels) + len(strangers) - len(names) + 1 if len(labels) > MOST_CLASSES else 0,
        "strangers": strangers,
    }


def _width(truths: list[str], answers: list[str]) -> float:
    """Of the confusion matrix in pixels, as page/charts.css has it."""
    columns = [max(_CELL, _longest_word(name, 13) + _PADDING) for name in answers]
    return sum(columns) + max(_longest_word(name, 15) for name in truths) + _PADDING


def _longest_word(name: str, size: float) -> float:
    return max((text_width(word, size) for word in name.split()), default=0.0)


def _folded(
    truth: Any, answer: Any, labels: list[str], n_known: int
) -> tuple[tuple[Any, Any], list[str], list[str]]:
    """Truths and answers as places in a matrix that can be shown, with its names."""
    if n_known <= MOST_CLASSES:
        return (truth, answer), labels, labels[:n_known]
    often = np.bincount(truth, minlength=len(labels))[:n_known] + np.bincount(answer, minlength=n_known)
    kept = np.sort(np.argsort(-often, kind="stable")[: MOST_CLASSES - 1])
    place = np.full(len(labels), len(kept))
    place[kept] = np.arange(len(kept))
    names = [*(labels[k] for k in kept.tolist()), "all others"]
    return (place[truth], place[answer]), names, names
