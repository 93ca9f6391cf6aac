"""What a fitted tree can be asked about the rows of any table, wherever these are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class RowQuestion:
    """One of an estimator's answers, as every engine can ask for it a part at a time."""

    name: str  # of the column that an engine of frames answers with
    ask: Callable[[Any], np.ndarray[Any, Any]]  # the rows of a part to their answers; it can be pickled
    example: np.ndarray[Any, Any]  # an answer about no rows: its type and shape
    columns: Sequence[str] | None  # of the features, where they have names
    labels: Sequence[Any] | None = None  # of the answer's columns, where a row has several
    classes: Sequence[Any] | None = None  # what an answer is one of, where it is a label
