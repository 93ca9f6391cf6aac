"""Linear leaves: the model by which a leaf of a numeric target answers, and what it reads.

A leaf with a model answers

    mean of its rows + sum of coefficient * (value - mean of the column), kept within [lowest, highest]

term by term in the order of the columns, in 64-bit floats; a missing value adds nothing, as if it were the
column's mean. What is not a number in the end (an infinite value can make it) is the mean of the rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree.columns import ColumnSchema, is_plain_number

Floats = NDArray[np.float64]
Integers = NDArray[np.integer]


@dataclass(frozen=True)
class LeafModel:
    """The linear model of one leaf."""

    columns: tuple[int, ...]  # ascending; plain numbers all of them
    coefficients: tuple[float, ...]  # of each
    means: tuple[float, ...]  # of each, over the leaf's training rows
    lowest: float  # of the target in the leaf's training rows
    highest: float

    def answer(self, mean: float, values: Sequence[float]) -> float:
        """What the leaf says of a row, whose `values` are those of `columns`; NaN is missing."""
        said = mean
        for coefficient, centre, x in zip(self.coefficients, self.means, values, strict=True):
            if not math.isnan(x):
                said += coefficient * (x - centre)
        if math.isnan(said):
            return mean
        return self.lowest if said < self.lowest else self.highest if said > self.highest else said

    def answers(self, mean: float, values: Sequence[Floats]) -> Floats:
        """The same for many rows, to the last bit."""
        said = np.full(len(values[0]), mean)
        with np.errstate(over="ignore", invalid="ignore"):
            for coefficient, centre, x in zip(self.coefficients, self.means, values, strict=True):
                said += np.where(np.isnan(x), 0.0, coefficient * (x - centre))
        kept = np.where(said < self.lowest, self.lowest, np.where(said > self.highest, self.highest, said))
        return np.where(np.isnan(said), mean, kept)


LeafModels: TypeAlias = Mapping[int, LeafModel]  # by node, in their order


def model_of(node: dict[str, Any]) -> LeafModel | None:
    """The model of a node of a checked JSON form."""
    given = node.get("linear")
    if given is None:
        return None
    coefficients, means = (tuple(map(float, given[key])) for key in ("coefficients", "means"))
    lowest, highest = float(given["lowest"]), float(given["highest"])
    return LeafModel(tuple(given["columns"]), coefficients, means, lowest, highest)


def models_of(document: dict[str, Any]) -> dict[int, LeafModel]:
    """The models of a checked JSON form by node."""
    found = ((number, model_of(node)) for number, node in enumerate(document["nodes"]))
    return {number: model for number, model in found if model is not None}


def read_columns(document: dict[str, Any]) -> list[int]:
    """The columns that some test asks for, or a linear leaf reads, ascending."""
    asked = {node["test"]["column"] for node in document["nodes"] if "test" in node}
    read = {column for node in document["nodes"] for column in node.get("linear", {}).get("columns", ())}
    return sorted(asked | read)


def model_document(model: LeafModel) -> dict[str, Any]:
    """A model as the JSON form holds it."""
    return {
        "columns": list(model.columns),
        "coefficients": list(model.coefficients),
        "means": list(model.means),
        "lowest": model.lowest,
        "highest": model.highest,
    }


def answers_at_leaves(
    models: LeafModels, leaf: Integers, numbers: Floats, column: Callable[[int], Floats]
) -> Floats:
    """What each row is told that reaches `leaf`, where nodes without a model say `numbers`."""
    said = np.asarray(numbers[leaf], dtype=np.float64)
    if not models:
        return said
    order = np.argsort(leaf, kind="stable")
    ordered = leaf[order]
    read: dict[int, Floats] = {}
    for node, model in models.items():
        begin, end = np.searchsorted(ordered, [node, node + 1])
        if begin == end:
            continue
        rows = order[begin:end]
        for j in model.columns:
            if j not in read:
                read[j] = np.asarray(column(j), dtype=np.float64)
        said[rows] = model.answers(float(numbers[node]), [read[j][rows] for j in model.columns])
    return said


def extra_questions(models: LeafModels, parent: Integers, column: Integers) -> NDArray[np.int64]:
    """By node: how many columns its model reads that no test on its path asks for. Without prices each is a
    question more.
    """
    extra = np.zeros(len(parent), dtype=np.int64)
    for node, model in models.items():
        extra[node] = len(set(model.columns) - asked_above(node, parent, column))
    return extra


def asked_above(node: int, parent: Integers, column: Integers) -> set[int]:
    """The columns that the tests on the path to a node ask for."""
    asked: set[int] = set()
    while (node := int(parent[node])) >= 0:
        asked.add(int(column[node]))
    return asked


def check_models(
    models: LeafModels,
    parent: Integers,
    column: Integers,
    columns: Sequence[ColumnSchema],
    prices: dict[str, Any] | None,
) -> None:
    """Refuses a model that its leaf cannot have; the message names the node."""
    known = set() if prices is None else _known(prices, columns)
    for node, model in models.items():
        if not 0 <= node < len(column) or column[node] >= 0:
            raise ValueError(f"node {node}: only a leaf has a linear model")
        _check_model(node, model, columns)
        if prices is None:
            continue
        paid = asked_above(node, parent, column) | known
        unpaid = [columns[j].name for j in model.columns if j not in paid]
        if unpaid:
            raise ValueError(
                f"node {node}: the leaf's model reads {unpaid[0]!r}, which its path has not paid for; where "
                "tests have prices a leaf reads only what its path asks, and known columns"
            )


def _check_model(node: int, model: LeafModel, columns: Sequence[ColumnSchema]) -> None:
    sizes = {len(model.columns), len(model.coefficients), len(model.means)}
    if sizes == {0} or len(sizes) > 1:
        raise ValueError(f"node {node}: a model has a coefficient and a mean for each of its columns")
    if list(model.columns) != sorted(set(model.columns)) or model.columns[0] < 0:
        raise ValueError(f"node {node}: the columns of a model ascend, each named once")
    if model.columns[-1] >= len(columns):
        raise ValueError(f"node {node}: the model reads column {model.columns[-1]}, which does not exist")
    for j in model.columns:
        if not is_plain_number(columns[j]):
            raise ValueError(f"node {node}: the model reads {columns[j].name!r}, which is not a plain number")
    numbers = (*model.coefficients, *model.means, model.lowest, model.highest)
    if not all(map(math.isfinite, numbers)) or model.lowest > model.highest:
        raise ValueError(f"node {node}: the numbers of a model are finite, and lowest is at most highest")


def _known(prices: dict[str, Any], columns: Sequence[ColumnSchema]) -> set[int]:
    """The columns that prices declare to be free, as they are written in a tree."""
    given = prices.get("known")
    names = given if isinstance(given, list) else []
    positions = {column.name: j for j, column in enumerate(columns)}
    return {
        positions.get(one, -1) if isinstance(one, str) else one for one in names if type(one) in (str, int)
    }
