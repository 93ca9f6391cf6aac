"""From rows to objects, the distinct rows: what no test can tell apart counts as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_consistent_length

from thriftree.costs import BoundCosts
from thriftree.learning.limits import Limits
from thriftree.learning.sample import rows_at
from thriftree.learning.targets import class_labels, one_target, row_weights
from thriftree.search.allowance import Allowance
from thriftree.search.cells import cell_blocks
from thriftree.search.instance import Codes as ObjectCodes
from thriftree.search.instance import Floats, Instance, Ints
from thriftree.table.code_book import Binning
from thriftree.table.codes import Codes
from thriftree.table.coding import read_codes
from thriftree.table.column_choice import CategoricalFeatures
from thriftree.table.encoded_table import EncodedTable

_TIE = 1e-12
MEGABYTE = 1e6
_ROW_BYTES = 140  # for each row, in the arrays that the call keeps


@dataclass(frozen=True, eq=False)
class RowsToCertify:
    """The rows of positive weight."""

    X: Any
    kept: Ints  # where they are among those given
    labels: Ints  # by row: its class, as a position in the classes
    n_classes: int
    given_weight: Floats | None
    weight: Floats  # by row, the heaviest 1

    def share_of(self, rows: NDArray[np.bool_]) -> float:
        """Their share of the weight."""
        return float(self.weight[rows].sum() / self.weight.sum())


def rows_to_certify(X: Any, y: Any, classes: tuple[Any, ...], sample_weight: Any) -> RowsToCertify:
    """Checked rows. `classes` gives the order of the classes."""
    y = one_target(y, "certify")
    check_consistent_length(X, y)
    given = row_weights(sample_weight, len(y))
    kept = np.arange(len(y)) if given is None else np.flatnonzero(given)
    if given is not None and len(kept) < len(y):
        X, y, given = rows_at(X, kept), y[kept], given[kept]
    weight = np.ones(len(y)) if given is None else given / given.max()  # whose sum a float can hold
    return RowsToCertify(X, kept, _positions(y, classes), len(classes), given, weight)


@dataclass(frozen=True, eq=False)
class ObjectsOfRows:
    """The objects that rows are."""

    instance: Instance
    object_of: Ints  # by row
    first_row: Ints  # by object: the first of its rows
    unavoidable: float  # share of the weight in rows whose class is not their object's
    n_labels: int  # classes that rows have
    codes: Codes  # of the rows

    @property
    def losses_differ(self) -> bool:
        """Whether an object may lose more than its `loss` by a wrong label: one of several classes, where
        there are three.
        """
        return self.unavoidable > 0 and self.n_labels > 2


def objects_of(
    rows: RowsToCertify,
    costs: BoundCosts | None,
    limits: Limits,
    allowance: Allowance,
    *,
    categorical_features: CategoricalFeatures = "auto",
    max_bins: int | None = None,
    binning: Binning = "quantile",
) -> ObjectsOfRows:
    """The objects of a table; of equally heavy classes an object has the first. Without `costs` every test
    costs 1. Raises TimeoutError and MemoryError at the limits.
    """
    allowance.look()
    allowance.book(_ROW_BYTES * len(rows.labels))
    coded = read_codes(
        rows.X,
        categorical_features=categorical_features,
        max_bins=max_bins,
        binning=binning,
        sample_weight=rows.given_weight,
        time_limit_s=limits.seconds_left,
        memory_limit_mb=None if limits.memory_limit_mb is None else allowance.n_bytes_left / MEGABYTE,
    )
    if not coded.coded.in_time:
        raise TimeoutError
    allowance.look()
    table = coded.table()
    with allowance.holding(0 if coded is rows.X else table.n_bytes):
        object_of, first_row = table.objects()
        allowance.look()
        p, labels, loss, heaviest = _weights(rows, object_of, len(first_row), allowance)
        own, group, setup = _least_prices(costs or BoundCosts.without_prices([c.name for c in table.columns]))
        codes = _codes(table, first_row, allowance)
    instance = Instance(codes, labels, p / p.sum(), loss, own, group, setup)
    n_labels = int(np.count_nonzero(np.bincount(rows.labels)))
    return ObjectsOfRows(instance, object_of, first_row, float((p - heaviest).sum()), n_labels, coded)


def _weights(
    rows: RowsToCertify, object_of: Ints, n_objects: int, allowance: Allowance
) -> tuple[Floats, Ints, Floats, Floats]:
    """By object: its share of the weight; its class; what is lost if that is not predicted; and the share of
    that class.
    """
    share = rows.weight / rows.weight.sum()
    p, loss, heaviest = np.empty(n_objects), np.empty(n_objects), np.empty(n_objects)
    labels = np.empty(n_objects, dtype=np.int64)
    single = np.bincount(object_of, minlength=n_objects) == 1
    alone = single[object_of]
    for figure in (p, loss, heaviest):
        figure[object_of[alone]] = share[alone]
    labels[object_of[alone]] = rows.labels[alone]
    several, of_several = np.flatnonzero(~single), np.flatnonzero(~alone)
    number = (np.cumsum(~single) - 1)[object_of[of_several]]
    for block in cell_blocks(number, len(several), rows.n_classes, allowance):
        here, objects = of_several[block.rows], several[block.cells]
        by_class = block.table(rows.labels[here], rows.n_classes, share[here])
        p[objects] = by_class.sum(axis=1)
        # Of weights that differ by rounding the first counts as the heaviest.
        most = by_class.max(axis=1, keepdims=True)
        labels[objects] = np.argmax(by_class >= (1 - _TIE) * most, axis=1)
        top_two = np.partition(np.pad(by_class, ((0, 0), (1, 0))), -2, axis=1)[:, -2:]
        heaviest[objects], loss[objects] = top_two[:, 1], top_two[:, 1] - top_two[:, 0]
    return p, labels, loss, heaviest


def _codes(table: EncodedTable, first_row: Ints, allowance: Allowance) -> ObjectCodes:
    """Object by test, in as few bytes as fit."""
    most = max((table.n_distinct(j) for j in range(len(table.columns))), default=1)
    kind = np.min_scalar_type(most - 1)
    allowance.book(len(first_row) * len(table.columns) * kind.itemsize)
    codes = np.empty((len(first_row), len(table.columns)), dtype=kind)
    for j in range(len(table.columns)):
        allowance.look()
        codes[:, j] = table.distinct(j)[first_row]
    return codes


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
