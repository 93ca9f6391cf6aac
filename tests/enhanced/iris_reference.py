"""Iris as 20 yes-no tests, θ = 1/50: recorded trees of the authors' program, and of the paper's formulas.

The recorded trees stop at two objects, which the paper does not say, and of outcomes with equally many
objects they take the first for v*, which it leaves open: `reference_benefit` does as they do.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from oracles.greedy import Benefit, enhanced, evenness, separated_pairs
from oracles.ngi import Cell, Instance, Number, balance, coalesce, largest, mass

REFERENCE = Path(__file__).parents[1] / "reference"
INPUTS = np.load(REFERENCE / "lecdt_iris_inputs.npz")
THETA = Fraction(1, 50)


@dataclass(frozen=True)
class Run:
    """One recorded fit: "full" or "train" rows, "unit" or "random" prices, and the algorithm's name."""

    rows: str
    prices: str
    algorithm: str
    tree: dict[str, Any]
    cost: float

    def __str__(self) -> str:
        return f"{self.algorithm}-{self.rows}-{self.prices}"

    @property
    def X(self) -> Any:
        return INPUTS["X"] if self.rows == "full" else INPUTS["X"][INPUTS["train_idx"]]

    @property
    def y(self) -> Any:
        return INPUTS["y"] if self.rows == "full" else INPUTS["y"][INPUTS["train_idx"]]

    @property
    def price_list(self) -> list[int]:
        prices: list[int] = INPUTS[f"cost_{self.prices}"].tolist()
        return prices

    @property
    def divides_by_price(self) -> bool:
        return self.algorithm.startswith(("ASR", "E", "CC", "CIP"))

    def instance(self) -> Instance:
        labels = self.y.tolist()
        return coalesce(self.X.tolist(), labels, [1] * len(labels), self.price_list, THETA)[0]

    def benefit(self) -> Benefit:
        """What the algorithm divides by the price, as we define it. "C4.5" is information gain."""
        name, _, trade_off = self.algorithm.partition("@")
        if trade_off:
            return enhanced(Fraction(trade_off), "entropy" if name == "EC4.5" else "gini")
        return {
            "ASR": enhanced(0),
            "IP": separated_pairs,
            "CIP": separated_pairs,
            "BAL": evenness,
            "CART": enhanced(math.inf),
            "CCART": enhanced(math.inf),
            "C4.5": enhanced(math.inf, "entropy"),
            "CC4.5": enhanced(math.inf, "entropy"),
        }[name]

    def reference_benefit(self) -> Benefit:
        """The same with v* the first of several largest outcomes, where B is a part of it."""
        ours = self.benefit()
        if not self.algorithm.startswith(("ASR", "E")):
            return ours

        def with_first(of: Instance, cell: Cell, parts: Sequence[Cell]) -> Number:
            first = mass(of, cell) - mass(of, largest(parts)[0])
            return ours(of, cell, parts) - balance(of, cell, parts) + first

        return with_first

    def nodes(self, of: Instance) -> Iterator[tuple[dict[str, Any], Cell]]:
        """The nodes of the recorded tree with their objects."""
        open_nodes = [(self.tree, of.objects)]
        while open_nodes:
            node, cell = open_nodes.pop()
            yield node, cell
            for code, child in node.get("children", {}).items():
                part = frozenset(i for i in cell if of.codes[i][node["test"]] == int(code))
                open_nodes.append((child, part))


def runs() -> list[Run]:
    """Every run in its paper form where one is recorded, else as the authors' program made it."""
    programs = json.loads((REFERENCE / "lecdt_iris.json").read_text())["runs"]
    formulas = json.loads((REFERENCE / "enhanced_iris_paper_D.json").read_text())["iris"]
    recorded = []
    for program, formula in zip(programs, formulas, strict=True):
        keys = ("fit_on", "cost", "alg")
        assert [program[key] for key in keys] == [formula[key] for key in keys]
        tree = formula.get("tree_paperform", program["tree"])
        cost = formula.get("cost_paperform", program["expected_cost_train"])
        recorded.append(Run(*(program[key] for key in keys), tree, cost))
    return recorded
