"""Checks of prices and features. Each error says where the value stood and what to write instead."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from numbers import Integral, Real
from typing import TypeAlias

from thriftree.messages import did_you_mean

Feature: TypeAlias = str | int
Scalar: TypeAlias = str | int | float | bool


def checked_number(value: object, place: str) -> float:
    """`value` as a float, if it is a number."""
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"{place} is {value!r}: write a number")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{place} is an integer that no float can hold: write a smaller number") from None


def checked_price(value: object, place: str) -> float:
    """`value` as a float, if it can be a price."""
    price = checked_number(value, place)
    if not math.isfinite(price) or price < 0:
        raise ValueError(f"{place} is {price}: a price must be finite and not below 0")
    return price


def checked_feature(value: object, place: str) -> Feature:
    """`value` as a column name or a column position."""
    if isinstance(value, str):
        return str(value)  # numpy's strings too, which arrays of names hold
    if isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 0:
        return int(value)
    raise TypeError(f"{place} has {value!r} for a feature: write a column name, or a position counted from 0")


def checked_features(values: object, place: str) -> tuple[Feature, ...]:
    """A list of features, each named once."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"{place} is {values!r}: write a list of features")
    features = tuple(checked_feature(value, place) for value in values)
    seen: set[Feature] = set()
    for feature in features:
        if feature in seen:
            raise ValueError(f"{place} names {feature!r} twice: remove one")
        seen.add(feature)
    return features


def checked_choice(value: object, choices: tuple[str, ...], place: str) -> str:
    """`value`, if it is one of the words in `choices`."""
    if isinstance(value, str) and value in choices:
        return value
    words = " or ".join(repr(choice) for choice in choices)
    raise ValueError(f"{place} is {value!r}: write {words}")


def checked_switch(value: object, place: str) -> bool:
    """`value`, if it is True or False."""
    if isinstance(value, bool):
        return value
    raise TypeError(f"{place} is {value!r}: write True or False")


def checked_switch_or_auto(value: object, place: str) -> bool | str:
    """`value`, if it is True, False or "auto"."""
    if isinstance(value, bool) or (isinstance(value, str) and value == "auto"):
        return value
    raise TypeError(f"{place} is {value!r}: write 'auto', True or False")


def check_no_other_keys(keys: Iterable[object], allowed: Collection[str], place: str) -> None:
    """Raise at the first key that is not in `allowed`."""
    for key in keys:
        if key not in allowed:
            raise ValueError(
                f"{place} has the unknown entry {key!r}{did_you_mean(key, allowed)} "
                f"(known: {', '.join(sorted(allowed))})"
            )
