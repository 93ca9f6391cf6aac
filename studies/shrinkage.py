"""What hierarchical shrinkage is worth: log loss, Brier score, AUC and accuracy before and after, by set.

    python -m studies.shrinkage --data FOLDER

Every tree is grown once a fold, and all strengths are read from it. The sets, in alphabetical order, are in
two halves: those at even places may decide a default, the others only show what it does elsewhere.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sklearn.metrics import log_loss
from sklearn.model_selection import KFold, StratifiedKFold

from studies.evaluation import area_under_curve
from studies.harness import program, versions
from studies.harness.record import RunKey
from studies.harness.runs import PlannedRun
from studies.statistics import estimate_of_splits
from thriftree import CARTClassifier, CARTRegressor, ThriftTreeClassifier, ThriftTreeRegressor
from thriftree.tree import Tree

N_FOLDS: Final = 5
STRENGTHS: Final = (0.0, 1.0, 10.0, 25.0, 100.0)
SCORES: Final = ("log loss", "Brier", "AUC", "accuracy")
_REGRESSION: Final = ("abalone-reg", "boston", "wine-quality-red", "wine-quality-white")
_ONLY_NUMBERS: Final = ("abalone-reg", "boston")
_NAMES: Final = {"diabetic": ("encounter_id", "patient_nbr")}  # columns that name a row
_LEAST: Final = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class ShrinkageTask:
    """One fold of one set, for classes or for numbers."""

    file: Path
    fold: int
    numeric: bool
    rows: int
    repeats: int


def planned(
    folder: Path, sets: Sequence[str], rows: int, repeats: int
) -> Iterator[PlannedRun[ShrinkageTask]]:
    """Set after set."""
    settings, used = {"rows": rows, "repeats": repeats}, versions.of(["thriftree"])
    for name in sets:
        for numeric, part in ((False, "classes"), (True, "numbers")):
            if name in _REGRESSION if numeric else name not in _ONLY_NUMBERS:
                for fold in range(N_FOLDS):
                    key = RunKey(f"shrinkage: {part}", name, fold, "all", settings, used)
                    task = ShrinkageTask(folder / f"{name}.parquet", fold, numeric, rows, repeats)
                    yield PlannedRun(key, task)


def main(given: Sequence[str] | None = None) -> int:
    """Measures, and prints a table for each learner; all figures go to a file."""
    parser = program.parser("shrinkage", __doc__ or "", ())
    parser.add_argument("--rows", type=program.at_least(50), default=2000, help="of a set, drawn at random")
    parser.add_argument(
        "--repeats", type=program.at_least(1), default=1, help="divisions by which ThriftTree tunes"
    )
    options = parser.parse_args(given)
    found = [file.stem for file in sorted(options.data.glob("*.parquet"))]
    classes = [name for name in found if name not in _ONLY_NUMBERS]
    halves = {name: "decides" if place % 2 == 0 else "shows" for place, name in enumerate(classes)}
    sets = [name for name in found if not options.sets or name in options.sets]
    plan = list(planned(options.data, sets, options.rows, options.repeats))
    runs = program.run(parser, options, measure, plan, "shrinkage")
    lines = [
        [run.key.data, halves.get(run.key.data, ""), learner, run.key.split, strength, score, value]
        for run, measures in zip(runs, program.all_measures(runs), strict=True)
        for learner, strength, score, value in measures["scores"]
    ]
    header = ["set", "half", "learner", "fold", "strength", "score", "value"]
    program.write_csv(options.out / "shrinkage.csv", header, lines)
    print("\n\n".join(summary(lines, *of) for of in _tables(lines)))
    return 0


def table(file: Path, n_rows: int, numeric: bool) -> tuple[Any, NDArray[Any]]:
    """At most so many rows of a set."""
    frame = pq.read_table(file).to_pandas()
    frame = frame.drop(columns=list(_NAMES.get(file.stem, ())))
    if len(frame) > n_rows:
        frame = frame.sample(n_rows, random_state=0).reset_index(drop=True)
    target = frame.pop("target").to_numpy()
    if numeric:
        return frame, target.astype(np.float64)
    label, counts = np.unique(target.astype(str), return_counts=True)
    common = np.isin(target.astype(str), label[counts >= 5])  # each fold has some of every class
    return frame[common].reset_index(drop=True), target.astype(str)[common]


def measure(task: ShrinkageTask) -> dict[str, Any]:
    """Learner, strength, score and value: each tree is grown once, and all strengths are read from it."""
    X, y = table(task.file, task.rows, task.numeric)
    learners: dict[str, Any] = {
        "ThriftTree": ThriftTreeRegressor if task.numeric else ThriftTreeClassifier,
        "CART": CARTRegressor if task.numeric else CARTClassifier,
    }
    folds = (KFold if task.numeric else StratifiedKFold)(N_FOLDS, shuffle=True, random_state=0)
    training, test = list(folds.split(X, y))[task.fold]
    found = []
    for name, learner in learners.items():
        tuning = {"repeats": task.repeats} if name == "ThriftTree" else {}
        model = learner(random_state=0, shrinkage=None, **tuning).fit(X.iloc[training], y[training])
        for strength in STRENGTHS:
            tree = model.tree_.with_shrinkage(strength)
            of_test = tree, X.iloc[test], y[test]
            scores = {"R2": _r2(*of_test)} if task.numeric else _scores(*of_test)
            found += [[name, strength, score, value] for score, value in scores.items()]
    return {"scores": found}


def _r2(tree: Tree, X: Any, y: NDArray[Any]) -> float:
    return float(1 - np.mean((tree.predict(X) - y) ** 2) / np.var(y))


def _scores(tree: Tree, X: Any, y: NDArray[Any]) -> dict[str, float]:
    said = tree.predict_proba(X)
    classes = np.array(tree.classes)
    truth = (y[:, np.newaxis] == classes).astype(float)
    return {
        "log loss": float(log_loss(y, np.clip(said, _LEAST, 1), labels=classes)),
        "Brier": float(((said - truth) ** 2).sum(axis=1).mean()),
        "AUC": area_under_curve(y, said, classes),
        "accuracy": float(np.mean(tree.predict(X) == y)),
    }


def _tables(lines: list[list[Any]]) -> list[tuple[str, str, str]]:
    """Learner, half and kind of score, in the order of the lines."""
    kinds = dict.fromkeys((line[2], "", "R2") for line in lines if line[5] == "R2")
    halves = dict.fromkeys((line[2], line[1], "") for line in lines if line[5] != "R2")
    return [*sorted(halves), *sorted(kinds)]


def summary(lines: list[list[Any]], learner: str, half: str, kind: str) -> str:
    """By strength the mean over sets of each score, and of its difference to no shrinkage with the 95 %
    interval over sets; and on how many sets it is better.
    """
    scores = [kind] if kind else list(SCORES)
    text = [
        f"{learner}, {half or 'regression'}",
        "| λ | " + " | ".join(scores) + " |",
        "|---" * (len(scores) + 1) + "|",
    ]
    for strength in STRENGTHS:
        cells = [f"{strength:g}"]
        for score in scores:
            by_set = {
                name: {
                    one: np.mean([line[6] for line in lines if _is(line, name, learner, one, score)])
                    for one in (0.0, strength)
                }
                for name in dict.fromkeys(
                    line[0] for line in lines if (kind or line[1] == half) and line[5] == score
                )
            }
            now = np.array([means[strength] for means in by_set.values()])
            gain = now - np.array([means[0.0] for means in by_set.values()])
            cell = f"{now.mean():.4f}"
            if strength and len(gain) > 1:
                better = gain < 0 if score in ("log loss", "Brier") else gain > 0
                of_sets = estimate_of_splits(gain, test_share=0.0)  # sets share no rows
                reach = of_sets.high - of_sets.mean
                cell += f" ({of_sets.mean:+.4f} ± {reach:.4f}; better on {better.sum()} of {len(gain)})"
            cells.append(cell)
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text)


def _is(line: list[Any], name: str, learner: str, strength: float, score: str) -> bool:
    return bool(line[0] == name and line[2] == learner and line[4] == strength and line[5] == score)


if __name__ == "__main__":
    sys.exit(main())
