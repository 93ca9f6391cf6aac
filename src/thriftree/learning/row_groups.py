"""Rows in groups, one after the other, so that numpy can work on all nodes of a level at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Positions: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True)
class RowGroups:
    """Group g has the rows rows[begin[g]:begin[g + 1]]. No group is empty."""

    rows: Positions
    begin: Positions

    @classmethod
    def of_sizes(cls, rows: Positions, sizes: Positions) -> RowGroups:
        """Groups of these sizes, in the order of `rows`."""
        return cls(rows, np.concatenate([[0], np.cumsum(sizes)]))

    def __len__(self) -> int:
        return len(self.begin) - 1

    @property
    def sizes(self) -> Positions:
        """Rows of each group."""
        return np.diff(self.begin)

    @property
    def group(self) -> Positions:
        """The group of each row."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def places(self, groups: Positions) -> Positions:
        """Where the rows of these groups are in `rows`, group after group."""
        sizes = self.sizes[groups]
        end = np.cumsum(sizes)
        return np.repeat(self.begin[groups] - end + sizes, sizes) + np.arange(end[-1] if len(end) else 0)

    def take(self, groups: Positions) -> RowGroups:
        """These groups alone, in this order."""
        return RowGroups.of_sizes(self.rows[self.places(groups)], self.sizes[groups])

    def n_distinct(self, codes: NDArray[np.uint32]) -> tuple[Positions, NDArray[np.uint32]]:
        """How many codes each group has, and the largest of them, from a code for each row."""
        key = np.sort((self.group.astype(np.uint64) << np.uint64(32)) | codes)
        is_new = np.append(True, key[1:] != key[:-1])[: len(key)]
        n_codes = np.add.reduceat(is_new, self.begin[:-1], dtype=np.intp)
        return n_codes, key[self.begin[1:] - 1].astype(np.uint32)
