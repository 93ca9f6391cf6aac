"""`python -m studies.noise --data FOLDER`: what a column of random codes costs a tree.

A column of 200 categories that mean nothing is added to a table. A learner that may divide categories into
any two sets finds a set that fits the training rows, and pays for it on others. 70 % of the rows train, 30 %
test, with and without the column; "free sets" are the tests of the papers (every `subset_` parameter None).
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import pandas as pd  # type: ignore[import-untyped]

from studies.harness import program, versions
from studies.harness.record import RunKey
from studies.harness.runs import PlannedRun
from studies.harness.tables import TEST_SHARE, SplitTask, divide, load_table
from studies.statistics import Estimate, estimate_of_splits
from thriftree import CARTClassifier, ThriftTreeClassifier
from thriftree.estimators.category_tests import FREE_SETS

# Defaults were chosen on the first five; the others were looked at afterwards.
DECIDING: Final = ("breast-w", "house-votes-84", "mammographic-830", "obesity", "segment")
SHOWING: Final = ("heart-cleveland", "ilpd", "pima", "tic-tac-toe", "yeast")
N_CODES: Final = 200
MOST_ROWS: Final = 3_000  # of a set

LEARNERS: Final[dict[str, Callable[[int], Any]]] = {
    "CART, free sets": lambda seed: CARTClassifier(**FREE_SETS),
    "CART": lambda seed: CARTClassifier(),
    "ThriftTree, free sets": lambda seed: ThriftTreeClassifier(**FREE_SETS, random_state=seed),
    "ThriftTree": lambda seed: ThriftTreeClassifier(random_state=seed),
}


@dataclass(frozen=True)
class NoiseScores:
    """Test accuracy of each learner, without the random column and with it."""

    plain: dict[str, float]
    noisy: dict[str, float]


def with_noise(X: pd.DataFrame, seed: int) -> pd.DataFrame:
    """The same rows with a column of random codes."""
    codes = np.random.default_rng(seed).integers(0, N_CODES, len(X))
    return X.assign(random_code=np.char.add("code ", codes.astype(str)))


def measure(task: SplitTask) -> dict[str, Any]:
    """Every learner on one division, without the column and with it."""
    table = load_table(task.data, task.folder, max_rows=MOST_ROWS)
    X, y = table.X, table.y
    train, test = divide(y, task.split, "classes")

    def accuracy(make: Callable[[int], Any], of: pd.DataFrame) -> float:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "nearly every row has a category of its own")
            model = make(task.split).fit(of.iloc[train], y[train])
        return float((model.predict(of.iloc[test]) == y[test]).mean())

    noisy = with_noise(X, task.split)
    scores = NoiseScores(
        {name: accuracy(make, X) for name, make in LEARNERS.items()},
        {name: accuracy(make, noisy) for name, make in LEARNERS.items()},
    )
    return asdict(scores)


def main(arguments: list[str] | None = None) -> int:
    """Run the study, print its report, and write its figures."""
    parser = _parser()
    options = parser.parse_args(arguments)
    program.require_sets(parser, options.data, options.sets)
    settings, used = {"codes": N_CODES, "max_rows": MOST_ROWS}, versions.of(["thriftree"])
    planned = [
        PlannedRun(RunKey("noise", name, one, "all", settings, used), SplitTask(options.data, name, one))
        for name in options.sets
        for one in range(options.divisions)
    ]
    runs = program.run(parser, options, measure, planned, "noise")
    scores = [NoiseScores(**measures) for measures in program.all_measures(runs)]
    path = program.write_csv(
        options.out / "noise.csv",
        ("data", "division", "learner", "plain", "noisy"),
        (
            (run.key.data, run.key.split, name, score.plain[name], score.noisy[name])
            for run, score in zip(runs, scores, strict=True)
            for name in LEARNERS
        ),
    )
    by_set: dict[str, list[NoiseScores]] = {}
    for run, score in zip(runs, scores, strict=True):
        by_set.setdefault(run.key.data, []).append(score)
    print("\n".join([*report(by_set), "", f"Written: {path}"]))
    return 0


def report(by_set: dict[str, list[NoiseScores]]) -> list[str]:
    """What the column costs each learner, by set and on average over each half of the sets."""
    divisions = len(next(iter(by_set.values())))
    lines = [
        f"Test accuracy in %, means over {divisions} divisions of at most {MOST_ROWS} rows, and what a",
        f"column of {N_CODES} random codes changes, in points, with its 95 % interval.",
        "",
        f"{'data set':<18}" + "".join(f"{name:>32}" for name in LEARNERS),
    ]
    for name, scores in by_set.items():
        cells = []
        for learner in LEARNERS:
            plain = 100 * float(np.mean([score.plain[learner] for score in scores]))
            cells.append(f"{plain:6.1f} {_interval(change(scores, learner))}".rjust(32))
        lines.append(f"{name:<18}" + "".join(cells))
    for half, members in (("sets that decided", DECIDING), ("sets that show", SHOWING)):
        means = [
            [change(by_set[name], learner).mean for name in members if name in by_set] for learner in LEARNERS
        ]
        if means[0]:
            lines.append(f"{half:<18}" + "".join(f"{np.mean(of_sets):+32.2f}" for of_sets in means))
    return lines


def change(scores: Sequence[NoiseScores], learner: str) -> Estimate:
    """How many points of test accuracy the column adds to those of a learner."""
    points = [100 * (score.noisy[learner] - score.plain[learner]) for score in scores]
    return estimate_of_splits(points, TEST_SHARE)


def _interval(of: Estimate) -> str:
    return f"{of.mean:+.1f} ({of.low:+.1f} to {of.high:+.1f})"


def _parser() -> argparse.ArgumentParser:
    parser = program.parser("noise", __doc__ or "", (*DECIDING, *SHOWING))
    parser.add_argument("--divisions", type=program.at_least(2), default=5, help="of the rows of a set")
    return parser


if __name__ == "__main__":
    sys.exit(main())
