"""`python -m studies.declared --data FOLDER`: what a frontier declares of its trees, and what new rows say.

Trees of a frontier are the best of hundreds, so their measured scores are too high; `frontier` corrects them.
Here both are held against rows without a part in the search: of made tables 100,000, of shared ones a third.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from studies.harness import program, versions
from studies.harness.record import RunKey
from studies.harness.runs import PlannedRun
from studies.price_sets import SOURCES, load
from thriftree import frontier
from thriftree.learning.sample import rows_at

MADE: Final = ("sum", "rule", "majority")
NEW_ROWS: Final = 100_000
PRICES: Final = (20.0, 8.0, 5.0, 3.0, 1.0, 1.0, 2.0, 4.0)  # of the columns of made tables


@dataclass(frozen=True)
class DeclaredTask:
    """One frontier of one table."""

    folder: Path
    data: str
    cv: int | None
    repeat: int  # the seed of its rows and of its search
    made_rows: int


@dataclass(frozen=True)
class Declared:
    """Of one frontier, in points of accuracy: declared less that on new rows."""

    measured: float  # mean over its trees
    corrected: float
    best_measured: float  # of the tree that `best()` takes
    best_corrected: float
    trees: int
    compared: int  # with the best one


def made_table(kind: str, n: int, rng: np.random.Generator) -> tuple[NDArray[Any], NDArray[Any]]:
    """Eight columns of which up to four tell something: of their sum, of a rule of three, or none does."""
    X = rng.normal(size=(n, len(PRICES)))
    if kind == "sum":
        chance = 1 / (1 + np.exp(-(X[:, :4] @ np.array([1.2, 0.8, -0.6, 0.4]))))
    elif kind == "rule":
        chance = np.where((X[:, 0] > 0.3) != ((X[:, 1] > 0) & (X[:, 2] > -0.5)), 0.8, 0.2)
    else:
        chance = np.full(n, 0.4)
    return X, (rng.random(n) < chance).astype(int)


def declared(task: DeclaredTask) -> Declared:
    """Searches on some rows, and asks others."""
    if task.data in MADE:
        rng = np.random.default_rng([task.repeat, MADE.index(task.data), task.made_rows])
        X, y = made_table(task.data, task.made_rows, rng)
        new_X, new_y = made_table(task.data, NEW_ROWS, rng)
        costs: Any = np.array(PRICES)
    else:
        data = load(task.folder, task.data)
        kept, new = train_test_split(
            np.arange(len(data.y)), test_size=1 / 3, stratify=data.y, random_state=task.repeat
        )
        X, y, costs = rows_at(data.X, kept), data.y[kept], data.costs
        new_X, new_y = rows_at(data.X, new), data.y[new]
    front = frontier(X, y, costs, cv=task.cv, random_state=task.repeat)
    best = front.best()
    rows = [
        (p.measured["accuracy"] - right, p.accuracy - right, p is best)
        for p in front
        for right in [float(np.mean(p.tree.predict(new_X) == new_y))]
    ]
    of_best = next(row for row in rows if row[2])
    mean = 100 * np.mean([row[:2] for row in rows], axis=0)
    return Declared(
        float(mean[0]), float(mean[1]), 100 * of_best[0], 100 * of_best[1], len(rows), int(best.compared or 0)
    )


def measure(task: DeclaredTask) -> dict[str, Any]:
    """The same as a dict."""
    return asdict(declared(task))


def table_of(results: Mapping[tuple[str, str], Sequence[Declared]]) -> str:
    """A line for each table and way of measuring: means with standard errors."""
    lines = [
        "| table | measured on | frontiers | trees | compared | measured − new | corrected − new "
        "| best: measured − new | best: corrected − new |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for (data, how), found in results.items():
        figures = np.array([astuple(one) for one in found])
        cells = [_mean(figures[:, column]) for column in range(4)]
        size = [f"{figures[:, column].mean():.0f}" for column in (4, 5)]
        lines.append("| " + " | ".join([data, how, str(len(found)), *size, *cells]) + " |")
    return "\n".join(lines)


def _mean(values: Iterable[float]) -> str:
    known = np.array(list(values))
    error = known.std(ddof=1) / np.sqrt(len(known)) if len(known) > 1 else 0.0
    return f"{known.mean():+.2f} ± {error:.2f}".replace("-", "−")


def main(arguments: list[str] | None = None) -> int:
    """Run the study, print its table, and write its figures."""
    parser = program.parser("declared", __doc__.splitlines()[0], (*MADE, *SOURCES))
    parser.add_argument("--repeats", type=program.at_least(1), default=20, help="frontiers of each table")
    parser.add_argument(
        "--first-seed",
        type=program.at_least(0),
        default=0,
        help="of the first frontier; the others have the following",
    )
    parser.add_argument("--made-rows", type=program.at_least(40), default=1000, help="rows of made tables")
    program.add_choice(parser, "--measured-on", ("quarter", "folds"), "a quarter of the rows, or 5 folds; ")
    options = parser.parse_args(arguments)
    try:
        for name in set(options.sets) & set(SOURCES):
            load(options.data, name)
    except FileNotFoundError as error:
        parser.error(str(error))
    settings, used = {"made_rows": options.made_rows}, versions.of(["thriftree"])
    planned = [
        PlannedRun(
            RunKey("declared", name, repeat, how, settings, used),
            DeclaredTask(options.data, name, 5 if how == "folds" else None, repeat, options.made_rows),
        )
        for name in options.sets
        for how in options.measured_on
        for repeat in range(options.first_seed, options.first_seed + options.repeats)
    ]
    runs = program.run(parser, options, measure, planned, "declared")
    found: dict[tuple[str, str], list[Declared]] = {}
    for run, measures in zip(runs, program.all_measures(runs), strict=True):
        how = "a quarter" if run.key.learner == "quarter" else "5 folds"
        found.setdefault((run.key.data, how), []).append(Declared(**measures))
    sys.stdout.write(f"{table_of(found)}\n")
    header = ("data", "measured_on", "seed", *(field.name for field in fields(Declared)))
    rows = [
        (*key, seed, *astuple(one))
        for key, some in found.items()
        for seed, one in enumerate(some, options.first_seed)
    ]
    sys.stdout.write(f"\nwrote {program.write_csv(options.out / 'declared.csv', header, rows)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
