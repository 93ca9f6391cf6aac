"""From rows to objects: what no test can tell apart counts as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_consistent_length

from thriftree.certificates.instance import Floats, Instance, Ints
from thriftree.columns import ColumnSchema
from thriftree.costs import TestCosts
from thriftree.costs.bound import NO_GROUP
from thriftree.estimators.targets import class_labels, one_target, row_weights
from thriftree.table import Binning, CategoricalFeatures, encode


@dataclass(frozen=True, eq=False)
class Objects:
    """The rows of positive weight, and the objects that they are."""

    instance: Instance
    X: Any  # the rows
    labels: Ints  # by row: its class, as a position in the classes
    weight: Floats  # by row
    object_of: Ints  # by row
    first_row: Ints  # by object: the first of its rows
    unavoidable: float  # share of the weight in rows whose class is not their object's


def objects_of(
    X: Any,
    y: Any,
    classes: tuple[Any, ...],
    costs: TestCosts | None = None,
    *,
    sample_weight: Any = None,
    categorical_features: CategoricalFeatures = "auto",
    max_bins: int | None = None,
    binning: Binning = "quantile",
) -> Objects:
    """The objects of a table. `classes` gives the order of the classes: of equally heavy ones an object has
    the first. Without `costs` every test costs 1.
    """
    y = one_target(y, "certify")
    check_consistent_length(X, y)
    weight = row_weights(sample_weight, len(y))
    if weight is None:
        weight = np.ones(len(y))
    elif not weight.all():
        kept = np.flatnonzero(weight)
        X, y, weight = _safe_indexing(X, kept), y[kept], weight[kept]
    labels = _positions(y, classes)
    table = encode(
        X,
        categorical_features=categorical_features,
        max_bins=max_bins,
        binning=binning,
        sample_weight=weight,
    )
    codes = table.codes()
    object_of, first_row = _equal_rows(codes)
    weights = np.bincount(
        object_of * len(classes) + labels,
        weights=weight / weight.sum(),
        minlength=len(first_row) * len(classes),
    )
    by_class = weights.reshape(-1, len(classes)).astype(np.float64)
    p = by_class.sum(axis=1)
    heaviest = np.argmax(by_class, axis=1)
    top_two = np.partition(np.pad(by_class, ((0, 0), (1, 0))), -2, axis=1)[:, -2:]
    own, group, setup = _least_prices(costs, table.columns)
    instance = Instance(
        codes[first_row], heaviest, p / p.sum(), top_two[:, 1] - top_two[:, 0], own, group, setup
    )
    return Objects(instance, X, labels, weight, object_of, first_row, float((p - top_two[:, 1]).sum()))


def _positions(y: NDArray[Any], classes: tuple[Any, ...]) -> Ints:
    """Each label's position in `classes`."""
    labels, present = class_labels(y)
    position = {label: i for i, label in enumerate(classes)}
    unknown = [label for label in present.tolist() if label not in position]
    if unknown:
        raise ValueError(
            f"y has the class {unknown[0]!r}, but the tree's classes are {list(classes)[:10]}: "
            "give the labels that the tree was fitted to"
        )
    return np.array([position[label] for label in present.tolist()], dtype=np.int64)[labels]


def _equal_rows(codes: Ints) -> tuple[Ints, Ints]:
    """By row, the number of its object; by object, its first row. Objects are numbered as they appear."""
    key = np.zeros(len(codes), dtype=np.int64)
    n_keys = 1
    for column in codes.T:
        n_codes = int(column.max()) + 1
        if n_keys * n_codes > np.iinfo(np.int64).max:
            key = np.unique(key, return_inverse=True)[1]
            n_keys = int(key.max()) + 1
        key = key * n_codes + column
        n_keys *= n_codes
    _, first, number = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[number].astype(np.int64), first[order].astype(np.int64)


def _least_prices(costs: TestCosts | None, columns: tuple[ColumnSchema, ...]) -> tuple[Floats, Ints, Floats]:
    """By column the least price and the group (-1: none), and the set-up price of every group."""
    if costs is None:
        return np.ones(len(columns)), np.full(len(columns), NO_GROUP, dtype=np.int64), np.zeros(0)
    bound = costs.bind(columns)
    own = np.array([bound.least(column) for column in range(len(columns))])
    # A known feature is free and does not set up its group.
    return own, np.where(bound.known, NO_GROUP, bound.group).astype(np.int64), bound.setup
