"""The rows of a report as its tree sees them: leaf, truth, weight and price of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.columns import Scalar
from thriftree.document.follow import is_missing
from thriftree.report.facts.intervals import Floats, effective_rows
from thriftree.tree import Tree


@dataclass(frozen=True, eq=False)
class MeasuredRows:
    """Rows of positive weight. Of a class target `truth` is the class number, or beyond the tree's classes
    the place in `strangers`, labels that the tree does not know; of a numeric one it is the number.
    """

    tree: Tree
    document: dict[str, Any]
    kept: NDArray[np.intp]  # positions of these rows in the table that was given
    weight: Floats
    leaf: NDArray[np.int32]
    truth: NDArray[Any]
    paid: Floats
    strangers: tuple[Any, ...]
    numbers: NDArray[np.intp]  # what the rows of the table that was given are called
    predicted: Floats | None = None  # of a numeric target what the tree says of each row

    @property
    def effective(self) -> float:
        """How many rows of equal weight these are worth."""
        return effective_rows(self.weight)

    @property
    def weighted(self) -> bool:
        """Whether some rows weigh more than others."""
        return bool((self.weight != self.weight[0]).any())

    def total(self, of_rows: Floats) -> Floats:
        """For each node the sum over the rows that pass it."""
        nodes = self.document["nodes"]
        sums = np.bincount(self.leaf, of_rows, minlength=len(nodes)).tolist()
        for number in range(len(nodes) - 1, -1, -1):  # children come after their parent
            for child in nodes[number].get("children", ()):
                sums[number] += sums[child]
        return np.asarray(sums, dtype=np.float64)


def measure(tree: Tree, X: Any, y: Any, sample_weight: Any, row_numbers: Any = None) -> MeasuredRows:
    """The rows of X, whose answers are y, in this tree."""
    leaf = tree.apply(X)
    weight = _weights(sample_weight, len(leaf))
    target = _labels(y, len(leaf))
    kept = np.flatnonzero(weight > 0)
    if not len(kept):
        raise ValueError("sample_weight is 0 for every row: a report needs rows that count")
    target = [target[i] for i in kept.tolist()]
    strangers: tuple[Any, ...] = ()
    truth: NDArray[Any]
    if tree.classes is None:
        truth = _numbers(target)
    else:
        truth, strangers = _class_numbers(target, tree.classes)
    paid = tree.predict_cost(X)[kept]
    predicted = tree.predict(X)[kept] if tree.classes is None else None
    document = tree.to_dict()
    numbers = checked_numbers(row_numbers, len(leaf))
    return MeasuredRows(
        tree, document, kept, weight[kept], leaf[kept], truth, paid, strangers, numbers, predicted
    )


def checked_numbers(row_numbers: Any, n_rows: int) -> NDArray[np.intp]:
    """A whole number for each row; None: its place."""
    if row_numbers is None:
        return np.arange(n_rows)
    numbers = np.asarray(row_numbers)
    if numbers.shape != (n_rows,) or numbers.dtype.kind not in "iu":
        raise ValueError(f"row_numbers must be {n_rows} whole numbers, one for each row of X")
    return numbers.astype(np.intp)


def _weights(sample_weight: Any, n_rows: int) -> Floats:
    if sample_weight is None:
        return np.ones(n_rows)
    weight = np.asarray(sample_weight, dtype=np.float64)
    if weight.shape != (n_rows,):
        raise ValueError(f"sample_weight has the shape {weight.shape}, but X has {n_rows} rows")
    if not (np.isfinite(weight) & (weight >= 0)).all():
        place = int(np.argmin(np.isfinite(weight) & (weight >= 0)))
        raise ValueError(f"sample_weight[{place}] is {weight[place]}: weights are finite and not negative")
    return weight


def _labels(y: Any, n_rows: int) -> list[Any]:
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise ValueError(f"y has the shape {labels.shape}, but X has {n_rows} rows: give one answer a row")
    values: list[Any] = labels.tolist()
    missing = [place for place, value in enumerate(values) if is_missing(value)]
    if missing:
        raise ValueError(
            f"y is missing in {len(missing)} rows (the first is row {missing[0]}): leave those rows out"
        )
    return values


def _numbers(target: list[Any]) -> Floats:
    try:
        numbers = np.array(target, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the tree predicts a number, but y holds something else: {error}") from error
    if not np.isfinite(numbers).all():
        raise ValueError(f"y is {target[int(np.argmin(np.isfinite(numbers)))]} in a row: give finite numbers")
    return numbers


def _class_numbers(
    target: list[Any], classes: tuple[Scalar, ...]
) -> tuple[NDArray[np.intp], tuple[Any, ...]]:
    place = {label: number for number, label in enumerate(classes)}
    strangers = dict.fromkeys(label for label in target if label not in place)
    place |= {label: len(classes) + number for number, label in enumerate(strangers)}
    numbers = np.fromiter(map(place.__getitem__, target), np.intp, len(target))
    if (numbers >= len(classes)).all():
        raise ValueError(
            f"no row of y has a class of the tree: y holds {target[0]!r}, the tree knows {list(classes[:5])}"
        )
    return numbers, tuple(strangers)
