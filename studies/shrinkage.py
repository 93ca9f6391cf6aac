"""What hierarchical shrinkage is worth: log loss, Brier score, AUC and accuracy before and after, by set.

    python -m studies.shrinkage --data FOLDER

Every tree is grown once a fold, and all strengths are read from it. The sets, in alphabetical order, are in
two halves: those at even places may decide a default, the others only show what it does elsewhere.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold

from studies.command import at_least, write_csv
from thriftree import CARTClassifier, CARTRegressor, ThriftTreeClassifier, ThriftTreeRegressor
from thriftree.tree import Tree

STRENGTHS: Final = (0.0, 1.0, 10.0, 25.0, 100.0)
SCORES: Final = ("log loss", "Brier", "AUC", "accuracy")
_REGRESSION: Final = ("abalone-reg", "boston", "wine-quality-red", "wine-quality-white")
_ONLY_NUMBERS: Final = ("abalone-reg", "boston")
_NAMES: Final = {"diabetic": ("encounter_id", "patient_nbr")}  # columns that name a row
_LEAST: Final = float(np.finfo(np.float64).eps)


def main(given: Sequence[str] | None = None) -> int:
    """Measures, and prints a table for each learner; all figures go to a file."""
    arguments = argparse.ArgumentParser(prog="python -m studies.shrinkage", description=__doc__)
    arguments.add_argument("--data", type=Path, required=True, help="folder of the Parquet files")
    arguments.add_argument("--out", type=Path, default=Path("study-results"), help="folder for the figures")
    arguments.add_argument("--rows", type=at_least(50), default=2000, help="rows of a set, drawn at random")
    arguments.add_argument(
        "--repeats", type=at_least(1), default=1, help="divisions by which ThriftTree tunes"
    )
    arguments.add_argument("--sets", nargs="+", help="only these")
    asked = arguments.parse_args(given)
    found = [file.stem for file in sorted(asked.data.glob("*.parquet"))]
    classes = [name for name in found if name not in _ONLY_NUMBERS]
    halves = {name: "decides" if place % 2 == 0 else "shows" for place, name in enumerate(classes)}
    lines = []
    for name in found:
        if asked.sets and name not in asked.sets:
            continue
        for numeric in (False, True):
            if name in (classes, _REGRESSION)[numeric]:
                X, y = table(asked.data / f"{name}.parquet", asked.rows, numeric)
                lines += [
                    [name, halves.get(name, ""), *line] for line in measured(X, y, numeric, asked.repeats)
                ]
        print(name, file=sys.stderr, flush=True)  # noqa: T201
    asked.out.mkdir(parents=True, exist_ok=True)
    write_csv(
        asked.out / "shrinkage.csv", ["set", "half", "learner", "fold", "strength", "score", "value"], lines
    )
    print("\n\n".join(summary(lines, *of) for of in _tables(lines)))  # noqa: T201
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


def measured(X: Any, y: NDArray[Any], numeric: bool, repeats: int) -> list[list[Any]]:
    """Learner, fold, strength, score and value."""
    learners: dict[str, Any] = {
        "ThriftTree": ThriftTreeRegressor if numeric else ThriftTreeClassifier,
        "CART": CARTRegressor if numeric else CARTClassifier,
    }
    folds = (KFold if numeric else StratifiedKFold)(5, shuffle=True, random_state=0)
    found = []
    for fold, (training, test) in enumerate(folds.split(X, y)):
        for name, learner in learners.items():
            tuning = {"repeats": repeats} if name == "ThriftTree" else {}
            model = learner(random_state=0, shrinkage=None, **tuning).fit(X.iloc[training], y[training])
            for strength in STRENGTHS:
                tree = model.tree_.with_shrinkage(strength)
                scores = (
                    {"R2": _r2(tree, X.iloc[test], y[test])}
                    if numeric
                    else _scores(tree, X.iloc[test], y[test])
                )
                found += [[name, fold, strength, score, value] for score, value in scores.items()]
    return found


def _r2(tree: Tree, X: Any, y: NDArray[Any]) -> float:
    return float(1 - np.mean((tree.predict(X) - y) ** 2) / np.var(y))


def _scores(tree: Tree, X: Any, y: NDArray[Any]) -> dict[str, float]:
    said = tree.predict_proba(X)
    classes = np.array(tree.classes)
    truth = (y[:, np.newaxis] == classes).astype(float)
    if len(classes) == 2:
        auc = roc_auc_score(truth[:, 1], said[:, 1])
    else:
        both = np.flatnonzero((truth.sum(axis=0) > 0) & (truth.sum(axis=0) < len(y)))
        auc = np.mean([roc_auc_score(truth[:, k], said[:, k]) for k in both])
    return {
        "log loss": float(log_loss(y, np.clip(said, _LEAST, 1), labels=classes)),
        "Brier": float(((said - truth) ** 2).sum(axis=1).mean()),
        "AUC": float(auc),
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
                error = 1.96 * gain.std(ddof=1) / np.sqrt(len(gain))
                cell += f" ({gain.mean():+.4f} ± {error:.4f}; better on {better.sum()} of {len(gain)})"
            cells.append(cell)
        text.append("| " + " | ".join(cells) + " |")
    return "\n".join(text)


def _is(line: list[Any], name: str, learner: str, strength: float, score: str) -> bool:
    return bool(line[0] == name and line[2] == learner and line[4] == strength and line[5] == score)


if __name__ == "__main__":
    raise SystemExit(main())
