"""Prices fitted to the columns of one table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from thriftree.costs.checks import Feature, Scalar
from thriftree.costs.frozen_map import FrozenMap
from thriftree.costs.model import Price, Steps, TestCosts
from thriftree.costs.pricing import OutcomePrices, PathState, PriceRules, Prices
from thriftree.messages import did_you_mean

NO_GROUP = -1
# Codes at a node up to which read="auto" reads. As with the subsets of a category, of more the best division
# is the rows' own.
READ_AT_MOST: Final = 8
_ANY_NUMBER: Final = 2**32 - 1


class ColumnLike(Protocol):
    """What binding reads of a column's schema. The kind is "number", "ordered" or "category"."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def categories(self) -> Sequence[Scalar]: ...


@dataclass(frozen=True, eq=False)
class BoundCosts:
    """`TestCosts` for the columns of one table; made by `TestCosts.bind` or `BoundCosts.without_prices`."""

    names: tuple[str, ...]
    rules: PriceRules

    @classmethod
    def without_prices(cls, names: Sequence[str]) -> BoundCosts:
        """Every node visited costs 1."""
        n = len(names)
        rules = PriceRules(own=[1.0] * n, group=[NO_GROUP] * n, setup=[], known=[False] * n, pay_once=False)
        return cls(tuple(names), rules)

    @cached_property
    def prices(self) -> Prices:
        """What paths and trees pay."""
        return Prices(self.rules)

    @cached_property
    def own(self) -> NDArray[np.float64]:
        """By column; the most expensive outcome's price where outcomes differ."""
        return self.rules.own

    @cached_property
    def group(self) -> NDArray[np.int32]:
        """By column; -1: in no group."""
        return self.rules.group

    @cached_property
    def setup(self) -> NDArray[np.float64]:
        """By group."""
        return self.rules.setup

    @cached_property
    def known(self) -> NDArray[np.bool_]:
        """By column."""
        return self.rules.known

    @cached_property
    def delayed(self) -> NDArray[np.bool_]:
        """By column."""
        return self.rules.delayed

    @cached_property
    def outcomes(self) -> Mapping[int, OutcomePrices]:
        """The columns whose price depends on the outcome."""
        return dict(self.rules.outcomes)

    @property
    def asking(self) -> float:
        """a of the scores' denominator."""
        return self.rules.asking

    def marginal(self, path: PathState, column: int, outcome: float | None = None) -> float:
        """What a score divides by: the price of asking, plus what testing `column` adds to the price of
        `path`.

        Where the price depends on the outcome it is the highest, or that of `outcome` (a number or a code).
        The delay of a test does not matter here: it is a matter of the finished tree.
        """
        return self.asking + self.prices.marginal(path, column, outcome)

    def visit(self, path: PathState, column: int) -> PathState:
        """The path after it has tested `column`."""
        return self.prices.visit(path, column)

    def least(self, column: int) -> float:
        """The cheapest outcome's own price: 0 for a known column."""
        return self.prices.least(column)

    def together(self, columns: Iterable[int]) -> float:
        """What a path of tests of these columns pays, each once."""
        path = PathState()
        for column in columns:
            path = self.prices.visit(path, column)
        return self.prices.between(PathState(), path)

    def below(self, path: PathState) -> BoundCosts:
        """The prices of a tree below a path: what was bought there is known, groups that were opened have no
        set-up price.
        """
        return BoundCosts(self.names, self.prices.below(path))

    def without_delay(self) -> BoundCosts:
        """The same prices where every result is there at once."""
        return BoundCosts(self.names, self.rules.without_delay())


def bind(costs: TestCosts, columns: Sequence[str | ColumnLike]) -> BoundCosts:
    """See `TestCosts.bind`."""
    names = tuple(column if isinstance(column, str) else column.name for column in columns)
    index = _index_of(costs, names)
    _check_all_priced(costs, index, names)

    n = len(names)
    own, group = [0.0] * n, [NO_GROUP] * n
    outcomes: list[tuple[int, OutcomePrices]] = []
    for feature, price in costs.prices.items():
        column = index[feature]
        if isinstance(price, float):
            own[column] = price
        else:
            outcomes.append((column, _outcome_prices(price, columns[column])))
            own[column] = outcomes[-1][1].highest
    for g, members in enumerate(costs.groups.values()):
        for feature in members.members:
            group[index[feature]] = g
    known = {index[feature] for feature in costs.known}
    delayed = {index[feature] for feature in costs.delayed}
    rules = PriceRules(
        own=own,
        group=group,
        setup=[g.setup for g in costs.groups.values()],
        known=[column in known for column in range(n)],
        delayed=[column in delayed for column in range(n)],
        outcomes=outcomes,
        pay_once=costs.pay == "once",
        order_all=costs.delayed_scope == "all",
        asking=_asking_price(costs),
        free_first=costs.free_first,
        read=bool(costs.read) and costs.pay == "once",
        read_at_most=READ_AT_MOST if costs.read == "auto" else _ANY_NUMBER,
    )
    return BoundCosts(names, rules)


def prices_alone(costs: TestCosts) -> NDArray[np.float64]:
    """What each feature of `costs.prices` costs as the only test on a path, at its most expensive outcome."""
    features = list(costs.prices)
    group_of = {f: g for g, group in enumerate(costs.groups.values()) for f in group.members}
    rules = PriceRules(
        own=[max(_amounts(price)) for price in costs.prices.values()],
        group=[group_of.get(feature, NO_GROUP) for feature in features],
        setup=[group.setup for group in costs.groups.values()],
        known=[feature in costs.known for feature in features],
    )
    return Prices(rules).marginals(PathState())


def _amounts(price: Price) -> list[float]:
    """The prices of all outcomes."""
    if isinstance(price, float):
        return [price]
    return list(price.prices if isinstance(price, Steps) else price.values())


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
        return OutcomePrices.of_steps(price.up_to, price.prices)
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
    highest, least = max(price.values()), min(price.values())
    codes = {outcome: _code_of(outcome, column) for outcome in price}
    by_code = [highest] * len(column.categories)
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
    return OutcomePrices.of_codes(by_code, highest, least)


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
        payable.extend(_amounts(price))
    for group in costs.groups.values():
        if not set(group.members) <= set(costs.known):
            payable.append(group.setup)
    positive = [price for price in payable if price > 0]
    if costs.pay == "each" and len(positive) == len(payable) and not costs.known:
        return 0.0  # nothing is ever free, so the papers' scores hold as they are
    return min(positive) / 100 if positive else 1.0
