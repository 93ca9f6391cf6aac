"""`python -m studies.self_tuning --data FOLDER`: the comparison of paper 002, section V.

Its twelve data sets, 70 % to train and 30 % to test, several times over: accuracy, nodes, depth and time of
MSI and of other learners, and whether the claims hold. `--short-models` adds the other two treatments of
short models, `--synthetic` the paper's two made-up examples.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from studies import command, self_tuning_report, self_tuning_synthetic
from studies.price_plot import import_figure
from studies.self_tuning_methods import METHODS, TREATMENTS
from studies.self_tuning_plot import plot
from studies.self_tuning_results import DivisionResults, DivisionScore, DivisionTask, Record, gather, measure
from studies.self_tuning_sets import SOURCES, load
from studies.work import run_all


def main(arguments: list[str] | None = None) -> int:
    """Run the study, print its report, and write its figures and its plots."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:  # what is missing is said before minutes of work, not after
        import_figure()
        data = {name: load(options.data, name) for name in options.sets}
        record = Record(options.out / "self_tuning.csv", resume=options.resume)
    except (ImportError, FileNotFoundError, ValueError) as error:
        parser.error(str(error))
    methods = list(dict.fromkeys([*options.methods, *(TREATMENTS if options.short_models else ())]))
    every = compare(options.data, options.sets, methods, options.repeats, options.jobs, record)
    paths = [record.path, *plot(every, options.out)]

    lines = list(self_tuning_report.about(options.repeats, methods))
    for name, results in every.items():
        lines += ["", *self_tuning_report.of_set(data[name], results)]
    lines += ["", *self_tuning_report.claims(every)]
    if options.short_models:
        lines += ["", *self_tuning_report.short_models(every)]
    lines += ["", *self_tuning_report.times(every), ""]
    print("\n".join([*lines, f"Written: {', '.join(str(path) for path in paths)}"]))
    if options.synthetic:
        print("\n".join(["", *self_tuning_synthetic.report(options.repeats, options.jobs)]))
    return 0


def compare(
    folder: Path, sets: list[str], methods: list[str], repeats: int, jobs: int, record: Record
) -> dict[str, DivisionResults]:
    """The scores of every learner on every data set. What `record` has is not measured again.

    Repeats come one after the other, so that a study that was interrupted has whole ones.
    """
    tasks = [
        DivisionTask(folder, name, method, repeat)
        for repeat in range(repeats)
        for name in sets
        for method in methods
    ]
    run_all(measure, [task for task in tasks if task not in record], jobs, keep=record.add)
    ordered = sorted(tasks, key=lambda task: sets.index(task.data))
    scores: list[DivisionScore] = [record[task] for task in ordered]
    return gather(ordered, scores)


def _parser() -> argparse.ArgumentParser:
    arguments = command.parser(
        "self_tuning",
        "Accuracy, nodes, depth and time of self-tuning trees, on the data of paper 002.",
        SOURCES,
    )
    command.add_choice(arguments, "--methods", METHODS)
    arguments.add_argument(
        "--repeats",
        type=command.at_least(1),
        default=10,
        help="divisions of each data set into rows to train and to test; default 10, the paper has 100",
    )
    arguments.add_argument(
        "--jobs", type=command.at_least(1), default=os.cpu_count() or 1, help="processes; default all cores"
    )
    arguments.add_argument(
        "--resume", action="store_true", help="keep what self_tuning.csv in --out has, and measure the rest"
    )
    arguments.add_argument(
        "--short-models",
        action="store_true",
        help="MSI with each treatment of short models, beside what the paper says",
    )
    arguments.add_argument(
        "--synthetic",
        action="store_true",
        help="the paper's planted error and Gaussian blobs as well",
    )
    return arguments


if __name__ == "__main__":
    sys.exit(main())
