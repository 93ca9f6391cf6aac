"""A sample: rows of codes that were made once, with their target and weights."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from thriftree.learning.targets import AnyArray, Floats
from thriftree.table.codes import Codes


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows to learn from or to measure on. Folds, hold-outs and parts of a tree are samples of the same
    codes.

    What depends on the target (the order of categories, bins of the target, balanced class weights,
    fixed-point units) is made of a sample's own rows.
    """

    codes: Codes
    y: AnyArray  # int32 class numbers or float64
    weight: Floats | None  # None: every row weighs 1
    # The targets of all rows that came to `fit`, and where these are among them; None: these are all.
    given: tuple[AnyArray, NDArray[np.intp]] | None = None

    def __len__(self) -> int:
        return len(self.y)

    def take(self, index: NDArray[np.intp]) -> Sample:
        """The rows at these ascending positions; no code is copied."""
        weight = None if self.weight is None else self.weight[index]
        y, place = (self.y, index) if self.given is None else (self.given[0], self.given[1][index])
        return Sample(self.codes.take(index), self.y[index], weight, given=(y, place))

    def exact(self) -> Sample:
        """The same rows with every distinct number a code of its own."""
        return replace(self, codes=self.codes.exact())

    @property
    def weights(self) -> Floats:
        """The weight of every row."""
        return np.ones(len(self), dtype=np.float64) if self.weight is None else self.weight


def rows_at(X: Any, index: NDArray[np.intp]) -> Any:
    """The rows of a frame, an array or codes at these positions."""
    return X.take(index) if isinstance(X, Codes) else _safe_indexing(X, index)
