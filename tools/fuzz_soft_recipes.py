"""Arguments for the fuzz of soft trees: small ones, now and then with numbers that do not fit each other."""

from typing import Any

import numpy as np
from fuzz_arguments import EDGE_FLOATS, Draw

from thriftree import _core

_LEFT, _RIGHT = [1, -1, -3], [2, -2, -4]  # a complete tree of depth 2


def soft_shape(draw: Draw) -> dict[str, Any]:
    """Give a tree of three gates over two columns."""
    places = [list(part) for part in (_LEFT, _RIGHT, [0, 0, 1], [2, 2, 1])]
    if draw.chance(0.2):
        draw.one_of(places)[int(draw.rng.integers(3))] = draw.one_of([-9, -1, 0, 1, 2, 3, 2**31 - 1])
    names = ("left", "right", "first", "count")
    return dict(zip(names, places, strict=True)) | {
        "n_columns": 2,
        "n_classes": draw.one_of([0, 1, 2, 3]),
        "linear": draw.chance(0.5),
    }


def soft_rows(draw: Draw) -> dict[str, Any]:
    """Give a few rows of two columns."""
    columns = draw.rng.normal(size=(2, draw.rows))
    if draw.rows and draw.chance(0.2):
        columns[0, 0] = draw.one_of(EDGE_FLOATS)
    return {"columns": columns, "centres": np.zeros(2), "scales": np.ones(2), "limits": None}


def soft_answers(draw: Draw) -> dict[str, Any]:
    """Give a tree, rows and parameters, mostly as many as it has."""
    shape = _core.SoftShape(_LEFT, _RIGHT, [0, 0, 1], [2, 2, 1], 2, draw.one_of([0, 1, 2, 3]))
    columns = draw.rng.normal(size=(2, draw.rows))
    parameters = draw.rng.normal(size=shape.n_parameters + draw.chance(0.05))
    if draw.chance(0.1):
        parameters[0] = draw.one_of(EDGE_FLOATS)
    return {
        "shape": shape,
        "rows": _core.SoftRows(columns, np.zeros(2), np.ones(2)),
        "parameters": parameters,
        "sharpness": draw.one_of([0.5, 1.0, np.inf]),
        "n_threads": draw.one_of([1, 2]),
    }


def _prices(draw: Draw) -> _core.Prices:
    rules = _core.PriceRules(
        own=[1.0, draw.one_of([0.0, 2.5])],
        group=[0, draw.one_of([-1, 0])],
        setup=[3.0],
        known=[False, draw.chance(0.2)],
        pay_once=draw.chance(0.7),
        delayed=[False, draw.chance(0.2)],
    )
    return _core.Prices(rules)


def soft_prices(draw: Draw) -> dict[str, Any]:
    """Give prices of two columns of one term each, mostly."""
    return {
        "prices": _prices(draw),
        "begins": draw.one_of([[0, 1, 2], [0, 1, 2], [0, 2, 2], [0, 3, 2], [0]]),
        "tau": draw.one_of([0.1, 1.0, 0.0]),
        "weight": draw.one_of([0.0, 0.1, -1.0]),
    }


def soft_node_prices(draw: Draw) -> dict[str, Any]:
    """Give what three gates and four leaves buy."""
    shape = _core.SoftShape(_LEFT, _RIGHT, [0, 0, 1], [2, 2, 1], 2, 2)
    bought = [draw.one_of([[], [0], [1], [0, 1], [7]]) for _ in range(draw.one_of([7, 7, 7, 6]))]
    return {"shape": shape, "prices": _prices(draw), "bought": bought}


def soft_objective(draw: Draw) -> dict[str, Any]:
    """Give a target too."""
    given = soft_answers(draw)
    numbers = given["shape"].n_parameters == 8 + 4 and draw.chance(0.5)  # or a single class
    labels = draw.rng.integers(0, 1 + draw.chance(0.3), draw.rows).astype("i4")
    return given | {
        "labels": None if numbers else labels,
        "numbers": draw.rng.normal(size=draw.rows) if numbers else None,
        "weights": draw.one_of([None, draw.rng.uniform(0, 2, draw.rows)]),
        "l2": draw.one_of([0.0, 1e-3, 10.0]),
        "leaf_l2": draw.one_of([0.0, 1e-3, -1.0]),
        "prices": draw.one_of([None, _core.SoftPrices(**soft_prices(draw))]),
        "payers": draw.one_of([None, draw.rng.uniform(0, 2, draw.rows)]),
    }


def soft_descend(draw: Draw) -> dict[str, Any]:
    """Give few iterations too."""
    given = soft_objective(draw)
    frozen = draw.one_of([None, [True] * len(given["parameters"]), [True]])
    return given | {
        "max_iter": draw.one_of([0, 1, 10]),
        "tol": 1e-6,
        "limits": None,
        "frozen": frozen,
    }


SOFT_RECIPES = {
    "SoftShape": soft_shape,
    "SoftRows": soft_rows,
    "SoftPrices": soft_prices,
    "soft_node_prices": soft_node_prices,
    "soft_answers": soft_answers,
    "soft_reaches": soft_answers,
    "soft_objective": soft_objective,
    "soft_descend": soft_descend,
}
