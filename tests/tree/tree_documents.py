"""Random trees in their JSON form, and an obvious walker over it: what the native tree is tested against."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from hypothesis import strategies as st

CATEGORIES = ["a", "b", "c", "d", "e"]
COLUMNS = [
    {"name": "x", "kind": "number"},
    {"name": "y", "kind": "number"},
    {"name": "colour", "kind": "category", "categories": CATEGORIES},
    {"name": "size", "kind": "ordered", "categories": [1, 2, 3, {"float": 3.5}]},
]
N_CODES = {2: len(CATEGORIES), 3: 4}
CUTS = [-1e300, -2.5, -0.1, 0.0, 0.1, 1 / 3, 1.0, 16777217.0, 1e30, 3.4e38, 1e300]


def column_inputs(n_rows: int, rng: np.random.Generator, cuts: list[float]) -> list[np.ndarray]:
    """Inputs of COLUMNS, with numbers exactly at the cuts and just beside them."""
    near = [f(np.float64(cut)) for cut in [*cuts, 0.0] for f in (float, _above, _below, _as_float32)]
    special = [*near, math.nan, math.inf, -math.inf]
    numbers = [rng.choice(special, n_rows) for _ in range(2)]
    return [
        *numbers,
        rng.integers(-2, N_CODES[2], n_rows).astype(np.int32),
        rng.integers(-2, N_CODES[3], n_rows).astype(np.int32),
    ]


def _above(x: float) -> float:
    return float(np.nextafter(x, np.inf))


def _below(x: float) -> float:
    return float(np.nextafter(x, -np.inf))


def _as_float32(x: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(x))


def cuts_of(document: dict[str, Any]) -> list[float]:
    return [key for node in document["nodes"] if "test" in node for key in node["test"]["keys"]]


def branch(test: dict[str, Any], x: float, is_code: bool) -> int:
    """The branch of one value, as docs/spec/tree-v1.md says it."""
    if math.isnan(x) or (is_code and x == -1):
        return test["missing"]
    if is_code and x == -2:
        return test["other"]
    if test["kind"] == "ordered":
        return test["to"][sum(1 for key in test["keys"] if key < x)]
    for key, to in zip(test["keys"], test["to"], strict=True):
        if key == x:
            return to
    return test["other"]


def path(document: dict[str, Any], inputs: list[np.ndarray], row: int) -> list[int]:
    """The nodes that a row passes, root first."""
    passed = [0]
    while "test" in (node := document["nodes"][passed[-1]]):
        column = inputs[node["test"]["column"]]
        is_code = column.dtype == np.int32
        passed.append(node["children"][branch(node["test"], float(column[row]), is_code)])
    return passed


@st.composite
def documents(draw: st.DrawFn, columns: tuple[int, ...] = (0, 1, 2, 3), max_tests: int = 9) -> dict[str, Any]:
    """A valid tree over COLUMNS that tests only the given ones, in every way there is."""
    n_classes = draw(st.sampled_from([0, 1, 2, 3]))
    left = draw(st.integers(0, max_tests))
    nodes: list[dict[str, Any]] = []
    waiting: list[list[int]] = [[]]  # where each node still to be placed is to be entered as a child
    while waiting:
        entry = waiting.pop()
        entry.append(len(nodes))
        node = _seen(draw, n_classes)
        nodes.append(node)
        if left and (not waiting or draw(st.booleans())):
            left -= 1
            node["test"], n_branches = draw(_tests(columns))
            node["children"] = children = []
            # One list a child, all gathered into `children` when the tree is complete.
            places: list[list[int]] = [[] for _ in range(n_branches)]
            children.extend(places)
            waiting.extend(reversed(places))
    for node in nodes:
        if "children" in node:
            node["children"] = [place[0] for place in node["children"]]
    prices = [{"feature": column["name"], "price": 2.5} for column in COLUMNS]
    return {
        "format": "thriftree-tree",
        "version": 1,
        "settings": draw(
            st.sampled_from([None, {"estimator": "CARTClassifier", "params": {"max_depth": None}}])
        ),
        "prices": draw(st.sampled_from([None, {"prices": prices, "pay": "each"}])),
        "columns": COLUMNS,
        "classes": None if n_classes == 0 else draw(st.sampled_from(_labels(n_classes))),
        "nodes": nodes,
    }


def _labels(n: int) -> list[list[Any]]:
    mixed: list[Any] = ["1", 1, {"float": 1.0}]
    return [
        ["no", "yes", "später"][:n],
        [0, 1, 2][:n],
        [{"float": 0.5}, {"float": 1.0}, {"float": 1.5}][:n],
        mixed[:n],
    ]


def _seen(draw: st.DrawFn, n_classes: int) -> dict[str, Any]:
    amount = st.floats(0, 1e6, allow_subnormal=False)
    rows = draw(st.integers(0, 2**40))
    node: dict[str, Any] = {"rows": rows, "objects": rows, "weight": draw(amount)}
    node["value"] = [draw(amount) for _ in range(n_classes or 2)]
    if n_classes:
        node["label"] = draw(st.integers(0, n_classes - 1))
    node["impurity"] = draw(amount)
    return node


@st.composite
def _tests(draw: st.DrawFn, columns: tuple[int, ...]) -> tuple[dict[str, Any], int]:
    column = draw(st.sampled_from(columns))
    if column < 2 or (column == 3 and draw(st.booleans())):
        kind, choices = "ordered", CUTS if column < 2 else [0.5, 1.0, 1.5, 2.5]
        keys: list[Any] = sorted(draw(st.sets(st.sampled_from(choices), max_size=4)))
        n_to = len(keys) + 1
    elif draw(st.integers(0, 4)) == 0:
        kind, keys, n_to = "ordered", [], 1
    else:
        kind, keys = "category", sorted(draw(st.sets(st.integers(0, N_CODES[column] - 1), min_size=1)))
        n_to = len(keys)
    to = [draw(st.integers(0, 3)) for _ in range(n_to)]
    missing, other = draw(st.integers(0, 3)), draw(st.integers(0, 3))
    used = sorted({*to, missing, other})
    if len(used) == 1:
        missing = used[0] + 1
        used.append(missing)
    number = {branch: i for i, branch in enumerate(used)}
    test = {"column": column, "kind": kind, "keys": keys, "to": [number[b] for b in to]}
    score = draw(st.one_of(st.none(), st.floats(-1e6, 1e6, allow_subnormal=False)))
    return {**test, "missing": number[missing], "other": number[other], "score": score}, len(used)
