"""The UCI cost files (Turney 1995), .cost .delay .expense .group: one line "name: value" a test."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike, fspath
from typing import Any, TypeVar

from thriftree.costs.checks import Feature
from thriftree.costs.files import errors_in, number, read_text
from thriftree.costs.model import TestCosts
from thriftree.messages import did_you_mean

Costs = TypeVar("Costs", bound=TestCosts)
Entries = dict[str, tuple[str, str]]  # test -> place in the file, value


def read_uci(
    cls: type[Costs],
    prefix: str | PathLike[str] | None,
    named: Mapping[str, str | PathLike[str] | None],
    rules: Mapping[str, Any],
) -> Costs:
    """See `TestCosts.from_uci`."""
    for rule in ("groups", "delayed"):
        if rule in rules:
            raise TypeError(
                f"{rule} comes from the UCI files: use dataclasses.replace on the result to change it"
            )
    paths = {kind: _path_of(kind, path, prefix) for kind, path in named.items()}
    with errors_in(paths["expense"]):
        full, reduced = _full_and_discount(_entries(read_text(paths["expense"]))[1])
    with errors_in(paths["cost"]):
        _check_same_prices(_entries(read_text(paths["cost"]))[1], full)
    with errors_in(paths["delay"]):
        delayed = _delayed(_entries(read_text(paths["delay"]))[1], full)
    with errors_in(paths["group"]):
        members = _members(*_entries(read_text(paths["group"])), full)
        return cls.from_full_and_discount(full, reduced, members, delayed=delayed, **rules)


def _path_of(kind: str, path: str | PathLike[str] | None, prefix: str | PathLike[str] | None) -> str:
    if path is not None:
        return fspath(path)
    if prefix is None:
        raise TypeError(
            f"the .{kind} file is not given: pass {kind}=..., or a prefix shared by the four files"
        )
    return f"{fspath(prefix)}.{kind}"


def _entries(text: str) -> tuple[list[str], Entries]:
    """The heading lines (those without a colon) and the lines "name: value"."""
    headings: list[str] = []
    entries: Entries = {}
    for i, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line:
            continue
        name, colon, value = (part.strip() for part in line.partition(":"))
        if not colon:
            headings.append(line)
        elif not name or not value:
            raise ValueError(f"line {i}: {line!r} should be a test's name, a colon and its value")
        elif name in entries:
            raise ValueError(f"line {i}: {name!r} stands in the file twice: remove one line")
        else:
            entries[name] = (f"line {i}, {name!r}", value)
    return headings, entries


def _full_and_discount(entries: Entries) -> tuple[dict[Feature, float], dict[Feature, float]]:
    full: dict[Feature, float] = {}
    reduced: dict[Feature, float] = {}
    for name, (place, value) in entries.items():
        cells = [cell.strip() for cell in value.split(",")]
        if len(cells) != 2:
            raise ValueError(f"{place}: {value!r} should be the full price, a comma and the discount price")
        full[name] = number(cells[0], f"{place}, the full price")
        reduced[name] = number(cells[1], f"{place}, the discount price")
    if not full:
        raise ValueError("there is no price in the file")
    return full, reduced


def _check_same_prices(costs: Entries, full: Mapping[Feature, float]) -> None:
    _check_same_tests(costs, full)
    for name, (place, value) in costs.items():
        price = number(value, place)
        if price != full[name]:
            raise ValueError(f"{place}: {price} here but {full[name]} in the .expense file: make them agree")


def _delayed(delays: Entries, full: Mapping[Feature, float]) -> list[Feature]:
    _check_same_tests(delays, full)
    for place, value in delays.values():
        if value.removesuffix(".") not in ("immediate", "delayed"):
            raise ValueError(f"{place}: {value!r} should be immediate. or delayed.")
    return [name for name, (_, value) in delays.items() if value.removesuffix(".") == "delayed"]


def _members(
    headings: list[str], entries: Entries, full: Mapping[Feature, float]
) -> dict[str, list[Feature]]:
    if len(headings) != 1:
        raise ValueError(f"one line should list the groups, as in 'A, B.'; there are {len(headings)}")
    members: dict[str, list[Feature]] = {
        name.strip(): [] for name in headings[0].removesuffix(".").split(",")
    }
    for test, (place, value) in entries.items():
        group = value.removesuffix(".")
        if group not in members:
            raise ValueError(
                f"{place}: group {group!r} is not in the list {headings[0]!r}: add it or correct the name"
            )
        if test not in full:
            raise ValueError(
                f"{place}: group {group!r} names a test without a price{did_you_mean(test, full)}"
            )
        members[group].append(test)
    for group, tests in members.items():
        if not tests:
            raise ValueError(f"group {group!r} has no test: remove it from the list {headings[0]!r}")
    return members


def _check_same_tests(entries: Entries, full: Mapping[Feature, float]) -> None:
    for name, (place, _) in entries.items():
        if name not in full:
            raise ValueError(f"{place}: no such test in the .expense file{did_you_mean(name, full)}")
    for test in full:
        if test not in entries:
            raise ValueError(f"there is no line for {test!r}, which the .expense file prices: add it")
