"""What a picture of a tree says at each node, before anyone asks where or how large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from thriftree.explain.answers import NodeAnswers, deviation_of, rows_words, share_words
from thriftree.explain.prices import amount_words, node_prices, price_words
from thriftree.explain.question_words import end_of_subtree, question_words
from thriftree.explain.words import Wording, label_words


@dataclass(frozen=True)
class NodeWords:
    """One node that is shown. Its words are safe to print, and as long as they are."""

    number: int  # in the tree
    children: tuple[int, ...]  # places in the list of shown nodes; empty where nothing below is shown
    branch: str  # the answer that leads here from the parent; empty at the root
    question: str  # empty where nothing below is shown
    answer: str  # what the node predicts as a leaf
    certainty: str  # "89%", "± 2.3"; empty for a node without weight
    rows: int
    share: float  # of the root's rows, between 0 and 1
    class_shares: tuple[float, ...]  # by class, sum 1; empty for a numeric target or without weight
    mean: float  # of a numeric target, else 0
    deviation: float
    adds: str  # what the question costs: "+1.00", "paid", "free"; empty without prices and without a question
    paid: str  # after the question, or on arrival where none is shown; empty without prices
    hidden: int  # nodes below that are not shown
    title: str  # everything in full, in lines
    shrunk: bool = False  # whether the class shares, or the mean, are not those of the rows

    @property
    def conclusion(self) -> str:
        """The answer, of a number with its deviation."""
        return f"{self.answer} {self.certainty}" if self.certainty.startswith("±") else self.answer

    @property
    def facts(self) -> list[str]:
        """What is said below the question or the conclusion: rows, prices, what is not shown."""
        rows = f"{self.rows:,} row{'' if self.rows == 1 else 's'}"
        if self.question:
            return [rows, f"{self.adds} → {self.paid}"] if self.adds else [rows]
        facts = [f"{self.certainty}{',' if self.shrunk else ' of'} {rows}" if self.class_shares else rows]
        if self.paid:
            facts.append(f"pays {self.paid}")
        return [*facts, f"… {self.hidden} nodes below"] if self.hidden else facts


def words_of(
    document: dict[str, Any], *, max_depth: int | None = None, prices: bool = True
) -> list[NodeWords]:
    """The nodes of a JSON form in preorder, down to `max_depth`."""
    nodes = document["nodes"]
    wording, answers = Wording(document), NodeAnswers(document)
    in_full = Wording(
        document, max_categories=max((len(c.get("categories", ())) for c in document["columns"]), default=0)
    )
    asks, branches = _shown(document, wording, max_depth)
    place = {number: i for i, number in enumerate(branches)}
    adds, paid = _prices(document, asks) if prices and document.get("prices") is not None else ({}, {})
    told = []
    for number, branch in branches.items():
        node = nodes[number]
        numeric = document["classes"] is None
        question = question_words(document, node, in_full)[0] if number in asks else ""
        told.append(
            NodeWords(
                number=number,
                children=tuple(place[child] for child in node["children"]) if number in asks else (),
                branch=branch,
                question=question_words(document, node, wording)[0] if number in asks else "",
                answer=_answer(answers, number) if numeric else answers.predicted(number)[1],
                certainty=_certainty(answers, number, node),
                rows=node["rows"],
                share=min(node["rows"] / nodes[0]["rows"], 1.0) if nodes[0]["rows"] else 0.0,
                class_shares=answers.shares(number),
                mean=float(answers.predicted(number)[0]) if numeric else 0.0,
                deviation=deviation_of(node) if numeric else 0.0,
                adds=adds.get(number, ""),
                paid=paid.get(number, ""),
                hidden=0 if number in asks else end_of_subtree(nodes, number) - number - 1,
                title="\n".join(
                    _full(document, answers, number, question, adds.get(number), paid.get(number))
                ),
                shrunk=answers.is_shrunk,
            )
        )
    return told


def _answer(answers: NodeAnswers, number: int) -> str:
    """A number that is predicted; of a linear leaf the mean, and how many columns its model reads."""
    mean = f"{answers.predicted(number)[0]:.4g}"
    if number not in answers.models:
        return mean
    n = len(answers.models[number].columns)
    return f"{mean} + {n} linear term{'' if n == 1 else 's'}"


def levels_within(document: dict[str, Any], most_leaves: int) -> int | None:
    """How many levels of questions have no more leaves than this; None: all. Cut there, what goes on counts
    as a leaf. The first question is always shown.
    """
    nodes = document["nodes"]
    level = [0]
    leaves, depth = 0, 0
    while level:
        leaves += sum("children" not in nodes[number] for number in level)
        below = [child for number in level for child in nodes[number].get("children", ())]
        if leaves + len(below) > most_leaves and depth > 0:
            return depth
        level, depth = below, depth + 1
    return None


def _shown(
    document: dict[str, Any], wording: Wording, max_depth: int | None
) -> tuple[set[int], dict[int, str]]:
    """The nodes whose question is shown, and for every node that is shown the answer that leads to it."""
    nodes = document["nodes"]
    asks: set[int] = set()
    branches: dict[int, str] = {}
    open_ = [(0, 0, "")]
    while open_:
        number, depth, branch = open_.pop()
        branches[number] = branch
        if "test" not in nodes[number] or (max_depth is not None and depth >= max_depth):
            continue
        asks.add(number)
        _, answers = question_words(document, nodes[number], wording)
        below = zip(nodes[number]["children"], answers, strict=True)
        open_.extend((child, depth + 1, answer) for child, answer in reversed(list(below)))
    return asks, branches


def _prices(document: dict[str, Any], asks: set[int]) -> tuple[dict[int, str], dict[int, str]]:
    """By node: what its question adds, and what has been paid after it (on arrival, without a question)."""
    prices, words = node_prices(document), price_words(document)
    adds = {n: _added(words[n]) for n in asks}
    paid = {}
    for number, node in enumerate(document["nodes"]):
        ends = [prices[child] for child in node["children"]] if number in asks else [prices[number]]
        most = max(end.paid for end in ends)
        paid[number] = amount_words(most, varies=any(end.varies for end in ends)) if most else "0"
    return adds, paid


def _added(words: str) -> str:
    """ "1.00" is "+1.00", "up to 1.00" is "up to +1.00"; "paid" and "free" stay."""
    if words in ("paid", "free"):
        return words
    most = "up to " if words.startswith("up to ") else ""
    return f"{most}+{words.removeprefix(most)}"


def _certainty(answers: NodeAnswers, number: int, node: dict[str, Any]) -> str:
    if "label" not in node:
        return f"± {deviation_of(node):.3g}"
    share = answers.share_of_label(number)
    return "" if share is None else share_words(share)


def _full(
    document: dict[str, Any],
    answers: NodeAnswers,
    number: int,
    question: str,
    adds: str | None,
    paid: str | None,
) -> Sequence[str]:
    node = document["nodes"][number]
    lines = [f"Node {number}: {question}" if question else f"Node {number}"]
    certainty = _certainty(answers, number, node)
    lines.append(f"{rows_words(node)}; answer {answers.predicted(number)[1]} {certainty}")
    if document["classes"] is not None:
        shares = answers.shares(number) or (0.0,) * len(document["classes"])
        for label, weight, share in zip(document["classes"], node["value"], shares, strict=True):
            lines.append(f"{label_words(label)}: {weight:.6g} ({share:.1%})")
    if adds is not None:
        lines.append(f"The question: {adds}")
    if paid is not None:
        lines.append(f"Paid {'after it' if question else 'on the way here'}: {paid}")
    return lines
