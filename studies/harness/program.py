"""A study as a program: the arguments that all of them take, and what happens when one is interrupted."""

from __future__ import annotations

import argparse
import csv
import os
import signal
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from studies.harness.record import RunRecord, StudyRun
from studies.harness.runs import PlannedRun, run_study

Task = TypeVar("Task")

INTERRUPTED = 130  # what shells return for Ctrl-C


def parser(module: str, description: str, sets: Iterable[str]) -> argparse.ArgumentParser:
    """The arguments that every study takes; `sets` are the data sets on offer."""
    arguments = argparse.ArgumentParser(prog=f"python -m studies.{module}", description=description)
    arguments.add_argument("--data", type=Path, required=True, help="folder of the Parquet files and costs/")
    arguments.add_argument(
        "--out", type=Path, default=Path("study-results"), help="folder for record, figures and plots"
    )
    add_choice(arguments, "--sets", sets)
    arguments.add_argument(
        "--jobs", type=at_least(1), default=os.cpu_count() or 1, help="processes; default all cores"
    )
    arguments.add_argument("--retry-errors", action="store_true", help="do runs that failed again")
    return arguments


def add_choice(
    arguments: argparse.ArgumentParser, name: str, offered: Iterable[str], about: str = ""
) -> None:
    """An argument that takes some of those on offer; by default all. None on offer: any."""
    every = list(offered)
    arguments.add_argument(
        name,
        nargs="+",
        choices=every or None,  # none on offer: any
        default=every,
        metavar=name.strip("-").removesuffix("s").upper(),
        help=f"{about}of {', '.join(every)}" if every else "only these",
    )


def at_least(least: int) -> Callable[[str], int]:
    """A whole number of at least so much."""

    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return int(text)

    return number


def require_sets(arguments: argparse.ArgumentParser, folder: Path, sets: Iterable[str]) -> None:
    """End the program if a data set is missing: it is said before minutes of work, not after."""
    for name in sets:
        if not (folder / f"{name}.parquet").is_file():
            arguments.error(f"{folder} has no {name}.parquet")


def run(
    arguments: argparse.ArgumentParser,
    options: argparse.Namespace,
    measure: Callable[[Task], Mapping[str, Any]],
    planned: Sequence[PlannedRun[Task]],
    name: str,
    limit_s: float | None = None,
) -> list[StudyRun]:
    """The runs in the order of `planned`; those that `NAME.jsonl` of --out does not have are measured.

    An interrupt (also SIGTERM) ends the program with a line that says how far it is.
    """
    try:
        record = RunRecord(options.out / f"{name}.jsonl")
    except ValueError as error:
        arguments.error(str(error))
    before = signal.signal(signal.SIGTERM, _interrupt)  # so that worker processes end with this one
    try:
        return run_study(
            measure, planned, record, jobs=options.jobs, limit_s=limit_s, retry_errors=options.retry_errors
        )
    except KeyboardInterrupt:
        done = sum(record.find(one.key) is not None for one in planned)
        print(f"Interrupted with {done} of {len(planned)} runs done: the same command goes on from there.")
        raise SystemExit(INTERRUPTED) from None
    finally:
        signal.signal(signal.SIGTERM, before)


def all_measures(runs: Sequence[StudyRun]) -> list[Mapping[str, Any]]:
    """The measures of every run; where one failed, the program ends and says which."""
    failed = [run for run in runs if run.measures is None]
    if failed:
        words = "\n".join(f"{_named(run)}: {run.error}" for run in failed[:5])
        raise SystemExit(
            f"{len(failed)} of {len(runs)} runs failed (--retry-errors does them again):\n{words}"
        )
    return [run.measures for run in runs if run.measures is not None]


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """Every figure, for whoever wants to count again or compare otherwise."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path


def _named(run: StudyRun) -> str:
    return f"{run.key.data}, {run.key.learner}, split {run.key.split + 1}"


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt
