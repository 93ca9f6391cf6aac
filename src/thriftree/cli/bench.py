"""`thriftree bench`: how fast fitting and predicting are on this machine, beside scikit-learn's tree."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from thriftree.cli import options, screen
from thriftree.cli.errors import InputError

LEAVES = 100
_REPEATS = 3
_SAME = 0.01  # what two trees of as many leaves may differ by in accuracy


@dataclass(frozen=True)
class Line:
    """One piece of work, in seconds of ours and theirs."""

    work: str
    ours_s: float
    theirs_s: float

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.theirs_s / self.ours_s


def bench(
    rows: Annotated[int, typer.Option("--rows", help="Rows of the made-up table.", min=1000)] = 100_000,
    columns: Annotated[int, typer.Option("--columns", help="Its columns.", min=2)] = 20,
    jobs: options.Jobs = 1,
    seed: options.Seed = 0,
    as_json: options.Json = False,
) -> None:
    """Time fit and predict against scikit-learn, after checking that both trees are as good."""
    X, y = _table(rows, columns, seed)
    with screen.progress("measuring", quiet=as_json) as progress:
        lines, accuracies = _measured(X, y, jobs, progress)
    if as_json:
        screen.json_document(
            {
                "rows": rows,
                "columns": columns,
                "leaves": LEAVES,
                "accuracy": accuracies,
                "lines": [{**vars(line), "ratio": line.ratio} for line in lines],
            }
        )
        return
    screen.heading(f"{rows:,} rows, {columns} columns of numbers, 2 classes, {LEAVES} leaves")
    right = ", ".join(f"{name} {share:.1%}" for name, share in accuracies.items())
    screen.say(f"Right on unseen rows: {right}.\n")
    screen.table(
        ["work", "thriftree s", "scikit-learn s", "times faster"],
        [[line.work, f"{line.ours_s:.3f}", f"{line.theirs_s:.3f}", f"{line.ratio:.1f}"] for line in lines],
    )


def _table(n_rows: int, n_columns: int, seed: int) -> tuple[Any, Any]:
    import numpy as np

    random = np.random.default_rng(seed)
    X = random.normal(size=(2 * n_rows, n_columns)).astype(np.float32)
    signal = X[:, 0] + X[:, 1] * X[:, 0] + random.normal(size=2 * n_rows)
    return X, (signal > np.median(signal)).astype(np.int64)


def _measured(X: Any, y: Any, jobs: int, progress: Any) -> tuple[list[Line], dict[str, float]]:
    """The second half of the rows is unseen."""
    from sklearn.tree import DecisionTreeClassifier

    from thriftree import CARTClassifier

    half = len(X) // 2
    ours = CARTClassifier(max_leaves=LEAVES, n_jobs=jobs)
    binned = CARTClassifier(max_leaves=LEAVES, max_bins=255, n_jobs=jobs)
    theirs = DecisionTreeClassifier(max_leaf_nodes=LEAVES, random_state=0)
    models = {"thriftree": ours, "thriftree, 255 bins": binned, "scikit-learn": theirs}
    fits = {}
    for done, (name, model) in enumerate(models.items()):
        fits[name] = _least(lambda model=model: model.fit(X[:half], y[:half]))  # type: ignore[misc]
        progress(done + 1, len(models) + 1)
    accuracies = {name: float((model.predict(X[half:]) == y[half:]).mean()) for name, model in models.items()}
    if max(accuracies.values()) - min(accuracies.values()) > _SAME:
        raise InputError(f"the trees are not as good as each other, so no time is told: {accuracies}")
    progress(len(models) + 1, len(models) + 1)
    answer = Line("predict", _least(lambda: ours.predict(X[half:])), _least(lambda: theirs.predict(X[half:])))
    return [
        Line("fit, every threshold", fits["thriftree"], fits["scikit-learn"]),
        Line("fit, 255 bins a column", fits["thriftree, 255 bins"], fits["scikit-learn"]),
        answer,
    ], accuracies


def _least(work: Callable[[], Any]) -> float:
    """Seconds of the fastest of a few runs; slow work runs once."""
    least = float("inf")
    for _ in range(_REPEATS):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
        if least > 1:
            break
    return least
