"""The rows of one part: checked, those of no weight left out, columns described as a local fit would."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from thriftree.columns import ColumnSchema
from thriftree.distributed.parts import TablePart
from thriftree.learning import targets
from thriftree.learning.sample import rows_at
from thriftree.learning.targets import AnyArray, Floats
from thriftree.table.arrays import as_array
from thriftree.table.column_choice import CategoricalFeatures, chosen_columns
from thriftree.table.column_values import described
from thriftree.table.dataframes import column_names
from thriftree.table.frame import Array
from thriftree.table.frames import read_frame
from thriftree.table.not_in_memory import refuse_if_not_in_memory


@dataclass(frozen=True)
class PartReading:
    """How the parts of a fit are read."""

    learner: str  # the estimator's name, for errors
    of_classes: bool  # else the target is a number
    categorical_features: CategoricalFeatures


@dataclass(frozen=True)
class PartRows:
    """The rows of positive weight of a part."""

    X: Any
    y: AnyArray
    weight: Floats | None
    n_given: int  # rows of any weight

    def __len__(self) -> int:
        return len(self.y)


@contextmanager
def naming_the_part(part: TablePart) -> Iterator[None]:
    """Errors inside say in which part they are."""
    try:
        yield
    except UnicodeError as error:  # which is made of more than a text
        raise ValueError(f"part {part.index}: {error}") from error
    except (ValueError, TypeError) as error:
        raise type(error)(f"part {part.index}: {error}") from error


def rows_of(part: TablePart, reading: PartReading) -> PartRows:
    """The rows of a part that count."""
    refuse_if_not_in_memory(part.X, "X")
    X = as_array(part.X) if isinstance(part.X, (list, tuple)) else part.X
    y = targets.one_target(part.y, reading.learner)
    n = n_rows_of(X)
    if n != len(y):
        raise ValueError(f"X has {n} rows and y has {len(y)}: give parts of the same rows")
    given = None if part.weight is None else np.asarray(part.weight, np.float64)
    # A part may be all of weight 0, which a table may not.
    weight = None if given is None else targets.row_weights(given, n) if given.any() else np.zeros(n)
    if weight is not None and len(weight) and not weight.all():
        kept = np.flatnonzero(weight)
        return PartRows(rows_at(X, kept), y[kept], weight[kept], n)
    return PartRows(X, y, weight, n)


def n_rows_of(X: Any) -> int:
    """How many rows a frame or an array has."""
    return int(X.shape[0]) if hasattr(X, "shape") else int(X.num_rows)


def names_of(X: Any) -> tuple[list[str], bool]:
    """The names of a table's columns, even if it has no rows, and whether they are its own."""
    names = column_names(X)
    if names is None:
        return [f"x{j}" for j in range(X.shape[1] if len(X.shape) > 1 else 0)], False
    return names, True


def described_columns(X: Any, choice: CategoricalFeatures) -> list[tuple[ColumnSchema, Array]]:
    """The columns of rows that are read for the first time."""
    frame = read_frame(X)
    chosen = chosen_columns(choice, frame.names, "categorical_features")
    return [described(frame.column(j), name, j in chosen) for j, name in enumerate(frame.names)]
