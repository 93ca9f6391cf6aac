"""`python -m studies.prices --data FOLDER`: accuracy and price where tests have real prices."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import Any

from studies import price_report
from studies.evaluation import N_FOLDS, SCORES, FoldResults, FoldScore, folds_of_repeat, score_fold
from studies.harness import program, versions
from studies.harness.figures import import_figure
from studies.harness.program import at_least
from studies.harness.record import RunKey, StudyRun
from studies.harness.runs import PlannedRun
from studies.lightgbm_tree import import_lightgbm
from studies.methods import METHODS
from studies.price_plot import plot
from studies.price_sets import SOURCES, load


@dataclass(frozen=True)
class FoldTask:
    """One learner on one repeat of one data set's folds."""

    folder: Path
    data: str
    method: str
    repeat: int
    n_folds: int


def measure(task: FoldTask) -> dict[str, Any]:
    """One score a fold."""
    data, method = load(task.folder, task.data), METHODS[task.method]
    scores = [
        score_fold(
            lambda X, y, seed: method.make(data.costs, seed).fit(X, y), method.leaves, data.X, data.y, fold
        )
        for fold in folds_of_repeat(data.y, task.repeat, task.n_folds)
    ]
    return {"folds": [asdict(score) for score in scores]}


def planned(
    folder: Path, sets: Sequence[str], methods: Sequence[str], repeats: int, n_folds: int
) -> Iterator[PlannedRun[FoldTask]]:
    """Set after set."""
    for name in sets:
        for repeat in range(repeats):
            for method in methods:
                used = versions.of(["thriftree", *(["lightgbm"] if method == "LightGBM" else [])])
                key = RunKey("prices", name, repeat, method, {"folds": n_folds}, used)
                yield PlannedRun(key, FoldTask(folder, name, method, repeat, n_folds))


def gather(folder: Path, runs: Sequence[StudyRun], n_folds: int) -> dict[str, FoldResults]:
    """The scores of every learner on every data set, in the order of the repeats."""
    scores: dict[str, dict[str, list[FoldScore]]] = {}
    for run, measures in zip(runs, program.all_measures(runs), strict=True):
        of_method = scores.setdefault(run.key.data, {}).setdefault(run.key.learner, [])
        of_method += [FoldScore(**fold) for fold in measures["folds"]]
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
    plan = list(planned(options.data, options.sets, options.methods, options.repeats, options.folds))
    runs = program.run(parser, options, measure, plan, "prices")
    every = gather(options.data, runs, options.folds)

    header = ["set", "method", "repeat", "fold", *SCORES]
    figures = program.write_csv(options.out / "prices.csv", header, _figures(every))
    paths = [figures, *plot(every, options.out)]
    lines = list(price_report.about(options.folds, options.repeats, options.methods))
    for name, results in every.items():
        lines += ["", *price_report.of_set(data[name], results)]
    fits = len(options.sets) * len(options.methods) * options.repeats * options.folds
    lines += ["", *price_report.summary(every), ""]
    lines += [f"{fits:,} learners fitted in {sum(run.seconds for run in runs):.0f} s of one process."]
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
    arguments = program.parser("prices", "Accuracy and price of trees where tests have real prices.", SOURCES)
    arguments.add_argument(
        "--repeats", type=at_least(1), default=10, help="of the cross-validation; default 10"
    )
    arguments.add_argument("--folds", type=at_least(2), default=N_FOLDS, help="of each repeat; default 5")
    program.add_choice(arguments, "--methods", METHODS)
    return arguments


if __name__ == "__main__":
    sys.exit(main())
