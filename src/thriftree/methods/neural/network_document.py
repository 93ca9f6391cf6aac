"""The JSON form of the network in front of a soft tree (docs/spec/model-v1.md): written, read and checked. It
needs no torch.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thriftree.document.checks import INT32_MAX, Where, an_array, an_object, fail
from thriftree.document.read import columns_in
from thriftree.document.write import column_of
from thriftree.methods.neural.backbones import HiddenLayer, design_of_units
from thriftree.methods.soft.design import Design
from thriftree.methods.soft.soft_document import described_design, design_in, numbers_in
from thriftree.methods.soft.soft_tree import SoftTree

_KEYS: Final = ("columns", "design", "weights", "offsets")


def document_of_network(design: Design, layer: HiddenLayer) -> dict[str, Any]:
    """The JSON form: the columns and what they become, and the layer that weighs it."""
    return {
        "columns": [column_of(column) for column in design.columns],
        "design": described_design(design),
        "weights": layer.weights.tolist(),
        "offsets": layer.offsets.tolist(),
    }


def network_of(value: Any) -> tuple[Design, HiddenLayer]:
    """What a checked document describes. Raises TreeFormatError with the JSON path of what is wrong."""
    document = an_object(value, (), _KEYS)
    design = design_in(document, columns_in(document))
    units = an_array(document["weights"], ("weights",), INT32_MAX)
    if not units:
        fail(("weights",), "must have the weights of a unit, or of several")
    weights = [numbers_in(unit, ("weights", u), design.n_terms) for u, unit in enumerate(units)]
    offsets = numbers_in(document["offsets"], ("offsets",), len(units))
    return design, HiddenLayer(np.array(weights), offsets)


def check_head(tree: SoftTree, layer: HiddenLayer, where: Where) -> None:
    """Refuses a soft tree that does not weigh the units of this layer, as they are."""
    expected = design_of_units(len(layer.offsets))
    found = tree.design
    same = found.columns == expected.columns and found.has_missing == expected.has_missing
    if not (same and (found.centres == 0).all() and (found.scales == 1).all()):
        fail(
            where, f"must have the columns 'unit 0' to 'unit {len(layer.offsets) - 1}', centre 0 and scale 1"
        )
