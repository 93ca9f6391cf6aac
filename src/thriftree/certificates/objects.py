"""From rows to objects, the distinct rows: what no test can tell apart counts as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from thriftree.costs import BoundCosts
from thriftree.learning.sample import rows_at
from thriftree.learning.targets import class_labels, one_target, row_weights
from thriftree.search.instance import Floats, Instance, Ints
from thriftree.table.code_book import Binning
from thriftree.table.coding import read_codes
from thriftree.table.column_choice import CategoricalFeatures

_TIE = 1e-12


@dataclass(frozen=True, eq=False)
class ObjectsOfRows:
    """The rows of positive weight, and the objects that they are."""

    instance: Instance
    kept: Ints  # where the rows of positive weight are among those given
    labels: Ints  # by row: its class, as a position in the classes
    weight: Floats  # by row, the heaviest 1
    object_of: Ints  # by row
    first_row: Ints  # by object: the first of its rows
    unavoidable: float  # share of the weight in rows whose class is not their object's

    @property
    def losses_differ(self) -> bool:
        """Whether an object may lose more than its `loss` by a wrong label: one of several classes, where
        there are three.
        """
        return self.unavoidable > 0 and len(np.unique(self.labels)) > 2


def objects_of(
    X: Any,
    y: Any,
    classes: tuple[Any, ...],
    costs: BoundCosts | None = None,
    *,
    sample_weight: Any = None,
    categorical_features: CategoricalFeatures = "auto",
    max_bins: int | None = None,
    binning: Binning = "quantile",
) -> ObjectsOfRows:
    """The objects of a table. `classes` gives the order of the classes: of equally heavy ones an object has
    the first. Without `costs` every test costs 1.
    """
    y = one_target(y, "certify")
    check_consistent_length(X, y)
    given = row_weights(sample_weight, len(y))
    kept = np.arange(len(y)) if given is None else np.flatnonzero(given)
    if given is not None and len(kept) < len(y):
        X, y, given = rows_at(X, kept), y[kept], given[kept]
    weight = np.ones(len(y)) if given is None else given / given.max()  # whose sum a float can hold
    labels = _positions(y, classes)
    table = read_codes(
        X,
        categorical_features=categorical_features,
        max_bins=max_bins,
        binning=binning,
        sample_weight=given,
    ).table()
    codes = table.all_distinct()
    object_of, first_row = table.objects()
    weights = np.bincount(
        object_of * len(classes) + labels,
        weights=weight / weight.sum(),
        minlength=len(first_row) * len(classes),
    )
    by_class = weights.reshape(-1, len(classes)).astype(np.float64)
    p = by_class.sum(axis=1)
    # Of weights that differ by rounding the first counts as the heaviest.
    heaviest = np.argmax(by_class >= (1 - _TIE) * by_class.max(axis=1, keepdims=True), axis=1)
    top_two = np.partition(np.pad(by_class, ((0, 0), (1, 0))), -2, axis=1)[:, -2:]
    own, group, setup = _least_prices(costs or BoundCosts.without_prices([c.name for c in table.columns]))
    instance = Instance(
        codes[first_row], heaviest, p / p.sum(), top_two[:, 1] - top_two[:, 0], own, group, setup
    )
    return ObjectsOfRows(
        instance, kept, labels, weight, object_of, first_row, float((p - top_two[:, 1]).sum())
    )


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


def _least_prices(costs: BoundCosts) -> tuple[Floats, Ints, Floats]:
    """By column the least price and the group (-1: none), and the set-up price of every group."""
    rules = costs.prices.least_rules()
    return rules.own, rules.group.astype(np.int64), rules.setup
