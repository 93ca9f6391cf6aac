"""The commands, one file each, put together."""

from __future__ import annotations

from typing import Annotated

import typer

from thriftree import __version__
from thriftree.cli import (
    ask,
    bench,
    compare,
    demo,
    explain,
    export,
    fit,
    frontier,
    near_optimal,
    predict,
    report,
)

app = typer.Typer(
    name="thriftree",
    help="Small, cheap, trustworthy decision trees: learn one, ask it, ship it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
_state = {"debug": False}


def debugging() -> bool:
    """Whether errors show their traceback."""
    return _state["debug"]


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"thriftree {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Small, cheap, trustworthy decision trees: learn one, ask it, ship it."""
    _state["debug"] = debug


app.command("fit")(fit.fit)
app.command("predict")(predict.predict)
app.command("explain")(explain.explain)
app.command("ask")(ask.ask)
app.command("frontier")(frontier.frontier)
app.command("near-optimal")(near_optimal.near_optimal)
app.command("compare")(compare.compare)
app.command("export")(export.export)
app.command("report")(report.report)
app.command("bench")(bench.bench)
app.command("demo")(demo.demo)
