"""`python -m thriftree.studies.prices --data FOLDER`: accuracy and price where tests have real prices."""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path

from thriftree.studies import price_report
from thriftree.studies.evaluation import N_FOLDS, SCORES, Results, Score, folds_of_repeat, score_fold
from thriftree.studies.lightgbm_tree import import_lightgbm
from thriftree.studies.methods import METHODS
from thriftree.studies.price_plot import import_figure, plot
from thriftree.studies.price_sets import SOURCES, load
from thriftree.studies.work import run_all


@dataclass(frozen=True)
class Task:
    """One learner on one repeat of one data set's folds."""

    folder: Path
    data: str
    method: str
    repeat: int
    n_folds: int

    def __str__(self) -> str:
        return f"{self.data}, {self.method}, repeat {self.repeat + 1}"


def scores_of(task: Task) -> list[Score]:
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
) -> dict[str, Results]:
    """The scores of every learner on every data set."""
    tasks = [
        Task(folder, name, method, repeat, n_folds)
        for name in sets
        for repeat in range(repeats)
        for method in methods
    ]
    scores: dict[str, dict[str, list[Score]]] = {name: {method: [] for method in methods} for name in sets}
    for task, found in zip(tasks, run_all(scores_of, tasks, jobs), strict=True):
        scores[task.data][task.method] += found
    return {
        name: Results(n_folds, of_set, load(folder, name).largest_class) for name, of_set in scores.items()
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
    figures = _write_csv(every, options.out / "prices.csv")
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


def _write_csv(every: Mapping[str, Results], path: Path) -> Path:
    """Every score of every fold, for whoever wants to count again."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["set", "method", "repeat", "fold", *SCORES])
        for name, results in every.items():
            for method, scores in results.scores.items():
                for i, score in enumerate(scores):
                    writer.writerow([name, method, *divmod(i, results.n_folds), *astuple(score)])
    return path


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m thriftree.studies.prices",
        description="Accuracy and price of trees where tests have real prices.",
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the Parquet files and costs/")
    parser.add_argument("--out", type=Path, default=Path("study-results"), help="folder for figures and plot")
    parser.add_argument(
        "--repeats", type=_at_least(1), default=10, help="of the cross-validation; default 10"
    )
    parser.add_argument("--folds", type=_at_least(2), default=N_FOLDS, help="of each repeat; default 5")
    parser.add_argument(
        "--jobs", type=_at_least(1), default=os.cpu_count() or 1, help="processes; default all cores"
    )
    parser.add_argument(
        "--sets",
        nargs="+",
        choices=SOURCES,
        default=list(SOURCES),
        metavar="SET",
        help=f"of {', '.join(SOURCES)}",
    )
    parser.add_argument(
        "--methods",
        nargs="+",
        choices=METHODS,
        default=list(METHODS),
        metavar="METHOD",
        help=f"of {', '.join(METHODS)}",
    )
    return parser


def _at_least(least: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return int(text)

    return number


if __name__ == "__main__":
    sys.exit(main())
