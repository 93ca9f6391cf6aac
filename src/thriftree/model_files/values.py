"""Values of parameters and fitted attributes as JSON: a closed set of types, each with one form.

None, booleans, strings and integers are JSON's own, and a list is an array. Everything else is an object with
one key, the tag, that says what it is: {"float": "inf"}, {"tuple": [...]}, {"dict": [[key, value], ...]}.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final, TypeVar

import numpy as np

from thriftree.costs import Steps, TestCosts
from thriftree.document import MAX_NESTING
from thriftree.document.checks import (
    INT32_MAX,
    INT64_MAX,
    Where,
    a_number,
    an_array,
    an_object,
    fail,
    plain_json,
    shown,
)
from thriftree.impurities import HingedPairs, Pairs, Polynomial, Powers
from thriftree.model_files.arrays import NOT_FINITE, array_of, describe_array
from thriftree.model_files.refusal import refuse
from thriftree.tree import Tree

Made = TypeVar("Made")

_IMPURITIES: Final = {kind.__name__: kind for kind in (Pairs, Powers, Polynomial, HingedPairs)}


def to_json_value(value: Any, place: str) -> Any:
    """The value as JSON. Raises TypeError, naming `place`, for one that a file does not hold."""
    if isinstance(value, np.generic):
        value = value.item()
    match value:
        case None | bool() | str():
            return value
        case int() if -INT64_MAX - 1 <= value <= 2 * INT64_MAX + 1:
            return value
        case float():
            return _float_to_json(value)
    kind = type(value)
    if kind is list:
        return [to_json_value(item, f"{place}[{i}]") for i, item in enumerate(value)]
    if kind is tuple:
        return {"tuple": [to_json_value(item, f"{place}[{i}]") for i, item in enumerate(value)]}
    if kind is dict:
        return {
            "dict": [
                [_key_to_json(key, place), to_json_value(item, f"{place}[{key!r}]")]
                for key, item in value.items()
            ]
        }
    if kind is np.ndarray:
        return {"array": describe_array(value, place)}
    if kind is TestCosts:
        return {"costs": value.to_dict()}
    if kind is Steps:
        return {"steps": {"up_to": list(value.up_to), "prices": list(value.prices)}}
    if kind is Tree:
        return {"tree": value.to_dict()}
    if _IMPURITIES.get(kind.__name__) is kind:
        return {"impurity": {"kind": kind.__name__, **_fields_to_json(value)}}
    refuse(value, place)


def _float_to_json(value: float) -> Any:
    """A number with a fraction as it is; a whole one tagged, since many JSON writers make 1 of 1.0."""
    if math.isfinite(value):
        return {"float": value} if value.is_integer() else value
    return {"float": str(value)}


def _fields_to_json(impurity: Any) -> dict[str, Any]:
    """The fields that are given, as plain JSON: their types are known, so they need no tags."""
    fields = {name: getattr(impurity, name) for name in impurity.__dataclass_fields__}
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in fields.items()
        if value is not None
    }


def _key_to_json(key: Any, place: str) -> Any:
    if isinstance(key, (bool, str, int, float, np.generic)):
        return to_json_value(key, f"a key of {place}")
    refuse(key, f"a key of {place}")


def from_json_value(value: Any, where: Where) -> Any:
    """The value that a JSON value stands for. Raises TreeFormatError with the JSON path of what is wrong."""
    if len(where) > MAX_NESTING:
        fail(where, f"nested deeper than the {MAX_NESTING} levels that are read")
    if value is None or type(value) is bool or type(value) is str:
        return value
    if type(value) is int:
        if -INT64_MAX - 1 <= value <= 2 * INT64_MAX + 1:
            return value
        fail(where, f"must be an integer of 64 bits, not {shown(value)}")
    if type(value) is float:
        return a_number(value, where)
    if type(value) is list:
        return [from_json_value(item, (*where, i)) for i, item in enumerate(value)]
    if type(value) is not dict or len(value) != 1:
        fail(where, f"must be a JSON scalar, an array, or an object of one tag, not {shown(value)}")
    ((tag, content),) = value.items()
    if tag not in _READERS:
        fail(where, f"the tag {shown(tag)} is not known; known are: {', '.join(_READERS)}")
    return _READERS[tag](content, (*where, tag))


def _read_float(value: Any, where: Where) -> float:
    if type(value) is str and value in NOT_FINITE:
        return NOT_FINITE[value]
    if type(value) is str:
        fail(where, f'must be a number, "inf", "-inf" or "nan", not {shown(value)}')
    return a_number(value, where)


def _read_tuple(value: Any, where: Where) -> tuple[Any, ...]:
    items = an_array(value, where, INT32_MAX)
    return tuple(from_json_value(item, (*where, i)) for i, item in enumerate(items))


def _read_dict(value: Any, where: Where) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for i, entry in enumerate(an_array(value, where, INT32_MAX)):
        if len(an_array(entry, (*where, i), 2)) != 2:
            fail((*where, i), "must hold a key and a value")
        key = from_json_value(entry[0], (*where, i, 0))
        if not isinstance(key, (bool, str, int, float)):
            fail((*where, i, 0), "a key must be a string, a number or a boolean")
        if key in result:
            fail((*where, i, 0), f"the key {shown(key)} appears twice; keep one")
        result[key] = from_json_value(entry[1], (*where, i, 1))
    return result


def _read_costs(value: Any, where: Where) -> TestCosts:
    if type(value) is not dict:
        fail(where, f"must be an object, not {shown(value)}")
    return _made(lambda: TestCosts.from_dict(plain_json(value, where)), where)


def _read_steps(value: Any, where: Where) -> Steps:
    fields = an_object(value, where, ("up_to", "prices"))
    up_to, prices = (_read_tuple(fields[name], (*where, name)) for name in ("up_to", "prices"))
    return _made(lambda: Steps(up_to, prices), where)


def _read_impurity(value: Any, where: Where) -> Any:
    if type(value) is not dict or type(value.get("kind")) is not str or value["kind"] not in _IMPURITIES:
        fail(where, f'must be an object whose "kind" is one of {", ".join(_IMPURITIES)}')
    kind = _IMPURITIES[value["kind"]]
    an_object(value, where, ("kind",), tuple(kind.__dataclass_fields__))
    fields = {name: plain_json(item, (*where, name)) for name, item in value.items() if name != "kind"}
    return _made(lambda: kind(**fields), where)


def _read_tree(value: Any, where: Where) -> Tree:
    return _made(lambda: Tree.from_dict(value), where)


def _made(make: Callable[[], Made], where: Where) -> Made:
    try:
        return make()
    except (TypeError, ValueError, OverflowError) as error:
        fail(where, str(error))


_READERS: Final[dict[str, Callable[[Any, Where], Any]]] = {
    "float": _read_float,
    "tuple": _read_tuple,
    "dict": _read_dict,
    "array": array_of,
    "costs": _read_costs,
    "steps": _read_steps,
    "impurity": _read_impurity,
    "tree": _read_tree,
}
