"""`TestCosts` as JSON. Lists of records, since JSON keys are texts and features need not be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from thriftree.costs.checks import check_no_other_keys
from thriftree.costs.frozen_map import FrozenMap
from thriftree.costs.model import Group, Price, Steps, TestCosts

FIELDS = tuple(field.name for field in fields(TestCosts))


def describe(costs: TestCosts) -> dict[str, Any]:
    """See `TestCosts.to_dict`."""
    return {
        **_plain(costs),
        "prices": [{"feature": feature, **_describe_price(p)} for feature, p in costs.prices.items()],
        "groups": [{"name": name, **_plain(group)} for name, group in costs.groups.items()],
    }


def constructor_arguments(description: Mapping[str, Any]) -> dict[str, Any]:
    """What `TestCosts` takes to become the prices that `describe` described."""
    check_no_other_keys(description, FIELDS, "the description of prices")
    arguments = dict(description)
    arguments["prices"] = _keyed(description.get("prices"), "feature", "prices", _read_price)
    arguments["groups"] = _keyed(description.get("groups", []), "name", "groups", _read_group)
    for word in ("known", "delayed"):
        _check_list(description.get(word, []), word)
    return arguments


def _plain(record: TestCosts | Group) -> dict[str, Any]:
    """Its fields, lists for tuples."""
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _describe_price(price: Price) -> dict[str, Any]:
    if isinstance(price, Steps):
        return {"up_to": list(price.up_to), "prices": list(price.prices)}
    if isinstance(price, FrozenMap):
        return {"outcomes": [{"value": value, "price": p} for value, p in price.items()]}
    return {"price": price}


def _read_price(entry: dict[str, Any], place: str) -> Any:
    if set(entry) == {"price"}:
        return entry["price"]
    if set(entry) == {"up_to", "prices"}:
        return Steps(tuple(entry["up_to"]), tuple(entry["prices"]))
    if set(entry) == {"outcomes"}:
        return _keyed(entry["outcomes"], "value", place, _read_amount)
    raise ValueError(
        f"{place} has the entries {sorted(entry)}: write price, or outcomes, or up_to and prices"
    )


def _read_group(entry: dict[str, Any], place: str) -> dict[str, Any]:
    _check_list(entry.get("members", []), f"{place}: members")
    return entry


def _check_list(value: object, place: str) -> None:
    """TestCosts takes any iterable; a description has lists."""
    if not isinstance(value, list):
        raise TypeError(f"{place} is {value!r}: write a list of features")


def _read_amount(entry: dict[str, Any], place: str) -> Any:
    if set(entry) != {"price"}:
        raise ValueError(f"{place} has the entries {sorted(entry)}: write price")
    return entry["price"]


def _keyed(
    entries: object, key: str, place: str, read: Callable[[dict[str, Any], str], Any]
) -> dict[Any, Any]:
    """The dict that a list of records describes, `key` naming the record's key."""
    if not isinstance(entries, list):
        raise TypeError(f"{place} is {entries!r}: write a list of records")
    result: dict[Any, Any] = {}
    for entry in entries:
        if not isinstance(entry, Mapping) or key not in entry:
            raise ValueError(f"{place} has {entry!r}: each record needs {key!r}")
        rest = dict(entry)
        name = rest.pop(key)
        if not isinstance(name, str | int | float):
            raise TypeError(f"{place} has {key} {name!r}: write a text or a number")
        if name in result:
            raise ValueError(f"{place} has {name!r} twice: remove one")
        result[name] = read(rest, f"{place}, {name!r}")
    return result
