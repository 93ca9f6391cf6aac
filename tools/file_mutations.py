"""Random changes to files of trees and models: to their JSON values, to their text, to their bytes."""

import copy
import json
import math
import random
from collections.abc import Callable
from typing import Any

ODD_VALUES: list[Any] = [
    *(None, True, False, 0, 1, -1, 2, 7, 2**31 - 1, 2**31, 2**53 + 1, 2**63, 2**64, 10**30, 10**400),
    *(0.5, -0.0, 1e308, -1e308, 5e-324, math.nan, math.inf, -math.inf),
    *(
        "",
        "x",
        "\0",
        "\ud800",
        "🌳",
        "nan",
        "ordered",
        "category",
        "number",
        "__class__",
        "os.system",
        "a" * 5000,
    ),
    *([], [0], [0, 1], [1, 0], [[]], [None] * 50, list(range(300))),
    *({}, {"float": 1.0}, {"float": "inf"}, {"float": "nan"}, {"a": 1}, {"tuple": []}, {"dict": [[1, 2]]}),
    {"impurity": {"kind": "Powers", "l": 10**9}},
    {"array": {"dtype": "<f8", "shape": [2], "values": [0.5, "nan"]}},
    {"array": {"dtype": "<U999999", "shape": [60], "values": [""] * 60}},
    [{"array": {"dtype": "<U999999", "shape": [1], "values": [""]}}] * 2000,
    {"array": {"dtype": "|O", "shape": [0, 2**31 - 1], "values": []}},
    {"array": {"dtype": "text", "shape": [1], "values": ["\ud800"]}},
    {"dict": [["self", 1], ["__class__", {"tuple": []}], ["classes_", None]]},
    {"costs": {"prices": [{"feature": 0, "price": 1e308}], "delayed": [0]}},
]
TOKENS = (
    *(
        '"',
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "-",
        "9",
        "e9",
        "e999",
        "\\",
        "\\ud800",
        "\0",
        "NaN",
        "Infinity",
        "-0",
    ),
    *(
        "null",
        "true",
        "1.0",
        " ",
        "\n",
        "\ufeff",
        "é",
        "9" * 5000,
        "[" * 5000,
        '{"a":' * 5000,
        '"a":1,"a":2,',
    ),
)


def mutated(text: str, others: list[str], rng: random.Random) -> bytes:
    """A file like `text` with a few changes; parts of `others` may come in."""
    if rng.random() < 0.65:
        document = json.loads(text)
        for _ in range(rng.choice([1, 1, 1, 2, 4])):
            rng.choice(CHANGES)(document, rng, others)
        text = json.dumps(document, ensure_ascii=rng.random() < 0.9)
        if rng.random() < 0.8:
            return text.encode("utf-8", "surrogatepass")
    for _ in range(rng.randint(1, 3)):
        text = _changed_text(text, rng)
    return _changed_bytes(text.encode("utf-8", "surrogatepass"), rng)


def places(document: Any) -> list[tuple[Any, Any]]:
    """Every (owner, key) in a JSON value, the owner an object or an array."""
    found: list[tuple[Any, Any]] = []
    open_ = [document]
    while open_:
        value = open_.pop()
        if isinstance(value, dict | list):
            keys = list(value) if isinstance(value, dict) else range(len(value))
            found.extend((value, key) for key in keys)
            open_.extend(value[key] for key in keys)
    return found


def _place(document: Any, rng: random.Random) -> tuple[Any, Any]:
    """A random place: the depth by level, so that the many numbers of nodes do not hide the rest."""
    owner, key = document, rng.choice(list(document)) if document else ""
    while rng.random() < 0.8:
        inner = owner.get(key) if isinstance(owner, dict) else owner[key]
        if not isinstance(inner, dict | list) or not inner:
            break
        owner, key = inner, rng.choice(list(inner) if isinstance(inner, dict) else range(len(inner)))
    return owner, key


def _replace(document: Any, rng: random.Random, others: list[str]) -> None:
    owner, key = _place(document, rng)
    owner[key] = copy.deepcopy(rng.choice(ODD_VALUES))


def _delete(document: Any, rng: random.Random, others: list[str]) -> None:
    owner, key = _place(document, rng)
    if isinstance(owner, list) or key in owner:
        del owner[key]


def _repeat(document: Any, rng: random.Random, others: list[str]) -> None:
    """An element twice, such as a node; or a value under another key."""
    owner, key = _place(document, rng)
    if isinstance(owner, list):
        owner.insert(rng.randrange(len(owner)), copy.deepcopy(owner[key]))
    elif key in owner:
        owner[rng.choice(list(owner))] = copy.deepcopy(owner[key])


def _swap(document: Any, rng: random.Random, others: list[str]) -> None:
    """Two values of one object or array."""
    owner, key = _place(document, rng)
    if owner and (isinstance(owner, list) or key in owner):
        other = rng.choice(list(owner) if isinstance(owner, dict) else range(len(owner)))
        owner[key], owner[other] = owner[other], owner[key]


def _rename(document: Any, rng: random.Random, others: list[str]) -> None:
    """A key becomes one of another object, or a new one."""
    owner, key = _place(document, rng)
    if isinstance(owner, dict) and key in owner:
        elsewhere = _place(document, rng)[1]
        owner[elsewhere if isinstance(elsewhere, str) else f"{key}_"] = owner.pop(key)


def _move_number(document: Any, rng: random.Random, others: list[str]) -> None:
    """A number becomes a little or much more: positions out of range, cycles, sums that overflow."""
    numbers = [(o, k) for o, k in places(document) if type(o[k]) in (int, float)]
    if numbers:
        owner, key = rng.choice(numbers)
        owner[key] = rng.choice(
            [owner[key] + 1, owner[key] - 1, -owner[key], owner[key] * 1000, 0, 1e300, 2**40]
        )


def _graft(document: Any, rng: random.Random, others: list[str]) -> None:
    """A part of another file at its own key."""
    owner, key = _place(json.loads(rng.choice(others)), rng)
    target, target_key = _place(document, rng)
    if isinstance(owner, list) or key in owner:
        target[target_key if isinstance(target, list) else rng.choice([key, target_key])] = owner[key]


def _nest(document: Any, rng: random.Random, others: list[str]) -> None:
    """A value inside many others."""
    owner, key = _place(document, rng)
    value: Any = owner[key] if isinstance(owner, list) or key in owner else None
    for _ in range(rng.choice([1, 5, 29, 33, 200])):
        value = [value] if rng.random() < 0.5 else {rng.choice(["a", "tuple", "dict", "float"]): value}
    owner[key] = value


CHANGES: list[Callable[[Any, random.Random, list[str]], None]] = [
    *(_replace, _replace, _delete, _repeat, _swap, _rename, _move_number, _move_number, _graft, _nest)
]


def _changed_text(text: str, rng: random.Random) -> str:
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + rng.choice([0, 1, 1, 5, 100]))
    match rng.randrange(4):
        case 0:
            return text[:start] + rng.choice(TOKENS) + text[end:]
        case 1:
            return text[:start] + text[end:]
        case 2:
            return text[:end] + text[start:]  # a piece twice
    at = text.find("{", start)  # a key twice
    key = rng.choice(["format", "rows", "float"])
    return text if at < 0 else f'{text[: at + 1]}"{key}": 0, {text[at + 1 :]}'


def _changed_bytes(content: bytes, rng: random.Random) -> bytes:
    match rng.randrange(4):
        case 0:
            return content[: rng.randrange(len(content) + 1)]
        case 1 if content:
            flipped = bytearray(content)
            for _ in range(rng.randint(1, 8)):
                flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
            return bytes(flipped)
    return content
