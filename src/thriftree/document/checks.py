"""Checks of JSON values that know where they are, so that a failed one can say it."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Collection
from typing import Any, NoReturn

from thriftree.columns import Scalar
from thriftree.document import MAX_BYTES, MAX_NESTING

Where = tuple[str | int, ...]

INT32_MAX = 2**31 - 1
INT64_MAX = 2**63 - 1
_MOST_SHOWN = 60  # characters of a value
_MOST_SAID = 1000  # characters of a message


class TreeFormatError(ValueError):
    """A document is not a tree or a model of the formats in docs/spec. The message begins with the JSON
    path.
    """


def fail(where: Where, problem: str) -> NoReturn:
    """Raise the error about the value at `where`."""
    if len(problem) > _MOST_SAID:  # values of a file, as others' messages repeat them
        problem = problem[:_MOST_SAID] + "..."
    raise TreeFormatError(f"${''.join(map(_step, where))}: {problem}")


def error_at_node(error: ValueError) -> TreeFormatError:
    """What the core says of a tree's nodes, with the JSON path of the node that it names."""
    return TreeFormatError("$.nodes" + re.sub(r"^: node (\d+):", r"[\1]:", f": {error}"))


def _step(step: str | int) -> str:
    is_plain = isinstance(step, str) and step.isidentifier() and len(step) <= _MOST_SHOWN
    return f".{step}" if is_plain else f"[{shown(step)}]"


def shown(value: Any) -> str:
    """The value in an error message, shortened."""
    if isinstance(value, dict | list):
        return f"an {'object' if isinstance(value, dict) else 'array'} of {len(value)}"
    if isinstance(value, int) and abs(value) > 10**_MOST_SHOWN:
        return "an integer of many digits"  # Python refuses to write out thousands of them
    text = repr(value[: _MOST_SHOWN + 1] if isinstance(value, str) else value)
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 3] + "..."


def parse(text: str) -> Any:
    """The JSON value in `text`. Refuses what Python's reader would let pass: repeated keys, NaN, Infinity."""
    if len(text) > MAX_BYTES:
        fail((), f"the document has {len(text)} characters; at most {MAX_BYTES} are read")
    repeated: list[tuple[dict[str, Any], str]] = []

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        if len(result) < len(pairs):
            repeated.append((result, Counter(key for key, _ in pairs).most_common(1)[0][0]))
        return result

    def constant(token: str) -> NoReturn:
        fail((), f"{token} is not a JSON number; write null where the format allows it")

    try:
        document = json.loads(text, object_pairs_hook=unique, parse_constant=constant)
    except json.JSONDecodeError as error:
        raise TreeFormatError(f"$: not JSON: {error}; was the file cut or edited?") from error
    except RecursionError as error:
        raise TreeFormatError(f"$: nested deeper than the {MAX_NESTING} levels that are read") from error
    except TreeFormatError:
        raise
    except ValueError as error:  # an integer of thousands of digits
        raise TreeFormatError(f"$: not JSON that can be read: {error}") from error
    for owner, key in repeated:
        fail(_place(document, owner), f"the key {shown(key)} appears twice; keep one")
    return document


def _place(document: Any, wanted: dict[str, Any]) -> Where:
    """Where in the document the object `wanted` is; () if a repeated key hides it."""
    open_: list[tuple[Where, Any]] = [((), document)]
    while open_:
        where, value = open_.pop()
        if value is wanted:
            return where
        if isinstance(value, dict):
            open_.extend(((*where, key), item) for key, item in value.items())
        elif isinstance(value, list):
            open_.extend(((*where, i), item) for i, item in enumerate(value))
    return ()


def an_object(
    value: Any, where: Where, required: Collection[str], optional: Collection[str] = ()
) -> dict[str, Any]:
    """An object with all of the required keys, perhaps optional ones, and no others."""
    if type(value) is not dict:
        fail(where, f"must be an object, not {shown(value)}")
    for key in required:
        if key not in value:
            fail(where, f"the key {key!r} is missing")
    if len(value) > len(required):
        for key in value:
            if key not in required and key not in optional:
                fail(
                    where,
                    f"the key {shown(key)} is not known; known are: {', '.join((*required, *optional))}",
                )
    return value


def an_array(value: Any, where: Where, at_most: int) -> list[Any]:
    """An array of at most that many entries."""
    if type(value) is not list:
        fail(where, f"must be an array, not {shown(value)}")
    if len(value) > at_most:
        fail(where, f"has {len(value)} entries; at most {at_most} are read")
    return value


def an_integer(value: Any, where: Where, at_most: int) -> int:
    """An integer from 0 to `at_most`; neither a boolean nor a float."""
    if type(value) is not int or not 0 <= value <= at_most:
        fail(where, f"must be an integer from 0 to {at_most}, not {shown(value)}")
    return value


def a_number(value: Any, where: Where) -> float:
    """A finite number, as a float."""
    if type(value) is float or type(value) is int:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if math.isfinite(number):
            return number
    fail(where, f"must be a finite number, not {shown(value)}")


def a_string(value: Any, where: Where) -> str:
    """A string."""
    if type(value) is not str:
        fail(where, f"must be a string, not {shown(value)}")
    return value


def a_scalar(value: Any, where: Where) -> Scalar:
    """A label: a string, an integer of 64 bits, a boolean, or a float as {"float": x}."""
    if type(value) is str or type(value) is bool:
        return value
    if type(value) is int and -INT64_MAX - 1 <= value <= 2 * INT64_MAX + 1:
        return value
    if type(value) is dict:
        return a_number(an_object(value, where, ("float",))["float"], (*where, "float"))
    fail(where, f'must be a string, a 64-bit integer, a boolean or {{"float": x}}, not {shown(value)}')


def distinct_scalars(value: Any, where: Where) -> tuple[Scalar, ...]:
    """Labels, no two equal in type and value."""
    labels = tuple(a_scalar(item, (*where, i)) for i, item in enumerate(an_array(value, where, INT32_MAX)))
    seen: set[tuple[type, Scalar]] = set()
    for i, label in enumerate(labels):
        if (type(label), label) in seen:
            fail((*where, i), f"{shown(label)} appears twice; labels must differ")
        seen.add((type(label), label))
    return labels


def check_values(value: Any, where: Where, at_most: int) -> None:
    """Refuses a value that holds more than so many others: they would be copied before they are used."""
    n_values = 0
    open_ = [value]
    while open_:
        item = open_.pop()
        inside = item.values() if type(item) is dict else item if type(item) is list else ()
        n_values += len(inside)
        if n_values > at_most:
            fail(where, f"holds more than the {at_most} values that are read")
        open_.extend(inside)


def plain_json(value: Any, where: Where) -> Any:
    """A copy of any JSON value of limited nesting, all numbers finite."""
    if len(where) > MAX_NESTING:
        fail(where, f"nested deeper than the {MAX_NESTING} levels that are read")
    if value is None or type(value) is bool or type(value) is str:
        return value
    if type(value) is int:
        return value
    if type(value) is float:
        return a_number(value, where)
    if type(value) is list or type(value) is tuple:
        return [plain_json(item, (*where, i)) for i, item in enumerate(value)]
    if type(value) is dict:
        return {a_string(key, where): plain_json(item, (*where, key)) for key, item in value.items()}
    fail(where, f"{shown(value)} is not a JSON value")
