"""The facts of a report: everything the page shows, as one dict that JSON can hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from thriftree.document.leaf_models import read_columns
from thriftree.explain.answers import NodeAnswers
from thriftree.explain.words import label_words
from thriftree.messages import printable
from thriftree.report.facts.classes import accuracy_facts
from thriftree.report.facts.columns import column_facts
from thriftree.report.facts.frontier import frontier_facts
from thriftree.report.facts.head import rows_facts, sentence_of, title_of
from thriftree.report.facts.here import rows_are_the_trees_own, rows_at_nodes
from thriftree.report.facts.measured import MeasuredRows, measure
from thriftree.report.facts.near_optimal import near_facts
from thriftree.report.facts.numbers import error_facts
from thriftree.report.facts.page_tree import kept_nodes, n_conditions, page_tree
from thriftree.report.facts.prices import paid_facts, price_rules
from thriftree.report.facts.ranking import promise_facts, ranking_facts
from thriftree.report.facts.sample import sample_facts
from thriftree.report.facts.words import setting_rows
from thriftree.versions import versions

if TYPE_CHECKING:
    from thriftree.estimators.near_optimal import NearOptimalTrees
    from thriftree.tree import Tree
    from thriftree.tuning.frontier.points import Frontier

#: Bytes of JSON that the page has room for, with its own 80 kB: a report stays below 2 MB.
TREE_BYTES: Final = 800_000
FRONTIER_BYTES: Final = 600_000
SAMPLE_BYTES: Final = 200_000
MOST_NODES: Final = 4_000
MOST_CONDITIONS: Final = 40_000  # each takes more than 20 bytes of the tree's
MOST_PROMISES: Final = 100
MOST_COLUMNS: Final = 300


def facts_of(
    tree: Tree,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    rows: str | None = None,
    frontier: Frontier | None = None,
    near_optimal: NearOptimalTrees | None = None,
    title: str | None = None,
    target: str | None = None,
    settings: Mapping[str, Any] | None = None,
    smoothing: float = 0.0,
    sample: int = 200,
    row_numbers: Any = None,
) -> dict[str, Any]:
    """The facts of a report on `tree`, measured on the rows of X and y; see `thriftree.write_report`."""
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 0:
        raise ValueError(f"sample is {sample!r}: write how many rows the page may hold, 0 for none")
    measured = measure(tree, X, y, sample_weight, row_numbers)
    document = measured.document
    classes = None if document["classes"] is None else [label_words(label) for label in document["classes"]]
    target = target if target is not None else _series_name(y)
    used = read_columns(document)
    paid = paid_facts(measured)
    page = _tree_within(measured)
    priced = document.get("prices") is not None
    return {
        "title": title_of(title, target, classes),
        "sentence": sentence_of(
            target,
            classes,
            tree.depth,
            len(document["columns"]),
            len(used),
            paid,
            priced,
            NodeAnswers(document).predicted(0)[1],
        ),
        "target": None if target is None else printable(target),
        "rows": rows_facts(
            rows,
            len(measured.kept),
            document["nodes"][0]["rows"],
            measured.effective,
            measured.weighted,
            rows_are_the_trees_own(measured),
        ),
        "size": {
            "leaves": tree.n_leaves,
            "depth": tree.depth,
            "columns": len(document["columns"]),
            "columns_used": len(used),
        },
        "classes": None
        if classes is None
        else {
            **accuracy_facts(measured),
            "ranking": ranking_facts(measured, smoothing),
            "promises": promise_facts(measured, smoothing, MOST_PROMISES),
        },
        "numbers": error_facts(measured) if classes is None else None,
        "paid": paid,
        "price_rules": price_rules(document),
        "tree": page,
        "sample": _sample_within(measured, X, page["columns"], sample),
        "frontier": None
        if frontier is None
        else frontier_facts(frontier, tree, page, FRONTIER_BYTES, MOST_NODES // 4),
        "near_optimal": None if near_optimal is None else near_facts(near_optimal, tree),
        "columns": column_facts(measured, X, MOST_COLUMNS),
        "settings": setting_rows(settings if settings is not None else tree.settings),
        "versions": [[name, text] for name, text in versions().items() if text != "not installed"],
    }


def _series_name(y: Any) -> str | None:
    """The name of a pandas or polars series."""
    name = getattr(y, "name", None)
    return name if isinstance(name, str) and name else None


def _tree_within(measured: MeasuredRows) -> dict[str, Any]:
    """The tree and what the report's rows do in it; halved until it fits the page."""
    document, most = measured.document, MOST_NODES
    while most > 1 and n_conditions(document, kept_nodes(document, most)) > MOST_CONDITIONS:
        most //= 2
    while True:
        tree = page_tree(document, most)
        if len(json.dumps(tree)) <= TREE_BYTES or most <= 1:
            break
        most //= 2
    for node, here in zip(tree["nodes"], rows_at_nodes(measured, tree["numbers"]), strict=True):
        node["here"] = here
    return tree


def _sample_within(
    measured: MeasuredRows, X: Any, columns: dict[str, Any], most: int
) -> dict[str, Any] | None:
    """The rows to follow, with the columns that the page asks for; halved until they fit the page."""
    while True:
        sample = sample_facts(measured, X, [int(number) for number in columns], most)
        if sample is None or most <= 1 or len(json.dumps(sample)) <= SAMPLE_BYTES:
            return sample
        most //= 2
