"""Trees as good as the report's: how many, which questions they can do without, and the cheapest."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any, Final

from thriftree.export.svg import svg_of
from thriftree.messages import printable

if TYPE_CHECKING:
    from thriftree.estimators.near_optimal import NearOptimalTrees
    from thriftree.tree import Tree

_MOST_WRITTEN: Final = 10**15  # larger counts are rounded to a power of ten


def near_facts(found: NearOptimalTrees, tree: Tree) -> dict[str, Any]:
    """The facts of a set of nearly best trees beside this tree, which is measured on the set's own rows."""
    if found.count() == 0:
        raise ValueError("near_optimal has no trees to show: give a larger slack")
    objective = found.objective_of(tree)
    cheapest = found.cheapest()
    best_without, shares = found.best_without(), found.shares_asked()
    free, asked = set(found.dispensable), {tree.columns[j].name for j in tree.core.column.tolist() if j >= 0}
    questions = [
        {
            "name": printable(name),
            "least": round(shares[name][0], 12),
            "most": round(shares[name][1], 12),
            "without": best_without[name],
            "dispensable": name in free,
            "here": name in asked,
        }
        for name in found.feature_names
        if shares[name][1] > 0
    ]
    return {
        "count": _in_words(found.count()),
        "one": found.count() == 1,
        "best": found.best,
        "limit": found.limit,
        "slack": found.slack,
        "leaf_penalty": found.leaf_penalty,
        "price_weight": found.price_weight,
        "proved_for": found.proved_for,
        "stopped_by": found.stopped_by,
        "objective": objective,
        "as_good": _in_words(found.count_at_most(objective)),
        "is_within": objective <= found.limit + 1e-9,
        # First those that every tree asks, then by how many rows a tree may ask.
        "questions": sorted(questions, key=lambda q: (q["dispensable"], -q["least"], -q["most"])),
        "unasked": [printable(name) for name in found.feature_names if shares[name][1] == 0],
        "cheapest": {
            "expected": cheapest.expected_cost,
            "lower_bound": cheapest.lower_bound,
            "proved": cheapest.is_proved,
            "objective": cheapest.objective,
            "here": found.expected_cost_of(tree),
            "picture": _picture(cheapest.tree),
        },
    }


def _picture(tree: Tree) -> str:
    """The tree as the address of an image."""
    svg = svg_of(tree.to_dict())
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode('utf-8')).decode('ascii')}"


def _in_words(count: int) -> str:
    if count < _MOST_WRITTEN:
        return f"{count:,}"
    digits = str(count)
    return f"about {digits[0]}.{digits[1]} × 10^{len(digits) - 1}"
