"""The options that several commands share, so that they read alike everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thriftree.cli.errors import InputError, input_errors
from thriftree.registry import METHODS

if TYPE_CHECKING:
    from thriftree.table.files import CsvStyle

_TABLE = "A table: CSV, Parquet or Arrow; - is standard input. Of Parquet also a folder or a pattern."


def complete_method(incomplete: str) -> list[tuple[str, str]]:
    """Methods for the shell, with what they are."""
    return [(name, method.summary) for name, method in METHODS.items() if name.startswith(incomplete)]


def _checked_jobs(jobs: int) -> int:
    if jobs < 1 and jobs != -1:
        raise InputError(f"--jobs is {jobs}: write how many cores to use, or -1 for all")
    return jobs


def _checked_seed(seed: int) -> int:
    if not 0 <= seed < 1 << 32:
        raise InputError(f"--seed is {seed}: write a whole number from 0 to {(1 << 32) - 1}")
    return seed


def _checked_amount(option: str) -> Callable[[float | None], float | None]:
    def checked(amount: float | None) -> float | None:
        if amount is not None and not amount >= 0:
            raise InputError(f"{option} is {amount:g}: write a number that is not below 0")
        return amount

    return checked


TablePath = Annotated[str, typer.Argument(metavar="TABLE", help=_TABLE, show_default=False)]
TreePath = Annotated[
    str, typer.Argument(metavar="TREE", help="A tree that `thriftree fit` wrote.", show_default=False)
]
Target = Annotated[
    str,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="The column to predict.",
        show_default=False,
        rich_help_panel="Data",
    ),
]
Costs = Annotated[
    str | None,
    typer.Option(
        "--costs",
        "-c",
        metavar="FILE",
        help="Prices of the tests: a TOML, CSV or JSON file.",
        rich_help_panel="Data",
    ),
]
Weight = Annotated[
    str | None,
    typer.Option("--weight", metavar="COLUMN", help="The column of row weights.", rich_help_panel="Data"),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        "--drop",
        metavar="COLUMNS",
        help="Columns not to learn from, with commas or repeated.",
        rich_help_panel="Data",
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        "--categorical",
        metavar="COLUMNS",
        help="Columns of numbers that are names: in CSV read as text.",
        rich_help_panel="Data",
    ),
]
Task = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar="classes|number",
        help="What the target is. By itself: a number, if it has fractions or more than 20 values.",
        rich_help_panel="Data",
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        "--delimiter",
        metavar="MARK",
        help="What separates CSV cells; else it is seen from the file.",
        rich_help_panel="CSV",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        "--encoding", metavar="NAME", help="Of CSV text, such as latin-1; else UTF-8.", rich_help_panel="CSV"
    ),
]
Decimal = Annotated[
    str, typer.Option("--decimal", metavar="MARK", help="The decimal point of CSV.", rich_help_panel="CSV")
]
Missing = Annotated[
    list[str] | None,
    typer.Option(
        "--missing",
        metavar="WORD",
        help="A word that means missing, such as ?; empty cells always are.",
        rich_help_panel="CSV",
    ),
]
Method = Annotated[
    str,
    typer.Option(
        "--method",
        "-m",
        metavar="NAME",
        help=f"The learner: {', '.join(METHODS)}.",
        autocompletion=complete_method,
    ),
]
Budget = Annotated[
    float | None,
    typer.Option(
        "--budget",
        "-b",
        metavar="PRICE",
        help="What no path through the tree may cost more than.",
        callback=_checked_amount("--budget"),
    ),
]
MaxExpected = Annotated[
    float | None,
    typer.Option(
        "--max-expected",
        metavar="PRICE",
        help="What a row that the tree learns from may cost on average.",
        callback=_checked_amount("--max-expected"),
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", "-s", metavar="NAME=VALUE", help="A parameter of the learner: -s max_leaves=6."),
]
InMemory = Annotated[
    bool,
    typer.Option(
        "--in-memory", help="Read Parquet files whole, however large.", rich_help_panel="Large tables"
    ),
]
Spill = Annotated[
    bool,
    typer.Option(
        "--spill",
        help="Read Parquet files a part at a time, even if they fit into memory.",
        rich_help_panel="Large tables",
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="Learn on a Dask cluster: tcp://host:8786.",
        rich_help_panel="Large tables",
    ),
]
Spark = Annotated[
    str | None,
    typer.Option(
        "--spark",
        metavar="MASTER",
        help="Learn on Spark: local[*], or a cluster's address.",
        rich_help_panel="Large tables",
    ),
]

Jobs = Annotated[
    int,
    typer.Option(
        "--jobs", "-j", help="Cores; -1 takes all. Trees do not depend on it.", callback=_checked_jobs
    ),
]
TimeLimit = Annotated[
    float | None,
    typer.Option(
        "--time-limit",
        metavar="SECONDS",
        help="Seconds that learning may take.",
        callback=_checked_amount("--time-limit"),
    ),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of folds and held-out rows.", callback=_checked_seed)]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document, for scripts.")]


def names_of(given: list[str] | None) -> tuple[str, ...]:
    """Names that were repeated or joined by commas. A name with a comma in it is written alone, in quotes."""
    names: list[str] = []
    for text in given or ():
        if len(text) > 1 and text[0] == text[-1] == '"':
            names.append(text[1:-1])
        else:
            names += [name.strip() for name in text.split(",") if name.strip()]
    return tuple(dict.fromkeys(names))


def style_of(
    delimiter: str | None, encoding: str | None, decimal: str, missing: list[str] | None
) -> CsvStyle:
    """How the CSV file is written; a tab may be given as \\t or "tab"."""
    from thriftree.table.files import CsvStyle

    tabs = {"\\t": "\t", "tab": "\t"}
    with input_errors():
        return CsvStyle(tabs.get(delimiter or "", delimiter), encoding, decimal, tuple(missing or ()))


def pairs_of(given: list[str] | None, option: str) -> dict[str, str]:
    """name=value, each name once."""
    pairs: dict[str, str] = {}
    for text in given or ():
        name, equals, value = text.partition("=")
        if not equals or not name.strip():
            raise InputError(f"{option} {text!r}: write name=value")
        if name.strip() in pairs:
            raise InputError(f"{option} names {name.strip()!r} twice: remove one")
        pairs[name.strip()] = value
    return pairs


def settings_of(given: list[str] | None) -> dict[str, Any]:
    """The parameters of a learner: numbers, true, false, none, lists in brackets, and texts."""
    return {name: _value(text.strip()) for name, text in pairs_of(given, "--set").items()}


def _value(text: str) -> Any:
    import json

    words = {"none": None, "true": True, "false": False, "inf": float("inf")}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return json.loads(text)
    except ValueError:
        return text


def one_of(value: str, choices: tuple[str, ...], option: str) -> str:
    """The value, if it is one of the choices."""
    from thriftree.messages import did_you_mean

    if value not in choices:
        raise InputError(f"{option} is {value!r}{did_you_mean(value, choices)}: write {' or '.join(choices)}")
    return value
