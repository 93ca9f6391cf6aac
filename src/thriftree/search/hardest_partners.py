"""Which objects an object is hardest to tell from: the partners that bounds on its price look at."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from thriftree.search.allowance import Allowance
from thriftree.search.dual_ascent import Bools, Eligible, Partners, PriceRoom, ascend, row_blocks
from thriftree.search.instance import Codes, Floats, Instance

_BLOCK = 1 << 16  # pairs at a time: the tables of a block stay in the cache
_BLOCK_BYTES = 64 * _BLOCK
_MOST_PAIRS = 1 << 30  # pairs times tests looked at when choosing partners
_LOOKS = 64  # tests between looks at the clock


class HardestPartners:
    """For each of some objects up to `most` eligible ones that few and expensive tests tell from it.

    Hardness is 1 / Σ 1/room over the tests that separate. The first half is chosen by the full prices, the
    second by what an ascent over the first leaves, so that no place goes to partners that no longer count.
    """

    def __init__(
        self, instance: Instance, n_rows: int, eligible: Eligible, most: int, allowance: Allowance
    ) -> None:
        """For `n_rows` objects in all, which say how many others can be looked at for each."""
        n, m = instance.codes.shape
        self._instance, self._codes, self._eligible = instance, instance.codes, eligible
        self._first, self._second = most - most // 2, most // 2
        self._allowance = allowance
        looked_at = max(self._first, min(n, _MOST_PAIRS // (n_rows * m + 1)))
        self._pool = np.unique(np.linspace(0, n - 1, min(n, looked_at)).astype(np.intp))

    def blocks(self, rows: NDArray[np.intp]) -> Iterator[tuple[slice, Partners]]:
        """The partners of these objects, some objects at a time, in their order."""
        m = self._codes.shape[1]
        block_bytes = _BLOCK_BYTES + len(self._pool) * m * self._codes.itemsize
        with (
            row_blocks(len(rows), m, self._first + self._second, self._allowance) as blocks,
            self._allowance.holding(block_bytes),
        ):
            columns = np.ascontiguousarray(self._codes[self._pool].T)
            for block in blocks:
                self._allowance.look()
                yield block, self._of(rows[block], columns)

    def between(self, rows: NDArray[np.intp], index: NDArray[np.intp], present: Bools) -> Partners:
        """Partners that were chosen before."""
        return Partners.of_rows(self._codes, rows, index, present)

    def _of(self, rows: NDArray[np.intp], columns: Codes) -> Partners:
        """`columns`: the codes of the pool, test by object."""
        room = PriceRoom(self._instance, len(rows))
        nobody = Partners.nobody(len(rows), self._codes.shape[1])
        first = self._choose(rows, columns, room.left(), nobody, self._first)
        ascend(first, room, self._allowance)
        return first.joined(self._choose(rows, columns, room.left(), first, self._second))

    def _choose(
        self, rows: NDArray[np.intp], columns: Codes, room: Floats, taken: Partners, most: int
    ) -> Partners:
        """The `most` eligible objects of least Σ 1/room, in that order; none that is taken, or that is
        separated by a test without room.
        """
        pool = self._pool
        most = min(most, len(self._codes))
        conductance = (1.0 / np.maximum(room.T, 1e-30)).astype(np.float32)
        index = np.zeros((len(rows), most), dtype=np.intp)
        present = np.zeros((len(rows), most), dtype=np.bool_)
        size = max(1, _BLOCK // len(pool))
        for start in range(0, len(rows), size):
            block = slice(start, start + size)
            score = self._scores(rows[block], columns, conductance[block])
            may = self._eligible(rows[block], pool)
            x, at = np.nonzero(taken.present[block])
            may[x, np.searchsorted(pool, taken.index[block][x, at])] = False
            np.copyto(score, np.inf, where=~may)
            place: NDArray[np.intp] = np.argpartition(score, min(most, len(pool)) - 1, axis=1)[:, :most]
            least = np.take_along_axis(score, place, axis=1)
            order = np.argsort(least, axis=1, kind="stable")
            index[block, : place.shape[1]] = pool[np.take_along_axis(place, order, axis=1)]
            present[block, : place.shape[1]] = np.take_along_axis(least, order, axis=1) < 1e20
        return self.between(rows, index, present)

    def _scores(
        self, rows: NDArray[np.intp], columns: Codes, conductance: NDArray[np.float32]
    ) -> NDArray[np.float32]:
        """By object and other of the pool: Σ 1/room over the tests that separate them."""
        score = np.zeros((len(rows), columns.shape[1]), dtype=np.float32)
        for t, column in enumerate(columns):
            if t % _LOOKS == 0:
                self._allowance.look()
            score += (self._codes[rows, t, None] != column) * conductance[:, t, None]
        return score
