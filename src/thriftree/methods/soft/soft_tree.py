"""The soft tree: gates over a design, leaves that answer, one immutable value."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import Scalar
from thriftree.document.files import naming_file, read_document
from thriftree.methods.soft.design import Design, Floats
from thriftree.table.prediction_inputs import prediction_inputs
from thriftree.table.tested_columns import TestedColumns
from thriftree.whole_files import write_whole

Places = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class SoftTree:
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
    parameters: Floats  # per gate its weights, then its offset; then per leaf its logits or its number
    sharpness: float
    classes: tuple[Scalar, ...] | None  # None: leaves hold numbers
    centre: float = 0.0  # of the target's numbers, which leaves hold in deviations from it
    deviation: float = 1.0

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
    def leaf_answers(self) -> Floats:
        """Per leaf: the probability of each class, or the number, as one column."""
        width = 1 if self.classes is None else len(self.classes)
        outputs = self.parameters[len(self.parameters) - self.n_leaves * width :].reshape(-1, width)
        if self.classes is None:
            return self.centre + self.deviation * outputs
        shares = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def shape(self) -> _core.SoftShape:
        """The structure as the core takes it."""
        n_classes = 0 if self.classes is None else len(self.classes)
        places = (self.left.tolist(), self.right.tolist(), self.first.tolist(), self.count.tolist())
        return _core.SoftShape(*places, self.design.n_terms, n_classes)

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
        return np.asarray(np.array(self.classes)[self._answers(X, n_threads).argmax(axis=1)])

    def path_probabilities(self, X: Any, *, n_threads: int = 1) -> Floats:
        """Per row: the probability of reaching each gate, then each leaf. Those of the leaves sum to 1."""
        rows = self._rows(X)
        return _core.soft_reaches(self.shape(), rows, self.parameters, self.sharpness, n_threads)

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

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the JSON form to a file, whole or not at all."""
        write_whole(path, json.dumps(self.to_dict(), allow_nan=False) + "\n")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> SoftTree:
        """The soft tree in a file that `save` wrote. Loading never runs code."""
        with naming_file(path):
            return cls.from_dict(read_document(path))

    def _answers(self, X: Any, n_threads: int) -> Floats:
        rows = self._rows(X)
        return _core.soft_answers(self.shape(), rows, self.parameters, self.sharpness, n_threads)

    def _rows(self, X: Any) -> _core.SoftRows:
        inputs = prediction_inputs(X, self.design.columns, expected_by="the soft tree")
        return self.design.rows(inputs.all() if isinstance(inputs, TestedColumns) else inputs)
