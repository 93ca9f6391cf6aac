"""What linear leaves are worth: R², leaves and questions of regression trees, on splits that chose nothing.

    python -m studies.linear_leaves --data FOLDER

Sets are the shared ones of numbers, scikit-learn's diabetes, and Friedman's three made tables. In
alphabetical order those at even places may decide a default (shared and made ones each), the others only show
what it does.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit
from sklearn.tree import DecisionTreeRegressor

from studies.harness.program import at_least, write_csv
from thriftree import CARTRegressor, ThriftTreeRegressor

SHARED: Final = ("abalone-reg", "boston", "diabetes", "wine-quality-red", "wine-quality-white")
MADE: Final[dict[str, Callable[..., Any]]] = {
    "friedman1": make_friedman1,
    "friedman2": make_friedman2,
    "friedman3": make_friedman3,
}
_NOISE: Final = {"friedman1": 1.0, "friedman2": 100.0, "friedman3": 0.1}
_ALPHAS: Final = (0.0, 1e-4, 3e-4, 1e-3, 2e-3, 5e-3, 0.01, 0.02, 0.05)  # in variances of the target


HEAD: Final = ("set", "half", "learner", "split", "r2", "leaves", "questions", "seconds")


def half_of(name: str) -> str:
    """Whether a set may decide a default, or only shows."""
    names = SHARED if name in SHARED else tuple(MADE)
    return "decides" if names.index(name) % 2 == 0 else "shows"


def table(name: str, data: Path, n_rows: int) -> tuple[Any, NDArray[np.float64]]:
    """At most so many rows of a set."""
    if name in MADE:
        X, y = MADE[name](n_samples=n_rows // 2, noise=_NOISE[name], random_state=0)
        return pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]), y
    if name == "diabetes":
        X, y = load_diabetes(return_X_y=True, as_frame=True)
        return X, y.to_numpy(dtype=np.float64)
    frame = pd.read_parquet(data / f"{name}.parquet")
    if len(frame) > n_rows:
        frame = frame.sample(n_rows, random_state=0).reset_index(drop=True)
    y = frame.pop("target").to_numpy().astype(np.float64)
    return frame, y


def tuned(seed: int) -> Any:
    """scikit-learn's tree: alpha and the rows of a leaf by five folds."""

    class Tuned:
        def fit(self, X: Any, y: NDArray[np.float64]) -> Any:
            grid = {
                "ccp_alpha": [alpha * float(np.var(y)) for alpha in _ALPHAS],
                "min_samples_leaf": [1, 5, 20],
            }
            folds = KFold(5, shuffle=True, random_state=seed)
            self.search = GridSearchCV(DecisionTreeRegressor(random_state=seed), grid, cv=folds).fit(X, y)
            return self

        def predict(self, X: Any) -> Any:
            return self.search.predict(X)

        def size(self, X: Any) -> tuple[int, float]:
            tree = self.search.best_estimator_
            passed = tree.decision_path(X).sum(axis=1)
            return int(tree.get_n_leaves()), float(passed.mean() - 1)

    return Tuned()


LEARNERS: Final[dict[str, Callable[[int], Any]]] = {
    "scikit-learn, tuned": tuned,
    "ThriftTree, constant": lambda seed: ThriftTreeRegressor(leaves="constant", random_state=seed),
    "ThriftTree": lambda seed: ThriftTreeRegressor(random_state=seed),
    "CART, pruned": lambda seed: CARTRegressor(pruning="cost_complexity", random_state=seed),
    "CART, linear": lambda seed: CARTRegressor(leaves="linear", random_state=seed),
}


def main(given: Sequence[str] | None = None) -> int:
    """Measures, and prints a table; all figures go to a file."""
    arguments = argparse.ArgumentParser(prog="python -m studies.linear_leaves", description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="folder of the Parquet files")
    arguments.add_argument("--out", type=Path, default=Path("study-results"), help="folder for the figures")
    arguments.add_argument("--rows", type=at_least(50), default=2000, help="rows of a set, drawn at random")
    arguments.add_argument("--splits", type=at_least(2), default=10, help="random splits, a fifth to test on")
    arguments.add_argument("--sets", nargs="+", help="only these")
    asked = arguments.parse_args(given)
    lines = []
    for name in (*SHARED, *MADE):
        if asked.sets and name not in asked.sets:
            continue
        lines += measured(name, *table(name, asked.data, asked.rows), asked.splits)
        print(name, file=sys.stderr, flush=True)  # noqa: T201
        asked.out.mkdir(parents=True, exist_ok=True)
        write_csv(asked.out / "linear_leaves.csv", HEAD, lines)
    print(summary(lines))  # noqa: T201
    return 0


def measured(name: str, X: Any, y: NDArray[np.float64], n_splits: int) -> list[list[Any]]:
    """Set, half, learner, split, R², leaves, questions of a row, CPU seconds."""
    numeric = X.assign(**{c: X[c].astype("category").cat.codes for c in X if X[c].dtype.kind not in "fiu"})
    found = []
    for split, (training, test) in enumerate(ShuffleSplit(n_splits, test_size=0.2, random_state=1).split(X)):
        for learner, make in LEARNERS.items():
            table_ = numeric if learner.startswith("scikit") else X
            began = time.process_time()
            model = make(split).fit(table_.iloc[training], y[training])
            took = time.process_time() - began
            said = model.predict(table_.iloc[test])
            r2 = 1 - np.mean((said - y[test]) ** 2) / np.var(y[test])
            if hasattr(model, "size"):
                leaves, questions = model.size(table_.iloc[test])
            else:
                leaves, questions = model.tree_.n_leaves, float(model.predict_cost(table_.iloc[test]).mean())
            found.append([name, half_of(name), learner, split, float(r2), leaves, questions, took])
    return found


def summary(lines: list[list[Any]]) -> str:
    """By set the mean R² of each learner, with the 95 % interval of the difference to tuned scikit-learn."""
    figures = pd.DataFrame(lines, columns=["set", "half", "learner", "split", "r2", "leaves", "asked", "s"])
    learners = list(LEARNERS)
    text = ["| set | " + " | ".join(learners) + " |", "|---" * (len(learners) + 1) + "|"]
    by_set = {}
    for name, of_set in figures.groupby("set", sort=False):
        scores = of_set.pivot_table(index="split", columns="learner", values="r2")[learners]
        sizes = of_set.groupby("learner")[["leaves", "asked"]].mean()
        by_set[name] = scores.mean() - scores[learners[0]].mean()
        cells = []
        for learner in learners:
            gain = scores[learner] - scores[learners[0]]
            half = 1.96 * gain.std(ddof=1) / np.sqrt(len(gain))
            change = "" if learner == learners[0] else f" ({gain.mean():+.3f} ± {half:.3f})"
            leaves, asked = sizes.loc[learner]
            cells.append(f"{scores[learner].mean():.3f}{change}, {leaves:.0f} leaves, {asked:.1f} asked")
        half_name = of_set["half"].iloc[0]
        text.append(f"| {name} ({half_name}, {len(scores)} splits) | " + " | ".join(cells) + " |")
    gains = pd.DataFrame(by_set).T
    spread = 1.96 * gains.std(ddof=1) / np.sqrt(len(gains))
    cells = [f"{gains[learner].mean():+.3f} ± {spread[learner]:.3f}" for learner in learners]
    text.append("| difference, mean over sets | " + " | ".join(cells) + " |")
    seconds = figures.groupby("learner")["s"].mean()
    text.append("| CPU seconds a fit | " + " | ".join(f"{seconds[one]:.2f}" for one in learners) + " |")
    return "\n".join(text)


if __name__ == "__main__":
    sys.exit(main())
