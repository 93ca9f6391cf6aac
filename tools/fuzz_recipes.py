"""Hand-written arguments for bindings whose arguments must agree with each other to get past the first check.

A recipe gives values for parameters by name; parameters it does not name are drawn from the signature. To
cover a new binding well, add a function here and a line to RECIPES; without one its signature alone is used.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
from fuzz_arguments import EDGE_FLOATS, EDGE_INTS, Array, Draw, array, callback, junk, with_layout
from fuzz_search_recipes import polish_tree, search_path, search_tree, sweep_tree
from fuzz_soft_recipes import SOFT_RECIPES

Recipe = Callable[[Draw], dict[str, Any]]

THREADS = [1, 1, 2, 4, 0, -1, 2**31 - 1]


def _weights(draw: Draw, n: int) -> Any:
    return draw.one_of([None, None, draw.rng.random(n) + 1e-3, draw.rng.integers(1, 5, n).astype("f8")])


def _encoding(draw: Draw) -> dict[str, Any]:
    book = _book(draw)
    return {
        "max_bins": None if book else draw.one_of([None, None, 2, 255, 256, 1000, 0, -1]),
        "binning": draw.one_of(["quantile", "uniform", "kmeans", "other"]),
        "sample_weight": _weights(draw, draw.rows),
        "book": book,
        "n_threads": draw.one_of(THREADS),
    }


def _book(draw: Draw) -> list[Any]:
    """Give no code book, that of an earlier table, or columns that may not fit."""
    tables, columns = draw.pool.get("Table"), draw.pool.get("Column")
    if tables and draw.chance(0.1):
        return list(draw.one_of(tables).book)
    return [draw.one_of(columns) for _ in range(draw.columns)] if columns and draw.chance(0.05) else []


def encode_sparse(draw: Draw) -> dict[str, Any]:
    """Give ascending rows in each column, a tenth of the time with a wrong row or length."""
    data: list[float] = []
    indices: list[int] = []
    indptr = [0]
    for _ in range(draw.columns):
        rows = np.flatnonzero(draw.rng.random(draw.rows) < 0.3).tolist()
        indices += rows
        data += draw.rng.integers(-3, 4, len(rows)).tolist()
        indptr.append(len(indices))
    if indices and draw.chance(0.1):
        indices[int(draw.rng.integers(len(indices)))] = draw.one_of([-1, draw.rows, 2**31 - 1])
    if draw.chance(0.05):
        indptr[-1] += draw.one_of([-1, 1, 2**40])
    values = np.array(data, draw.one_of(["f4", "f8", "i4", "u1"]) if min(data, default=0) >= 0 else "f8")
    return {
        "data": values,
        "indices": np.array(indices, "i4"),
        "indptr": np.array(indptr, "i8"),
        "n_rows": draw.rows,
        **_encoding(draw),
    }


def encode_matrix(draw: Draw) -> dict[str, Any]:
    """Give a matrix of floats, with weights that fit it."""
    return {"matrix": array(draw, draw.one_of(["f4", "f8"]), 2), **_encoding(draw)}


def encode_columns(draw: Draw) -> dict[str, Any]:
    """Give columns of both kinds; category codes may be missing (negative) or out of range."""
    arrays: list[Array] = []
    n_categories: list[int | None] = []
    for _ in range(draw.columns):
        if draw.chance(0.5):
            arrays.append(array(draw, draw.one_of(["f4", "f8", "i4", "u1"]), 1))
            n_categories.append(None)
        else:
            most = draw.one_of([1, 3, 9, 400])
            codes = draw.rng.integers(-1, most + draw.chance(0.1), draw.rows).astype("i4")
            arrays.append(with_layout(draw, codes))
            n_categories.append(most)
    return {"arrays": arrays, "n_categories": n_categories, **_encoding(draw)}


def tree_from_arrays(draw: Draw) -> dict[str, Any]:
    """Give the arrays of a valid stump, half the time with a wrong value in two of them."""
    stump: dict[str, Any] = {
        "n_columns": 2,
        "n_classes": 2,
        "parent": np.array([-1, 0, 0], "i4"),
        "kind": np.array([1, 0, 0], "u1"),
        "column": np.array([0, -1, -1], "i4"),
        "missing": np.zeros(3, "i4"),
        "other": np.zeros(3, "i4"),
        "child_begin": np.array([0, 2, 2, 2], "i4"),
        "children": np.array([1, 2], "i4"),
        "key_begin": np.array([0, 1, 1, 1], "i4"),
        "keys": np.array([0.5]),
        "to_begin": np.array([0, 2, 2, 2], "i4"),
        "to": np.array([0, 1], "i4"),
        "rows": np.array([4, 2, 2], "i8"),
        "objects": np.array([4, 2, 2], "i8"),
        "weight": np.array([4.0, 2.0, 2.0]),
        "value": np.array([[2.0, 2.0], [2.0, 0.0], [0.0, 2.0]]),
        "impurity": np.array([0.5, 0.0, 0.0]),
        "score": np.array([0.5, np.nan, np.nan]),
        "label": np.array([0, 0, 1], "i4"),
    }
    if draw.chance(0.5):
        for name in draw.rng.choice([n for n, v in stump.items() if isinstance(v, np.ndarray)], 2):
            changed = stump[name].copy()
            change = draw.one_of([-(2**31), -2, -1, 0, 1, 2, 3, 100, 2**31 - 1])
            changed.flat[int(draw.rng.integers(changed.size))] = (
                change & 0xFF if changed.dtype == np.uint8 else change
            )
            stump[name] = changed
    return stump


def class_target(draw: Draw) -> dict[str, Any]:
    """Give labels below n_classes, mostly, with weights of rows and classes."""
    n_classes = max(draw.classes, 1)
    labels = draw.rng.integers(0, n_classes + draw.chance(0.05), draw.rows).astype("i4")
    factors = [None, None, draw.rng.random(n_classes) + 0.1]
    return {
        "labels": labels,
        "n_classes": n_classes,
        "sample_weight": _weights(draw, draw.rows),
        "class_weight": draw.one_of(factors),
        "priors": draw.one_of(factors),
    }


def number_target(draw: Draw) -> dict[str, Any]:
    """Give numbers, most of them finite, and half the time a bin for each."""
    y = draw.rng.normal(size=draw.rows)
    if draw.chance(0.2) and draw.rows:
        y[0] = draw.one_of(EDGE_FLOATS)
    parameters: dict[str, Any] = {"y": y, "sample_weight": _weights(draw, draw.rows)}
    if draw.chance(0.5):
        n_bins = draw.one_of([1, 2, 5, 5, 65536])
        parameters["bins"] = draw.rng.integers(
            -draw.chance(0.05), n_bins + draw.chance(0.05), draw.rows
        ).astype("i4")
        parameters["n_bins"] = n_bins if draw.chance(0.9) else draw.one_of(EDGE_INTS)
    return parameters


def partition(draw: Draw) -> dict[str, Any]:
    """Give some codes, mostly in order, with a branch for each."""
    codes = np.unique(draw.rng.integers(0, draw.one_of([3, 9, 400]), 6))
    branches = draw.rng.integers(-draw.chance(0.1), draw.one_of([2, 3]), len(codes))
    return {
        "column": draw.one_of([0, 0, 1, 2, draw.columns]),
        "codes": codes.tolist() if draw.chance(0.9) else codes[::-1].tolist(),
        "branches": branches.tolist(),
        "missing": draw.one_of([-1, 0, 1, 2]),
        "other": draw.one_of([-1, 0, 1, 2]),
    }


def _python_part(draw: Draw) -> Any:
    """An object with every method that a part of the loop may need, each answering as it likes."""

    def choose(_: Any) -> Any:
        return draw.one_of([*draw.pool.get("Choice", [None]), None, junk(draw)])

    def some_open(growth: Any, *_: Any) -> Any:
        return [i for i in range(len(growth)) if growth[i].is_open][: draw.one_of([0, 1, 3])]

    def prices(_: Any) -> Any:
        return draw.rng.random(draw.columns) + draw.one_of([0.1, 0.0, -0.5])

    return SimpleNamespace(choose=choose, select=some_open, collapse=some_open, marginal=prices)


def _row_store(draw: Draw) -> Any:
    """A store that answers with arrays of about the right shapes, or as it likes."""
    store = SimpleNamespace(widths=(0, 0))

    def prepare(of_code: list[Any], of_node: list[Any], _: int) -> None:
        store.widths = (len(of_code), len(of_node))

    def answer(*shape: int) -> Any:
        if draw.chance(0.2):
            return junk(draw)
        return draw.rng.integers(-1 if draw.chance(0.1) else 0, 9, shape)

    store.prepare = prepare
    store.open_root = lambda weight: answer(1, store.widths[1])
    store.count = lambda nodes, columns, weights: answer(len(nodes), 4 * len(columns), store.widths[0])
    store.divide = lambda nodes, *rest: answer(2 * len(nodes), store.widths[1])
    for name in ("peek", "count_combinations", "open_codes", "close"):
        setattr(store, name, callback(draw))
    return store


def price_rules(draw: Draw) -> dict[str, Any]:
    """Give prices for as many columns as some table has, one in ten with an odd one."""
    table = draw.one_of(draw.pool.get("Table") or [None])
    n = table.n_columns if table is not None else draw.columns
    n_groups = draw.one_of([0, 1, 3])
    own = draw.rng.integers(0, 9, n) / draw.one_of([1.0, 3.0])
    setup = draw.rng.random(n_groups)
    if n and draw.chance(0.1):
        own[-1] = draw.one_of(EDGE_FLOATS)
    if n_groups and draw.chance(0.1):
        setup[0] = draw.one_of(EDGE_FLOATS)
    return {
        "own": own.tolist(),
        "group": draw.rng.integers(-1, n_groups + draw.chance(0.05), n).tolist(),
        "setup": setup.tolist(),
        "known": (draw.rng.random(n) < 0.2).tolist(),
        "pay_once": draw.chance(0.8),
        "asking": draw.one_of([0.01, 0.01, 1.0, *EDGE_FLOATS]),
        "read": draw.chance(0.7),
        "free_first": draw.chance(0.3),
        "by_code": _prices_by_code(draw, own) if draw.chance(0.3) else [],
        "budget": draw.one_of([float("inf"), float("inf"), 3.0, *EDGE_FLOATS]),
        "delayed": (draw.rng.random(n + draw.chance(0.05)) < 0.3).tolist() if draw.chance(0.5) else [],
        "order_all": draw.chance(0.3),
        **({"read_at_most": draw.one_of([0, 1, 3, 8, 2**32 - 1])} if draw.chance(0.5) else {}),
    }


def prices(draw: Draw) -> dict[str, Any]:
    """Give rules that an earlier call made."""
    made = draw.pool.get("PriceRules")
    return {"rules": draw.one_of(made)} if made else {}


def priced_tree(draw: Draw) -> dict[str, Any]:
    """Give a tree that an earlier call made."""
    made = [*draw.pool.get("Tree", []), *(grown.tree for grown in draw.pool.get("GrownTree", []))]
    return {"tree": draw.one_of(made)} if made else {}


def _prices_by_code(draw: Draw, own: Any) -> list[list[float]]:
    """For some columns a price for each of a few codes, rarely one above the column's highest."""
    most = own + draw.chance(0.05)
    n_codes = draw.one_of([2, 3, 10])
    return [(draw.rng.random(n_codes) * price).tolist() if draw.chance(0.5) else [] for price in most]


def polynomial(draw: Draw) -> dict[str, Any]:
    """Give terms of exponents for as many classes, most of them of two classes at least."""
    n_terms, n_classes = draw.one_of([0, 1, 2, 5]), max(draw.classes, 1)
    exponents = draw.rng.integers(draw.one_of([0, 1, 1, 1, -1]), 4, (n_terms, n_classes))
    return {"coefficients": draw.rng.random(n_terms).tolist(), "exponents": exponents.tolist()}


def _set_function(draw: Draw) -> Any:
    made = [f for kind in ("Pairs", "Powers", "HingedPairs", "Polynomial") for f in draw.pool.get(kind, [])]
    return draw.one_of([*made, callback(draw), junk(draw)])


def set_values(draw: Draw) -> dict[str, Any]:
    """Give a function that an earlier call made, and counts of some sets."""
    counts = draw.rng.integers(0, 9, (draw.rows, max(draw.classes, 1))).astype("f8")
    if counts.size and draw.chance(0.2):
        counts[0, 0] = draw.one_of(EDGE_FLOATS)
    return {"function": _set_function(draw), "counts": counts}


def enhanced_terms(draw: Draw) -> dict[str, Any]:
    """Give objects of some classes and outcomes; weights may be 0, outcomes far apart."""
    n_classes = max(draw.classes, 1)
    weights = draw.one_of([draw.rng.random(draw.rows), draw.rng.integers(0, 3, draw.rows).astype("f8")])
    outcome = draw.rng.integers(0, draw.one_of([1, 2, 5, 2**31 - 1]), draw.rows).astype("i4")
    if draw.rows and draw.chance(0.2):
        weights[0] = draw.one_of(EDGE_FLOATS)
    if draw.rows and draw.chance(0.2):
        outcome[0] = draw.one_of([-1, 2**31 - 1])
    return {
        "labels": draw.rng.integers(0, n_classes + draw.chance(0.05), draw.rows).astype("i4"),
        "n_classes": n_classes if draw.chance(0.9) else draw.one_of([0, -1, 65536, 2**31 - 1]),
        "weights": weights,
        "outcome": outcome,
        "theta": draw.one_of([0.0, 0.1, 1.0, *EDGE_FLOATS]),
        "impurity": draw.one_of(
            ["gini", "entropy", "misclassification", "gain_ratio", "squared_error", "ginny"]
        ),
    }


def grow_options(draw: Draw) -> dict[str, Any]:
    """Give a few parameters, most of them sensible."""
    table = draw.one_of(draw.pool.get("Table") or [None])
    n_columns = table.n_columns if table is not None else draw.columns
    draw.columns = n_columns
    parameters: dict[str, Any] = {
        "criterion": draw.one_of(["gini", "entropy", "gain_ratio", "misclassification", "squared_error"]),
        "candidates": [draw.one_of([1, 2, 4, 8, 6, 14, 0]) for _ in range(n_columns)],
    }
    if draw.chance(0.5):
        scores = ["enhanced", "enhanced", "enhanced", "impure_pairs", "balance", "worst_case", "worst_case"]
        parameters["score"] = draw.one_of(scores)
        parameters["set_function"] = _set_function(draw)
        parameters["objects"] = draw.chance(0.8)
    fitting_rules = [
        rules for rules in draw.pool.get("PriceRules", []) if len(rules.marginal([])) == n_columns
    ]
    extra: dict[str, Callable[[], Any]] = {
        "score": lambda: draw.one_of(["impurity", "enhanced", "", "other"]),
        "objects": lambda: True,
        "trade_off": lambda: draw.one_of([0.5, *EDGE_FLOATS]),
        "discrimination_scale": lambda: draw.one_of([0.5, *EDGE_FLOATS]),
        "weighted_pairs": lambda: draw.chance(0.5),
        "tolerance": lambda: draw.one_of([0.5, 3.0, *EDGE_FLOATS]),
        "threshold_minimum": lambda: draw.chance(0.5),
        "criterion": lambda: draw.one_of([callback(draw), junk(draw)]),
        "min_leaf_rows": lambda: draw.one_of([1, 2, 10, *EDGE_INTS]),
        "min_leaf_share": lambda: draw.one_of([0.1, *EDGE_FLOATS]),
        "min_mass": lambda: draw.one_of([0.1, *EDGE_FLOATS]),
        "max_depth": lambda: draw.one_of([0, 1, 3, *EDGE_INTS]),
        "max_leaves": lambda: draw.one_of([0, 1, 5, *EDGE_INTS]),
        "min_decrease": lambda: draw.one_of([0.01, *EDGE_FLOATS]),
        "threshold_penalty": lambda: draw.chance(0.5),
        "average_gain_guard": lambda: draw.chance(0.5),
        "prices": lambda: (draw.rng.random(n_columns) + 0.1).tolist(),
        "cost_benefit": lambda: draw.chance(0.5),
        "error_costs": lambda: draw.rng.random((draw.classes, draw.classes)),
        "n_threads": lambda: draw.one_of([1, 2, 4, 0]),
        "time_limit_s": lambda: draw.one_of([1.0, *EDGE_FLOATS]),
        "memory_limit_mb": lambda: draw.one_of([100.0, *EDGE_FLOATS]),
        "chooser": lambda: _python_part(draw),
        "grower": lambda: _python_part(draw),
        "price_model": lambda: _python_part(draw),
    }
    for name in draw.rng.choice(list(extra), draw.one_of([0, 1, 2, 4]), replace=False):
        parameters[str(name)] = extra[str(name)]()
    if fitting_rules and draw.chance(0.3):
        parameters |= {"price_model": draw.one_of(fitting_rules), "cost_benefit": draw.chance(0.8)}
    return parameters


def grow(draw: Draw) -> dict[str, Any]:
    """Give a table, a target and options that earlier calls made, of equal sizes where there are such."""
    tables, targets = draw.pool.get("Table"), draw.pool.get("Target")
    options = draw.pool.get("GrowOptions")
    if not tables or not targets or not options:
        return {}
    table = draw.one_of(tables)
    fitting_targets = [target for target in targets if target.n_rows == table.n_rows]
    fitting_options = [o for o in options if len(o.tests.candidates) == table.n_columns]
    return {
        "table": table,
        "target": draw.one_of(fitting_targets or targets),
        "options": draw.one_of(fitting_options or options),
    }


def grow_elsewhere(draw: Draw) -> dict[str, Any]:
    """Give a store that counts nothing for the columns of an earlier table."""
    given = grow(draw)
    if not given:
        return {}
    table, target = given["table"], given["target"]
    return {
        "store": _row_store(draw),
        "columns": [table.column(j) for j in range(table.n_columns)],
        "target": target.header,
        "rows": draw.one_of([None, target.header]),
        "options": given["options"],
    }


def grow_path_elsewhere(draw: Draw) -> dict[str, Any]:
    """Give what `grow_elsewhere` gets, and some trade-offs."""
    given = grow_elsewhere(draw)
    return given | {"trade_offs": [0.0, 2.0]} if given else {}


def grow_path(draw: Draw) -> dict[str, Any]:
    """Give what `grow` gets, of the right score where there is such, and some trade-offs."""
    given = grow(draw)
    if not given:
        return {}
    target, n_columns = given["target"], given["table"].n_columns
    fitting = [
        options
        for options in draw.pool["GrowOptions"]
        if options.scoring.score == "enhanced"
        and len(options.tests.candidates) == n_columns
        and isinstance(options.scoring.criterion, str)
        and (options.scoring.criterion == "squared_error") == (target.n_classes == 0)
    ]
    trade_offs = [draw.one_of([0.0, 0.5, 3.0, float("inf")]) for _ in range(draw.one_of([0, 1, 2, 5]))]
    if draw.chance(0.1):
        trade_offs.append(draw.one_of(EDGE_FLOATS))
    return given | {"options": draw.one_of(fitting or [given["options"]]), "trade_offs": trade_offs}


def choice(draw: Draw) -> dict[str, Any]:
    """Give a partition that an earlier call made."""
    made = draw.pool.get("Partition")
    return {"partition": draw.one_of(made), "score": draw.one_of([1.0, 0.5, *EDGE_FLOATS])} if made else {}


RECIPES: dict[str, Recipe] = {
    "encode_matrix": encode_matrix,
    "encode_columns": encode_columns,
    "encode_sparse": encode_sparse,
    "Tree.from_arrays": tree_from_arrays,
    "Target.classes": class_target,
    "Target.numbers": number_target,
    "Partition": partition,
    "Choice": choice,
    "PriceRules": price_rules,
    "Prices": prices,
    "Prices.price": priced_tree,
    "GrowOptions": grow_options,
    "grow": grow,
    "grow_path": grow_path,
    "grow_elsewhere": grow_elsewhere,
    "grow_path_elsewhere": grow_path_elsewhere,
    "enhanced_terms": enhanced_terms,
    "Polynomial": polynomial,
    "set_values": set_values,
    "search_tree": search_tree,
    "search_path": search_path,
    "sweep_tree": sweep_tree,
    "polish_tree": polish_tree,
    **SOFT_RECIPES,
}
