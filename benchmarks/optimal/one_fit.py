"""One fit of one solver on one table: `python one_fit.py SOLVER TABLE.npz TASK`, TASK and the answer as JSON.

It runs in the environment of the solver, so it imports nothing of this package. The answer has the errors of
the fitted tree on the table, counted here from its predictions (of numbers the mean squared error), what its
tests cost, counted here from its nodes, its leaves, whether the solver says that it
finished, the least CPU time of a whole fit, and the memory that it took beyond what was there before it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import io
import json
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

ENOUGH_S = 0.5  # fits are repeated until they took so long together, three times at most
REPEATS = 5


def thriftree(X: Any, y: Any, task: dict[str, Any]) -> tuple[Any, ...]:
    from thriftree import OptimalTreeClassifier, OptimalTreeRegressor

    names = ("max_depth", "leaf_penalty", "thresholds", "lookahead", "beam")
    given = {name: task[name] for name in names if name in task}
    if "price_weight" in task:
        given |= {"price_weight": task["price_weight"], "costs": _prices(X.shape[1])}
    learner = OptimalTreeRegressor if task.get("numbers") else OptimalTreeClassifier
    model = learner(n_jobs=task.get("n_jobs", 1), **given).fit(X, y)
    return model.predict, model.tree_.n_leaves, model.status_ in ("optimal", "heuristic"), model.tree_


def _own(column: int) -> float:
    """The price of a column: 1 to 20."""
    return 1.0 + 7 * column % 20


def _group(column: int) -> int:
    """Every third column is in one of five groups; -1: in none."""
    return column // 3 % 5 if column % 3 == 0 else -1


def _setup(group: int) -> float:
    return 0.0 if group < 0 else 2.0 + group


def _prices(n_columns: int) -> Any:
    from thriftree.costs import Group, TestCosts

    grouped = [[j for j in range(n_columns) if _group(j) == g] for g in range(5)]
    groups = {f"group {g}": Group(_setup(g), tuple(js)) for g, js in enumerate(grouped) if js}
    return TestCosts({j: _own(j) for j in range(n_columns)}, groups=groups)


def paid(
    node: Any, X: Any, bought: frozenset[int] = frozenset(), opened: frozenset[int] = frozenset()
) -> float:
    """What all rows pay on the way through a tree: a column once, the set-up of its group once. `node` has a
    column (None: a leaf), and the nodes of rows that answer 0 and 1.
    """
    column, zero, one = node
    if column is None:
        return 0.0
    group = _group(column)
    price = 0.0 if column in bought else _own(column) + (0.0 if group in opened else _setup(group))
    after = bought | {column}, opened | {group}
    is_one = X[:, column] == 1
    return price * len(X) + paid(zero, X[~is_one], *after) + paid(one, X[is_one], *after)


def _nodes_of(tree: Any, at: int = 0) -> Any:
    """Our tree as `paid` takes it."""
    core = tree.core
    if core.column[at] < 0:
        return None, None, None
    low, high = core.children[core.child_begin[at] : core.child_begin[at + 1]].tolist()
    return int(core.column[at]), _nodes_of(tree, low), _nodes_of(tree, high)


def pystreed(X: Any, y: Any, task: dict[str, Any]) -> tuple[Any, ...]:
    from pystreed import STreeDClassifier

    if task.get("numbers"):
        return _pystreed_of_numbers(X, y, task)
    if "price_weight" in task:
        return _pystreed_with_prices(X, y, task)
    penalty = task["leaf_penalty"]
    goal = {"optimization_task": "accuracy"}
    if penalty:
        goal = {"optimization_task": "cost-complex-accuracy", "cost_complexity": penalty}
    model = STreeDClassifier(max_depth=task["max_depth"], time_limit=task["cap_s"], **goal).fit(X, y)
    return model.predict, model.get_n_leaves(), bool(model.fit_result.is_optimal())


def _pystreed_of_numbers(X: Any, y: Any, task: dict[str, Any]) -> tuple[Any, int, bool]:
    from pystreed import STreeDRegressor

    model = STreeDRegressor(
        optimization_task="regression", max_depth=task["max_depth"], time_limit=task["cap_s"]
    ).fit(X, y)
    return model.predict, model.get_n_leaves(), bool(model.fit_result.is_optimal())


def _pystreed_with_prices(X: Any, y: Any, task: dict[str, Any]) -> tuple[Any, int, bool, Any]:
    """Its cost-sensitive task: a column is paid once on a path, at a discount after one of its group, which
    is our rule where the discount is the set-up.
    """
    from pystreed import STreeDCostSensitiveClassifier
    from pystreed.data import CostSpecifier, FeatureCostSpecifier

    weight, n_classes = task["price_weight"], int(y.max()) + 1
    features = [
        FeatureCostSpecifier(
            weight * (_own(j) + _setup(_group(j))),
            weight * _own(j),
            f"group {_group(j)}" if _group(j) >= 0 else f"alone {j}",
            j,
            j,
        )
        for j in range(X.shape[1])
    ]
    mistakes = [[float(i != j) for j in range(n_classes)] for i in range(n_classes)]
    model = STreeDCostSensitiveClassifier(max_depth=task["max_depth"], time_limit=task["cap_s"])
    model.fit(X, y, CostSpecifier(mistakes, features))
    finished = bool(model.fit_result.is_optimal())
    return model.predict, model.get_n_leaves(), finished, _streed_nodes(model.get_tree())


def _streed_nodes(node: Any) -> Any:
    if node.is_leaf_node():
        return None, None, None
    return int(node.feature), _streed_nodes(node.left_child), _streed_nodes(node.right_child)


def pydl85(X: Any, y: Any, task: dict[str, Any]) -> tuple[Any, int, bool]:
    from pydl85 import DL85Classifier

    model = DL85Classifier(max_depth=task["max_depth"], time_limit=int(task["cap_s"])).fit(X, y)
    return model.predict, 0, not model.timeout_


def gosdt(X: Any, y: Any, task: dict[str, Any]) -> tuple[Any, int, bool]:
    import pandas as pd
    from gosdt import GOSDTClassifier, Status

    depth = task["max_depth"]
    model = GOSDTClassifier(
        regularization=task["leaf_penalty"],
        allow_small_reg=True,
        depth_budget=None if depth is None else depth + 1,
        time_limit=int(task["cap_s"]),
    )
    model.fit(pd.DataFrame(X.astype(bool)), pd.Series(y))
    text = str(model.trees_[0])
    return model.predict, text.count("prediction"), model.result_.status == Status.CONVERGED


def imodels(X: Any, y: Any, task: dict[str, Any]) -> tuple[Any, int, bool]:
    from imodels import FastSmallTreeClassifier

    model = FastSmallTreeClassifier(regularization=task["leaf_penalty"], time_limit=task["cap_s"]).fit(X, y)
    return model.predict, int(model.n_leaves_), bool(model.optimal_)


def pycontree(X: Any, y: Any, task: dict[str, Any]) -> tuple[Any, int, bool]:
    from pycontree import ConTree

    model = ConTree(max_depth=task["max_depth"], time_limit=task["cap_s"])
    start = time.perf_counter()
    model.fit(X, y)
    return model.predict, 0, time.perf_counter() - start < task["cap_s"]  # it has no flag of its own


def licketysplit(X: Any, y: Any, task: dict[str, Any]) -> tuple[Any, int, bool]:
    from licketysplit import LicketySPLITClassifier

    penalty = task["leaf_penalty"] or 1e-9
    model = LicketySPLITClassifier(lambda_leaf=penalty, depth_budget=task["max_depth"]).fit(X, y)
    return model.predict, len(model.get_tree_paths()[0]), True


SOLVERS = {f.__name__: f for f in (thriftree, pystreed, pydl85, gosdt, imodels, pycontree, licketysplit)}


def measured(solver: str, X: Any, y: Any, task: dict[str, Any]) -> dict[str, Any]:
    """What came of the fit, and what it took."""
    fit = SOLVERS[solver]
    with contextlib.suppress(Exception):  # what is loaded or compiled at the first call is not the fit's
        fit(X[:200], y[:200], {**task, "max_depth": task["max_depth"] and 2, "cap_s": 60})
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = _status_mb("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    least, spent = float("inf"), 0.0
    wall = float("inf")
    for _ in range(REPEATS):
        start, began = time.process_time(), time.perf_counter()
        predict, leaves, finished, *trees = fit(X, y, task)
        seconds = time.process_time() - start
        least, spent = min(least, seconds), spent + seconds
        wall = min(wall, time.perf_counter() - began)
        if spent > ENOUGH_S:
            break
    peak = _status_mb("VmHWM") - before
    answers = np.asarray(predict(X))
    errors = float(((answers - y) ** 2).sum()) if task.get("numbers") else int((answers != y).sum())
    price = 0.0
    if "price_weight" in task:
        nodes = _nodes_of(trees[0]) if solver == "thriftree" else trees[0]
        price = paid(nodes, X) / len(y)
    return {
        "errors": errors,
        "price": price,
        "leaves": leaves,
        "finished": finished,
        "cpu_s": least,
        "wall_s": wall,
        "memory_mb": peak,
    }


def _status_mb(field: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) / 1024
    raise KeyError(f"/proc/self/status has no {field}")


def main() -> None:
    """Prints the answer as the last line."""
    solver, table, task = sys.argv[1], np.load(sys.argv[2]), json.loads(sys.argv[3])
    warnings.simplefilter("ignore")
    with contextlib.redirect_stdout(io.StringIO()):
        y = table["y"].astype(np.float64 if task.get("numbers") else np.int64)
        answer = measured(solver, table["X"], y, task)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
