"""The tree drawn with lines, to read at a terminal."""

from __future__ import annotations

from typing import Any

from thriftree.explain.answers import NodeAnswers, deviation_of, rows_words, share_words
from thriftree.explain.prices import price_words
from thriftree.explain.question_words import end_of_subtree, question_words
from thriftree.explain.words import Wording


def text_of(
    document: dict[str, Any],
    *,
    max_depth: int | None = None,
    max_categories: int = 8,
    prices: bool = True,
    numbers: bool = False,
) -> str:
    """The tree of a JSON form as lines of text.

    A test with two branches is a question answered "yes" or "no"; one with more names its answers. Where
    missing values go is said only if it is not the heaviest branch, where whatever training did not see goes.

    Parameters
    ----------
    max_depth : deeper nodes are counted, not shown.
    max_categories : longer lists of categories are shortened.
    prices : whether a tree that has prices shows them: at a test what it adds to the price of the path
        ("paid" if it was paid for above; an order of delayed tests says for how many it is), at a leaf what
        the path pays.
    numbers : whether the number of each node stands before it, as `apply` and the edits of a tree use it.

    Examples
    --------
    age <= 54.5? [1.00]
    ├─ yes: → healthy · 92% · 80 rows · pays 1.00
    └─ no: → sick · 71% · 31 rows · pays 1.00
    """
    wording, says = Wording(document, max_categories), NodeAnswers(document)
    nodes = document["nodes"]
    price = price_words(document) if prices and document.get("prices") is not None else None
    lines = []
    open_ = [(0, 0, "", "")]  # node, depth, what stands before its line, and before the lines below it
    while open_:
        number, depth, before, below = open_.pop()
        node = nodes[number]
        before += f"#{number} " if numbers else ""
        if "test" not in node:
            lines.append(before + _leaf(says, number, node) + (f" · {price[number]}" if price else ""))
            continue
        if max_depth is not None and depth >= max_depth:
            hidden = end_of_subtree(nodes, number) - number
            lines.append(f"{before}… {hidden} nodes, {_leaf(says, number, node).removeprefix('→ ')}")
            continue
        question, answers = question_words(document, node, wording)
        lines.append(before + question + (f" [{price[number]}]" if price else ""))
        last = len(answers) - 1
        for branch in range(last, -1, -1):
            line, space = ("└─ ", "   ") if branch == last else ("├─ ", "│  ")
            child = node["children"][branch]
            open_.append((child, depth + 1, f"{below}{line}{answers[branch]}: ", below + space))
    return "\n".join(lines)


def _leaf(says: NodeAnswers, number: int, node: dict[str, Any]) -> str:
    _, said = says.predicted(number)
    if "label" not in node:
        said += f" ± {deviation_of(node):.3g}"
    share = says.share_of_label(number)
    certainty = "" if share is None else f" · {share_words(share)}"
    return f"→ {said}{certainty} · {rows_words(node)}"
