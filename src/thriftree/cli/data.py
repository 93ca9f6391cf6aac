"""The table that a command learns from or measures on: features, target, weights and prices, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thriftree.cli import larger, screen
from thriftree.cli.errors import InputError, input_errors
from thriftree.messages import did_you_mean, printable
from thriftree.table.files import CsvStyle, read_table
from thriftree.table.files.problems import check_columns, named, quote
from thriftree.temporal.words import kind_words

if TYPE_CHECKING:
    from thriftree.costs import TestCosts
    from thriftree.learning.criteria import TargetKind

MOST_NUMBERED_CLASSES = 20
EXACT = 1 << 53  # whole numbers beyond are not all numbers of a float64
_SHOWN_CLASSES = 4
_TEXTS = ("string", "large_string", "string_view", "bool")


@dataclass(frozen=True)
class Dataset:
    """Rows with a target."""

    place: str
    X: Any  # a pyarrow.Table
    y: NDArray[Any]
    weight: NDArray[np.float64] | None
    target: str
    kind: TargetKind
    reason: str  # why the target is taken for classes or for a number
    weight_name: str | None = None
    numbers: NDArray[np.intp] | None = None  # of the rows in the table as it is; None: all of them are here

    def summary(self) -> str:
        """The rows, the columns and the target in one line."""
        rows = f"{len(self.y):,} row{'' if len(self.y) == 1 else 's'}"
        columns = f"{self.X.num_columns} column{'' if self.X.num_columns == 1 else 's'}"
        return (
            f"{Path(self.place).name}: {rows}, {columns}; {printable(self.target)} is {self._target_words()}"
        )

    def labels_by_text(self) -> dict[str, Any]:
        """The classes by what is written of them: JSON and options name a class by its text, it may be a
        number.
        """
        return {str(label): label for label in np.unique(self.y).tolist()}

    def _target_words(self) -> str:
        if self.kind == "numbers":
            return f"a number, {np.min(self.y):.6g} to {np.max(self.y):.6g} ({self.reason})"
        classes, counts = np.unique(self.y, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        shown = [
            f"{printable(str(classes[i]))} ({counts[i] / len(self.y):.0%})" for i in order[:_SHOWN_CLASSES]
        ]
        more = len(classes) - len(shown)
        return " or ".join(shown) + (f" or one of {more} more" if more else "")


def read_dataset(
    path: str,
    target: str,
    *,
    weight: str | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    as_text: Sequence[str] = (),
    task: str | None = None,
    style: CsvStyle | None = None,
    to_learn: bool = False,
) -> Dataset:
    """Reads and checks; rows without a target are left out with a warning.

    Columns that are `categorical`, or among `as_text`, stay as they are written in CSV. If the rows are
    `to_learn` from, every column must be one that a tree can use.
    """
    with input_errors():
        table = (
            larger.read_whole(path)
            if larger.is_several(path)
            else read_table(path, style=style, as_text=[*categorical, *as_text])
        )
        names = table.column_names
        check_columns(categorical, names, path, "--categorical names")
        check_columns([target], names, path, "--target names")
        check_columns([] if weight is None else [weight], names, path, "--weight names")
        check_columns(drop, names, path, "--drop names")
    place = "standard input" if path == "-" else path
    for option, name in (("--weight", weight), ("--drop", target if target in drop else None)):
        if name == target:
            raise InputError(f"{option} names the target {quote(target)}: name another column")
    not_learnt_from = {target, weight, *drop}
    left_out = [name for name in names if name in not_learnt_from]
    X = table.drop_columns(left_out)
    if not X.num_columns:
        raise InputError(f"{place}: no column is left to learn from: it has {named(names)}")
    if to_learn:
        _check_features(X, categorical, place)
    y, known = target_values(table, target, place)
    if not known.any():
        raise InputError(f"{place}: the target {quote(target)} is empty in every row: name another column")
    weights = None if weight is None else _weights(table, weight, place)
    numbers = None
    if not known.all():
        lost = int((~known).sum())
        rows = "1 row has" if lost == 1 else f"{lost:,} rows have"
        screen.warning(f"{place}: {rows} no {quote(target)}: left out")
        X, y, numbers = X.filter(known), y[known], np.flatnonzero(known)
        weights = None if weights is None else weights[known]
    kind, reason = kind_of(y, task)
    y = _as_kind(y, kind, target, place)
    if to_learn and kind == "classes" and len(np.unique(y)) < 2:
        raise InputError(
            f"{place}: the target {quote(target)} is {quote(str(y[0]))} in every row: nothing to learn; "
            "name another column"
        )
    return Dataset(place, X, y, weights, target, kind, reason, weight, numbers)


def read_priced_dataset(
    path: str,
    target: str,
    costs: str | None,
    *,
    weight: str | None,
    drop: Sequence[str],
    categorical: Sequence[str],
    task: str | None,
    style: CsvStyle,
) -> tuple[Dataset, TestCosts | None]:
    """The rows and the prices of their columns, found to fit each other."""
    rows = read_dataset(
        path,
        target,
        weight=weight,
        drop=drop,
        categorical=categorical,
        task=task,
        style=style,
        to_learn=True,
    )
    prices = read_costs(costs, drop)
    _check_costs(prices, rows, costs)
    return rows, prices


def _check_features(X: Any, categorical: Sequence[str], place: str) -> None:
    """Refuses types that no tree can use, and numbers that no cut can divide, by the row's number in the
    file.
    """
    from thriftree.table.frame import Numbers
    from thriftree.table.frames import read_frame

    names, types = X.column_names, X.schema.types
    numeric = [number for number, kind in enumerate(types) if str(kind) not in _TEXTS]
    if not numeric:
        return
    try:  # all at once: to select a column takes time that grows with their number
        with input_errors(place):
            frame = read_frame(X.select(numeric))
    except InputError as error:
        unusable = _first_unusable(X, numeric)
        raise InputError(f"{error}; {_leaving_out(unusable)}" if unusable else str(error)) from None
    named_categories = frozenset(categorical)
    for place_in_frame, number in enumerate(numeric):
        name, cells = names[number], frame.column(place_in_frame)
        if not isinstance(cells, Numbers):
            continue
        whole = cells.values.dtype.kind in "iu" and name not in named_categories
        bad = np.abs(cells.values) > EXACT if whole else np.isinf(cells.values)
        if bad.any():
            row = int(np.argmax(bad))
            remedy = (
                "--categorical takes it for names" if whole else "leave the cell empty if it is not known"
            )
            raise InputError(
                f"{place}: row {row} (from 0) of the column {quote(name)} is {cells.values[row]}, which no "
                f"cut can tell from its neighbours: {remedy}; {_leaving_out(name)}"
            )


def _first_unusable(X: Any, numbers: Sequence[int]) -> str | None:
    """The first of these columns whose type no tree can use."""
    from thriftree.table.frames import read_frame

    for number in numbers:
        column = X.select([number])
        try:
            read_frame(column)
        except TypeError:
            return str(column.column_names[0])
        except ValueError:  # a value, which the message names
            return None
    return None


def _leaving_out(name: str) -> str:
    return f"--drop {quote(name)} leaves the column out"


def target_values(table: Any, name: str, place: str) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The values, and which are known."""
    from thriftree.table.frame import Numbers
    from thriftree.table.frames import read_frame

    with input_errors(place):
        cells = read_frame(table.select([name])).column(0)
    if isinstance(cells, Numbers):
        if cells.temporal is not None:
            raise InputError(
                f"{place}: the target {quote(name)} holds {kind_words(cells.temporal)}, which a tree cannot "
                "answer: make it a number, such as days since a date, or name another column"
            )
        return cells.values, ~np.isnan(cells.values)
    known = cells.codes >= 0
    levels = np.array(cells.levels if cells.levels else [""])
    return levels[np.where(known, cells.codes, 0)], known


def _weights(table: Any, name: str, place: str) -> NDArray[np.float64]:
    from thriftree.table.frame import Numbers
    from thriftree.table.frames import read_frame

    with input_errors(place):
        cells = read_frame(table.select([name])).column(0)
    if not isinstance(cells, Numbers) or cells.temporal is not None:
        raise InputError(f"{place}: the weights {quote(name)} are not numbers: correct the column")
    weights = cells.values.astype(np.float64)
    bad = ~(weights >= 0) | np.isinf(weights)
    if bad.any():
        row = int(np.argmax(bad))
        raise InputError(
            f"{place}: the weight {quote(name)} of row {row} (from 0) is {weights[row]:g}: write a number "
            "that is not below 0"
        )
    if not weights.any():
        raise InputError(f"{place}: the weight {quote(name)} is 0 in every row: no row would count")
    return weights


def kind_of(y: NDArray[Any], task: str | None) -> tuple[TargetKind, str]:
    """What a target is taken for, and why."""
    if task not in (None, "classes", "number"):
        raise InputError(f"--task is {task!r}: write classes or number")
    if task is not None:
        return ("classes" if task == "classes" else "numbers"), f"--task {task}"
    if y.dtype.kind not in "iuf":
        return "classes", "not numbers"
    distinct = len(np.unique(y))
    if y.dtype.kind == "f" and bool((y != np.floor(y)).any()):
        return "numbers", "it has fractions; --task classes takes its values for classes"
    if distinct > MOST_NUMBERED_CLASSES:
        return "numbers", f"{distinct:,} values; --task classes takes them for classes"
    return "classes", f"{distinct} whole numbers; --task number takes it for a number"


def _as_kind(y: NDArray[Any], kind: TargetKind, target: str, place: str) -> NDArray[Any]:
    if kind == "numbers":
        if y.dtype.kind not in "iufb":
            raise InputError(f"{place}: the target {quote(target)} holds {quote(str(y[0]))}, not numbers")
        if not np.isfinite(y.astype(np.float64)).all():
            raise InputError(f"{place}: the target {quote(target)} is infinite in some row: correct it")
        return y.astype(np.float64)
    if y.dtype.kind == "f" and bool((y == np.floor(y)).all()):
        return y.astype(np.int64)  # whole numbers beside missing ones
    return y


def read_costs(path: str | None, dropped: Sequence[str] = ()) -> TestCosts | None:
    """The prices in a file, without those of columns that were dropped."""
    if path is None:
        return None
    from thriftree.costs import TestCosts

    readers = {".toml": TestCosts.from_toml, ".csv": TestCosts.from_csv, ".json": _from_json}
    ending = Path(path).suffix.lower()
    if ending not in readers:
        raise InputError(f"{path}: prices are in a .toml, .csv or .json file: rename it")
    if not Path(path).is_file():
        raise InputError(f"{path}: there is no such file: check the name and the folder")
    with input_errors(path):
        costs: TestCosts = readers[ending](path)
        return _without(costs, frozenset(dropped))


def _from_json(path: str) -> TestCosts:
    import json

    from thriftree.costs import TestCosts

    description = json.loads(Path(path).read_text(encoding="utf-8-sig"))
    if not isinstance(description, dict):
        raise InputError(f"{path}: not prices: write what TestCosts.to_dict gives, or a .toml or .csv file")
    return TestCosts.from_dict(description)


def _without(costs: TestCosts, dropped: frozenset[str]) -> TestCosts:
    if dropped.isdisjoint(costs.prices):
        return costs
    groups = {
        name: replace(group, members=tuple(m for m in group.members if m not in dropped))
        for name, group in costs.groups.items()
    }
    return replace(
        costs,
        prices={name: price for name, price in costs.prices.items() if name not in dropped},
        groups={name: group for name, group in groups.items() if group.members},
        known=tuple(name for name in costs.known if name not in dropped),
        delayed=tuple(name for name in costs.delayed if name not in dropped),
    )


def _check_costs(costs: TestCosts | None, data: Dataset, path: str | None) -> None:
    """Refuses prices that do not fit the table's columns, before anything is learnt."""
    if costs is None:
        return
    names = data.X.column_names
    there, free_of_charge = frozenset(names), frozenset(costs.known)
    for feature in (*costs.prices, *costs.known):
        if isinstance(feature, str) and feature not in there:
            hint = did_you_mean(feature, names)
            raise InputError(
                f"{path}: prices name {quote(feature)}, which is no column of {data.place}{hint}; "
                "correct or remove it"
            )
    free = [name for name in names if name not in costs.prices and name not in free_of_charge]
    if free and not any(isinstance(feature, int) for feature in costs.prices):
        raise InputError(
            f"{path}: no price for the column {named(free)}: give one, list it under known if it is free, or "
            "--drop it"
        )
