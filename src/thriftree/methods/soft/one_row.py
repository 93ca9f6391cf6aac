"""One row through a soft tree, and what of it counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thriftree import _core
from thriftree.document.follow import MISSING, OTHER, answer_of
from thriftree.document.write import column_of
from thriftree.methods.soft.pricing import SoftNodePrices
from thriftree.table.inputs import Inputs
from thriftree.table.one_row import read_row

if TYPE_CHECKING:
    from thriftree.explain.soft_explanation import SoftExplanation
    from thriftree.methods.soft.soft_tree import SoftTree


def explain_row(tree: SoftTree, row: Any) -> SoftExplanation:
    """The gates and leaves that the row may reach, and why."""
    from thriftree.explain.soft_explanation import GateStep, LeafShare, SoftExplanation

    inputs = _inputs_of_row(tree, row)
    rows, terms = tree.design.rows(inputs), tree.design.terms(inputs)[:, 0]
    given = (tree.shape(), rows, tree.parameters, tree.sharpness)
    reach, answers = _core.soft_reaches(*given)[0], _core.soft_answers(*given)[0]
    names, pushes = tree.design.term_names(), tree.gate_weights * terms
    gates = []
    for g, offset in enumerate(tree.gate_offsets.tolist()):
        order = np.argsort(-np.abs(pushes[g]), kind="stable")
        child = int(tree.left[g])
        to_left = reach[child if child >= 0 else tree.n_gates + ~child]
        gates.append(
            GateStep(
                gate=g,
                reach=float(reach[g]),
                left=float(to_left / reach[g]) if reach[g] > 0 else 0.0,
                offset=offset,
                pushes={names[t]: float(pushes[g, t]) for t in order if pushes[g, t] != 0},
            )
        )
    said = [_said(tree, outputs) for outputs in _leaf_outputs(tree, terms)]
    shares = zip(reach[tree.n_gates :].tolist(), said, strict=True)
    if tree.classes is None:
        answer: Any = tree.centre + tree.deviation * float(answers[0])
        probabilities = None
    else:
        answer = tree.classes[int(answers.argmax())]
        probabilities = dict(zip(map(str, tree.classes), answers.tolist(), strict=True))
    return SoftExplanation(
        answer=answer,
        probabilities=probabilities,
        gates=tuple(gates),
        leaves=tuple(LeafShare(i, share, says) for i, (share, says) in enumerate(shares)),
        expected_cost=float(SoftNodePrices.of(tree).of_rows(reach[np.newaxis], inputs)[0]),
        has_prices=tree.prices is not None,
    )


def _inputs_of_row(tree: SoftTree, row: Any) -> Inputs:
    columns = tree.design.columns
    values = read_row(row, [column.name for column in columns])
    inputs: list[Any] = []
    for column in columns:
        answer = answer_of(column_of(column), values.get(column.name))
        if column.kind == "number":
            inputs.append(np.array([np.nan if answer is MISSING else answer], np.float64))
        else:
            code = -1 if answer is MISSING else -2 if answer is OTHER else answer
            inputs.append(np.array([code], np.int32))
    return inputs


def _leaf_outputs(tree: SoftTree, terms: Any) -> Any:
    """Leaves × classes, or one number a leaf."""
    weights = tree.leaf_weights
    return tree.leaf_offsets if weights is None else tree.leaf_offsets + (weights * terms).sum(axis=2)


def _said(tree: SoftTree, outputs: Any) -> float | dict[str, float]:
    if tree.classes is None:
        return float(tree.centre + tree.deviation * outputs[0])
    raised = np.exp(outputs - outputs.max())
    return dict(zip(map(str, tree.classes), (raised / raised.sum()).tolist(), strict=True))
