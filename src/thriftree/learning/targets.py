"""What is to be predicted and how much each row counts: checked once, then plain arrays."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from thriftree import _core
from thriftree.learning.criteria import TargetKind
from thriftree.learning.weight_sums import as_float, in_units
from thriftree.table.not_in_memory import refuse_if_not_in_memory

Floats: TypeAlias = NDArray[np.float64]
Labels: TypeAlias = NDArray[np.int32]
AnyArray: TypeAlias = NDArray[Any]

MOST_FLOAT_CLASSES = 20


def one_target(y: Any, estimator: str) -> AnyArray:
    """`y` as a 1-D array. A column vector is flattened with scikit-learn's warning."""
    if y is None:
        raise ValueError(f"{estimator} requires y to be passed, but the target y is None")
    refuse_if_not_in_memory(y, "y")
    array = y if isinstance(y, np.ndarray) else np.asarray(y)
    if array.ndim == 2 and array.shape[1] > 1:
        raise ValueError(
            f"y has {array.shape[1]} columns, but {estimator} fits one target: y should be a 1d array; "
            "fit one estimator per column"
        )
    if array.dtype.kind == "c":
        raise ValueError(
            f"y has dtype {array.dtype}. Complex data not supported: give real numbers or labels"
        )
    return array if array.ndim == 1 else column_or_1d(array, warn=True)


def kind_of_target(y: Any) -> TargetKind:
    """What `y` most likely holds: numbers, if they are floats of which some are not whole or more than 20 are
    distinct; else classes.
    """
    refuse_if_not_in_memory(y, "y")
    values = np.asarray(y)
    if values.dtype.kind != "f":
        return "classes"
    whole = bool((values == np.floor(values)).all())
    return "classes" if whole and len(np.unique(values)) <= MOST_FLOAT_CLASSES else "numbers"


def class_labels(y: AnyArray) -> tuple[Labels, AnyArray]:
    """Class numbers of the rows, and the classes in sorted order."""
    if y.dtype.kind in "iub":
        return _integer_labels(y)
    if y.dtype.kind not in "OfUT":
        raise ValueError(
            f"y has dtype {y.dtype}: class labels are strings, numbers or booleans; convert them"
        )
    if y.dtype.kind == "O":
        y = _uniform_labels(y)
    elif y.dtype.kind == "f":
        y = y.astype(np.float64) if y.dtype.itemsize > 8 else y
        _refuse_unknown_numbers(y)
        check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    return labels.astype(np.int32), classes


def numeric_target(y: AnyArray) -> Floats:
    """The target of a regression as finite float64."""
    if y.dtype.kind in "mM":
        raise ValueError(f"y has dtype {y.dtype}: convert times to numbers in a unit of your choice")
    try:
        numbers = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y has dtype {y.dtype}, but a regression target is numbers: {error}") from error
    _refuse_unknown_numbers(numbers)
    return numbers


def quantile_bins(y: Floats, weight: Floats | None, n_bins: int) -> Labels:
    """The bin of each number, counted from 0: `n_bins` of about equal weight, in rising order.

    Equal numbers share a bin, the one in which the first of them falls. Where there are at most `n_bins`
    distinct numbers, each has its own.
    """
    values, position = np.unique(y, return_inverse=True)
    if len(values) <= n_bins:
        return position.astype(np.int32)
    mass = np.bincount(position, weights=weight)
    share_below = (np.cumsum(mass) - mass) / mass.sum()
    # The slack is for weights in another unit: rounding must not move a number across an edge.
    bins = np.floor(share_below * n_bins + 1e-9)  # rising; some may be empty
    return np.cumsum(np.diff(bins, prepend=bins[0]) > 0).astype(np.int32)[position]


def row_weights(sample_weight: Any, n_rows: int) -> Floats | None:
    """`sample_weight` as finite float64 >= 0 with a positive sum; None stays None."""
    if sample_weight is None:
        return None
    weight = _numbers(sample_weight, "sample_weight")
    if weight.ndim == 0:
        weight = np.full(n_rows, float(weight))
    if weight.ndim != 1:
        raise ValueError(f"sample_weight has shape {weight.shape}: sample weights must be 1D array or scalar")
    if len(weight) != n_rows:
        raise ValueError(f"sample_weight has {len(weight)} entries for {n_rows} rows: give one weight a row")
    bad = ~np.isfinite(weight) | (weight < 0)
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(
            f"sample_weight[{row}] is {weight[row]}: weights must be finite and not negative; "
            "give 0 to leave a row out"
        )
    if not weight.any():
        raise ValueError("sample_weight is zero for every row: at least one row needs a positive weight")
    return weight


def class_totals(labels: Labels, weight: Floats | None, n_classes: int) -> Floats:
    """The sample weight of each class, whatever the order of the rows."""
    if weight is None:
        return np.bincount(labels, minlength=n_classes).astype(np.float64)
    most = float(weight.max())
    return np.array([as_float(in_units(weight[labels == k], most), most) for k in range(n_classes)])


def class_weights(class_weight: Any, classes: AnyArray, totals_of: Callable[[], Floats]) -> Floats | None:
    """Factor of each class. "balanced" gives every class the same total of sample weight; ``totals_of`` tells
    these totals.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        totals = totals_of()
        seen = totals > 0  # rows that an edit is given may lack a class, which then weighs nothing anyway
        factors = np.ones(len(classes), dtype=np.float64)
        factors[seen] = totals.sum() / (len(classes) * totals[seen])
        return factors
    return _stated_class_weights(class_weight, classes)


def cost_matrix(error_costs: Any, classes: AnyArray) -> Floats | None:
    """`error_costs` as a checked float64 matrix [true class, predicted class]; None stays None."""
    if error_costs is None:
        return None
    costs = _numbers(error_costs, "error_costs")
    n = len(classes)
    if costs.shape != (n, n):
        raise ValueError(
            f"error_costs has shape {costs.shape}, but y has {n} classes: "
            f"give a {n} x {n} matrix [true class, predicted class] in the order of classes_"
        )
    if not np.isfinite(costs).all() or (costs < 0).any():
        raise ValueError(
            "error_costs holds a negative or infinite cost: every cost must be a finite number >= 0"
        )
    if costs.diagonal().any():
        raise ValueError("error_costs has a cost on its diagonal: a right answer costs 0")
    free = ~costs.any(axis=1)
    if n > 1 and free.any():
        label = classes.tolist()[int(np.argmax(free))]
        raise ValueError(
            f"error_costs makes every mistake about class {label!r} free, so the tree could not see its "
            "rows: give them a small cost"
        )
    return costs


def altered_priors(costs: Floats | None, totals_of: Callable[[], Floats]) -> Floats | None:
    """Factor of each class that makes expensive mistakes heavy: its row's sum of costs (Breiman et al. 1984,
    section 4.4).

    Scaled so that the total weight stays what it was.
    """
    if costs is None or len(costs) == 1:
        return None
    expense = costs.sum(axis=1)
    totals = totals_of()
    return np.asarray(expense * (totals.sum() / (expense * totals).sum()), dtype=np.float64)


def _integer_labels(y: AnyArray) -> tuple[Labels, AnyArray]:
    """By a table look-up where the labels lie close together: linear, where np.unique sorts."""
    if y.dtype != np.uint64 or y.max() <= np.iinfo(np.int64).max:
        found = _core.whole_labels(np.ascontiguousarray(y, dtype=np.int64))
        if found is not None:
            return found[0], found[1].astype(y.dtype, copy=False)
    classes, labels = np.unique(y, return_inverse=True)
    return labels.astype(np.int32), classes


def _uniform_labels(y: AnyArray) -> AnyArray:
    """Labels of one type out of an array of objects."""
    first_of: dict[str, int] = {}
    for row, label in enumerate(y):
        first_of.setdefault(_label_type(label), row)
    if "missing" in first_of:
        raise ValueError(
            f"Input y contains NaN, first at row {first_of['missing']}: drop rows without a label"
        )
    if "other" in first_of:
        label = y[first_of["other"]]
        raise ValueError(
            f"y[{first_of['other']}] is a {type(label).__name__}. Unknown label type: class labels are "
            "strings, numbers or booleans"
        )
    if len(first_of) > 1:
        examples = " and ".join(f"y[{row}] = {y[row]!r} ({name})" for name, row in first_of.items())
        raise TypeError(f"y mixes labels of different types, {examples}: convert them to one type")
    if "number" in first_of:
        numbers = np.array(y.tolist())
        if numbers.dtype.kind == "O":
            raise ValueError("y holds an integer of more than 64 bits: use strings as labels instead")
        if numbers.dtype.kind == "f":
            check_classification_targets(numbers)
        return numbers
    return y.astype(np.bool_) if "boolean" in first_of else y


def _label_type(label: object) -> str:
    if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
        return "missing"
    if isinstance(label, (bool, np.bool_)):
        return "boolean"
    if isinstance(label, (int, float, np.integer, np.floating)):
        return "number"
    return "string" if isinstance(label, str) else "other"


def _numbers(values: Any, what: str) -> Floats:
    try:
        return np.ascontiguousarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{what} must be numbers, in rows of equal length: {error}") from error


def _refuse_unknown_numbers(y: AnyArray) -> None:
    known = np.isfinite(y)
    if known.all():
        return
    row = int(np.argmin(known))
    what = "NaN" if np.isnan(y[row]) else f"infinity or a value too large for {y.dtype!r}"
    raise ValueError(f"Input y contains {what}, first at row {row}: drop those rows or correct them")


def _stated_class_weights(class_weight: Mapping[Any, float], classes: AnyArray) -> Floats:
    factors = np.ones(len(classes), dtype=np.float64)
    unnamed = []
    for k, label in enumerate(classes.tolist()):
        if label in class_weight:
            factors[k] = _numbers(class_weight[label], f"class_weight of {label!r}").item()
        else:
            unnamed.append(label)
    unknown = [label for label in class_weight if label not in set(classes.tolist())]
    if unknown and unnamed:
        raise ValueError(
            f"class_weight names {unknown}, which y does not have, and leaves out {unnamed}: "
            "its keys are labels of y, of the same type"
        )
    if not np.isfinite(factors).all() or (factors <= 0).any():
        label = classes.tolist()[int(np.argmin(np.where(np.isfinite(factors), factors, -1.0)))]
        raise ValueError(f"class_weight of {label!r} must be a finite number > 0")
    return factors
