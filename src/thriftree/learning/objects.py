"""The objects of a table, its distinct rows: rows of equal codes, which no test can tell apart, are one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.learning.growth import Grown, Plan, leaves, table_of
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.learning.targets import Floats, Labels

_TIE = 1e-12  # relative: weights that differ by less are equal, as between scores


@dataclass(frozen=True, eq=False)
class LabelledObjects:
    """One row for each object, and its label: the heaviest class of its rows, the first of equals."""

    rows: Sample  # the first row of each object
    labels: Labels
    n_classes: int

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def counts(self) -> Floats:
        """Objects of each class."""
        return np.bincount(self.labels, minlength=self.n_classes).astype(np.float64)

    def per_node(self, grown: Grown) -> Floats:
        """[node, class]: the objects that reach each node of a tree."""
        leaf = leaves(grown, self.rows, 1)
        return _core.node_class_weights(grown.core, leaf, self.labels, np.ones(len(self)))


def objects_of(rows: Sample, plan: Plan, limits: Limits) -> LabelledObjects:
    """The objects of these rows, coded as the plan says."""
    number, first = table_of(rows, plan, limits).objects()
    weight = rows.weights if plan.class_weight is None else rows.weights * plan.class_weight[rows.y]
    labels = _heaviest(number, rows.y, weight, plan.n_classes, len(first))
    return LabelledObjects(rows if len(first) == len(rows) else rows.take(first), labels, plan.n_classes)


def count_objects(rows: Sample, plan: Plan, limits: Limits) -> int:
    """How many objects these rows are."""
    return len(table_of(rows, plan, limits).objects()[1])


def _heaviest(number: NDArray[np.int64], y: Labels, weight: Floats, n_classes: int, n_objects: int) -> Labels:
    """The heaviest class of each object. Only pairs of object and class that occur are added up."""
    pairs, at = np.unique(number * n_classes + y, return_inverse=True)
    mass = np.bincount(at, weights=weight)
    owner, label = np.divmod(pairs, n_classes)
    most = np.zeros(n_objects)
    np.maximum.at(most, owner, mass)
    tied = mass >= most[owner] * (1 - _TIE)
    # Backwards, so that of several the first is what stays.
    labels = np.zeros(n_objects, dtype=np.int32)
    labels[owner[tied][::-1]] = label[tied][::-1]
    return labels
