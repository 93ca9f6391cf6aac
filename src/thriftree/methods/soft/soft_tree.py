"""The soft tree: gates over a design, leaves that answer, one immutable value."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema, Scalar
from thriftree.document.checks import parse
from thriftree.document.files import naming_file, read_document
from thriftree.document.labels import array_of_labels
from thriftree.methods.soft.design import Design, Floats
from thriftree.soft_exports import SoftExports
from thriftree.table.inputs import Inputs
from thriftree.table.prediction_inputs import prediction_inputs
from thriftree.table.tested_columns import TestedColumns
from thriftree.whole_files import write_whole

if TYPE_CHECKING:
    from thriftree.explain.soft_explanation import SoftExplanation

Places = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class SoftTree(SoftExports):
    """Gates that send every row both ways, and leaves whose answers are mixed by the probability of reaching
    them. It never changes.

    Gates are in preorder. A gate sends a row left with probability 1 / (1 + exp(-sharpness · (offset +
    weights · terms))); with an infinite sharpness, left where the sum is not negative. Every method that
    takes `X` takes the same kind of table as training did.
    """

    design: Design
    left: Places  # per gate: the gate on its left or, of leaf l, ~l
    right: Places
    first: Places  # per gate: it weighs the terms first to first + count - 1 of the design
    count: Places
    # Per gate its weights, then its offset; then per leaf its logits or its number, each after the weights of
    # all terms where leaves are linear.
    parameters: Floats
    sharpness: float
    classes: tuple[Scalar, ...] | None  # None: leaves hold numbers
    centre: float = 0.0  # of the target's numbers, which leaves hold in deviations from it
    deviation: float = 1.0
    linear: bool = False  # whether what leaves hold is linear in the terms
    prices: Mapping[str, Any] | None = None  # as `TestCosts.to_dict` gives them; None: every gate costs 1

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SoftTree) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(self.parameters.tobytes())

    @property
    def columns(self) -> tuple[ColumnSchema, ...]:
        """The columns of the table, in its order; of very many categories those that have a weight."""
        return self.design.columns

    @property
    def n_gates(self) -> int:
        """Tests."""
        return len(self.left)

    @property
    def n_leaves(self) -> int:
        """Leaves."""
        return len(self.left) + 1

    @property
    def depth(self) -> int:
        """Gates on the longest path; 0 for a tree that is one leaf."""
        below = [0] * self.n_gates
        for g in reversed(range(self.n_gates)):
            below[g] = 1 + max(below[child] if child >= 0 else 0 for child in (self.left[g], self.right[g]))
        return below[0] if below else 0

    @cached_property
    def gate_weights(self) -> Floats:
        """Gates × terms of the design: what each gate weighs them by; 0 where it does not look."""
        weights = np.zeros((self.n_gates, self.design.n_terms))
        at = 0
        for g, (first, count) in enumerate(zip(self.first, self.count, strict=True)):
            weights[g, first : first + count] = self.parameters[at : at + count]
            at += count + 1
        return weights

    @property
    def gate_offsets(self) -> Floats:
        """One a gate."""
        ends = np.cumsum(self.count + 1) - 1
        return self.parameters[ends]

    @property
    def leaf_offsets(self) -> Floats:
        """Leaves × classes: logits; or one number a leaf, in deviations of the target. Of linear leaves,
        beside what the terms add.
        """
        return self._outputs[:, :, -1]

    @property
    def leaf_weights(self) -> Floats | None:
        """Leaves × classes (or 1) × terms, where leaves are linear."""
        return self._outputs[:, :, :-1] if self.linear else None

    @property
    def leaf_answers(self) -> Floats:
        """Per leaf: the probability of each class, or the number, as one column. Of linear leaves it is that
        of a row whose terms are all 0: the means, and no category.
        """
        outputs = self.leaf_offsets
        if self.classes is None:
            return self.centre + self.deviation * outputs
        shares = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def shape(self) -> _core.SoftShape:
        """The structure as the core takes it."""
        n_classes = 0 if self.classes is None else len(self.classes)
        places = (self.left.tolist(), self.right.tolist(), self.first.tolist(), self.count.tolist())
        return _core.SoftShape(*places, self.design.n_terms, n_classes, self.linear)

    def with_parameters(self, parameters: Floats) -> SoftTree:
        """The same gates and leaves with other numbers."""
        return replace(self, parameters=parameters)

    def with_sharpness(self, sharpness: float) -> SoftTree:
        """The same weights and offsets, read more or less sharply; inf: every row goes one way."""
        return replace(self, sharpness=sharpness)

    def predict_proba(self, X: Any, *, n_threads: int = 1) -> Floats:
        """Probability of each class, in the order of `classes`."""
        if self.classes is None:
            raise ValueError("a soft tree of numbers has no probabilities of classes: use predict")
        return self._answers(X, n_threads)

    def predict(self, X: Any, *, n_threads: int = 1) -> NDArray[Any]:
        """The most probable class of each row, of equals the first; or the number."""
        if self.classes is None:
            return self.centre + self.deviation * self._answers(X, n_threads)[:, 0]
        return np.asarray(array_of_labels(self.classes)[self._answers(X, n_threads).argmax(axis=1)])

    def path_probabilities(self, X: Any, *, n_threads: int = 1) -> Floats:
        """Per row: the probability of reaching each gate, then each leaf. Those of the leaves sum to 1."""
        rows = self._rows(X)
        return _core.soft_reaches(self.shape(), rows, self.parameters, self.sharpness, n_threads)

    def predict_cost(self, X: Any, *, n_threads: int = 1) -> Floats:
        """What each row is expected to pay: of every gate the probability of reaching it × what it adds to
        the price. A gate buys the columns that it weighs by more than `BOUGHT_ABOVE`, and so does a linear
        leaf. Without prices every gate costs 1.
        """
        from thriftree.methods.soft.pricing import SoftNodePrices

        inputs = self._inputs(X)
        rows = self.design.rows(inputs)
        reach = _core.soft_reaches(self.shape(), rows, self.parameters, self.sharpness, n_threads)
        return SoftNodePrices.of(self).of_rows(reach, inputs)

    def expected_cost(self, X: Any, sample_weight: Any = None) -> float:
        """The mean of `predict_cost` over the rows of X, weighted by `sample_weight`."""
        return float(np.average(self.predict_cost(X), weights=sample_weight))

    def worst_case_cost(self) -> float:
        """The largest price of any path from the root to a leaf: every row has some probability of each."""
        from thriftree.methods.soft.pricing import SoftNodePrices

        return SoftNodePrices.of(self).worst_case(self)

    def explain(self, row: Any) -> SoftExplanation:
        """What the tree says of one row and why: the gates it may pass, what pushes it there, the leaves it
        may reach, and what it pays. `str()` of it is for people.

        `row` maps column names to values (None, NaN and a column that it lacks are missing), or is a sequence
        in the order of the columns, a frame with one row, or a row of one.
        """
        from thriftree.methods.soft.one_row import explain_row

        return explain_row(self, row)

    def to_text(self) -> str:
        """An outline: of each gate its largest weights, of each leaf what it answers."""
        from thriftree.methods.soft.soft_text import text_of

        return text_of(self)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form (docs/spec/soft-tree-v1.md)."""
        from thriftree.methods.soft.soft_document import document_of

        return document_of(self)

    @classmethod
    def from_dict(cls, document: Any) -> SoftTree:
        """The soft tree with this JSON form; a TreeFormatError (ValueError) names the path of what is
        wrong.
        """
        from thriftree.methods.soft.soft_document import soft_tree_of

        return soft_tree_of(document)

    def to_json(self) -> str:
        """The JSON form as text."""
        return json.dumps(self.to_dict(), allow_nan=False) + "\n"

    @classmethod
    def from_json(cls, text: str) -> SoftTree:
        """The soft tree that `to_json` described."""
        return cls.from_dict(parse(text))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the JSON form to a file, whole or not at all."""
        write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SoftTree:
        """The soft tree in a file that `save` wrote. Loading never runs code."""
        with naming_file(path):
            return cls.from_dict(read_document(path))

    @property
    def _outputs(self) -> Floats:
        """Leaves × classes (or 1) × weights and the offset."""
        begin = int((self.count + 1).sum())
        width = self.design.n_terms + 1 if self.linear else 1
        return self.parameters[begin:].reshape(self.n_leaves, -1, width)

    def _answers(self, X: Any, n_threads: int) -> Floats:
        rows = self._rows(X)
        return _core.soft_answers(self.shape(), rows, self.parameters, self.sharpness, n_threads)

    def _rows(self, X: Any) -> _core.SoftRows:
        return self.design.rows(self._inputs(X))

    def _inputs(self, X: Any) -> Inputs:
        inputs = prediction_inputs(X, self.design.columns, expected_by="the soft tree")
        return inputs.all() if isinstance(inputs, TestedColumns) else inputs
