"""Prices as their owner writes them: `TestCosts`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from thriftree.costs.checks import (
    Feature,
    Scalar,
    check_no_other_keys,
    checked_choice,
    checked_features,
    checked_number,
    checked_price,
    checked_switch,
    checked_switch_or_auto,
)
from thriftree.costs.frozen_map import FrozenMap
from thriftree.messages import did_you_mean

if TYPE_CHECKING:
    from thriftree.costs.bound import BoundCosts, ColumnLike

Pay: TypeAlias = Literal["once", "each"]
DelayedScope: TypeAlias = Literal["delayed", "all"]
Read: TypeAlias = bool | Literal["auto"]


@dataclass(frozen=True)
class Group:
    """Tests that share a set-up price, such as one blood draw: the first on a path pays it."""

    setup: float
    members: tuple[Feature, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "setup", checked_price(self.setup, "setup"))
        object.__setattr__(self, "members", checked_features(self.members, "members"))
        if not self.members:
            raise ValueError("members is empty: name the group's features, or remove the group")


@dataclass(frozen=True)
class Steps:
    """A price that depends on the number measured: `prices[i]` up to and including `up_to[i]`, the last price
    above all.

    `Steps(up_to=(10, 20), prices=(5, 9, 15))` costs 5 for x <= 10, 9 for 10 < x <= 20 and 15 above 20.
    """

    up_to: tuple[float, ...]
    prices: tuple[float, ...]

    def __post_init__(self) -> None:
        edges = tuple(checked_number(edge, f"up_to[{i}]") for i, edge in enumerate(self.up_to))
        prices = tuple(checked_price(p, f"prices[{i}]") for i, p in enumerate(self.prices))
        if not np.isfinite(edges).all() or any(a >= b for a, b in pairwise(edges)):
            raise ValueError(f"up_to is {list(edges)}: write finite numbers in rising order")
        if len(prices) != len(edges) + 1:
            raise ValueError(
                f"{len(edges)} limits in up_to need {len(edges) + 1} prices (the last is for all above), "
                f"not {len(prices)}"
            )
        object.__setattr__(self, "up_to", edges)
        object.__setattr__(self, "prices", prices)


Price: TypeAlias = float | FrozenMap[Scalar, float] | Steps


@dataclass(frozen=True, init=False)
class TestCosts:
    """The price of every test, and the rules by which a path through a tree pays.

    A feature is named by its column name, or by its position (from 0) where columns have no names; one object
    uses one of the two throughout.

    Parameters
    ----------
    prices
        For each feature its own price: a number; or a price per category, `{"benign": 120, "malignant":
        300}`; or `Steps` for a number whose value decides the price. An outcome that has no price costs as
        much as the most expensive. A pandas Series goes by its index; an array prices the columns by
        position. For a member of a group this is what it costs once the group is set up.
    groups
        Name to `Group(setup, members)` (or a dict with these two entries). A feature is in at most one group.
    pay
        "once": a feature already measured on the path is free. "each": every test on the path is paid.
    known
        Features known from the start: free, never ordered, and they do not set up their group. They need no
        price.
    delayed
        Features whose result arrives later. At the first of them on a path, all delayed features that the
        tree may still ask for below are ordered, and paid.
    delayed_scope
        "all" orders every feature below the first delayed test, not only the delayed ones.
    asking
        The price of asking a question, added to a test's price when scores weigh it (never to reported
        costs). None: a hundredth of the smallest positive price (1 if there is none); 0 where no test is ever
        free, that is with `pay="each"`, no price of 0 and no known feature.
    free_first
        Learners take any useful split that is free on the path before a paid one.
    read
        With `pay="once"`, learners also weigh buying a feature, or a whole group, for all that its
        values can tell, since asking about it again is free. A feature that wins so is asked about by its
        best single test. "auto": where these are at most 8 at the node (of a group, combinations of values);
        True: always; False: never.

    Examples
    --------
    >>> costs = TestCosts({"age": 1, "scan": 100}, delayed=["scan"])
    >>> costs.prices["scan"]
    100.0
    """

    __test__: ClassVar[bool] = False  # so that pytest does not collect it

    prices: Mapping[Feature, Price]
    groups: Mapping[str, Group]
    pay: Pay
    known: tuple[Feature, ...]
    delayed: tuple[Feature, ...]
    delayed_scope: DelayedScope
    asking: float | None
    free_first: bool
    read: Read

    def __init__(
        self,
        prices: Mapping[Any, Any] | Sequence[float] | NDArray[Any],
        groups: Mapping[str, Group | Mapping[str, Any]] | None = None,
        pay: str = "once",
        known: Iterable[Feature] = (),
        delayed: Iterable[Feature] = (),
        delayed_scope: str = "delayed",
        asking: float | None = None,
        free_first: bool = False,
        read: bool | str = "auto",
    ) -> None:
        values: dict[str, Any] = {
            "prices": _checked_prices(prices),
            "groups": _checked_groups({} if groups is None else groups),
            "pay": checked_choice(pay, ("once", "each"), "pay"),
            "known": _in_order(checked_features(known, "known")),
            "delayed": _in_order(checked_features(delayed, "delayed")),
            "delayed_scope": checked_choice(delayed_scope, ("delayed", "all"), "delayed_scope"),
            "asking": None if asking is None else checked_price(asking, "asking"),
            "free_first": checked_switch(free_first, "free_first"),
            "read": checked_switch_or_auto(read, "read"),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        _check_features_agree(self)

    def bind(self, columns: Sequence[str | ColumnLike]) -> BoundCosts:
        """These prices for the columns of one table, as arrays by column.

        `columns` are names, or column schemas (`name`, `kind`, `categories`), which prices per category need.
        Every column must have a price or be `known`, and every feature named here must be a column.
        """
        from thriftree.costs.bound import bind

        return bind(self, columns)

    @classmethod
    def from_array(
        cls,
        prices: Sequence[float] | NDArray[Any],
        feature_names: Sequence[str] | None = None,
        **rules: Any,
    ) -> Self:
        """One price a column, in column order; with `feature_names` the rules can name columns."""
        if feature_names is None:
            return cls(prices, **rules)
        if len(feature_names) != len(prices):
            raise ValueError(
                f"{len(prices)} prices for {len(feature_names)} feature names: give one price a feature"
            )
        checked_features(feature_names, "feature_names")
        return cls(dict(zip(feature_names, prices, strict=True)), **rules)

    @classmethod
    def from_full_and_discount(
        cls,
        full: Mapping[Feature, float],
        discount: Mapping[Feature, float],
        groups: Mapping[str, Iterable[Feature]],
        **rules: Any,
    ) -> Self:
        """From the full price of each feature and its price once another of its group was paid for.

        `groups` names each group's members. Full minus discount is the group's set-up price and must be the
        same for all its members; otherwise a path's price would depend on the order of its tests.
        """
        from thriftree.costs.discount import own_prices_and_groups

        prices, set_ups = own_prices_and_groups(full, discount, groups)
        return cls(prices, groups=set_ups, **rules)

    @classmethod
    def from_toml(cls, path: str | PathLike[str]) -> Self:
        """From a TOML file (docs/guide/prices.md has the format)."""
        from thriftree.costs.files import read_toml

        return read_toml(cls, path)

    @classmethod
    def from_csv(
        cls,
        path: str | PathLike[str],
        *,
        where: Mapping[str, str] | None = None,
        ignore: Iterable[str] = (),
        **rules: Any,
    ) -> Self:
        """From a CSV file with a line for each test (docs/guide/prices.md has the columns).

        `where` keeps the lines with these values (`{"dataset": "pima"}`); `ignore` names further columns to
        pass over.
        """
        from thriftree.costs.files import read_csv

        return read_csv(cls, path, where or {}, tuple(ignore), rules)

    @classmethod
    def from_uci(
        cls,
        prefix: str | PathLike[str] | None = None,
        *,
        cost: str | PathLike[str] | None = None,
        delay: str | PathLike[str] | None = None,
        expense: str | PathLike[str] | None = None,
        group: str | PathLike[str] | None = None,
        **rules: Any,
    ) -> Self:
        """From UCI cost files: `prefix` + .cost, .delay, .expense, .group, or each by name."""
        from thriftree.costs.uci import read_uci

        return read_uci(
            cls, prefix, {"cost": cost, "delay": delay, "expense": expense, "group": group}, rules
        )

    def __getstate__(self) -> dict[str, Any]:
        return self.to_dict()

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(vars(TestCosts.from_dict(state)))

    def to_dict(self) -> dict[str, Any]:
        """A description that JSON can hold; `from_dict` reads it back."""
        from thriftree.costs.description import describe

        return describe(self)

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`; entries left out take their defaults."""
        from thriftree.costs.description import constructor_arguments

        return cls(**constructor_arguments(description))


def _checked_prices(prices: Mapping[Any, Any] | Sequence[float] | NDArray[Any]) -> FrozenMap[Feature, Price]:
    if hasattr(prices, "items"):  # a mapping, or a pandas Series, which names the features in its index
        pairs = list(prices.items())
        features = checked_features([feature for feature, _ in pairs], "prices")
        return FrozenMap(
            {
                feature: _checked_price(price, f"the price of {feature!r}")
                for feature, (_, price) in zip(features, pairs, strict=True)
            }
        )
    if isinstance(prices, str) or np.ndim(cast("Any", prices)) != 1:
        raise TypeError(f"prices is {prices!r}: write a dict of features, or one number a column")
    return FrozenMap({i: checked_price(p, f"the price at position {i}") for i, p in enumerate(prices)})


def _checked_price(price: object, place: str) -> Price:
    if isinstance(price, Steps):
        return price
    if not isinstance(price, Mapping):
        return checked_price(price, place)
    if not price:
        raise ValueError(f"{place} has no outcome: write a number, or a price for each category")
    for outcome in price:
        if not isinstance(outcome, (str, int, float, np.generic)):
            raise TypeError(f"{place} has the outcome {outcome!r}: write a category's value")
    plain = {o.item() if isinstance(o, np.generic) else o: p for o, p in price.items()}
    return FrozenMap({outcome: checked_price(p, f"{place} at {outcome!r}") for outcome, p in plain.items()})


def _checked_groups(groups: Mapping[str, Group | Mapping[str, Any]]) -> FrozenMap[str, Group]:
    if not isinstance(groups, Mapping):
        raise TypeError(f"groups is {groups!r}: write a dict, {{'blood': Group(setup=..., members=[...])}}")
    checked = {}
    for name, group in groups.items():
        place = f"group {name!r}"
        if not isinstance(name, str):
            raise TypeError(f"{place}: a group's name is a text")
        if isinstance(group, Mapping):
            check_no_other_keys(group, [field.name for field in fields(Group)], place)
            if len(group) < 2:
                raise ValueError(f"{place} needs both a setup price and members")
            try:
                group = Group(**group)
            except (TypeError, ValueError) as error:
                raise type(error)(f"{place}: {error}") from None
        elif not isinstance(group, Group):
            raise TypeError(f"{place} is {group!r}: write Group(setup=..., members=...)")
        checked[name] = group
    return FrozenMap(checked)


def _check_features_agree(costs: TestCosts) -> None:
    """Features are named in one way; each has a price if a rule names it, and one group at most."""
    group_of: dict[Feature, str] = {}
    mentions: list[tuple[str, tuple[Feature, ...]]] = [("prices", tuple(costs.prices))]
    mentions += [(f"group {name!r}", group.members) for name, group in costs.groups.items()]
    mentions += [("delayed", costs.delayed), ("known", costs.known)]
    kinds = {type(feature) for _, features in mentions for feature in features}
    if len(kinds) > 1:
        raise ValueError(
            "some features are given by name and others by position: use one of them throughout "
            "(TestCosts.from_array takes feature_names)"
        )
    known = set(costs.known)
    for place, features in mentions[:-1]:
        for feature in features:
            if feature not in costs.prices and feature not in known:
                hint = did_you_mean(feature, costs.prices)
                raise ValueError(
                    f"{place} names {feature!r}, which has no price{hint}; give it one or correct the name"
                )
    for name, group in costs.groups.items():
        for feature in group.members:
            if feature in group_of:
                raise ValueError(
                    f"{feature!r} is in two groups, {group_of[feature]!r} and {name!r}: "
                    "a feature has at most one set-up"
                )
            group_of[feature] = name


def _in_order(features: tuple[Feature, ...]) -> tuple[Feature, ...]:
    """Sorted, so that equal sets make equal (and equally hashed) objects."""
    return tuple(sorted(features, key=lambda feature: (isinstance(feature, str), feature)))


def as_costs(costs: Any) -> TestCosts:
    """What `costs` may be, as one type: prices by name or by position are `TestCosts` too."""
    return costs if isinstance(costs, TestCosts) else TestCosts(costs)
