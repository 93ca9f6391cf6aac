"""The facts of a report on a soft tree."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree.explain.intervals import wilson
from thriftree.messages import printable
from thriftree.report.facts.head import title_of
from thriftree.report.facts.measured import checked_numbers
from thriftree.report.facts.words import count_words, setting_rows
from thriftree.scores import r_squared
from thriftree.versions import versions

SHOWN_ROWS: Final = 12  # rows whose way through the gates is told
_LEAST: Final = 1e-15  # a probability below it counts as this much


def soft_facts_of(
    tree: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    rows: str | None = None,
    title: str | None = None,
    target: str | None = None,
    settings: Mapping[str, Any] | None = None,
    sample: int = 200,
    row_numbers: Any = None,
) -> dict[str, Any]:
    """What the page tells, as plain values."""
    truth = np.asarray(y)
    numbers = checked_numbers(row_numbers, len(truth))
    weight = np.ones(len(truth)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    name = target if target is not None else getattr(y, "name", None)
    name = None if name is None else printable(str(name))
    classes = None if tree.classes is None else [printable(str(label)) for label in tree.classes]
    reach = tree.path_probabilities(X)
    paid = tree.predict_cost(X)
    figures = _of_numbers(tree, X, truth, weight) if classes is None else _of_classes(tree, X, truth, weight)
    price = "Expected price" if tree.prices is not None else "Gates on average"
    worst = "Price at worst" if tree.prices is not None else "Gates at most"
    figures += [
        {"name": price, "value": f"{np.average(paid, weights=weight):.2f}", "note": "of a row"},
        {"name": worst, "value": f"{tree.worst_case_cost():.2f}", "note": "on any path"},
        {"name": "Leaves", "value": f"{tree.n_leaves}", "note": f"depth {tree.depth}"},
        {"name": "Rows", "value": count_words(len(truth)), "note": rows or "not said which"},
    ]
    return {
        "title": title_of(title, name, classes).replace("decision tree", "soft tree"),
        "sentence": _sentence(tree, name, classes),
        "note": _note(rows),
        "figures": figures,
        "reach": np.average(reach, axis=0, weights=weight).tolist(),
        "rows": _followed(tree, X, truth, reach, paid, min(sample, SHOWN_ROWS), numbers),
        "priced": tree.prices is not None,
        "n_gates": tree.n_gates,
        "outline": tree.to_text(),
        "settings": setting_rows(settings),
        "versions": [[one, text] for one, text in versions().items() if text != "not installed"],
    }


def _sentence(tree: Any, name: str | None, classes: list[str] | None) -> str:
    what = name or ("a number" if classes is None else "the class")
    gates = f"{tree.n_gates} gate{'' if tree.n_gates == 1 else 's'}"
    return (
        f"This soft tree predicts {what}: {gates} send every row both ways, each with a probability, and the "
        f"answers of {tree.n_leaves} leaves are mixed by the probability of reaching them."
    )


def _note(rows: str | None) -> str:
    if rows == "held out":
        return "Measured on rows that the tree has not seen."
    if rows == "training":
        return "Measured on the rows that the tree was learned from: on new rows expect it to do worse."
    return "Nobody said whether the tree was learned from these rows: if so, expect worse on new ones."


def _of_classes(tree: Any, X: Any, truth: NDArray[Any], weight: NDArray[np.float64]) -> list[dict[str, str]]:
    shares = tree.predict_proba(X)
    places = {label: k for k, label in enumerate(tree.classes)}
    label = np.array([places.get(value, -1) for value in truth.tolist()])
    right = shares.argmax(axis=1) == label
    accuracy = float(np.average(right, weights=weight))
    effective = float(weight.sum() ** 2 / (weight**2).sum())
    low, high = wilson(accuracy, effective)
    own = np.where(label >= 0, shares[np.arange(len(label)), np.maximum(label, 0)], 0.0)
    loss = float(np.average(-np.log(np.maximum(own, _LEAST)), weights=weight))
    commonest = float(np.bincount(label[label >= 0], weight[label >= 0]).max() / weight.sum())
    return [
        {"name": "Accuracy", "value": f"{accuracy:.1%}", "note": f"{low:.1%} to {high:.1%} (95 %)"},
        {"name": "Commonest class", "value": f"{commonest:.1%}", "note": "right by always saying it"},
        {"name": "Log loss", "value": f"{loss:.3f}", "note": "0: sure and right"},
    ]


def _of_numbers(tree: Any, X: Any, truth: NDArray[Any], weight: NDArray[np.float64]) -> list[dict[str, str]]:
    said = tree.predict(X)
    r2 = r_squared(truth.astype(np.float64), said, weight)
    away = np.abs(said - truth)
    return [
        {"name": "r²", "value": f"{r2:.3f}", "note": "of the variance explained"},
        {
            "name": "Typical error (RMSE)",
            "value": f"{np.sqrt(np.average(away**2, weights=weight)):.4g}",
            "note": "",
        },
        {"name": "Mean absolute error", "value": f"{np.average(away, weights=weight):.4g}", "note": ""},
    ]


def _followed(
    tree: Any,
    X: Any,
    truth: NDArray[Any],
    reach: NDArray[Any],
    paid: NDArray[Any],
    most: int,
    numbers: NDArray[np.intp],
) -> list[dict[str, Any]]:
    """Some rows, evenly chosen: what they are, what is said, and the leaves that they reach."""
    chosen = np.unique(np.linspace(0, len(truth) - 1, min(most, len(truth))).astype(int)).tolist()
    said = tree.predict(X)
    shares = None if tree.classes is None else tree.predict_proba(X)
    found = []
    for row in chosen:
        leaves = reach[row, tree.n_gates :]
        order = np.argsort(-leaves, kind="stable")[:3]
        found.append(
            {
                "row": int(numbers[row]),
                "truth": printable(str(truth[row])) if shares is not None else f"{truth[row]:.4g}",
                "said": printable(str(said[row])) if shares is not None else f"{said[row]:.4g}",
                "sure": None if shares is None else f"{shares[row].max():.0%}",
                "paid": f"{paid[row]:.2f}",
                "leaves": [[int(leaf), f"{leaves[leaf]:.0%}", float(leaves[leaf])] for leaf in order],
            }
        )
    return found
