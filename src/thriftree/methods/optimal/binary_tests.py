"""Two-valued tests of a column, as sets of codes; what a sample's rows hold of each column."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from thriftree.table.encoded_table import EncodedTable

Bits = NDArray[np.bool_]
FIRST_OF_TWO: Final = bytes([1, 0])  # the one test of a column of two values


@dataclass(frozen=True)
class BinaryTest:
    """A test of one column: the codes that go left. Of an ordered column these are all codes up to a cut, and
    the code of missing values or not; so a test means the same for rows that it was not made from.
    """

    column: int
    left: bytes  # one byte a code of the column, 1: left

    @property
    def mask(self) -> Bits:
        """By code, whether it goes left."""
        return np.frombuffer(self.left, dtype=np.bool_)


@dataclass(frozen=True, eq=False)
class SeenColumn:
    """What rows hold of a column."""

    column: int
    table: EncodedTable = field(repr=False)
    n_codes: int  # of the code book
    ordered: bool
    missing: int | None  # the code of missing values, the last; None: the column has none
    whole: bool  # whether these are the rows that the code book was made of, so that each code occurs

    @cached_property
    def codes(self) -> NDArray[np.uint32]:
        """Of the rows; kept for those that are led down a tree."""
        return self.table.distinct(self.column)

    def fetched_codes(self) -> NDArray[np.uint32]:
        """The same, not kept: tables may have many columns."""
        return self.codes if "codes" in self.__dict__ else self.table.distinct(self.column)

    @cached_property
    def occurs(self) -> Bits:
        """By code, whether rows have it. A code book lists categories that no row has, but no such number."""
        if self.whole and self.ordered:
            return np.ones(self.n_codes, dtype=np.bool_)
        return np.bincount(self.fetched_codes(), minlength=self.n_codes) > 0

    @property
    def values(self) -> NDArray[np.intp]:
        """The codes that rows have, ascending, that of missing values last."""
        return np.flatnonzero(self.occurs)

    @property
    def known(self) -> NDArray[np.intp]:
        """The codes of known values that rows have, ascending."""
        values = self.values
        return values[:-1] if self.has_missing else values

    @property
    def has_missing(self) -> bool:
        """Whether a row's value is missing."""
        return self.missing is not None and bool(self.occurs[self.missing])

    @cached_property
    def is_two_valued(self) -> bool:
        """Whether it is sure without counting that rows have two values, both known and in order."""
        return self.whole and self.n_codes == 2 and self.missing is None and self.ordered

    @property
    def n_values(self) -> int:
        """Values that rows tell apart, the missing one among them."""
        return 2 if self.is_two_valued else int(self.occurs.sum())

    def test(self, left: Bits) -> BinaryTest:
        """The test by which these codes go left, in a form that is the same for all tests that divide the
        rows in the same way: of an ordered column the least value goes left, of categories the fewer.
        """
        left = left & self.occurs
        known = self.known
        first = known[0] if len(known) else self.missing
        if self.ordered:
            turn = len(known) > 0 and not left[first]
        else:
            n_left, n_values = int(left.sum()), self.n_values
            turn = 2 * n_left > n_values or (2 * n_left == n_values and not left[first])
        if turn:
            left = ~left & self.occurs
        if self.ordered and len(known):
            left[: known[left[known]][-1] + 1] = True
        return BinaryTest(self.column, left.tobytes())

    def cut_after(self, code: int, *, missing_left: bool = False) -> BinaryTest:
        """The test of an ordered column by which all values up to this code's go left."""
        left = np.zeros(self.n_codes, dtype=np.bool_)
        left[: code + 1] = True
        if self.missing is not None:
            left[self.missing] = missing_left
        return self.test(left)

    def of_missing(self) -> BinaryTest:
        """The test that tells missing values from known ones: known ones go left."""
        left = np.ones(self.n_codes, dtype=np.bool_)
        if self.missing is not None:
            left[self.missing] = False
        return self.test(left)

    def divides(self, test: BinaryTest) -> bool:
        """Whether rows go both ways."""
        seen = test.mask[self.occurs]
        return bool(seen.any() and not seen.all())

    def bits(self, test: BinaryTest) -> Bits:
        """By row, whether it goes left."""
        codes = self.fetched_codes()
        return codes == 0 if self.is_two_valued else test.mask[codes]


class SeenTable:
    """What rows hold of every column. Codes are taken from the table when a column is first asked for."""

    def __init__(self, table: EncodedTable, *, whole: bool = False) -> None:
        self.table = table
        self._whole = whole
        self._columns: dict[int, SeenColumn] = {}

    def __len__(self) -> int:
        return len(self.table.columns)

    def __getitem__(self, column: int) -> SeenColumn:
        if column not in self._columns:
            known = self.table.core.column(column)
            self._columns[column] = SeenColumn(
                column,
                self.table,
                known.n_codes,
                known.kind != "category",
                self.table.missing(column),
                self._whole,
            )
        return self._columns[column]

    def bits(self, test: BinaryTest) -> Bits:
        """By row, whether it goes left."""
        return self[test.column].bits(test)
