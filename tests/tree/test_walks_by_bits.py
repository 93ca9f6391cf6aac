"""Trees of sets of categories and cuts are walked in lanes, by bits: each row reaches its own leaf."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries
from tree_documents import branch

from thriftree import _core

N_CODES = {2: 5, 3: 70, 4: 900}  # by column; columns 0 and 1 are numbers
CUTS = [-1.0, 0.0, 0.5, 2.0]


def random_test(rng: np.random.Generator) -> dict[str, Any]:
    """A cut, a set of categories, or whether a number is missing."""
    column = int(rng.integers(5))
    test: dict[str, Any] = {"column": column, "missing": int(rng.integers(2))}
    if column in N_CODES:
        keys = np.flatnonzero(rng.random(N_CODES[column]) < rng.choice([0.1, 0.9]))
        keys = keys if len(keys) > 1 else np.array([0, N_CODES[column] - 1])
        to = rng.integers(0, 2, len(keys))
        to[:2] = [0, 1]
        return test | {"kind": "category", "keys": keys, "to": to, "other": int(rng.integers(2))}
    if rng.random() < 0.2:
        known = int(rng.integers(2))
        return test | {"kind": "ordered", "keys": [], "to": [known], "missing": 1 - known, "other": known}
    to = [0, 1] if rng.random() < 0.7 else [1, 0]
    return test | {"kind": "ordered", "keys": [rng.choice(CUTS)], "to": to, "other": to[0]}


def random_tests(rng: np.random.Generator, depth: int) -> list[Any]:
    """A tree as nested lists [test, low, high]; [] is a leaf."""
    if depth == 0 or rng.random() < 0.15:
        return []
    return [random_test(rng), random_tests(rng, depth - 1), random_tests(rng, depth - 1)]


def core_of(tree: list[Any]) -> tuple[_core.Tree, dict[int, int]]:
    """The core's tree; and by the identity of a nested list the number of its node."""
    number, parents, order = {}, [], []
    stack = [(tree, -1)]
    while stack:
        node, parent = stack.pop()
        number[id(node)] = len(order)
        parents.append(parent)
        order.append(node)
        if node:
            stack += [(node[2], number[id(node)]), (node[1], number[id(node)])]
    n, tests = len(order), [node[0] if node else None for node in order]
    flat = {name: [list(t[name]) if t else [] for t in tests] for name in ("keys", "to")}
    flat["children"] = [[number[id(kid)] for kid in node[1:]] for node in order]

    def begin(parts: list[list[Any]]) -> np.ndarray:
        return np.cumsum([0, *map(len, parts)]).astype(np.int32)

    def of(name: str, otherwise: int) -> np.ndarray:
        return np.array([t[name] if t else otherwise for t in tests], np.int32)

    core = _core.Tree.from_arrays(
        n_columns=5,
        n_classes=0,
        parent=np.array(parents, np.int32),
        kind=np.array([{None: 0, "ordered": 1, "category": 2}[t and t["kind"]] for t in tests], np.uint8),
        column=of("column", -1),
        missing=of("missing", 0),
        other=of("other", 0),
        child_begin=begin(flat["children"]),
        children=np.array([*chain(*flat["children"])], np.int32),
        key_begin=begin(flat["keys"]),
        keys=np.array([*chain(*flat["keys"])], np.float64),
        to_begin=begin(flat["to"]),
        to=np.array([*chain(*flat["to"])], np.int32),
        rows=np.ones(n, np.int64),
        objects=np.ones(n, np.int64),
        weight=np.ones(n),
        value=np.zeros((n, 2)),
        impurity=np.zeros(n),
        score=np.full(n, np.nan),
        label=np.zeros(n, np.int32),
    )
    return core, number


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(max_examples=tries(200, 40), deadline=None)
@given(seed=st.integers(0, 2**32), depth=st.integers(1, 7))
def test_every_row_reaches_its_leaf(dtype: type, seed: int, depth: int) -> None:
    rng = np.random.default_rng(seed)
    tree = random_tests(rng, depth)
    core, number = core_of(tree)
    n_rows = 150
    special = [*CUTS, -2.0, 0.25, 1e30, np.nan, np.inf, -np.inf]
    inputs = [rng.choice(special, n_rows).astype(dtype) for _ in range(2)]
    inputs += [rng.integers(-2, n + 3, n_rows).astype(np.int32) for n in N_CODES.values()]  # unseen codes too
    expected = []
    for row in range(n_rows):
        node = tree
        while node:
            column = node[0]["column"]
            node = node[1 + branch(node[0], float(inputs[column][row]), column in N_CODES)]
        expected.append(number[id(node)])
    assert core.apply(inputs).tolist() == expected
    assert core.apply([column[:70] for column in inputs]).tolist() == expected[:70]
