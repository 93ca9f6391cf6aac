"""`thriftree explain`: why a tree says what it says of one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from thriftree.cli import options, screen
from thriftree.cli.errors import InputError, input_errors

if TYPE_CHECKING:
    from thriftree.table.files import CsvStyle
    from thriftree.table.frame import Numbers
    from thriftree.tree import Tree


def explain(
    tree_file: options.TreePath,
    table: Annotated[
        str | None,
        typer.Argument(metavar="[TABLE]", help="The table that holds the row.", show_default=False),
    ] = None,
    row: Annotated[
        int | None,
        typer.Option(
            "--row", "-r", help="Its number, from 0 as in pandas: the first row below the header is 0."
        ),
    ] = None,
    answers: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="COLUMN=VALUE", help="A value, instead of a table or over it."),
    ] = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = ".",
    missing: options.Missing = None,
    as_json: options.Json = False,
) -> None:
    """Say why the tree answers a row as it does, what it paid, and what would change the answer.

    thriftree explain tree.json patients.csv --row 17
    thriftree explain tree.json --set age=63 --set chest_pain=asymptomatic
    """
    from thriftree.cli.trees import load_any_tree

    tree = load_any_tree(tree_file)
    if (table is None) != (row is None):
        raise InputError("a table and --row belong together: give both, or only --set COLUMN=VALUE")
    if table is None and not answers:
        raise InputError("nothing to explain: give a table and --row, or --set COLUMN=VALUE")
    values: dict[str, Any] = {}
    with input_errors():
        if table is not None and row is not None:
            style = options.style_of(delimiter, encoding, decimal, missing)
            values |= _row_of(tree, table, row, style)
        values |= typed_values(tree, options.pairs_of(answers, "--set"))
        explanation = tree.explain(values)
    if as_json:
        screen.json_document(explanation.to_dict())
    else:
        screen.say(str(explanation))


def _row_of(tree: Tree, table: str, number: int, style: CsvStyle) -> dict[str, Any]:
    """The values of one row in the columns that the tree tests."""
    from thriftree.cli.trees import tested_columns
    from thriftree.table.files import stream_table
    from thriftree.table.frame import Numbers

    if number < 0:
        raise InputError(f"--row is {number}: rows count from 0")
    tested = tested_columns(tree.to_dict())
    before = 0
    for batch in stream_table(table, tree.columns, tested, style=style):
        if number < before + batch.n_rows:
            place = number - before
            values: dict[str, Any] = {}
            for column in tested:
                cells = batch.frame.column(column)
                name = tree.columns[column].name
                if isinstance(cells, Numbers):
                    values[name] = _value_of(cells, place)
                else:
                    code = int(cells.codes[place])
                    values[name] = None if code < 0 else cells.levels[code]
            return values
        before += batch.n_rows
    raise InputError(f"{table}: there is no row {number}: it has {before}, from 0 on")


def _value_of(cells: Numbers, place: int) -> float | str:
    """A number, or a date or the like in words."""
    from thriftree.temporal.words import tick_words

    number = float(cells.values[place])
    if cells.temporal is None or number != number:
        return number
    return tick_words(cells.temporal, int(number))


def typed_values(tree: Tree, given: dict[str, str]) -> dict[str, Any]:
    """Texts as values of the tree's columns."""
    from thriftree.messages import did_you_mean
    from thriftree.table.files.streaming import label_of

    columns = {column.name: column for column in tree.columns}
    values: dict[str, Any] = {}
    for name, text in given.items():
        if name not in columns:
            raise InputError(
                f"--set names {name!r}, which is no column of the tree{did_you_mean(name, columns)}"
            )
        column = columns[name]
        if text.strip().lower() in ("", "?", "unknown"):
            values[name] = None
        elif column.temporal is not None:
            values[name] = text
        elif column.kind == "number":
            values[name] = _number(name, text)
        else:
            values[name] = label_of(text, column.categories, set(map(type, column.categories)))
    return values


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"--set {name}={text}: not a number; write one, or unknown") from None
