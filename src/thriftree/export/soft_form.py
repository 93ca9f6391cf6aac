"""A soft tree of the JSON form (docs/spec/soft-tree-v1.md) as exporters write it: only what is weighed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from thriftree.columns import Scalar
from thriftree.document.follow import scalar
from thriftree.export.decisions import matched_codes


@dataclass(frozen=True)
class SoftColumn:
    """A column that is weighed, and its terms: (x - centre) · scale of a number, or a 0 or 1 for each
    category; and, if `has_missing`, a 0 or 1 for missing. Of ordered categories x is the position.
    """

    position: int  # in the document's columns
    column: dict[str, Any]
    begin: int  # its first term, among those of the columns that are weighed
    has_missing: bool
    centre: float
    scale: float

    @property
    def is_number(self) -> bool:
        """Whether its values are numbers, not labels."""
        return bool(self.column["kind"] == "number")

    @property
    def is_category(self) -> bool:
        """Whether it has a term for each category."""
        return bool(self.column["kind"] == "category")

    @cached_property
    def codes(self) -> dict[int, Scalar]:
        """The codes that a value can have, with their labels."""
        return {code: scalar(self.column["categories"][code]) for code in sorted(matched_codes(self.column))}

    @property
    def n_known(self) -> int:
        """Terms without that of missing."""
        return len(self.column["categories"]) if self.is_category else 1

    @property
    def width(self) -> int:
        """Terms."""
        return self.n_known + self.has_missing

    def known(self, place: float) -> float:
        """The term of a number, or of an ordered category's position."""
        return (place - self.centre) * self.scale


@dataclass(frozen=True)
class SoftGate:
    """A gate. Children are gates, or of leaf l the number -1 - l."""

    left: int
    right: int
    first: int  # it weighs the terms from this one on
    weights: tuple[float, ...]
    offset: float


class SoftForm:
    """A soft tree with the terms of those columns only that some gate weighs."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.classes = (
            None if document["classes"] is None else [scalar(label) for label in document["classes"]]
        )
        self.sharpness = math.inf if document["sharpness"] is None else float(document["sharpness"])
        target = document["target"] or {"centre": 0.0, "deviation": 1.0}
        self.centre, self.deviation = float(target["centre"]), float(target["deviation"])
        widths = [
            (len(column["categories"]) if column["kind"] == "category" else 1) + design["missing"]
            for column, design in zip(document["columns"], document["design"], strict=True)
        ]
        begins = np.concatenate([[0], np.cumsum(widths)]).astype(int).tolist()
        spans = [(gate["first"], gate["first"] + len(gate["weights"])) for gate in document["gates"]]
        self.is_linear = document["leaf_weights"] is not None
        used = [
            j
            for j, (begin, end) in enumerate(pairwise(begins))
            if self.is_linear or any(first < end and begin < last for first, last in spans)
        ]
        self.columns: list[SoftColumn] = []
        new_place: dict[int, int] = {}  # of a term, by its place in the document
        n_terms = 0
        for j in used:
            design = document["design"][j]
            place = (design.get("centre", 0.0), design.get("scale", 1.0))
            self.columns.append(
                SoftColumn(j, document["columns"][j], n_terms, design["missing"], *map(float, place))
            )
            new_place |= {begins[j] + i: n_terms + i for i in range(widths[j])}
            n_terms += widths[j]
        self.n_terms = n_terms
        # A span has all columns between its ends, so its terms stay side by side.
        self.gates = [
            SoftGate(
                gate["left"],
                gate["right"],
                new_place.get(gate["first"], 0),
                tuple(map(float, gate["weights"])),
                float(gate["offset"]),
            )
            for gate in document["gates"]
        ]
        #: Per leaf the probability of each class, or one number in deviations from the centre. Of linear
        #: leaves what they hold before the terms add to it: logits, or that number.
        self.leaves = [
            tuple(_shares(leaf) if self.classes and not self.is_linear else map(float, leaf))
            for leaf in document["leaves"]
        ]
        #: Per linear leaf and output the weights of all terms.
        self.leaf_weights = [
            [tuple(map(float, weights)) for weights in leaf] for leaf in document["leaf_weights"] or ()
        ]

    @property
    def positions(self) -> list[int]:
        """Of the weighed columns in the document."""
        return [column.position for column in self.columns]

    @property
    def n_outputs(self) -> int:
        """Classes, or 1."""
        return len(self.classes) if self.classes else 1

    @property
    def is_hard(self) -> bool:
        """Whether a gate sends a row one way only: left where its sum is not negative."""
        return math.isinf(self.sharpness)

    @property
    def holds(self) -> str:
        """What a leaf holds, in words."""
        if self.is_linear:
            return "by output, what it is before the terms add to it, and their weights"
        return "probability of each class" if self.classes else "number"

    @property
    def summary(self) -> str:
        """ "A soft tree: 3 gates, 4 leaves"."""
        n = len(self.gates)
        leaves = f"{n + 1} {'leaves' if n else 'leaf'}"
        return f"A soft tree: {n} gate{'' if n == 1 else 's'}, {leaves}"


def _shares(logits: list[float]) -> list[float]:
    """Probabilities of the classes."""
    weights = np.exp(np.asarray(logits, np.float64) - max(logits))
    return [float(share) for share in weights / weights.sum()]
