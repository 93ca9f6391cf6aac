"""`thriftree report`: one HTML page about a tree and the rows it is measured on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from thriftree.cli import options, output, screen
from thriftree.cli.errors import InputError, input_errors, naming_output

if TYPE_CHECKING:
    from thriftree.cli.data import Dataset
    from thriftree.estimators.near_optimal import NearOptimalTrees
    from thriftree.tree import Tree

_DEEPEST_NEAR: Final = 4  # of trees that --near-optimal looks at
_NEAR_S: Final = 60.0


def report(
    tree_file: options.TreePath,
    table: options.TablePath,
    target: options.Target,
    output_file: Annotated[str, typer.Option("--output", "-o", help="The page to write.")] = "report.html",
    with_frontier: Annotated[
        bool, typer.Option("--frontier", help="Add the trees that no other beats, learnt from these rows.")
    ] = False,
    near_slack: Annotated[
        float | None,
        typer.Option(
            "--near-optimal",
            help="Add the trees that are at most so much above the best objective on these rows: 0.01 is one "
            "row in a hundred.",
        ),
    ] = None,
    held_out: Annotated[
        bool, typer.Option("--held-out", help="The tree was not learnt from these rows: the page says so.")
    ] = False,
    title: Annotated[str | None, typer.Option("--title", help="The page's title.")] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            "--costs", "-c", help="Prices of the tests, if not those of the tree.", rich_help_panel="Data"
        ),
    ] = None,
    weight: options.Weight = None,
    categorical: options.Categorical = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = ".",
    missing: options.Missing = None,
    as_json: options.Json = False,
) -> None:
    """Write a page that needs no network: the tree to walk through, its scores, its prices, its questions.

    thriftree report tree.json patients.csv --target sick -o report.html
    """
    from thriftree.cli import data
    from thriftree.cli.trees import load_any_tree

    output.check_writable(output_file)
    tree = load_any_tree(tree_file)
    rows = data.read_dataset(
        table,
        target,
        weight=weight,
        categorical=options.names_of(categorical),
        as_text=[
            c.name for c in tree.columns if c.categories and all(isinstance(v, str) for v in c.categories)
        ],
        task="number" if tree.classes is None else "classes",
        style=options.style_of(delimiter, encoding, decimal, missing),
    )
    columns_of(tree, rows)
    if costs is not None:
        prices = data.read_costs(costs)
        assert prices is not None
        with input_errors(costs):
            tree = type(tree).from_dict({**tree.to_dict(), "prices": prices.to_dict()})
            tree.worst_case_cost()  # binds the prices to the columns
    front = _frontier(tree, rows, seed, jobs, as_json) if with_frontier else None
    near = None if near_slack is None else _near_optimal(tree, rows, near_slack, jobs)
    only, which, said = _rows_to_measure(tree_file, tree, rows, held_out)
    write(output_file, tree, rows, front, title, near=near, only=only, which=which)
    if as_json:
        n_measured = len(rows.y) if only is None else len(only)
        screen.json_document({"output": output_file, "rows": len(rows.y), "measured_on": n_measured})
    else:
        if said:
            screen.remark(said)
        screen.remark(f"wrote {output_file}: open it in a browser")


def _rows_to_measure(
    tree_file: str, tree: Tree, rows: Dataset, held_out: bool
) -> tuple[Any, str | None, str]:
    """Positions of the rows to measure on (None: all), which rows these are, and a sentence on the choice."""
    import numpy as np

    from thriftree.cli.learnt_rows import rows_learnt_from

    learnt_from = rows_learnt_from(tree_file, tree, rows)
    if learnt_from is None:
        return None, "held out" if held_out else None, ""
    n_known, n_rows = int(learnt_from.sum()), len(rows.y)
    if not n_known:
        return None, "held out", ""
    if n_known == n_rows:
        if held_out:
            raise InputError(
                f"{rows.place}: the tree learnt from every one of these rows: leave out --held-out"
            )
        return (
            None,
            "training",
            f"the tree learnt from all {n_rows:,} rows: on new ones expect it to do worse",
        )
    others = np.flatnonzero(~learnt_from)
    said = f"the tree learnt from {n_known:,} of the {n_rows:,} rows: measured on the other {len(others):,}"
    return others, "held out", said


def write(
    path: str,
    tree: Tree,
    rows: Dataset,
    front: Any,
    title: str | None,
    *,
    near: NearOptimalTrees | None = None,
    only: Any = None,
    which: str | None = None,
) -> None:
    """The page, whole or not at all; `only` are positions of rows to measure on, `which` says what rows."""
    from thriftree.report import write_report

    X, y, weight, numbers = columns_of(tree, rows), rows.y, rows.weight, rows.numbers
    if only is not None:
        X, y, weight = X.take(only), y[only], None if weight is None else weight[only]
        numbers = only if numbers is None else numbers[only]
    with input_errors(rows.place), naming_output(path):
        write_report(
            path,
            tree,
            X,
            y,
            sample_weight=weight,
            rows=which,
            frontier=front,
            near_optimal=near,
            title=title,
            target=rows.target,
            row_numbers=numbers,
        )


def columns_of(tree: Tree, rows: Dataset) -> Any:
    """The table's columns that the tree was learnt from, in its order."""
    names = [column.name for column in tree.columns]
    there = frozenset(rows.X.column_names)
    lacking = [name for name in names if name not in there]
    if lacking:
        raise InputError(
            f"{rows.place}: the tree was learnt with the column {lacking[0]!r}, which is not there"
        )
    return rows.X.select(names)


def _near_optimal(tree: Tree, rows: Dataset, slack: float, jobs: int) -> NearOptimalTrees:
    """Trees no deeper than this one."""
    from thriftree import near_optimal
    from thriftree.costs import TestCosts

    if tree.classes is None:
        raise InputError("the tree predicts a number: --near-optimal is for trees of classes")
    with input_errors():
        try:
            found: NearOptimalTrees = near_optimal(
                columns_of(tree, rows),
                rows.y,
                slack=slack,
                max_depth=min(tree.depth, _DEEPEST_NEAR),
                sample_weight=rows.weight,
                costs=None if tree.prices is None else TestCosts.from_dict(tree.prices),
                n_jobs=jobs,
                time_limit_s=_NEAR_S,
            )
            return found
        except (TimeoutError, MemoryError) as error:
            raise InputError(f"--near-optimal: {error}") from error


def _frontier(tree: Tree, rows: Dataset, seed: int, jobs: int, quiet: bool) -> Any:
    from thriftree.costs import TestCosts
    from thriftree.tuning.frontier import frontier

    prices = None if tree.prices is None else TestCosts.from_dict(tree.prices)
    with input_errors(), screen.progress("growing the frontier", quiet=quiet) as progress:
        return frontier(
            columns_of(tree, rows),
            rows.y,
            prices,
            target=rows.kind,
            sample_weight=rows.weight,
            random_state=seed,
            n_jobs=jobs,
            progress=progress,
        )
