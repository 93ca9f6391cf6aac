"""What a classifier does on held-out rows beside its accuracy: the base rate, and the figures of a test."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from thriftree.cli.errors import InputError

if TYPE_CHECKING:
    from thriftree.cli.data import Dataset

Lines = list[tuple[str, str, str]]

_NAMES = {
    "sensitivity": "of {n:,} {positive}, found",
    "specificity": "of {n:,} {negative}, found",
    "ppv": "of {n:,} called {positive}, right",
    "npv": "of {n:,} called {negative}, right",
}


def positive_of(positive: str, rows: Dataset) -> Any:
    """The class that --positive names; refused where there are not two."""
    from thriftree.messages import did_you_mean

    if rows.kind != "classes":
        raise InputError("--positive names a class, but the target is a number: leave it out")
    labels = rows.labels_by_text()
    if len(labels) != 2:
        raise InputError(f"--positive is for two classes, and there are {len(labels)}: leave it out")
    if positive not in labels:
        there = " and ".join(labels)
        raise InputError(
            f"--positive is {positive!r}{did_you_mean(positive, labels)}: the classes are {there}"
        )
    return labels[positive]


def base_rate(rows: Dataset, train: Any, test: Any) -> tuple[Any, float]:
    """The heaviest class of the rows learnt from, and its share of the rows measured on."""
    import numpy as np

    weight = np.ones(len(rows.y)) if rows.weight is None else rows.weight
    labels, codes = np.unique(rows.y[train], return_inverse=True)
    heaviest = labels[int(np.argmax(np.bincount(codes, weight[train])))]
    return heaviest, float(np.average(rows.y[test] == heaviest, weights=weight[test]))


def figures_of_test(model: Any, X: Any, rows: Dataset, test: Any, positive: Any) -> dict[str, Any]:
    """Sensitivity, specificity and predictive values on the rows `test`, whose features are X: each a share
    (None: of no rows) with the number of its rows.
    """
    import numpy as np

    truth, called = rows.y[test] == positive, model.predict(X) == positive
    weight = np.ones(len(test)) if rows.weight is None else rows.weight[test]
    found = {}
    for name, among, right in (
        ("sensitivity", truth, called),
        ("specificity", ~truth, ~called),
        ("ppv", called, truth),
        ("npv", ~called, ~truth),
    ):
        n, heavy = int(among.sum()), weight[among].sum() > 0
        found[name] = {
            "share": float(np.average(right[among], weights=weight[among])) if heavy else None,
            "rows": n,
        }
    return found


def lines_of_test(figures: dict[str, Any], positive: Any, negative: Any) -> Lines:
    """The figures for people, with Wilson's 95 % intervals."""
    from thriftree.explain.intervals import wilson
    from thriftree.messages import printable

    lines: Lines = []
    for name, words in _NAMES.items():
        share, n = figures[name]["share"], figures[name]["rows"]
        named = {"positive": printable(str(positive)), "negative": printable(str(negative))}
        said = words.format(n=n, **named)
        if share is None:
            lines.append((_shown(name), "-", said))
            continue
        low, high = wilson(share, n)
        lines.append((_shown(name), f"{share:.1%}", f"{low:.0%} to {high:.0%}; {said}"))
    return lines


def _shown(name: str) -> str:
    return name.upper() if len(name) == 3 else name
