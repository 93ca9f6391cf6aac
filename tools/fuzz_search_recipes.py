"""Arguments for the fuzz of the searches for best trees: small problems, a tenth of them out of shape."""

from typing import Any

import numpy as np
from fuzz_arguments import EDGE_FLOATS, EDGE_INTS, Array, Draw, array, with_layout

_MOST_TESTS = 12  # so that no search is long


def _mostly(draw: Draw, good: list[Any], bad: list[Any]) -> Any:
    return draw.one_of(bad if draw.chance(0.03) else good)


def _objective(draw: Draw) -> dict[str, Any]:
    """Labels, weights, costs and limits that fit each other, but for a value now and then."""
    classes = max(1, draw.classes)
    labels = draw.rng.integers(0, classes, draw.rows).astype("i4")
    if draw.rows and draw.chance(0.05):
        labels[0] = draw.one_of([-1, classes, 2**31 - 1])
    weights = draw.one_of([None, None, draw.rng.integers(0, 5, draw.rows), np.full(draw.rows, 2**40)])
    if weights is not None and draw.rows and draw.chance(0.1):
        weights[0] = draw.one_of([-1, 2**62, -(2**63)])
    costs = _mostly(draw, [None, draw.rng.integers(0, 4, (classes, classes))], [np.full((classes, 1), 2)])
    return {
        "labels": with_layout(draw, labels),
        "n_classes": _mostly(draw, [classes], EDGE_INTS),
        "weights": weights if weights is None else weights.astype("i8"),
        "error_costs": costs if costs is None else costs.astype("i8"),
        "leaf_penalty": _mostly(draw, [0.0, 0.5, 3.0, 1e9], EDGE_FLOATS),
        "max_leaves": _mostly(draw, [None, 1, 2, 5, 2**31 - 1], [0, -1]),
        "min_leaf": _mostly(draw, [1, 2, 50, 2**31 - 1], [0, -1]),
        "min_leaf_weight": _mostly(draw, [0, 3, 2**62], [-1]),
        "n_threads": _mostly(draw, [1, 2, 4], [0, -1]),
        "limits": None,
        "progress": None,
    }


def _stump(draw: Draw, n_tests: int) -> tuple[Array, Array, Array, Array]:
    """Test, left, right and label of a tree in pre-order, half the time with a wrong number."""
    tree = [np.array(part, "i4") for part in ([0, -1, -1], [1, -1, -1], [2, -1, -1], [0, 0, 0])]
    if draw.chance(0.5):
        changed = draw.one_of(tree)
        changed[int(draw.rng.integers(3))] = draw.one_of([-2, -1, 0, 1, 2, 3, n_tests, 2**31 - 1])
    return tree[0], tree[1], tree[2], tree[3]


def search_tree(draw: Draw) -> dict[str, Any]:
    """Give two-valued tests of a few rows."""
    n_tests = min(draw.columns, _MOST_TESTS)
    tests = draw.rng.integers(0, 2 + draw.chance(0.05), (n_tests, draw.rows)).astype("u1")
    return {
        "tests": tests if draw.chance(0.95) else array(draw, "u1", 2),
        "features": draw.rng.integers(0, 4, n_tests + draw.chance(0.05)).astype("i4"),
        **_objective(draw),
        "max_depth": _mostly(draw, [0, 1, 2, 3, 4], [-1]),
        "lookahead": _mostly(draw, [None, 0, 1, 3, 2**31 - 1], [-1]),
        "beam": _mostly(draw, [1, 2, 4], [0, -1]),
        "warm_start": _stump(draw, n_tests) if draw.chance(0.3) else None,
        "switches": _mostly(draw, [None, {"cancel": False}, {"cache": False}], [{"nothing": True}]),
        "cache_mb": _mostly(draw, [48, 1, 0], [-1]),
    }


def search_path(draw: Draw) -> dict[str, Any]:
    """Give what `search_tree` gets, and penalties in its place."""
    given = search_tree(draw)
    del given["leaf_penalty"]
    return given | {"leaf_penalties": [_mostly(draw, [0.0, 0.5, 2.0], EDGE_FLOATS) for _ in range(3)]}


def _ranks(draw: Draw) -> Array:
    n_columns = min(draw.columns, _MOST_TESTS)
    ranks = draw.rng.integers(0, draw.one_of([1, 2, 9, 200]), (n_columns, draw.rows)).astype("i4")
    if ranks.size and draw.chance(0.05):
        ranks.flat[0] = draw.one_of([-1, 2**31 - 1, -(2**31)])
    return ranks


def sweep_tree(draw: Draw) -> dict[str, Any]:
    """Give ranks of a few rows."""
    return {
        "ranks": _ranks(draw),
        **_objective(draw),
        "max_depth": _mostly(draw, [1, 2, 3 if draw.rows < 100 else 2], [0, 4, -1]),
        "upper_bound": _mostly(draw, [None, 0.0, 5.0], EDGE_FLOATS),
        "lanes": _mostly(draw, [32, 1, 2], [0, -1, 33]),
    }


def polish_tree(draw: Draw) -> dict[str, Any]:
    """Give ranks, and a tree of one test."""
    ranks = _ranks(draw)
    column, left, right, label = _stump(draw, len(ranks))
    objective = _objective(draw)
    for name in ("max_leaves", "progress"):
        del objective[name]
    cut = np.array([draw.one_of([0, 1, -1, 2**31 - 1]), 0, 0], "i4")
    tree = {"column": column, "cut": cut, "left": left, "right": right, "label": label}
    return {"ranks": ranks, **tree, **objective}
