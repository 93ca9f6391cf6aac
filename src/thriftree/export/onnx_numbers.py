"""The numbers that leaves answer, in ONNX: means, and linear models of some leaves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from thriftree.document.answers import node_numbers
from thriftree.document.leaf_models import LeafModels, models_of
from thriftree.export.onnx_graph import Graph


def add_numbers(graph: Graph, document: dict[str, Any], leaf: str, inputs: Mapping[int, str]) -> None:
    """The output `variable` [rows, 1], from the leaf of each row; `inputs` are named by column."""
    means = node_numbers(document)[:, np.newaxis]
    models = models_of(document)
    if not models:
        graph.add("Gather", [graph.constant("means", means), leaf], output="variable")
    else:
        _add_models(graph, means, models, leaf, inputs)
    graph.declare_output("variable", means.dtype, ["rows", 1])


def _add_models(graph: Graph, means: Any, models: LeafModels, leaf: str, inputs: Mapping[int, str]) -> None:
    """Each column's term is added where the leaf's model has it and the value is known, as `LeafModel` does
    it, term by term; what comes out is kept in the leaf's range.
    """

    def at_leaf(name: str, by_node: Any) -> str:
        return graph.add("Gather", [graph.constant(name, by_node), leaf])

    base = said = at_leaf("means", means)
    nothing = graph.constant("nothing", np.zeros((1, 1)))
    for column in sorted({column for model in models.values() for column in model.columns}):
        coefficient, centre, has = np.zeros_like(means), np.zeros_like(means), np.zeros(means.shape, bool)
        for node, model in models.items():
            if column in model.columns:
                place = model.columns.index(column)
                coefficient[node], centre[node], has[node] = (
                    model.coefficients[place],
                    model.means[place],
                    True,
                )
        x = inputs[column]
        above = graph.add("Sub", [x, at_leaf("centres", centre)])
        term = graph.add("Mul", [at_leaf("coefficients", coefficient), above])
        is_known = graph.add("Not", [graph.add("IsNaN", [x])])
        counts = graph.add("And", [at_leaf("has_term", has), is_known])
        said = graph.add("Add", [said, graph.add("Where", [counts, term, nothing])])
    lowest, highest = means.copy(), means.copy()
    for node, model in models.items():
        lowest[node], highest[node] = model.lowest, model.highest
    for name, bound, beyond in (("lowest", lowest, "Less"), ("highest", highest, "Greater")):
        limit = at_leaf(name, bound)
        said = graph.add("Where", [graph.add(beyond, [said, limit]), limit, said])
    graph.add("Where", [graph.add("IsNaN", [said]), base, said], output="variable")
