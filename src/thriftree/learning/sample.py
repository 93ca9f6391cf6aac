"""A sample: rows of codes that were made once, with their target and weights."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from thriftree import _core
from thriftree.learning.counting import CountedRows
from thriftree.learning.targets import AnyArray, Floats, Labels, class_totals, quantile_bins
from thriftree.table.codes import Codes
from thriftree.table.coding import exact
from thriftree.table.encoded_table import EncodedTable
from thriftree.table.target_order import class_indicator, columns_to_rank


class KeptTable:
    """The table that was last gathered from a sample's rows, for the next tree that asks for the same.

    There is one at a time, which the core books as the table that a tree is grown on.
    """

    def __init__(self) -> None:
        self._key: Hashable = None
        self._table: EncodedTable | None = None

    def get(self, key: Hashable, gather: Callable[[], EncodedTable]) -> EncodedTable:
        """The table of this key: the one that is kept, or a new one in its place."""
        if self._table is None or key != self._key:
            self._table = None
            self._key, self._table = key, gather()
        return self._table


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
    kept: KeptTable | None = None  # where several trees are grown from the same rows

    def __len__(self) -> int:
        return len(self.y)

    def take(self, index: NDArray[np.intp]) -> Sample:
        """The rows at these ascending positions; no code is copied."""
        weight = None if self.weight is None else self.weight[index]
        y, place = (self.y, index) if self.given is None else (self.given[0], self.given[1][index])
        return Sample(self.codes.take(index), self.y[index], weight, given=(y, place))

    def exact(self) -> Sample:
        """The same rows with every distinct number a code of its own."""
        return replace(self, codes=exact(self.codes), kept=None)

    def for_many_trees(self) -> Sample:
        """The same rows; their codes, once gathered for a tree, serve the next, for as long as this lives."""
        return replace(self, kept=KeptTable())

    def table(
        self, proportion_encode: Any, n_classes: int, memory_limit_mb: float | None = None
    ) -> EncodedTable:
        """The codes of these rows. The category columns that ``proportion_encode`` names are in the order of
        the target (``n_classes`` 0: of numbers).
        """
        ranked = columns_to_rank(proportion_encode, self.codes.columns)

        def gather() -> EncodedTable:
            return self.codes.table(
                proportion_encode=ranked,
                proportion_of=self._figure(n_classes) if ranked else None,
                sample_weight=self.weight,
                memory_limit_mb=memory_limit_mb,
            )

        return gather() if self.kept is None else self.kept.get((tuple(ranked), n_classes), gather)

    @property
    def bytes_behind(self) -> int:
        """Of the codes that these rows are gathered from, and which stay; 0 where these are all."""
        return 0 if self.codes.rows is None else int(self.codes.coded.core.nbytes)

    def _figure(self, n_classes: int) -> AnyArray:
        """What categories are ranked by."""
        return class_indicator(self.y, n_classes, self.weight) if n_classes else self.y

    def target_bins(self, n_bins: int) -> Labels:
        """The bin of each row's number, made once: most trees of a sample ask for the same bins."""
        if n_bins not in self._bins_made:
            self._bins_made.clear()
            self._bins_made[n_bins] = quantile_bins(self.y, self.weight, n_bins)
        return self._bins_made[n_bins]

    @cached_property
    def _bins_made(self) -> dict[int, Labels]:
        return {}

    def class_totals(self, n_classes: int) -> Floats:
        """The sample weight of each class."""
        return class_totals(self.y, self.weight, n_classes)

    def counted_elsewhere(self, plan: Any, options: _core.GrowOptions) -> CountedRows | None:
        """Who counts these rows, where that is not this process."""
        return None

    @property
    def weights(self) -> Floats:
        """The weight of every row."""
        return np.ones(len(self), dtype=np.float64) if self.weight is None else self.weight


def rows_at(X: Any, index: NDArray[np.intp]) -> Any:
    """The rows of a frame, an array or codes at these positions."""
    return X.take(index) if isinstance(X, Codes) else _safe_indexing(X, index)
