"""What the studies have in common as programs: their arguments, and how they write their figures."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any


def parser(module: str, description: str, sets: Iterable[str]) -> argparse.ArgumentParser:
    """The arguments that every study takes; `sets` are the data sets on offer."""
    arguments = argparse.ArgumentParser(prog=f"python -m studies.{module}", description=description)
    arguments.add_argument("--data", type=Path, required=True, help="folder of the Parquet files and costs/")
    arguments.add_argument(
        "--out", type=Path, default=Path("study-results"), help="folder for figures and plot"
    )
    add_choice(arguments, "--sets", sets)
    return arguments


def add_choice(
    arguments: argparse.ArgumentParser, name: str, offered: Iterable[str], about: str = ""
) -> None:
    """An argument that takes some of those on offer; by default all."""
    every = list(offered)
    arguments.add_argument(
        name,
        nargs="+",
        choices=every,
        default=every,
        metavar=name.strip("-").removesuffix("s").upper(),
        help=f"{about}of {', '.join(every)}",
    )


def at_least(least: int) -> Callable[[str], int]:
    """A whole number of at least so much."""

    def number(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is less than {least}")
        return int(text)

    return number


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Path:
    """Every figure, for whoever wants to count again or compare otherwise."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(rows)
    return path
