"""From parts of a table to a sample: agree on codes and classes, then code every part where it is."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree._core import Column
from thriftree.distributed.agreement import agree
from thriftree.distributed.coded_part import encode_with
from thriftree.distributed.part_rows import PartReading
from thriftree.distributed.parts import Parts, TablePart
from thriftree.distributed.parts_codes import PartsCodes, ValuesOfParts
from thriftree.distributed.parts_sample import PartsSample
from thriftree.distributed.target_agreement import agreed_classes
from thriftree.learning.targets import AnyArray, one_target
from thriftree.table.code_book import Coding


def read_parts(
    parts: Parts,
    reading: PartReading,
    *,
    max_bins: int | None,
    binning: Any,
    by_value: bool = False,
) -> tuple[PartsSample, AnyArray | None]:
    """The rows of all parts that have a weight, coded as a local fit codes them; and their classes.
    ``by_value``: the learner looks at values one by one.
    """
    coding = Coding(max_bins, binning)
    told = agree(parts, reading, coding, by_value)
    classes = agreed_classes(told.summaries) if reading.of_classes else None
    coded = parts.keep(encode_with, reading, told.book, classes)

    def values_coded() -> tuple[tuple[Column, ...], Parts]:
        book = agree(parts, reading, coding, by_value=True).book
        return book.codes, parts.keep(encode_with, reading, book, classes)

    spans = any(column.spans for column in told.book.codes)
    codes = PartsCodes.of(told.book, told.n_rows, ValuesOfParts(parts, reading))
    news = [summary.target for summary in told.summaries]
    heaviest = None if all(one.weighs_one for one in news) else max(one.heaviest for one in news)
    dropped = any(summary.n_given != summary.n_rows for summary in told.summaries)
    places = partial(_given, parts, reading) if dropped else None
    by_values = values_coded if spans else None
    sample = PartsSample(codes, coded, told.first_rows, heaviest, places=places, by_values=by_values)
    return sample, classes


def _given(parts: Parts, reading: PartReading) -> tuple[AnyArray, NDArray[np.intp]]:
    """The targets of all rows, and where those of positive weight are among them."""
    pieces = parts.map(_targets_given, reading)
    kept = np.concatenate([piece[1] for piece in pieces])
    return np.concatenate([piece[0] for piece in pieces if len(piece[0])]), np.flatnonzero(kept)


def _targets_given(part: TablePart, reading: PartReading) -> tuple[AnyArray, NDArray[np.bool_]]:
    y = one_target(part.y, reading.learner)
    return y, np.ones(len(y), bool) if part.weight is None else np.asarray(part.weight, float) > 0
