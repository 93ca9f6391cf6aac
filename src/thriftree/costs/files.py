"""Prices from TOML and CSV files. Errors name the file and the place; nothing is half read."""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from thriftree.costs.checks import Feature, check_no_other_keys, checked_price
from thriftree.costs.description import FIELDS
from thriftree.costs.model import Group, Steps, TestCosts
from thriftree.messages import did_you_mean

Costs = TypeVar("Costs", bound=TestCosts)

DELAYS = {"immediate": False, "delayed": True, "": False}


def read_toml(cls: type[Costs], path: str | PathLike[str]) -> Costs:
    """See `TestCosts.from_toml`."""
    with errors_in(path):
        document = _parsed(read_text(path))
        if not isinstance(document.get("prices"), dict):
            raise ValueError(
                "there is no [prices] table: start it with a line [prices], then one line a feature"
            )
        check_no_other_keys(document, FIELDS, "the file")
        groups = document.get("groups", {})
        if not isinstance(groups, dict) or not all(isinstance(group, dict) for group in groups.values()):
            raise ValueError("groups must be tables: write [groups.blood] with setup and members below it")
        document["prices"] = {f: _toml_price(p, f"[prices] {f}") for f, p in document["prices"].items()}
        return cls(**document)


def _parsed(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested deeper than any description of prices: is this the right file?") from None


def _toml_price(price: Any, place: str) -> Any:
    """A table of lists describes steps; a table of numbers, a price for each category."""
    if not isinstance(price, dict) or not any(isinstance(entry, list) for entry in price.values()):
        return price
    if set(price) != {"up_to", "price"} or not all(isinstance(entry, list) for entry in price.values()):
        raise ValueError(f"{place}: write {{ up_to = [10, 20], price = [5, 9, 15] }}")
    try:
        return Steps(tuple(price["up_to"]), tuple(price["price"]))
    except (TypeError, ValueError) as error:
        raise type(error)(f"{place}: {error}") from None


def read_csv(
    cls: type[Costs],
    path: str | PathLike[str],
    where: Mapping[str, str],
    ignore: tuple[str, ...],
    rules: Mapping[str, Any],
) -> Costs:
    """See `TestCosts.from_csv`."""
    for rule in ("groups", "delayed"):
        if rule in rules:
            raise TypeError(
                f"{rule} comes from the CSV file: use its column, or dataclasses.replace on the result"
            )
    with errors_in(path):
        lines = list(_csv_lines(path, where, ignore))
        if not lines:
            raise ValueError(f"there is no line with a price{f' where {dict(where)}' if where else ''}")
        features = [line["feature"] for _, line in lines]
        for i, (place, line) in enumerate(lines):
            if line["feature"] in features[:i]:
                raise ValueError(f"{place}: {line['feature']!r} has a price already: remove one of the lines")
        delayed = [line["feature"] for place, line in lines if _is_delayed(line.get("delay", ""), place)]
        if "price" in lines[0][1]:
            prices = {line["feature"]: number(line["price"], f"{place}, price") for place, line in lines}
            return cls(prices, groups=_groups_with_setup(lines), delayed=delayed, **rules)
        full: dict[Feature, float] = {
            line["feature"]: number(line["full_cost"], f"{place}, full_cost") for place, line in lines
        }
        reduced: dict[Feature, float] = {
            line["feature"]: number(line["discount_cost"], f"{place}, discount_cost")
            for place, line in lines
            if line.get("discount_cost", "")
        }
        members: dict[str, list[Feature]] = {}
        for _, line in lines:
            if line.get("group", ""):
                members.setdefault(line["group"], []).append(line["feature"])
        return cls.from_full_and_discount(full, reduced, members, delayed=delayed, **rules)


def _csv_lines(
    path: str | PathLike[str], where: Mapping[str, str], ignore: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, str]]]:
    """The lines that `where` keeps, each with its place; the first column is called "feature"."""
    reader = csv.reader(io.StringIO(read_text(path)), strict=True)
    header = [name.strip() for name in next(reader, [])]
    used = ["feature" if name == "test" else name for name in header]
    if len(set(used)) < len(used):
        raise ValueError(f"line 1: the columns {header} repeat a name")
    if "feature" not in used or ("price" in used) == ("full_cost" in used):
        raise ValueError(
            f"line 1: the columns are {header}: name feature (or test), and price or full_cost (not both)"
        )
    ours = {"feature", "delay", "group"}
    ours |= {"price", "setup"} if "price" in used else {"full_cost", "discount_cost"}
    for column in (*where, *ignore):
        if column not in used:
            raise ValueError(f"line 1: there is no column {column!r}{did_you_mean(column, used)}")
    for name in used:
        if name not in ours and name not in where and name not in ignore:
            raise ValueError(
                f"line 1: unknown column {name!r}{did_you_mean(name, ours)}; "
                f"correct it, or pass ignore=[{name!r}]"
            )
    for cells in reader:
        place = f"line {reader.line_num}"
        if not cells:
            continue
        if len(cells) != len(used):
            raise ValueError(f"{place}: {len(cells)} cells under {len(used)} columns: correct the commas")
        line = dict(zip(used, (cell.strip() for cell in cells), strict=True))
        if not line["feature"]:
            raise ValueError(f"{place}: the feature has no name")
        if all(line[column] == value for column, value in where.items()):
            yield place, line


def _groups_with_setup(lines: list[tuple[str, dict[str, str]]]) -> dict[str, Group]:
    members: dict[str, list[Feature]] = {}
    set_ups: dict[str, float] = {}
    for place, line in lines:
        name, setup = line.get("group", ""), line.get("setup", "")
        if not name:
            if setup:
                raise ValueError(f"{place}: a setup price without a group: name the group")
            continue
        members.setdefault(name, []).append(line["feature"])
        if not setup:
            continue
        price = number(setup, f"{place}, setup")
        if set_ups.setdefault(name, price) != price:
            raise ValueError(
                f"{place}: group {name!r} has a setup of {price} here and of {set_ups[name]} above"
            )
    for name in members:
        if name not in set_ups:
            raise ValueError(
                f"group {name!r} has no set-up price: add a column setup, or give full_cost and discount_cost"
            )
    return {name: Group(set_ups[name], tuple(features)) for name, features in members.items()}


def _is_delayed(word: str, place: str) -> bool:
    if word not in DELAYS:
        raise ValueError(f"{place}: delay is {word!r}: write immediate or delayed")
    return DELAYS[word]


def number(text: str, place: str) -> float:
    """The price that `text` spells."""
    try:
        value = float(text)
    except ValueError:
        raise ValueError(f"{place} is {text!r}: write a number such as 12.50") from None
    return checked_price(value, place)


def read_text(path: str | PathLike[str]) -> str:
    """The file's text, without the byte order mark that spreadsheets write."""
    return Path(path).read_text(encoding="utf-8-sig")


@contextmanager
def errors_in(path: str | PathLike[str]) -> Iterator[None]:
    """Puts the file's name before the message of any error in its contents."""
    try:
        yield
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 text (byte {error.start}): save it as UTF-8") from None
    except (TypeError, ValueError, csv.Error) as error:
        raise ValueError(f"{path}: {error}") from None
