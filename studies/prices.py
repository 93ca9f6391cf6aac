"""`python -m studies.prices --data FOLDER`: accuracy and price where tests have real prices."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

from studies import command, price_report
from studies.command import at_least
from studies.evaluation import N_FOLDS, SCORES, FoldResults, FoldScore, folds_of_repeat, score_fold
from studies.lightgbm_tree import import_lightgbm
from studies.methods import METHODS
from studies.price_plot import import_figure, plot
from studies.price_sets import SOURCES, load
from studies.work import run_all


@dataclass(frozen=True)
class FoldTask:
    """One learner on one repeat of one data set's folds."""

    folder: Path
    data: str
    method: str
    repeat: int
    n_folds: int

    def __str__(self) -> str:
        return f"{self.data}, {self.method}, repeat {self.repeat + 1}"


def scores_of(task: FoldTask) -> list[FoldScore]:
    """One score a fold."""
    data, method = load(task.folder, task.data), METHODS[task.method]
    return [
        score_fold(
            lambda X, y, seed: method.make(data.costs, seed).fit(X, y), method.leaves, data.X, data.y, fold
        )
        for fold in folds_of_repeat(data.y, task.repeat, task.n_folds)
    ]


def compare(
    folder: Path, sets: Sequence[str], methods: Sequence[str], repeats: int, n_folds: int, jobs: int
) -> dict[str, FoldResults]:
    """The scores of every learner on every data set."""
    tasks = [
        FoldTask(folder, name, method, repeat, n_folds)
        for name in sets
        for repeat in range(repeats)
        for method in methods
    ]
    scores: dict[str, dict[str, list[FoldScore]]] = {
        name: {method: [] for method in methods} for name in sets
    }
    for task, found in zip(tasks, run_all(scores_of, tasks, jobs), strict=True):
        scores[task.data][task.method] += found
    return {
        name: FoldResults(n_folds, of_set, load(folder, name).largest_class)
        for name, of_set in scores.items()
    }


def main(arguments: list[str] | None = None) -> int:
    """Run the study, print its report, and write its figures and its plot."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:  # what is missing is said before minutes of work, not after
        import_figure()
        if "LightGBM" in options.methods:
            import_lightgbm()
        data = {name: load(options.data, name) for name in options.sets}
    except (ImportError, FileNotFoundError) as error:
        parser.error(str(error))
    start = time.perf_counter()
    every = compare(options.data, options.sets, options.methods, options.repeats, options.folds, options.jobs)
    seconds = time.perf_counter() - start

    options.out.mkdir(parents=True, exist_ok=True)
    header = ["set", "method", "repeat", "fold", *SCORES]
    figures = command.write_csv(options.out / "prices.csv", header, _figures(every))
    paths = [figures, *plot(every, options.out)]
    lines = list(price_report.about(options.folds, options.repeats, options.methods))
    for name, results in every.items():
        lines += ["", *price_report.of_set(data[name], results)]
    fits = len(options.sets) * len(options.methods) * options.repeats * options.folds
    lines += ["", *price_report.summary(every), ""]
    lines += [
        f"{fits:,} learners fitted in {seconds:.0f} s on {options.jobs} process{'es' * (options.jobs > 1)}."
    ]
    lines += [f"Written: {', '.join(str(path) for path in paths)}"]
    print("\n".join(lines))
    return 0


def _figures(every: Mapping[str, FoldResults]) -> Iterator[Sequence[Any]]:
    """Every score of every fold."""
    for name, results in every.items():
        for method, scores in results.scores.items():
            for i, score in enumerate(scores):
                yield [name, method, *divmod(i, results.n_folds), *astuple(score)]


def _parser() -> argparse.ArgumentParser:
    arguments = command.parser("prices", "Accuracy and price of trees where tests have real prices.", SOURCES)
    arguments.add_argument(
        "--repeats", type=at_least(1), default=10, help="of the cross-validation; default 10"
    )
    arguments.add_argument("--folds", type=at_least(2), default=N_FOLDS, help="of each repeat; default 5")
    arguments.add_argument(
        "--jobs", type=at_least(1), default=os.cpu_count() or 1, help="processes; default all cores"
    )
    command.add_choice(arguments, "--methods", METHODS)
    return arguments


if __name__ == "__main__":
    sys.exit(main())
