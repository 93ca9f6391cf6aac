"""The trees to choose from, as the page shows them: a dot each, and the tree behind it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from thriftree.report.facts.page_tree import page_tree
from thriftree.report.facts.words import setting_rows

if TYPE_CHECKING:
    from thriftree.tree import Tree
    from thriftree.tuning.frontier.points import Frontier, FrontierPoint

MOST_BEATEN: Final = 400
MOST_POINTS: Final = 200


def frontier_facts(
    frontier: Frontier, tree: Tree, page: dict[str, Any], most_bytes: int, most_nodes: int
) -> dict[str, Any] | None:
    """The points by rising expected price, each with its tree as long as the trees together take no more than
    `most_bytes` of JSON: of many, evenly chosen ones have theirs. None if no tree was measured.

    `page` is the report's own tree on the page: columns and classes that are the same there are left out.
    """
    points = list(frontier)
    if not frontier.measured:
        return None
    n = min(len(points), MOST_POINTS)
    shown = [points[i * len(points) // n] for i in range(n)]
    trees: dict[int, dict[str, Any]] = {}
    left = most_bytes
    for i in _evenly(len(shown)):
        behind = _tree(shown[i], page, most_nodes)
        left -= len(json.dumps(behind))
        if left < 0:
            break
        trees[i] = behind
    beaten = [[figures[1], figures[0]] for figures in frontier.dominated]
    step = max(1, -(-len(beaten) // MOST_BEATEN))
    return {
        "metric": frontier.metric,
        "points": [
            {**_figures(point, frontier.metric), "reported": point.tree == tree, "tree": trees.get(i)}
            for i, point in enumerate(shown)
        ],
        "n_points": len(points),
        "n_trees": len(trees),
        "beaten": beaten[::step],
        "n_beaten": len(beaten),
        "stopped_by": frontier.stopped_by,
        "corrected": frontier.metric in frontier.corrected,
    }


def _figures(point: FrontierPoint, metric: str) -> dict[str, Any]:
    settings: Mapping[str, Any] = {
        name: float(f"{value:.3g}") if isinstance(value, float) else value
        for name, value in point.settings.items()
    }
    return {
        "score": getattr(point, metric),
        "measured": point.measured[metric],
        "compared": point.compared,
        "accuracy": point.accuracy,
        "auc": point.auc,
        "r2": point.r2,
        "expected": point.expected_cost,
        "worst_case": point.worst_case_cost,
        "leaves": point.leaves,
        "method": point.method,
        "settings": ", ".join(f"{name} {value}" for name, value in setting_rows(settings)),
    }


def _tree(point: FrontierPoint, page: dict[str, Any], most_nodes: int) -> dict[str, Any]:
    tree = page_tree(point.tree.to_dict(), most_nodes)
    if tree["columns"].items() <= page["columns"].items():
        del tree["columns"]
    if (tree["classes"], tree["colours"]) == (page["classes"], page["colours"]):
        del tree["classes"], tree["colours"]
    return tree


def _evenly(n: int) -> list[int]:
    """All places, ordered so that any first few of them are spread over the whole."""
    order = [0, *([n - 1] if n > 1 else [])]
    seen = set(order)
    step = n
    while len(order) < n:
        step = max(step // 2, 1)
        fresh = [i for i in range(step, n, step) if i not in seen]
        order += fresh
        seen.update(fresh)
    return order
