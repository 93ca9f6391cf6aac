"""One fit of one solver on one table: `python one_fit.py SOLVER TABLE.npz TASK`, TASK and the answer as JSON.

It runs in the environment of the solver, so it imports nothing of this package. The answer has the errors of
the fitted tree on the table, counted here from its predictions, its leaves, whether the solver says that it
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


def thriftree(X: Any, y: Any, task: dict[str, Any]) -> tuple[Any, int, bool]:
    from thriftree import OptimalTreeClassifier

    names = ("max_depth", "leaf_penalty", "thresholds", "lookahead", "beam")
    given = {name: task[name] for name in names if name in task}
    if "price_weight" in task:
        given |= {"price_weight": task["price_weight"], "costs": _prices(X.shape[1])}
    model = OptimalTreeClassifier(n_jobs=task.get("n_jobs", 1), **given).fit(X, y)
    return model.predict, model.tree_.n_leaves, model.status_ in ("optimal", "heuristic")


def _prices(n_columns: int) -> Any:
    """Prices from 1 to 20, paid once; every third column is in one of five groups with a set-up."""
    from thriftree.costs import Group, TestCosts

    prices = {j: 1.0 + 7 * j % 20 for j in range(n_columns)}
    grouped = [[j for j in range(0, n_columns, 3) if j // 3 % 5 == g] for g in range(5)]
    groups = {f"group {g}": Group(2.0 + g, tuple(js)) for g, js in enumerate(grouped) if js}
    return TestCosts(prices, groups=groups)


def pystreed(X: Any, y: Any, task: dict[str, Any]) -> tuple[Any, int, bool]:
    from pystreed import STreeDClassifier

    penalty = task["leaf_penalty"]
    goal = {"optimization_task": "accuracy"}
    if penalty:
        goal = {"optimization_task": "cost-complex-accuracy", "cost_complexity": penalty}
    model = STreeDClassifier(max_depth=task["max_depth"], time_limit=task["cap_s"], **goal).fit(X, y)
    return model.predict, model.get_n_leaves(), bool(model.fit_result.is_optimal())


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
        predict, leaves, finished = fit(X, y, task)
        seconds = time.process_time() - start
        least, spent = min(least, seconds), spent + seconds
        wall = min(wall, time.perf_counter() - began)
        if spent > ENOUGH_S:
            break
    peak = _status_mb("VmHWM") - before
    errors = int((np.asarray(predict(X)) != y).sum())
    return {
        "errors": errors,
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
        answer = measured(solver, table["X"], table["y"].astype(np.int64), task)
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
