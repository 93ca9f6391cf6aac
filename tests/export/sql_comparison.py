"""The same trees and rows for every engine and every reader of SQL, compared with `Tree.predict`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from agreement import check_agreement, deep_document, mushrooms
from sql_agreement import read_and_compare, without_empty_texts
from sql_engines import Engine, run_in

from thriftree.export.sql_dialects import DIALECTS
from thriftree.testing.random_documents import Columns, random_document, random_rows


@dataclass
class SqlComparison:
    """How many rows were compared, and what was wrong, a message for each tree."""

    n_rows: int = 0
    disagreements: list[str] = field(default_factory=list)


def cases(n_trees: int, n_rows: int, *, infinite: bool = True) -> Iterator[tuple[dict[str, Any], Columns]]:
    """Mushrooms, a deep tree, and random ones: of numbers, texts, many branches, a column named "true" …"""
    yield mushrooms()
    deep = deep_document(
        20, from_above=True
    )  # a list of rules, in which conditions say that a number may be missing
    yield deep, random_rows(deep, 0, n_rows, infinite=infinite)
    for seed in [19, *range(n_trees - 1)]:
        document = random_document(seed, prices=seed % 2 == 0)
        yield document, random_rows(document, seed + 1, n_rows, infinite=infinite)


def compare_in(engine: Engine, dialect: str, n_trees: int, n_rows: int) -> SqlComparison:
    """The engine's answers against those of the trees."""
    comparison = SqlComparison()
    for document, rows in cases(n_trees, n_rows, infinite=engine.has_infinity):
        if DIALECTS[dialect].empty_text_is_null:
            document, rows = without_empty_texts(document, rows)
        comparison.n_rows += len(next(iter(rows.values())))
        try:
            check_agreement(document, rows, run_in(engine, document, rows, dialect))
        except AssertionError as error:
            comparison.disagreements.append(str(error))
    return comparison


def compare_read(dialect: str, n_trees: int, n_rows: int) -> SqlComparison:
    """What sqlglot reads against the answers of the trees."""
    comparison = SqlComparison()
    for document, rows in cases(n_trees, n_rows):
        comparison.n_rows += len(next(iter(rows.values())))
        try:
            read_and_compare(document, rows, dialect)
        except AssertionError as error:
            comparison.disagreements.append(str(error))
    return comparison
