"""The facts of a report: everything the page shows, as one dict that JSON can hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from thriftree.explain.words import label_words, printable
from thriftree.report.facts.classes import accuracy_facts
from thriftree.report.facts.columns import column_facts
from thriftree.report.facts.frontier import frontier_facts
from thriftree.report.facts.head import sentence_of, title_of
from thriftree.report.facts.measured import Measured, measure
from thriftree.report.facts.numbers import error_facts
from thriftree.report.facts.page_tree import page_columns, page_tree
from thriftree.report.facts.prices import paid_facts, price_rules
from thriftree.report.facts.ranking import promise_facts, ranking_facts
from thriftree.report.facts.sample import sample_facts
from thriftree.report.facts.words import setting_rows
from thriftree.versions import versions

if TYPE_CHECKING:
    from thriftree.pareto.points import Frontier
    from thriftree.tree import Tree

#: Bytes of JSON that the page has room for, with its own 80 kB: a report stays below 2 MB.
TREE_BYTES: Final = 800_000
FRONTIER_BYTES: Final = 600_000
SAMPLE_BYTES: Final = 200_000
MOST_NODES: Final = 4_000
MOST_PROMISES: Final = 100


def facts_of(
    tree: Tree,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    rows: str | None = None,
    frontier: Frontier | None = None,
    title: str | None = None,
    target: str | None = None,
    settings: Mapping[str, Any] | None = None,
    smoothing: float = 0.0,
    sample: int = 200,
) -> dict[str, Any]:
    """The facts of a report on `tree`, measured on the rows of X and y; see `thriftree.write_report`."""
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 0:
        raise ValueError(f"sample is {sample!r}: write how many rows the page may hold, 0 for none")
    measured = measure(tree, X, y, sample_weight)
    document = measured.document
    classes = None if document["classes"] is None else [label_words(label) for label in document["classes"]]
    target = target if target is not None else _series_name(y)
    used = {node["test"]["column"] for node in document["nodes"] if "test" in node}
    paid = paid_facts(measured)
    priced = document.get("prices") is not None
    return {
        "title": title_of(title, target, classes),
        "sentence": sentence_of(
            target, classes, tree.depth, len(document["columns"]), len(used), paid, priced
        ),
        "target": None if target is None else printable(target),
        "rows": {
            "which": None if rows is None else printable(rows),
            "n": len(measured.kept),
            "weighted": measured.weighted,
            "effective": measured.effective,
            "seen_in_training": _are_the_trees_own(measured),
        },
        "size": {
            "leaves": tree.n_leaves,
            "depth": tree.depth,
            "columns": len(document["columns"]),
            "columns_used": len(used),
            "training_rows": document["nodes"][0]["rows"],
        },
        "classes": None if classes is None else {
            **accuracy_facts(measured),
            "ranking": ranking_facts(measured, smoothing),
            "promises": promise_facts(measured, smoothing, MOST_PROMISES),
        },
        "numbers": error_facts(measured) if classes is None else None,
        "paid": paid,
        "price_rules": price_rules(document),
        "tree": _tree_within(measured),
        "sample": _sample_within(measured, X, sample),
        "frontier": None
        if frontier is None
        else frontier_facts(frontier, tree, FRONTIER_BYTES, MOST_NODES // 4),
        "columns": column_facts(measured, X),
        "settings": setting_rows(settings if settings is not None else tree.settings),
        "versions": [[name, text] for name, text in versions().items() if text != "not installed"],
    }


def _series_name(y: Any) -> str | None:
    """The name of a pandas or polars series."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def _are_the_trees_own(measured: Measured) -> bool:
    """Whether every leaf has as many of these rows as it had in training, of the same weight and classes (or
    mean): then these are almost surely the rows that the tree was grown from.
    """
    nodes = measured.document["nodes"]
    n = len(nodes)
    leaves = np.array(["test" not in node for node in nodes])
    rows = np.array([node["rows"] for node in nodes])
    if n == 1 or (np.bincount(measured.leaf, minlength=n) != rows)[leaves].any():
        return False
    if measured.document["classes"] is None:
        sums = np.bincount(measured.leaf, measured.weight * measured.truth, minlength=n)
        weight = np.bincount(measured.leaf, measured.weight, minlength=n)
        mean = np.array([node["value"][0] for node in nodes])
        return bool(np.allclose(sums[leaves], (weight * mean)[leaves], rtol=1e-9, atol=1e-9))
    # Class weights scale whole classes, so classes are compared by where their weight is.
    value = np.array([node["value"] for node in nodes])[leaves]
    own = np.zeros((n, max(value.shape[1], int(measured.truth.max()) + 1)))
    np.add.at(own, (measured.leaf, measured.truth), measured.weight)
    own = own[leaves]
    if own[:, value.shape[1] :].any():
        return False
    return bool(np.allclose(_by_column(own), _by_column(value), rtol=1e-9, atol=1e-12))


def _by_column(weights: Any) -> Any:
    totals = weights.sum(axis=0)
    return np.divide(weights, totals, out=np.zeros_like(weights), where=totals > 0)


def _tree_within(measured: Measured) -> dict[str, Any]:
    """The tree with what the rows of the report do at each node; halved until it fits the page."""
    most = MOST_NODES
    while True:
        tree = {**page_tree(measured.document, most), "columns": page_columns(measured.document)}
        if len(json.dumps(tree)) <= TREE_BYTES or most <= 1:
            break
        most //= 2
    rows = measured.total(np.ones(len(measured.leaf)))
    weight = measured.total(measured.weight)
    if measured.document["classes"] is None:
        good = measured.total(measured.weight * measured.truth)
    else:
        good = None
    for node, number in zip(tree["nodes"], tree["numbers"], strict=True):
        here: dict[str, Any] = {"rows": int(rows[number]), "weight": float(weight[number])}
        if good is not None and weight[number] > 0:
            here["mean"] = float(good[number] / weight[number])
        node["here"] = here
    _add_shares(measured, tree)
    return tree


def _add_shares(measured: Measured, tree: dict[str, Any]) -> None:
    """At each node the share of the report's rows that have the node's class."""
    if measured.document["classes"] is None:
        return
    for label in sorted({node["label"] for node in tree["nodes"]}):
        of_class = measured.total(measured.weight * (measured.truth == label))
        for node, number in zip(tree["nodes"], tree["numbers"], strict=True):
            if node["label"] == label and node["here"]["weight"] > 0:
                node["here"]["share"] = float(of_class[number] / node["here"]["weight"])


def _sample_within(measured: Measured, X: Any, most: int) -> dict[str, Any] | None:
    """The rows to follow; halved until they fit the page."""
    while True:
        sample = sample_facts(measured, X, most)
        if sample is None or most <= 1 or len(json.dumps(sample)) <= SAMPLE_BYTES:
            return sample
        most //= 2
