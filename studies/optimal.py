"""`python -m studies.optimal --data FOLDER`: what optimality is worth on rows that were not learnt from.

Twelve data sets, 70 % to train and 30 % to test, ten times over. The optimal tree has its penalty chosen by
folds; CART, pruned CART and the look-ahead have as many leaves as it at most, so that all answers are as
short. `--quick` takes four sets, three divisions and depth 3.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import pandas as pd  # type: ignore[import-untyped]
from numpy.typing import NDArray

from studies.harness import program, versions
from studies.harness.record import RunKey
from studies.harness.runs import PlannedRun
from studies.harness.tables import TEST_SHARE, SplitTask, divide, load_table
from studies.statistics import Estimate, estimate_of_splits
from thriftree import CARTClassifier, LimitReachedWarning, OptimalTreeClassifier

SETS: Final = (
    *("heart-cleveland", "pima", "breast-w", "wdbc", "ionosphere", "sonar"),
    *("tic-tac-toe", "ilpd", "mammographic-830", "segment", "yeast", "spambase"),
)
QUICK_SETS: Final = ("heart-cleveland", "pima", "ionosphere", "segment")
METHODS: Final = ("CART", "pruned CART", "look-ahead", "optimal")
FIT_S: Final = 120.0  # that a fit may take
MOST_ROWS: Final = 3_000  # of a set


@dataclass(frozen=True)
class OptimalTask(SplitTask):
    """A division, and how deep its trees may be."""

    max_depth: int


@dataclass(frozen=True)
class OptimalScores:
    """Train and test accuracy of each method, the leaves of each, and whether the optimum was proved."""

    train: dict[str, float]
    test: dict[str, float]
    leaves: dict[str, int]
    proved: bool


def measure(task: OptimalTask) -> dict[str, Any]:
    """Every method on one division."""
    table = load_table(task.data, task.folder, max_rows=MOST_ROWS)
    train, test = divide(table.y, task.split, "classes")
    X_train, X_test, y_train, y_test = table.X.iloc[train], table.X.iloc[test], table.y[train], table.y[test]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LimitReachedWarning)
        models = _fitted(X_train, y_train, task)
    scores = OptimalScores(
        {name: float((model.predict(X_train) == y_train).mean()) for name, model in models.items()},
        {name: float((model.predict(X_test) == y_test).mean()) for name, model in models.items()},
        {name: model.tree_.n_leaves for name, model in models.items()},
        models["optimal"].status_ == "optimal",
    )
    return asdict(scores)


def _fitted(X: pd.DataFrame, y: NDArray[Any], task: OptimalTask) -> dict[str, Any]:
    limits: dict[str, Any] = {"max_depth": task.max_depth, "time_limit_s": FIT_S}
    optimal = OptimalTreeClassifier(random_state=task.split, **limits).fit(X, y)
    leaves = optimal.tree_.n_leaves
    quick = OptimalTreeClassifier(
        leaf_penalty=optimal.leaf_penalty_, max_leaves=leaves, lookahead=3, **limits
    ).fit(X, y)
    return {
        "CART": CARTClassifier(max_leaves=leaves).fit(X, y),
        "pruned CART": _pruned(X, y, leaves),
        "look-ahead": quick,
        "optimal": optimal,
    }


def _pruned(X: pd.DataFrame, y: NDArray[Any], leaves: int) -> CARTClassifier:
    """The largest tree of the weakest-link sequence that has no more leaves."""
    alphas = CARTClassifier().cost_complexity_pruning_path(X, y).ccp_alphas
    low, high = 0, len(alphas) - 1
    while low < high:  # leaves fall as alpha rises
        middle = (low + high) // 2
        tree = CARTClassifier(pruning="cost_complexity", alpha=float(alphas[middle])).fit(X, y)
        low, high = (low, middle) if tree.tree_.n_leaves <= leaves else (middle + 1, high)
    best = CARTClassifier(pruning="cost_complexity", alpha=float(alphas[low]))
    best.fit(X, y)
    return best


def main(arguments: list[str] | None = None) -> int:
    """Run the study, print its report, and write its figures."""
    parser = _parser()
    options = parser.parse_args(arguments)
    sets = [name for name in options.sets if not options.quick or name in QUICK_SETS]
    program.require_sets(parser, options.data, sets)
    divisions, depth = (3, 3) if options.quick else (options.divisions, options.max_depth)
    settings, used = {"max_depth": depth, "fit_s": FIT_S, "max_rows": MOST_ROWS}, versions.of(["thriftree"])
    planned = [
        PlannedRun(
            RunKey("optimal", name, one, "all", settings, used), OptimalTask(options.data, name, one, depth)
        )
        for name in sets
        for one in range(divisions)
    ]
    runs = program.run(parser, options, measure, planned, "optimal")
    scores = [OptimalScores(**measures) for measures in program.all_measures(runs)]
    path = program.write_csv(
        options.out / "optimal.csv",
        ("data", "division", "method", "train", "test", "leaves", "proved"),
        (
            (run.key.data, run.key.split, name, one.train[name], one.test[name], one.leaves[name], one.proved)
            for run, one in zip(runs, scores, strict=True)
            for name in METHODS
        ),
    )
    by_set: dict[str, list[OptimalScores]] = {}
    for run, score in zip(runs, scores, strict=True):
        by_set.setdefault(run.key.data, []).append(score)
    print("\n".join([*report(by_set, depth), "", f"Written: {path}"]))
    return 0


def report(by_set: dict[str, list[OptimalScores]], max_depth: int) -> list[str]:
    """Test accuracies, differences with intervals, and what they come to in words."""
    divisions = len(next(iter(by_set.values())))
    lines = [
        f"Test accuracy in %, means over {divisions} divisions; depth at most {max_depth}; all with the",
        "leaves of the optimal tree at most. Last: optimal less CART, points, with 95 % interval.",
        "",
        f"{'data set':<18}{'leaves':>7}" + "".join(f"{name:>13}" for name in METHODS) + f"{'difference':>24}",
    ]
    gains: dict[str, Estimate] = {}
    for name, scores in by_set.items():
        means = {m: 100 * float(np.mean([s.test[m] for s in scores])) for m in METHODS}
        gains[name] = difference(scores, "CART")
        leaves = np.mean([s.leaves["optimal"] for s in scores])
        cells = "".join(f"{means[m]:13.1f}" for m in METHODS)
        lines.append(f"{name:<18}{leaves:7.1f}{cells}{_interval(gains[name]):>24}")
    lines += ["", *_words(by_set, gains)]
    return lines


def difference(scores: Sequence[OptimalScores], other: str) -> Estimate:
    """How many points of test accuracy the optimal tree is ahead of another."""
    points = [100 * (score.test["optimal"] - score.test[other]) for score in scores]
    return estimate_of_splits(points, TEST_SHARE)


def _interval(gain: Estimate) -> str:
    return f"{gain.mean:+.1f} ({gain.low:+.1f} to {gain.high:+.1f})"


def _words(by_set: dict[str, list[OptimalScores]], gains: dict[str, Estimate]) -> list[str]:
    every = [score for scores in by_set.values() for score in scores]
    proved = sum(score.proved for score in every)
    ahead = [name for name, gain in gains.items() if gain.is_above_zero]
    behind = [name for name, gain in gains.items() if gain.is_below_zero]
    lines = [f"Proved best for its tests: {proved} of {len(every)} trees."]
    for other in METHODS[:-1]:
        means = [difference(scores, other).mean for scores in by_set.values()]
        train = [100 * (s.train["optimal"] - s.train[other]) for s in every]
        lines.append(
            f"Optimal less {other}: {np.mean(means):+.2f} points of test accuracy on average over the sets "
            f"({sum(m > 0 for m in means)} ahead, {sum(m < 0 for m in means)} behind); "
            f"{np.mean(train):+.2f} on the rows of fit."
        )
    lines.append(
        f"By an interval that leaves out 0 it is ahead of CART on {len(ahead)} of {len(gains)} sets"
        f"{' (' + ', '.join(ahead) + ')' if ahead else ''} and behind on {len(behind)}"
        f"{' (' + ', '.join(behind) + ')' if behind else ''}; on the others these rows cannot tell."
    )
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = program.parser("optimal", "What optimality is worth on rows that were not learnt from.", SETS)
    parser.add_argument("--divisions", type=program.at_least(2), default=10, help="of each set; default 10")
    parser.add_argument("--max-depth", type=program.at_least(1), default=4, help="default 4")
    parser.add_argument("--quick", action="store_true", help="four sets, three divisions, depth 3")
    return parser


if __name__ == "__main__":
    sys.exit(main())
