"""What the tests of a tree ask of its columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from thriftree.columns import ColumnSchema

ORDERED, CATEGORY = 1, 2


def check_columns_of_tests(core: Any, columns: tuple[ColumnSchema, ...]) -> None:
    """Refuses a test that its column cannot answer."""
    if len(columns) != core.n_columns:
        raise ValueError(f"the tree has {core.n_columns} columns, but {len(columns)} were described")
    if len({column.name for column in columns}) < len(columns):
        raise ValueError("two columns have the same name: give each its own")
    if {column.kind for column in columns} <= {"number"} and not core.tests_categories:
        return  # cuts of numbers: nothing that follows can be wrong
    tests = np.flatnonzero(core.kind)
    kind, column = core.kind[tests], core.column[tests]
    n_keys = np.diff(core.key_begin)[tests]
    is_number = np.array([c.kind == "number" for c in columns], dtype=bool)[column]
    is_category = np.array([c.kind == "category" for c in columns], dtype=bool)[column]
    n_categories = np.array([len(c.categories) for c in columns], dtype=np.int64)[column]
    largest_key = np.zeros(len(tests))
    largest_key[n_keys > 0] = core.keys[core.key_begin[tests + 1][n_keys > 0] - 1]
    for problem, of in (
        (
            "cuts need an order, which the column's categories do not have",
            (kind == ORDERED) & is_category & (n_keys > 0),
        ),
        ("a category test needs a column of categories, not of numbers", (kind == CATEGORY) & is_number),
        ("a key is beyond the column's categories", (kind == CATEGORY) & (largest_key >= n_categories)),
    ):
        if of.any():
            first = int(np.argmax(of))
            raise ValueError(f"node {tests[first]}: {problem} (column {columns[column[first]].name!r})")
