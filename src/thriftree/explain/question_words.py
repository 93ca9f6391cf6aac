"""A node as a question with its answers."""

from __future__ import annotations

from typing import Any

from thriftree.explain.values import missing_is_telling, values_by_branch
from thriftree.explain.words import Wording


def question_words(document: dict[str, Any], node: dict[str, Any], wording: Wording) -> tuple[str, list[str]]:
    """A node's question and the answer of each branch: "yes" and "no" where there are two."""
    column = node["test"]["column"]
    branches = values_by_branch(node, document["columns"][column])
    telling = missing_is_telling(document, node)
    if len(branches) > 2:
        answers = [wording.answer(column, values, say_missing=telling) for values in branches]
        return f"{wording.names[column]}?", answers
    question = wording.condition(column, branches[0], say_missing=False)
    splits_known = all(values.intervals or values.codes or values.other for values in branches)
    if telling and splits_known:
        question += f"? (missing: {'no' if node['test']['missing'] else 'yes'})"
    else:
        question += "?"
    return question, ["yes", "no"]


def end_of_subtree(nodes: list[dict[str, Any]], number: int) -> int:
    """One past the last node below `number`; nodes are in preorder."""
    while "children" in nodes[number]:
        number = nodes[number]["children"][-1]
    return number + 1
