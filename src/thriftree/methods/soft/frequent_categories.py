"""Of columns of very many categories those that get a weight of their own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np

from thriftree.columns import ColumnSchema
from thriftree.learning.sample import Sample

#: Every category is a 0 or 1 of each row, so that many take much memory; and rare ones teach a weight little.
MOST_CATEGORIES: Final = 255


def columns_to_weigh(rows: Sample) -> tuple[ColumnSchema, ...]:
    """The columns with the heaviest categories of each, of equals the first. Others count as not seen."""
    columns = list(rows.codes.columns)
    for j, column in enumerate(columns):
        if column.kind != "category" or len(column.categories) <= MOST_CATEGORIES:
            continue
        codes = rows.codes.column_values(j)
        known = codes >= 0
        weight = np.bincount(codes[known], rows.weights[known], minlength=len(column.categories))
        heaviest = np.sort(np.argsort(-weight, kind="stable")[:MOST_CATEGORIES])
        columns[j] = replace(column, categories=tuple(column.categories[i] for i in heaviest))
    return tuple(columns)


def first_categories(columns: Sequence[ColumnSchema]) -> tuple[ColumnSchema, ...]:
    """As many, without a look at rows: for a tree that weighs nothing."""
    return tuple(
        replace(column, categories=column.categories[:MOST_CATEGORIES])
        if column.kind == "category"
        else column
        for column in columns
    )
