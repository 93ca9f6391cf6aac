"""One code book for all parts: the one that a local fit makes of their rows, one part after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema, sorted_categories
from thriftree.distributed.part_rows import PartReading
from thriftree.distributed.parts import Parts
from thriftree.distributed.summaries import (
    MOST_VALUES,
    ColumnNews,
    PartSummary,
    add_spectra,
    sampled_values,
    spectrum,
    summarise,
)
from thriftree.learning.targets import Floats
from thriftree.table.code_book import CodeBook, Coding
from thriftree.table.frame import Array
from thriftree.temporal.words import kind_words

_LISTED: Final = 256  # values of a column that the first look may find so that it counts as few-valued
_SPANS_ABOVE: Final = 256  # values: a column of more gets spans (cpp/table/table.hpp),
_SPAN_CODES: Final = 255  # at most so many


@dataclass(frozen=True)
class Agreement:
    """What the parts of a table have told of themselves, and the code book that follows."""

    book: CodeBook
    summaries: list[PartSummary]  # in order of parts

    @cached_property
    def n_rows(self) -> int:
        """Rows of positive weight."""
        return sum(summary.n_rows for summary in self.summaries)

    @cached_property
    def first_rows(self) -> list[int]:
        """How many rows of positive weight lie before each part."""
        return list(accumulate((s.n_rows for s in self.summaries), initial=0))[:-1]


def agree(parts: Parts, reading: PartReading, coding: Coding, by_value: bool = False) -> Agreement:
    """Lets all parts tell what they hold, and makes one code book of it.

    Without bins a column of many values has codes of ranges, and parts keep its values beside them;
    ``by_value`` gives every value a code of its own. Raises ValueError or TypeError, naming part and column,
    where parts do not fit together.
    """
    most = coding.max_bins or (MOST_VALUES if by_value else _SPANS_ABOVE)
    summaries: list[PartSummary] = parts.map(summarise, reading, most)
    names, has_names = _names(summaries)
    told = [summary for summary in summaries if summary.n_rows]
    if not told:
        _refuse_no_rows(summaries)
    columns = [_column([s.columns[j] for s in told], told, name) for j, name in enumerate(names)]
    first = Agreement(CodeBook((), (), coding, has_names), summaries)
    told_of = [news for _, news in columns]
    many = _of_many_values(told_of, most)
    spans = coding.max_bins is None and not by_value
    of_many = _edges_of_spans if spans else _edges_of_bins
    edges = of_many(parts, reading, coding, told_of, many, first) if many else {}
    known = tuple(_codes(schema, news, edges.get(j), spans) for j, (schema, news) in enumerate(columns))
    return Agreement(CodeBook(tuple(s for s, _ in columns), known, coding, has_names), summaries)


def _refuse_no_rows(summaries: Sequence[PartSummary]) -> None:
    if any(s.n_given for s in summaries):
        raise ValueError("sample_weight is zero for every row: at least one row needs a positive weight")
    raise ValueError("the parts of X have 0 sample(s): a minimum of 1 is required")


def _names(summaries: Sequence[PartSummary]) -> tuple[list[str], bool]:
    """The names of the columns, which all parts share; one without rows may have none."""
    told = [s for s in summaries if s.names and (s.n_rows or s.has_names)] or list(summaries)
    first = told[0]
    for other in told[1:]:
        if other.names == first.names:
            continue
        lacking = [name for name in first.names if name not in other.names]
        extra = [name for name in other.names if name not in first.names]
        difference = f"lacks {lacking}" if lacking else f"has {extra} beside them"
        if not lacking and not extra:
            difference = "has them in another order"
        raise ValueError(
            f"the columns of part {first.index} are {first.names}, but part {other.index} {difference}: "
            "give every part the same columns"
        )
    return first.names, first.has_names


def _column(
    news: Sequence[ColumnNews], told: Sequence[PartSummary], name: str
) -> tuple[ColumnSchema, ColumnNews]:
    """One column of all parts: what it is, and what is known of it."""
    missing = any(one.missing for one in news)
    speaking = [(one, s.index) for one, s in zip(news, told, strict=True) if not one.says_nothing]
    if not speaking:
        return news[0].schema, ColumnNews(news[0].schema, missing, news[0].values)
    first, where = speaking[0]
    for other, part in speaking[1:]:
        mine, theirs = _words(first.schema), _words(other.schema)
        if mine != theirs:
            raise TypeError(
                f"column {name!r} holds {mine} in part {where}, but {theirs} in part {part}: convert one of "
                "them"
            )
        if first.schema.kind == "ordered" and first.schema.categories != other.schema.categories:
            raise ValueError(
                f"column {name!r} has the order {list(first.schema.categories)} in part {where}, but "
                f"{list(other.schema.categories)} in part {part}: declare the same categories in every part"
            )
    schema = first.schema
    if schema.kind == "category":
        used = dict.fromkeys(level for one, _ in speaking for level in one.schema.categories)
        schema = ColumnSchema(name, "category", tuple(sorted_categories(used)))
        return schema, ColumnNews(schema, missing)
    values = None
    if all(one.values is not None for one, _ in speaking):
        values = np.unique(np.concatenate([one.values for one, _ in speaking if one.values is not None]))
    low, high = min(one.low for one, _ in speaking), max(one.high for one, _ in speaking)
    return schema, ColumnNews(schema, missing, values, low, high)


def _words(schema: ColumnSchema) -> str:
    if schema.kind == "number":
        return "numbers" if schema.temporal is None else kind_words(schema.temporal)
    return "ordered categories" if schema.kind == "ordered" else "categories"


def _codes(schema: ColumnSchema, news: ColumnNews, edges: Floats | None, spans: bool) -> _core.Column:
    if schema.kind == "category":
        return _core.Column("category", len(schema.categories) + news.missing, news.missing)
    if edges is not None:
        n_codes = len(edges) + 1 + news.missing
        return _core.Column("ordered", n_codes, news.missing, [], edges.tolist(), spans=spans)
    values = news.values
    if values is None:
        raise AssertionError("a column has neither values nor edges")
    return _core.Column("ordered", len(values) + news.missing, news.missing, values.tolist())


def _of_many_values(columns: Sequence[ColumnNews], most: int) -> list[int]:
    """The columns that have more numbers than these."""
    return [
        j
        for j, one in enumerate(columns)
        if one.schema.kind != "category" and (one.values is None or len(one.values) > most)
    ]


def _edges_of_spans(
    parts: Parts,
    reading: PartReading,
    coding: Coding,
    columns: Sequence[ColumnNews],
    many: list[int],
    about: Agreement,
) -> dict[int, Floats]:
    """What divides the numbers of these columns into ranges of about as many rows each, by column. Where
    they lie changes what must be opened, not the tree; the least and the largest number have ranges of their
    own, so that all others have two ends.
    """
    pieces = parts.map(sampled_values, reading, many, about.first_rows, about.n_rows)
    edges: dict[int, Floats] = {}
    for i, j in enumerate(many):
        sample = np.sort(np.concatenate([piece.values[i].astype(np.float64) for piece in pieces]))
        sample = sample[np.isfinite(sample)]
        inner = min(_SPAN_CODES - 3, len(sample))
        found = sample[np.linspace(0, len(sample) - 1, inner + 2).astype(np.intp)[1:-1]]
        low, high = columns[j].low, np.nextafter(columns[j].high, -np.inf)
        edges[j] = np.unique(np.concatenate([[low], found[(found > low) & (found < high)], [high]])) + 0.0
    return edges


def _edges_of_bins(
    parts: Parts,
    reading: PartReading,
    coding: Coding,
    columns: Sequence[ColumnNews],
    many: list[int],
    about: Agreement,
) -> dict[int, Floats]:
    """The edges of these columns, which have more values than bins, by column.

    They are those of the local encoder (cpp/table/encode.cpp): made from the same sample of rows or, where
    that sample shows few values, from all of them.
    """
    if coding.max_bins is None:
        name = columns[many[0]].schema.name
        raise ValueError(
            f"this fit looks at values one by one, and column {name!r} has more than {MOST_VALUES} distinct "
            "numbers in all parts together: give max_bins, for example max_bins=255"
        )
    most = coding.max_bins
    pieces = parts.map(sampled_values, reading, many, about.first_rows, about.n_rows)
    weighs_one = all(s.target.weighs_one for s in about.summaries)
    weight = None if weighs_one else np.concatenate([piece.weight for piece in pieces])
    edges: dict[int, Floats] = {}
    rare = []
    for i, j in enumerate(many):
        sample = np.concatenate([piece.values[i] for piece in pieces])
        look = np.concatenate([piece.first_look[i] for piece in pieces])
        found = _edges_of_sample(sample, weight, coding)
        few = len(np.unique(look[np.isfinite(look)])) <= min(most, _LISTED)
        if few or not len(found):
            rare.append(j)
        elif coding.binning == "uniform":
            edges[j] = _edges(columns[j], np.empty(0), np.empty(0), coding)
        else:
            edges[j] = found
    if rare:
        spectra = parts.reduce(spectrum, add_spectra, reading, rare)
        for j, (values, weights) in zip(rare, spectra, strict=True):
            edges[j] = _edges(columns[j], values, weights, coding)
    return edges


def _edges_of_sample(sample: Array, weight: Floats | None, coding: Coding) -> Floats:
    """Those that the encoder makes of so few rows; none where they do not show more values than bins."""
    table = _core.encode_columns(
        [np.ascontiguousarray(sample)],
        [None],
        max_bins=coding.max_bins,
        binning=coding.binning,
        sample_weight=weight,
    )
    return table.column(0).edges


def _edges(column: ColumnNews, values: Floats, weights: NDArray[Any], coding: Coding) -> Floats:
    most = MOST_VALUES if coding.max_bins is None else coding.max_bins
    mass = weights.astype(np.float64)
    return _core.bin_edges(values, mass, column.low, column.high, most, coding.binning)
