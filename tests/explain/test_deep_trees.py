"""Very deep trees: what is said, drawn and written of them takes work in proportion to their nodes."""

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from thoroughness import tries

from thriftree import Tree
from thriftree.report.facts import facts_of


def chain(depth: int, n_columns: int) -> Tree:
    """A tree that at each node answers "yes", or asks on."""
    nodes: list[dict[str, Any]] = []
    for level in range(depth):
        rows = depth - level + 1
        test = {"column": level % n_columns, "kind": "ordered", "keys": [level + 0.5], "to": [0, 1]}
        test |= {"missing": 0, "other": 0, "score": None}
        here = {"rows": rows, "objects": rows, "weight": rows, "value": [rows - 1, 1], "label": 0}
        nodes.append(here | {"impurity": 0.1, "test": test, "children": [2 * level + 1, 2 * level + 2]})
        nodes.append(leaf(1))
    nodes.append(leaf(0))
    columns = [{"name": f"x{j}", "kind": "number"} for j in range(n_columns)]
    form = {"format": "thriftree-tree", "version": 1, "columns": columns, "classes": ["no", "yes"]}
    return Tree.from_dict(form | {"nodes": nodes})


def leaf(label: int) -> dict[str, Any]:
    value = [float(label == 0), float(label == 1)]
    return {"rows": 1, "objects": 1, "weight": 1, "value": value, "label": label, "impurity": 0}


def report(tree: Tree) -> object:
    X = np.zeros((4, len(tree.columns)))
    return facts_of(tree, X, np.array(["no", "yes", "no", "yes"]))


def explain(tree: Tree) -> str:
    return str(tree.explain([1e9] * len(tree.columns)))


def n_calls(work: Callable[[Tree], object], tree: Tree) -> int:
    """How many functions are called, and generators resumed: work that no other process can change."""
    count = 0

    def note(frame: object, event: str, _: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        work(tree)
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("columns", ["few", "one a level"])
@pytest.mark.parametrize(
    ("work", "small"),
    # A report holds rules up to a number of conditions, from which on it shows a part of the tree.
    [(explain, 50), (Tree.to_svg, 50), (Tree.to_sql, 50), (report, 200)],
    ids=["explain", "svg", "sql", "report"],
)
def test_work_grows_with_the_nodes_of_a_chain_not_with_their_square(work, small, columns):
    large = small * tries(16, 8)
    trees = [chain(depth, 7 if columns == "few" else depth) for depth in (small, large)]
    work(chain(small, 7))  # what is imported and remembered once
    counts = [n_calls(work, tree) for tree in trees]
    assert counts[1] < 1.6 * large / small * counts[0]


def test_a_chain_of_thousands_of_questions_is_explained_whole():
    explanation = chain(3000, 3000).explain([1e9] * 3000)
    assert explanation.label == "no"
    assert len(explanation.steps) == 3000
    # Each question, answered otherwise, ends the chain with "yes".
    assert [(change.condition.column, change.label) for change in explanation.changes] == [
        (f"x{j}", "yes") for j in range(3000)
    ]
