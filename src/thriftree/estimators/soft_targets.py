"""What soft and neural trees make of their target: classes, or numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from thriftree.learning import targets
from thriftree.methods.soft import start
from thriftree.methods.soft.distinct_rows import DistinctRows


class ClassTargets:
    """What classifiers share."""

    classes_: targets.AnyArray
    n_classes_: int
    if TYPE_CHECKING:
        class_weight: Any

        def predict_proba(self, X: Any) -> targets.Floats:
            """Probability of each class."""

    def predict(self, X: Any) -> targets.AnyArray:
        """The most probable class of each row, of equals the first."""
        place = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[place])

    def predict_log_proba(self, X: Any) -> targets.Floats:
        """Natural logarithm of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _read_target(self, y: targets.AnyArray) -> targets.Labels:
        labels, self.classes_ = targets.class_labels(y)
        self.n_classes_ = len(self.classes_)
        return labels

    def _class_weights(self, y: targets.AnyArray, weight: targets.Floats | None) -> targets.Floats | None:
        return targets.class_weights(
            self.class_weight, self.classes_, lambda: targets.class_totals(y, weight, len(self.classes_))
        )

    def _weights(self, rows: DistinctRows) -> targets.Floats:
        factors = self._class_weights(rows.y, rows.weight)
        return rows.weight if factors is None else factors[rows.y] * rows.weight

    def _leaf(self, rows: DistinctRows) -> targets.Floats:
        counts = np.bincount(rows.y, self._weights(rows), minlength=self.n_classes_)
        return start.logits(counts.astype(np.float64))


class NumberTargets:
    """What regressors share."""

    def _read_target(self, y: targets.AnyArray) -> targets.Floats:
        return targets.numeric_target(y)

    def _weights(self, rows: DistinctRows) -> targets.Floats:
        return rows.weight

    def _leaf(self, rows: DistinctRows) -> targets.Floats:
        return np.zeros(1)
