"""`thriftree demo`: the main job on the table that ships with the package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated, Any

import typer

from thriftree.cli import options, output, screen
from thriftree.cli.errors import input_errors

_TARGET = "heart_disease"


def demo(
    folder: Annotated[
        str, typer.Option("--output", "-o", metavar="FOLDER", help="Where report.html and tree.json go.")
    ] = ".",
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    as_json: options.Json = False,
) -> None:
    """Heart disease with real prices: the tree, what it costs, other methods beside it, the frontier."""
    from thriftree.cli import data
    from thriftree.cli.fit import coded_for, learn, with_settings
    from thriftree.cli.report import write
    from thriftree.registry import make_learner

    report_file, tree_file = str(Path(folder) / "report.html"), str(Path(folder) / "tree.json")
    for file in (report_file, tree_file):
        output.check_writable(file)
    with _shipped() as (table, prices_file):
        rows = data.read_dataset(table, _TARGET)
        prices = data.read_costs(prices_file)
    offered = {"costs": prices, "random_state": seed, "n_jobs": jobs}
    with input_errors(), screen.progress("learning", quiet=as_json):
        model = make_learner("thrift", rows.kind, {}, offered)
        learnt = learn(model, coded_for(model, rows), rows, 0.3, seed)
    with screen.progress("comparing methods", quiet=as_json) as progress:
        compared = _compared(rows, prices, seed, jobs, progress)
    with screen.progress("growing the frontier", quiet=as_json) as progress:
        front = _frontier(rows, prices, seed, jobs, progress)
    tree = with_settings(model, "thrift")
    tree.save(tree_file)
    write(
        report_file,
        tree,
        rows,
        front,
        "Heart disease, by tests that are worth their price",
        only=learnt.test,
        which="held out",
    )
    if as_json:
        screen.json_document(
            {
                "tree": tree.to_dict(),
                "held_out": learnt.scores,
                "comparison": compared.table(),
                "frontier": front.table(),
                "output": [report_file, tree_file],
            }
        )
        return
    _show(rows, model, learnt, tree, compared, front)
    screen.say()
    screen.say(f"Wrote {report_file}: open it in a browser; and {tree_file}: thriftree ask {tree_file}")


@contextmanager
def _shipped() -> Iterator[tuple[str, str]]:
    """The table and its prices, as files."""
    folder = files("thriftree").joinpath("data")
    with (
        as_file(folder.joinpath("heart.csv")) as table,
        as_file(folder.joinpath("heart_prices.toml")) as prices,
    ):
        yield str(table), str(prices)


def _compared(rows: Any, prices: Any, seed: int, jobs: int, progress: Any) -> Any:
    from thriftree.comparison import compare

    return compare(
        rows.X, rows.y, prices, target=rows.kind, random_state=seed, n_jobs=jobs, progress=progress
    )


def _frontier(rows: Any, prices: Any, seed: int, jobs: int, progress: Any) -> Any:
    from thriftree.cli.frontier import folds_for
    from thriftree.tuning.frontier import frontier

    return frontier(
        rows.X,
        rows.y,
        prices,
        target=rows.kind,
        cv=folds_for(len(rows.y)),
        random_state=seed,
        n_jobs=jobs,
        progress=progress,
    )


def _show(rows: Any, model: Any, learnt: Any, tree: Any, compared: Any, front: Any) -> None:
    from thriftree.cli.compare import show_comparison
    from thriftree.cli.fit import show_learnt
    from thriftree.cli.frontier import show_frontier, what_scores_are

    screen.heading("1. A tree for heart disease (Cleveland), by tests with real prices in dollars")
    show_learnt(model, rows, "thrift", learnt, tree)
    screen.say()
    screen.heading("2. Other methods beside it: means over the held-out rows of 5 folds")
    show_comparison(compared)
    screen.say()
    screen.heading(f"3. The frontier, by the same folds: {len(front)} trees that no other beats")
    screen.say(what_scores_are(front))
    show_frontier(front, front.best())
