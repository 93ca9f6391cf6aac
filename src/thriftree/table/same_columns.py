"""Whether a table has the columns that a tree or a code book was made for."""

from __future__ import annotations

from collections.abc import Sequence

from thriftree.columns import ColumnSchema
from thriftree.temporal.words import kind_words


def check_columns(
    names: list[str], has_names: bool, columns: Sequence[ColumnSchema], expected_by: str
) -> None:
    """Raises ValueError where the number, the names or the order of a table's columns differ. One without
    names of its own is compared by number only.
    """
    n_given, n_expected = len(names), len(columns)
    if n_given != n_expected:
        raise ValueError(
            f"X has {n_given} features, but {expected_by} is expecting {n_expected} features as input"
        )
    expected = [schema.name for schema in columns]
    if not has_names or names == expected:
        return
    lacking = [name for name in expected if name not in names]
    if not lacking:
        raise ValueError(f"the columns of X must be in the order of the training data: {expected}")
    if expected == [f"x{j}" for j in range(len(expected))]:  # the training data had no names
        return
    extra = [name for name in names if name not in expected]
    raise ValueError(f"X has columns that {expected_by} does not know: {extra}; and lacks: {lacking}")


def differing_kinds(
    given: Sequence[ColumnSchema], expected: Sequence[ColumnSchema], as_categories: set[int]
) -> list[str]:
    """What to say of each column that is a number in one and holds labels, or dates and the like, in the
    other. Those at ``as_categories`` are made categories whatever they are.
    """
    return [
        f"{theirs.name!r} ({_shown(theirs)} in training, now {_shown(mine)})"
        for j, (mine, theirs) in enumerate(zip(given, expected, strict=True))
        if _shown(mine, labels="labels") != _shown(theirs, labels="labels") and j not in as_categories
    ]


def _shown(schema: ColumnSchema, labels: str | None = None) -> str:
    if schema.kind == "number":
        return "a number" if schema.temporal is None else kind_words(schema.temporal)
    return labels or ("ordered categories" if schema.kind == "ordered" else "categories")
