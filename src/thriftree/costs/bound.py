"""Prices fitted to the columns of one table: arrays by column, and what a score sees of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from thriftree.costs.checks import Feature, Scalar
from thriftree.costs.frozen_map import FrozenMap
from thriftree.costs.model import DelayedScope, Pay, Price, Steps, TestCosts
from thriftree.costs.outcomes import CodePrices, OutcomePrices, StepPrices
from thriftree.messages import did_you_mean

NO_GROUP = -1


class ColumnLike(Protocol):
    """What binding reads of a column's schema. The kind is "number", "ordered" or "category"."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def categories(self) -> Sequence[Scalar]: ...


class PathState(NamedTuple):
    """What a path has paid for, as bit sets: bit f of `bought` is column f, bit g of `opened` is group g."""

    bought: int = 0
    opened: int = 0


class CostArrays(NamedTuple):
    """The prices as the native grower takes them.

    Testing column f on a path costs nothing if f is known, or bought under `pay_once`; else own[f], plus
    setup[group[f]] if f has a group that no column bought on the path has opened. Scores add `asking`.
    """

    own: NDArray[np.float64]  # per column; the dearest outcome's price where outcomes differ
    least: NDArray[np.float64]  # per column; the cheapest outcome's price
    group: NDArray[np.int32]  # per column; -1: in no group
    setup: NDArray[np.float64]  # per group
    known: NDArray[np.bool_]  # per column
    delayed: NDArray[np.bool_]  # per column
    pay_once: bool
    asking: float
    free_first: bool
    read: bool  # whether buying a feature or a group for all its values competes


@dataclass(frozen=True, eq=False)
class BoundCosts:
    """`TestCosts` for the columns of one table; made by `TestCosts.bind` or `BoundCosts.without_prices`."""

    names: tuple[str, ...]
    own: NDArray[np.float64]  # per column; the dearest outcome's price for the columns in `outcomes`
    outcomes: Mapping[int, OutcomePrices]  # the columns whose price depends on the outcome
    group: NDArray[np.int32]  # per column; -1: in no group
    setup: NDArray[np.float64]  # per group
    group_names: tuple[str, ...]
    known: NDArray[np.bool_]
    delayed: NDArray[np.bool_]
    pay: Pay
    delayed_scope: DelayedScope
    asking: float  # a of the scores' denominator
    free_first: bool
    read: bool  # only ever true where a feature is paid once

    def __post_init__(self) -> None:
        for array in (self.own, self.group, self.setup, self.known, self.delayed):
            array.flags.writeable = False

    @classmethod
    def without_prices(cls, names: Sequence[str]) -> BoundCosts:
        """Every node visited costs 1."""
        n = len(names)
        return cls(
            names=tuple(names),
            own=np.ones(n),
            outcomes={},
            group=np.full(n, NO_GROUP, dtype=np.int32),
            setup=np.zeros(0),
            group_names=(),
            known=np.zeros(n, dtype=np.bool_),
            delayed=np.zeros(n, dtype=np.bool_),
            pay="each",
            delayed_scope="delayed",
            asking=0.0,
            free_first=False,
            read=False,
        )

    def marginal(self, path: PathState, column: int, outcome: float | None = None) -> float:
        """What a score divides by: the price of asking, plus what testing `column` adds to the price of
        `path`.

        Where the price depends on the outcome it is the dearest, or that of `outcome` (a number or a code).
        The delay of a test does not matter here: it is a matter of the finished tree.
        """
        if self.known[column] or (self.pay == "once" and path.bought >> column & 1):
            return self.asking
        own = float(self.own[column])
        if outcome is not None and column in self.outcomes:
            own = float(self.outcomes[column].of(np.array([outcome]))[0])
        group = int(self.group[column])
        if group == NO_GROUP or path.opened >> group & 1:
            return self.asking + own
        return self.asking + own + float(self.setup[group])

    def visit(self, path: PathState, column: int) -> PathState:
        """The path after it has tested `column`."""
        if self.known[column]:
            return path
        group = int(self.group[column])
        opened = path.opened if group == NO_GROUP else path.opened | 1 << group
        return PathState(path.bought | 1 << column, opened)

    def least(self, column: int) -> float:
        """The cheapest outcome's own price: 0 for a known column."""
        if self.known[column]:
            return 0.0
        return self.outcomes[column].least if column in self.outcomes else float(self.own[column])

    def arrays(self) -> CostArrays:
        """The prices as the native grower takes them."""
        return CostArrays(
            own=self.own,
            least=np.array([self.least(column) for column in range(len(self.names))], dtype=np.float64),
            group=self.group,
            setup=self.setup,
            known=self.known,
            delayed=self.delayed,
            pay_once=self.pay == "once",
            asking=self.asking,
            free_first=self.free_first,
            read=self.read,
        )


def bind(costs: TestCosts, columns: Sequence[str | ColumnLike]) -> BoundCosts:
    """See `TestCosts.bind`."""
    names = tuple(column if isinstance(column, str) else column.name for column in columns)
    index = _index_of(costs, names)
    _check_all_priced(costs, index, names)

    n = len(names)
    own = np.zeros(n)
    outcomes: dict[int, OutcomePrices] = {}
    for feature, price in costs.prices.items():
        column = index[feature]
        if isinstance(price, float):
            own[column] = price
        else:
            outcomes[column] = _outcome_prices(price, columns[column])
            own[column] = outcomes[column].dearest
    group = np.full(n, NO_GROUP, dtype=np.int32)
    for g, members in enumerate(costs.groups.values()):
        group[[index[feature] for feature in members.members]] = g
    known = np.zeros(n, dtype=np.bool_)
    known[[index[feature] for feature in costs.known]] = True
    delayed = np.zeros(n, dtype=np.bool_)
    delayed[[index[feature] for feature in costs.delayed]] = True
    setup = np.array([g.setup for g in costs.groups.values()], dtype=np.float64)
    return BoundCosts(
        names=names,
        own=own,
        outcomes=outcomes,
        group=group,
        setup=setup,
        group_names=tuple(costs.groups),
        known=known,
        delayed=delayed,
        pay=costs.pay,
        delayed_scope=costs.delayed_scope,
        asking=_asking_price(costs),
        free_first=costs.free_first,
        read=costs.read and costs.pay == "once",
    )


def _index_of(costs: TestCosts, names: tuple[str, ...]) -> dict[Feature, int]:
    """The column of every feature that `costs` names."""
    by_name = {name: i for i, name in enumerate(names)}
    if len(by_name) < len(names):
        raise ValueError("two columns have the same name, so a price could be either's: rename one")
    index: dict[Feature, int] = {}
    for feature in (*costs.prices, *costs.known):
        column = by_name.get(feature) if isinstance(feature, str) else feature
        if column is None or column >= len(names):
            word = "position" if isinstance(feature, int) else "feature"
            place = "prices" if feature in costs.prices else "known"
            raise ValueError(
                f"{place} has the {word} {feature!r}, but the table's {len(names)} columns do not "
                f"({_shown(names)}){did_you_mean(feature, names)}; correct it or remove it"
            )
        index[feature] = column
    return index


def _check_all_priced(costs: TestCosts, index: Mapping[Feature, int], names: tuple[str, ...]) -> None:
    given = set(index.values())
    lacking = [name for i, name in enumerate(names) if i not in given]
    if lacking:
        raise ValueError(
            f"prices cover {len(names) - len(lacking)} of {len(names)} columns; no price for "
            f"{_shown(lacking)}: give each a price, or list it under known if it is free"
        )


def _shown(names: Sequence[str]) -> str:
    return ", ".join(map(repr, names[:5])) + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def _outcome_prices(price: Price, column: str | ColumnLike) -> OutcomePrices:
    if isinstance(price, Steps):
        if not isinstance(column, str) and column.kind != "number":
            raise ValueError(
                f"the price of {column.name!r} has steps, but its values are categories: price each category"
            )
        return StepPrices(np.array(price.up_to, dtype=np.float64), np.array(price.prices, dtype=np.float64))
    assert isinstance(price, FrozenMap)
    if isinstance(column, str):
        raise ValueError(
            f"the price of {column!r} depends on its category, so bind needs the column's categories: "
            "pass column schemas and not names"
        )
    if column.kind == "number":
        raise ValueError(
            f"the price of {column.name!r} is given per category, but it is a number: "
            "write Steps(up_to, prices), or declare the column categorical"
        )
    dearest, least = max(price.values()), min(price.values())
    codes = {outcome: _code_of(outcome, column) for outcome in price}
    by_code = np.full(len(column.categories), dearest)
    for outcome, code in codes.items():
        if code is not None:
            by_code[code] = price[outcome]
    # A fold or sample may lack a priced category, so that is no error; but one that is only spelt differently
    # is, and so is a list with none of the column's.
    priced = set(codes.values())
    unpriced = {_without_case(c): c for code, c in enumerate(column.categories) if code not in priced}
    for outcome, code in codes.items():
        if code is None and _without_case(outcome) in unpriced:
            raise ValueError(
                f"the price of {column.name!r} names {outcome!r}, but the category is "
                f"{unpriced[_without_case(outcome)]!r}: write it so"
            )
    if column.categories and priced == {None}:
        raise ValueError(
            f"the price of {column.name!r} names {list(price)}, but its categories here are "
            f"{list(column.categories)[:10]}: name these too (in folds a rare category may be absent)"
        )
    return CodePrices(by_code, dearest, least)


def _code_of(outcome: Scalar, column: ColumnLike) -> int | None:
    """The category equal to `outcome`, or spelt like it: files hold every category as text."""
    for code, category in enumerate(column.categories):
        if category == outcome and isinstance(category, bool) == isinstance(outcome, bool):
            return code
    spelt = [str(category) for category in column.categories]
    return spelt.index(outcome) if isinstance(outcome, str) and outcome in spelt else None


def _without_case(value: Scalar) -> str:
    """The same for all spellings that differ in case and spaces only."""
    return "".join(str(value).casefold().split())


def _asking_price(costs: TestCosts) -> float:
    """By default a hundredth of the smallest positive price, so that the currency unit does not matter."""
    if costs.asking is not None:
        return costs.asking
    payable: list[float] = []
    for feature, price in costs.prices.items():
        if feature in costs.known:
            continue
        if isinstance(price, float):
            payable.append(price)
        else:
            payable.extend(price.prices if isinstance(price, Steps) else price.values())
    for group in costs.groups.values():
        if not set(group.members) <= set(costs.known):
            payable.append(group.setup)
    positive = [price for price in payable if price > 0]
    if costs.pay == "each" and len(positive) == len(payable) and not costs.known:
        return 0.0  # nothing is ever free, so the papers' scores hold as they are
    return min(positive) / 100 if positive else 1.0
