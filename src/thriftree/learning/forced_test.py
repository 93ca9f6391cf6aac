"""A test that is wanted at the root of a tree: of a given column, and with given cuts or groups if they are
given.

Without cuts and groups the estimator's own way of choosing takes the best test of the column. With them the
test is what was said; only the branch of missing values, where nobody said it, is the one of least impurity.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.columns import ColumnSchema, Temporal
from thriftree.document.follow import is_missing, scalar
from thriftree.document.write import label_of
from thriftree.learning import growth
from thriftree.learning.allowance import Budget
from thriftree.learning.growth import Grown, Plan, growth_weight
from thriftree.learning.limits import Limits
from thriftree.learning.sample import Sample
from thriftree.messages import did_you_mean
from thriftree.table.encoded_table import EncodedTable
from thriftree.temporal.numbers import number_of
from thriftree.temporal.words import temporal_of, tick_words


@dataclass(frozen=True)
class Wanted:
    """What a user wants asked at a node. At most one of `cuts` and `groups` is given."""

    node: int
    column: int
    name: str
    cuts: tuple[Any, ...] | None = None  # numbers, or categories of an ordered column: x <= cut goes left
    groups: tuple[tuple[Any, ...], ...] | None = None  # categories of each branch; the rest is one more


def wanted_test(node: int, column: int, name: str, cut: Any, groups: Any) -> Wanted:
    """What the arguments of `refit_below` say, as far as no rows are needed to check it."""
    if cut is not None and groups is not None:
        raise ValueError("give cut or groups, not both: a test has one of them")
    cuts: tuple[Any, ...] | None = None
    if cut is not None:
        cuts = tuple(cut) if _is_list(cut) else (cut,)
        if not cuts:
            raise ValueError("cut is empty: give a value, or several in rising order")
    if groups is None:
        return Wanted(node, column, name, cuts)
    if not _is_list(groups) or not all(_is_list(g) and all(map(_is_hashable, g)) for g in groups):
        raise TypeError(f"groups is {groups!r}: give a list of lists of categories, a list for each branch")
    return Wanted(node, column, name, None, tuple(tuple(_plain(one) for one in g) for g in groups))


def forced(rows: Sample, plan: Plan, limits: Limits, wanted: Wanted) -> Grown:
    """The tree of one test: that which is wanted."""
    rules = {**plan.rules, "max_depth": plan.start.depth + 1, "max_leaves": -1, "min_decrease": 0.0}
    plan = replace(plan, rules=rules)
    if wanted.cuts is None and wanted.groups is None:
        grown = growth.grow(rows, _of_one_column(plan, wanted.column, rows, limits), limits)
        if grown.core.n_leaves == 1:
            _say_why_not(rows, plan, limits, wanted)
        return grown
    # A cut of one's own may lie anywhere, so values are told apart, and not put into bins or in an order.
    rows, plan = rows.exact(), replace(plan, proportion_encode=None, table_parts={})
    seen = _Seen.of(growth.table_of(rows, plan, limits), wanted.column)
    branches, of_missing = _branches(seen, wanted)
    if seen.n_values < 2:
        _say_why_not(rows, plan, limits, wanted)
    if len({*branches, *of_missing} - {-1}) < 2:
        raise ValueError(
            f"node {wanted.node} cannot ask about {wanted.name!r}: the groups "
            f"{[list(group) for group in wanted.groups or ()]} leave all its {len(rows)} rows in one branch; "
            "name the categories of each branch"
        )
    codes = seen.codes.tolist()
    found = [_with_partition(rows, plan, limits, wanted, codes, branches, missing) for missing in of_missing]
    best = min(found, key=lambda one: _impurity_left(one, plan))
    if best.core.n_leaves == 1:
        _say_why_not(rows, plan, limits, wanted)
    return best


def as_stated(
    test: dict[str, Any], wanted: Wanted, column: dict[str, Any], known: Sequence[Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The test of a JSON form and its column. What was stated holds as it was said, and where no row shows it
    too: cuts, which the core puts in the middle between two values, and groups of categories that no row
    there has, but that are `known` from elsewhere. A stated test has no score.
    """
    if wanted.groups is not None:
        return _with_groups(test, wanted, column, known)
    if wanted.cuts is None:
        return test, column
    if column["kind"] == "number":
        keys = _edges(wanted, temporal_of(column)).tolist()
    else:
        positions = {scalar(category): place for place, category in enumerate(column["categories"])}
        keys = [positions[cut] + 0.5 for cut in wanted.cuts]
    return {**test, "keys": keys, "score": None}, column


def _with_groups(
    test: dict[str, Any], wanted: Wanted, column: dict[str, Any], known: Sequence[Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Every group is a branch of the stump, the rest is the last; so a group's number is its branch's."""
    categories = [scalar(category) for category in column["categories"]]
    known = [*categories, *(category for category in known if category not in categories)]
    group_of = {label: number for number, group in enumerate(wanted.groups or ()) for label in group}
    missing = test["missing"]
    for label in [label for label in group_of if is_missing(label)]:
        missing = group_of.pop(label)
    for label in group_of:
        if label not in known:
            raise ValueError(
                f"node {wanted.node}: column {wanted.name!r} has no category {label!r}"
                f"{did_you_mean(label, known) or ':'} it has {known}"
            )
    if column["kind"] == "ordered":
        at = [test["to"][bisect_left(test["keys"], place)] for place in range(len(categories))]
        branches = [group_of.get(label, branch) for label, branch in zip(categories, at, strict=True)]
        ends = [place for place in range(len(branches) - 1) if branches[place] != branches[place + 1]]
        keys, to = [end + 0.5 for end in ends], [*(branches[end] for end in ends), branches[-1]]
    else:
        categories += [label for label in known[len(categories) :] if label in group_of]
        branch_of = dict(zip(test["keys"], test["to"], strict=True))
        branch_of |= {categories.index(label): number for label, number in group_of.items()}
        keys, to = sorted(branch_of), [branch_of[key] for key in sorted(branch_of)]
        column = {**column, "categories": [label_of(label) for label in categories]}
    return {**test, "keys": keys, "to": to, "missing": missing, "score": None}, column


def _of_one_column(plan: Plan, column: int, rows: Sample, limits: Limits) -> Plan:
    """The plan that may only test one column, whoever chooses."""
    if "chooser" in plan.parts:
        return replace(plan, parts={**plan.parts, "chooser": plan.parts["chooser"].only(column)})
    others = frozenset(range(len(rows.codes.columns))) - {column}
    return replace(plan, budget=Budget(inf, plan.prices, others))


class _Stated:
    """A chooser that knows the test beforehand."""

    def __init__(self, partition: _core.Partition) -> None:
        self._partition = partition

    def choose(self, node: _core.NodeView) -> _core.Choice | None:
        """The test, at the root; nothing below it."""
        return _core.Choice(self._partition, score=0.0) if node.id == 0 else None


def _with_partition(
    rows: Sample,
    plan: Plan,
    limits: Limits,
    wanted: Wanted,
    codes: Sequence[int],
    branches: Sequence[int],
    missing: int,
) -> Grown:
    partition = _core.Partition(wanted.column, list(codes), list(branches), missing=missing)
    return growth.grow(rows, replace(plan, parts={"chooser": _Stated(partition)}), limits)


def _impurity_left(grown: Grown, plan: Plan) -> float:
    leaf = grown.core.column < 0
    return float((growth_weight(grown.core, plan) * grown.core.impurity)[leaf].sum())


@dataclass(frozen=True)
class _Seen:
    """What rows hold of a column that is coded exactly."""

    schema: ColumnSchema
    codes: NDArray[np.uint32]  # those of known values, ascending
    values: NDArray[np.float64]  # what these count as
    has_missing: bool

    @classmethod
    def of(cls, table: EncodedTable, column: int) -> _Seen:
        """What a table holds of one of its columns."""
        codes = np.unique(table.distinct(column))
        has_missing = int(codes[-1]) == table.missing(column)
        codes = codes[:-1] if has_missing else codes
        return cls(table.columns[column], codes, table.numbers(column)[codes], has_missing)

    @property
    def n_values(self) -> int:
        return len(self.codes) + self.has_missing

    @property
    def labels(self) -> list[Any]:
        """What the known codes stand for, of a column of categories."""
        positions = self.values if self.schema.kind == "ordered" else self.codes
        return (
            [self.schema.categories[int(position)] for position in positions]
            if self.schema.categories
            else []
        )


def _branches(seen: _Seen, wanted: Wanted) -> tuple[list[int], list[int]]:
    """The branch of each known code, and the branches that missing values may take: [-1] if none are
    missing.
    """
    missing_group = None
    if wanted.cuts is not None:
        branches = _by_cuts(wanted, seen.schema, seen.values)
    else:
        branches, missing_group = _by_groups(wanted, seen.schema.kind, seen.labels, seen.has_missing)
    assert len(branches) == len(seen.codes)
    if not seen.has_missing:
        return branches, [-1]
    return branches, sorted(set(branches)) if missing_group is None else [missing_group]


def _by_cuts(wanted: Wanted, schema: ColumnSchema, values: NDArray[np.float64]) -> list[int]:
    kind, categories = schema.kind, schema.categories
    place, cuts = f"node {wanted.node}: column {wanted.name!r}", wanted.cuts or ()
    if kind == "category":
        raise ValueError(
            f"{place} holds categories without an order, which no cut divides: give groups, a list of "
            "categories for each branch"
        )
    if kind == "ordered":
        unknown = [cut for cut in cuts if cut not in categories]
        if unknown:
            hint = did_you_mean(unknown[0], categories) or ":"
            raise ValueError(f"{place} has no category {unknown[0]!r}{hint} it has {list(categories)}")
        edges = np.array([categories.index(cut) for cut in cuts], dtype=np.float64)
    else:
        edges = _edges(wanted, schema.temporal)
    if (np.diff(edges) <= 0).any():
        raise ValueError(f"cut is {list(cuts)}: give several cuts in rising order")
    branches: list[int] = np.searchsorted(edges, values, side="left").tolist()
    if set(branches) != set(range(len(edges) + 1)):
        low, high = values[[0, -1]].tolist() if len(values) else (None, None)
        if kind == "ordered" and len(values):
            low, high = categories[int(values[0])], categories[int(values[-1])]
        if schema.temporal is not None and len(values):
            low, high = (tick_words(schema.temporal, int(value)) for value in values[[0, -1]])
        empty = min(set(range(len(edges) + 1)) - set(branches))
        raise ValueError(
            f"{place} is from {low!r} to {high!r} there, so branch {empty} of the cut {list(cuts)} would "
            "have no row: give cuts that divide these values"
        )
    return branches


def _edges(wanted: Wanted, temporal: Temporal | None) -> NDArray[np.float64]:
    """Cuts of a column of numbers, or of dates and the like."""
    cuts = wanted.cuts or ()
    if temporal is not None:
        return np.array([number_of(temporal, cut, wanted.name) for cut in cuts], dtype=np.float64)
    numbers = [isinstance(c, (int, float, np.number)) and not isinstance(c, bool) for c in cuts]
    if not all(numbers) or not np.isfinite(np.asarray(cuts, dtype=np.float64)).all():
        raise ValueError(
            f"node {wanted.node}: column {wanted.name!r} is a number, and cut is {list(cuts)}: give finite "
            "numbers"
        )
    return np.asarray(cuts, dtype=np.float64)


def _by_groups(
    wanted: Wanted, kind: str, labels: list[Any], has_missing: bool
) -> tuple[list[int], int | None]:
    """The branch of each category that is there, and that of missing values if a group names None."""
    place, groups = f"node {wanted.node}: column {wanted.name!r}", wanted.groups or ()
    if kind == "number":
        raise ValueError(
            f"{place} is a number, which has no groups: give cut, the value up to which x goes left"
        )
    group_of: dict[Any, int] = {}
    for number, group in enumerate(groups):
        for label in group:
            key = None if is_missing(label) else label
            if key in group_of:
                raise ValueError(f"groups names {label!r} twice: a category goes to one branch")
            group_of[key] = number
    rest = len(groups)
    at = [group_of.get(label, rest) for label in labels]
    of_missing = group_of.get(None) if has_missing else None
    used = sorted({*at, *([] if of_missing is None else [of_missing])})
    empty = [list(group) for number, group in enumerate(groups) if number not in used]
    if empty:
        raise ValueError(
            f"{place} has none of {empty[0]} there, only {labels}: name categories of these rows"
        )
    return at, of_missing


def _say_why_not(rows: Sample, plan: Plan, limits: Limits, wanted: Wanted) -> None:
    """Raises the error that says why a column cannot be tested at the node."""
    place = f"node {wanted.node} cannot ask about {wanted.name!r}"
    if (rows.y == rows.y[0]).all():
        raise ValueError(f"{place}: all its {len(rows)} rows have the same target, so no question helps")
    if _Seen.of(growth.table_of(rows, plan, limits), wanted.column).n_values < 2:
        raise ValueError(f"{place}: all its {len(rows)} rows have the same value; force another column")
    raise ValueError(
        f"{place}: no test of it is allowed by the settings (min_leaf, min_weight_fraction_leaf, min_mass, "
        f"levels of significance, an impurity that must decrease) for its {len(rows)} rows; relax them for "
        f"this part, as in refit_below({wanted.node}, X, y, "
        f"feature={wanted.name!r}, min_leaf=1), or state the test with cut or groups"
    )


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str)


def _is_hashable(value: Any) -> bool:
    return isinstance(value, Hashable)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
