"""`python -m studies.self_tuning --data FOLDER`: the comparison of paper 002, section V.

Its twelve data sets, 70 % to train and 30 % to test, several times over: accuracy, nodes, depth and time of
MSI and of other learners, and whether the claims hold. `--short-models` adds the other two treatments of
short models, `--synthetic` the paper's two made-up examples.
"""

from __future__ import annotations

import argparse
import sys

from studies.harness import kept, program
from studies.harness.figures import import_figure
from studies.self_tuning import report, results, synthetic
from studies.self_tuning.methods import METHODS, TREATMENTS
from studies.self_tuning.plot import plot
from studies.self_tuning.results import NAME, gather
from studies.self_tuning.sets import SOURCES, load

FILE = kept.FOLDER / "self_tuning.jsonl"


def main(arguments: list[str] | None = None) -> int:
    """Run the study, print its report, and write its figures and its plots."""
    parser = _parser()
    options = parser.parse_args(arguments)
    try:  # what is missing is said before minutes of work, not after
        import_figure()
        data = {name: load(options.data, name) for name in options.sets}
    except (ImportError, FileNotFoundError) as error:
        parser.error(str(error))
    methods = list(dict.fromkeys([*options.methods, *(TREATMENTS if options.short_models else ())]))
    plan = list(results.planned(options.data, options.sets, methods, options.repeats))
    runs = program.run(parser, options, results.measure, plan, "self_tuning")
    made = []
    if options.synthetic:
        examples = list(synthetic.planned(options.repeats))
        made = program.run(parser, options, synthetic.measure, examples, "self_tuning")
    measures = program.all_measures([*runs, *made])
    if options.publish:
        kept.write(kept.keep({"study": NAME, "repeats": options.repeats}, [*runs, *made]), FILE)

    every = gather(runs)
    header = ["set", "method", "repeat", *measures[0]]
    figures = ([run.key.data, run.key.learner, run.key.split, *(run.measures or {}).values()] for run in runs)
    paths = [
        program.write_csv(options.out / "self_tuning.csv", header, figures),
        *plot(every, options.out),
    ]
    lines = list(report.about(options.repeats, methods))
    for name, found in every.items():
        lines += ["", *report.of_set(data[name], found)]
    lines += ["", *report.claims(every)]
    if options.short_models:
        lines += ["", *report.short_models(every)]
    lines += ["", *report.times(every), ""]
    if options.synthetic:
        lines += [*synthetic.report(made), ""]
    print("\n".join([*lines, f"Written: {', '.join(str(path) for path in paths)}"]))
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = program.parser(
        "self_tuning",
        "Accuracy, nodes, depth and time of self-tuning trees, on the data of paper 002.",
        SOURCES,
    )
    program.add_choice(parser, "--methods", METHODS)
    parser.add_argument(
        "--repeats",
        type=program.at_least(1),
        default=10,
        help="divisions of each data set into rows to train and to test; default 10, the paper has 100",
    )
    parser.add_argument(
        "--short-models",
        action="store_true",
        help="MSI with each treatment of short models, beside what the paper says",
    )
    parser.add_argument(
        "--synthetic",
        action="store_true",
        help="the paper's planted error and Gaussian blobs as well",
    )
    parser.add_argument(
        "--publish", action="store_true", help=f"keep the results in {FILE.name} for docs/results.md"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
