"""A sample of rows in parts: what a fit asks of its rows, answered by whoever has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from math import inf
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.distributed.coded_part import TargetSpec, taken, targets_of
from thriftree.distributed.objects import objects_of
from thriftree.distributed.parts import Parts
from thriftree.distributed.parts_codes import PartsCodes
from thriftree.distributed.sum_store import SumStore
from thriftree.distributed.target_agreement import add_lists, class_sums, settled
from thriftree.learning.counting import CountedRows
from thriftree.learning.growth import Plan, bins_of
from thriftree.learning.sample import Sample
from thriftree.learning.targets import AnyArray, Floats
from thriftree.learning.weight_sums import as_float, in_units
from thriftree.table.encoded_table import EncodedTable

_WIDE: Final = 4096  # nodes that are counted together at most,
_BYTES: Final = 2**30  # and bytes of their sums


class PartsSample(Sample):
    """Rows of a table in parts. Targets and weights come here only where a fit looks at single rows, as
    choosing by held-out rows does.
    """

    codes: PartsCodes
    _coded: Parts  # of all rows
    _first_rows: list[int]  # rows before each part
    _heaviest: float | None
    _rows: NDArray[np.intp] | None
    _whole: PartsSample | None
    _places: Callable[[], tuple[AnyArray, NDArray[np.intp]]] | None
    _by_values: Callable[[], tuple[Sequence[_core.Column], Parts]] | None

    def __init__(
        self,
        codes: PartsCodes,
        coded: Parts,
        first_rows: Sequence[int],
        heaviest: float | None,
        rows: NDArray[np.intp] | None = None,
        whole: PartsSample | None = None,
        places: Callable[[], tuple[AnyArray, NDArray[np.intp]]] | None = None,
        by_values: Callable[[], tuple[Sequence[_core.Column], Parts]] | None = None,
    ) -> None:
        """``heaviest``: of all rows; None: every row weighs 1. ``rows``: which rows of ``whole`` these are.
        ``places``: what `Sample.given` says of the whole, where rows of no weight were left out.
        ``by_values``: where some columns have spans, makes parts in which every value has a code.
        """
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "_coded", coded)
        object.__setattr__(self, "_first_rows", list(first_rows))
        object.__setattr__(self, "_heaviest", heaviest)
        object.__setattr__(self, "_rows", rows)
        object.__setattr__(self, "_whole", whole)
        object.__setattr__(self, "_places", places)
        object.__setattr__(self, "_by_values", by_values)

    def __len__(self) -> int:
        return len(self.codes)

    def __getstate__(self) -> Any:
        raise TypeError("rows in parts do not travel to other processes")

    @cached_property
    def _targets(self) -> tuple[AnyArray, Floats | None]:
        if self._whole is not None:
            y, weight = self._whole._targets
            return y[self._rows], None if weight is None else weight[self._rows]
        pieces = self._coded.map(targets_of)
        y = np.concatenate([piece[0] for piece in pieces if len(piece[0])])
        if self._heaviest is None:
            return y, None
        weights = [np.ones(len(y)) if weight is None else weight for y, weight in pieces]
        return y, np.concatenate(weights)

    @property
    def y(self) -> AnyArray:
        """The target of every row."""
        return self._targets[0]

    @property
    def weight(self) -> Floats | None:
        """The weight of every row; None: each weighs 1."""
        return None if self._heaviest is None else self._targets[1]

    def take(self, index: NDArray[np.intp]) -> PartsSample:
        """The rows at these ascending positions; parts gather their codes when a tree is grown."""
        whole = self if self._whole is None else self._whole
        rows = index if self._rows is None else self._rows[index]
        return PartsSample(
            self.codes.take(index), whole._coded, self._first_rows, self._heaviest, rows, whole
        )

    @cached_property
    def given(self) -> tuple[AnyArray, NDArray[np.intp]] | None:
        """The targets of all rows that came to `fit`, and where these are among them."""
        if self._whole is None or self._rows is None:
            return None if self._places is None else self._places()
        of_whole = self._whole.given
        if of_whole is None:
            return self._whole.y, self._rows
        return of_whole[0], of_whole[1][self._rows]

    def exact(self) -> Sample:
        """Not of rows in parts."""
        raise TypeError("rows in parts are coded once: give max_bins=None from the start")

    def for_many_trees(self) -> PartsSample:
        """The same rows: parts keep their codes as long as this lives."""
        return self

    def table(
        self, proportion_encode: Any, n_classes: int, memory_limit_mb: float | None = None
    ) -> EncodedTable:
        """The code book alone."""
        return self.codes.table(proportion_encode=proportion_encode)

    @property
    def bytes_behind(self) -> int:
        """None of the codes are here."""
        return 0

    def class_totals(self, n_classes: int) -> Floats:
        """The sample weight of each class."""
        most = 1.0 if self._heaviest is None else self._heaviest
        if self._whole is not None and self.weight is not None:
            most = float(self.weight.max())
        units = self._counted.reduce(class_sums, add_lists, n_classes, most)
        if self._heaviest is None:
            one = in_units(np.ones(1), 1.0)
            return np.array([float(n // one) for n in units])
        return np.array([as_float(n, most) for n in units])

    @cached_property
    def _counted(self) -> Parts:
        """The parts of these rows."""
        return self._of_these_rows(self._coded)

    def _of_these_rows(self, coded: Parts) -> Parts:
        if self._whole is None or self._rows is None:
            return coded
        chosen = np.zeros(len(self._whole), np.uint8)
        chosen[self._rows] = 1
        return coded.keep(taken, np.packbits(chosen), self._first_rows)

    @cached_property
    def _counted_by_value(self) -> tuple[Sequence[_core.Column], Parts]:
        """The same where every value has a code, and the columns then."""
        if self._by_values is not None:
            return self._by_values()
        if self._whole is None:
            raise AssertionError("only columns of spans are coded twice")
        columns, coded = self._whole._counted_by_value
        return columns, self._of_these_rows(coded)

    def counted_elsewhere(self, plan: Plan, options: _core.GrowOptions) -> CountedRows:
        """A store that asks the parts."""
        weighs_one = self._heaviest is None or bool(self._whole is not None and (self.weights == 1).all())
        spec = TargetSpec(plan.n_classes, plan.class_weight, plan.priors, *self._bins(plan))
        spec, header = settled(self._counted, spec, len(self), weighs_one)
        columns: Sequence[_core.Column] = self.codes.book.codes
        counted = self._counted
        if any(column.spans for column in columns) and not _core.opens_spans(columns, header, options):
            columns, counted = self._counted_by_value
        batch = _batch_rows(plan, len(self), columns)
        if options.scoring.objects:
            objects = objects_of(counted, spec, header, options.objects_weigh, options.members_matter)
            if objects is not None:
                store = SumStore(objects.parts, spec, objects.header, columns, batch)
                return CountedRows(store, columns, objects.header, header)
        return CountedRows(SumStore(counted, spec, header, columns, batch), columns, header)

    def _bins(self, plan: Plan) -> tuple[Floats | None, int]:
        """The last number of each bin of a numeric target, and how many bins there are."""
        if plan.n_classes or plan.target_bins is None:
            return None, 0
        bins = bins_of(self, plan.target_bins)
        last = np.full(int(bins.max()) + 1, -np.inf)
        np.maximum.at(last, bins, self.y)
        if not isinstance(plan.target_bins, int):
            return plan.target_bins, len(last)
        return last, len(last)


def _batch_rows(plan: Plan, n_rows: int, columns: Sequence[_core.Column]) -> float:
    """Rows that are counted in one round: a level, unless its sums may be too many to hold."""
    max_depth, max_leaves = plan.rules.get("max_depth", -1), plan.rules.get("max_leaves", -1)
    of_depth = 2.0 ** min(max_depth, 60) if max_depth >= 0 else inf
    widest = min(of_depth, max_leaves if max_leaves > 0 else inf, n_rows)
    width = plan.n_classes + 1 if plan.n_classes else 5
    n_bytes = 8 * width * sum(column.n_codes for column in columns)  # of a node
    together = min(_WIDE, _BYTES / n_bytes)
    return inf if widest <= together else max(n_rows * together / widest, 1.0)
