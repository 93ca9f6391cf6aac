"""Fingerprints of rows: numbers by which rows that a tree learnt from are known again in any table.

A row's fingerprint is made from the values of the tree's columns and of the target. It depends neither on the
file's form, nor on the order of columns and rows, nor on other columns. It holds no value, but is no secret:
whoever has a row can ask whether the tree learnt from it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree.columns import Temporal
from thriftree.table.frame import Levels, Numbers
from thriftree.table.frames import read_frame
from thriftree.temporal import DAY

Fingerprints = NDArray[np.uint32]

MAX_ROWS: Final = 1 << 20  # four bytes each: what a file keeps of more rows would outgrow the tree
_MISSING: Final = np.uint64(0x9E3779B97F4A7C15)


def fingerprints_of(X: Any, target: NDArray[Any]) -> Fingerprints:
    """One for each row of the frame X, whose columns are in the tree's order, with its target."""
    frame = read_frame(X)
    mixed = _hashed(_column(target))
    for number in range(len(frame.names)):
        mixed = _mixed(mixed * np.uint64(31) ^ _hashed(frame.column(number)))
    return (mixed >> np.uint64(32)).astype(np.uint32)


def known_again(rows: Fingerprints, learnt_from: Fingerprints) -> NDArray[np.bool_]:
    """Which of `rows` the tree learnt from. Of rows with the same fingerprint, which do not differ, as many
    as it learnt from; so of a table that was divided the other part remains.
    """
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    place_among_equals = np.arange(len(ordered)) - np.searchsorted(ordered, ordered)
    learnt = np.sort(learnt_from)
    times = np.searchsorted(learnt, ordered, side="right") - np.searchsorted(learnt, ordered)
    known = np.zeros(len(rows), bool)
    known[order] = place_among_equals < times
    return known


def fingerprints_to_text(fingerprints: Fingerprints) -> str:
    """For a file: sorted, so that the order of the rows cannot be read from it."""
    return base64.b64encode(np.sort(fingerprints).astype("<u4").tobytes()).decode("ascii")


def fingerprints_in_text(text: str) -> Fingerprints:
    """The inverse. Raises ValueError for other texts."""
    try:
        content = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(f"fingerprints of rows must be base64: {error}") from None
    if len(content) % 4:
        raise ValueError("fingerprints of rows must be four bytes each")
    return np.frombuffer(content, "<u4").astype(np.uint32)


def _column(target: NDArray[Any]) -> Numbers | Levels:
    if target.dtype.kind in "iuf":
        return Numbers(target)
    labels, codes = np.unique(target, return_inverse=True)
    return Levels(codes.astype(np.int32), labels.tolist())


def _hashed(column: Numbers | Levels) -> NDArray[np.uint64]:
    if isinstance(column, Numbers):
        values = column.values.astype(np.float64) + 0.0  # -0.0 is 0.0
        if column.temporal == Temporal("date"):
            values = values * DAY  # a date in one file is a midnight in another
        return np.where(np.isnan(values), _MISSING, _mixed(values.view(np.uint64)))
    texts = [
        hashlib.blake2b(str(level).encode("utf-8", "surrogatepass"), digest_size=8) for level in column.levels
    ]
    numbers = [int.from_bytes(text.digest(), "little") for text in texts]
    return np.array([*numbers, int(_MISSING)], np.uint64)[column.codes]


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The last steps of splitmix64 (Steele, Lea and Flood 2014): each bit decides on all."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ (bits >> np.uint64(shift))) * np.uint64(factor)
    return np.asarray(bits ^ (bits >> np.uint64(31)))
