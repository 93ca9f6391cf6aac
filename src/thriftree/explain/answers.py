"""What the nodes of a tree say as leaves, and how sure they are, in numbers and in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from thriftree.columns import Scalar
from thriftree.document.answers import node_numbers, node_shares
from thriftree.document.follow import scalar
from thriftree.document.leaf_models import models_of
from thriftree.explain.counts import Counts, share_and_interval
from thriftree.explain.intervals import Interval
from thriftree.explain.model_words import model_words
from thriftree.explain.words import label_words


class NodeAnswers:
    """The answers of all nodes of a JSON form, derived from it once, as `Tree.predict` and
    `Tree.predict_proba` give them.
    """

    def __init__(self, document: dict[str, Any]) -> None:
        self._classes = document["classes"]
        self._nodes = document["nodes"]
        self.is_shrunk = document.get("shrinkage") is not None
        self._numbers = node_numbers(document).tolist() if self._classes is None else []
        self._shares = [] if self._classes is None else node_shares(document).tolist()
        self.models = models_of(document)
        self._document = document

    def predicted(self, number: int) -> tuple[Scalar, str]:
        """What the node predicts as a leaf: the class or the number, and in words. Of a linear leaf the mean
        that its model adds to, and the model in words.
        """
        if self._classes is None:
            mean = self._numbers[number]
            if number in self.models:
                return mean, model_words(self._document, self.models[number], mean)
            return mean, f"{mean:.6g}"
        label = self._classes[self._nodes[number]["label"]]
        return scalar(label), label_words(label)

    def shares(self, number: int) -> tuple[float, ...]:
        """The probability of each class; none for a numeric target or a node without weight."""
        return tuple(self._shares[number]) if self._classes and sum(self._nodes[number]["value"]) > 0 else ()

    def share_of_label(self, number: int) -> float | None:
        """The probability of the class that the node predicts; None for a numeric target or no weight."""
        shares = self.shares(number)
        return shares[self._nodes[number]["label"]] if shares else None

    def seen_words(self, number: int) -> str:
        """ "82% of 44 rows"; where the share is not that of the rows, "79%, 44 rows"."""
        share, rows = self.share_of_label(number), rows_words(self._nodes[number])
        if share is None:
            return rows
        return f"{share_words(share)}{',' if self.is_shrunk else ' of'} {rows}"

    def certainty(
        self, leaves: Sequence[int], counts: Counts, label: Scalar
    ) -> tuple[float | None, Interval | None]:
        """The label's probability over leaves that all predict it, and the 95 % interval of its share in
        their training rows; for a numeric target None and the interval of the rows' mean.
        """
        share, interval = share_and_interval(counts, label)
        if share is None or not self.is_shrunk:
            return share, interval
        weights = [sum(self._nodes[leaf]["value"]) for leaf in leaves]
        own = [self._shares[leaf][self._nodes[leaf]["label"]] for leaf in leaves]
        if len(leaves) == 1:
            return own[0], interval
        together = sum(weight * one for weight, one in zip(weights, own, strict=True))
        return together / sum(weights), interval


def share_words(share: float) -> str:
    """ "89%"; with more digits where a share that is not quite 0 or 1 would read as 0 or 1."""
    digits = 0
    while digits < 6 and 0 < share < 1 and round(100 * share, digits) in (0, 100):
        digits += 1
    return f"{share:.{digits}%}"


def deviation_of(node: dict[str, Any]) -> float:
    """The standard deviation of a numeric target at a node. Of one row it is 0, whatever rounding left."""
    return 0.0 if node["rows"] == 1 else float(node["value"][1] ** 0.5)


def rows_words(node: dict[str, Any]) -> str:
    """ "120 rows", and their weight where it is not their number."""
    rows = f"{node['rows']} row{'' if node['rows'] == 1 else 's'}"
    return rows if node["weight"] == node["rows"] else f"{rows}, weight {node['weight']:.6g}"
