"""`thriftree compare`: methods side by side, by cross-validation."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from thriftree.cli import options, screen
from thriftree.cli.errors import input_errors
from thriftree.cli.interrupts import found_so_far

if TYPE_CHECKING:
    from thriftree.comparison import Comparison


def compare(
    table: options.TablePath,
    target: options.Target,
    costs: options.Costs = None,
    methods: Annotated[
        list[str] | None,
        typer.Option(
            "--methods",
            "-m",
            help="Methods, with commas or repeated.",
            autocompletion=options.complete_method,
        ),
    ] = None,
    cv: Annotated[int, typer.Option("--cv", help="Folds.")] = 5,
    weight: options.Weight = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    task: options.Task = None,
    seed: options.Seed = 0,
    jobs: options.Jobs = 1,
    time_limit: options.TimeLimit = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = ".",
    missing: options.Missing = None,
    as_json: options.Json = False,
) -> None:
    """Compare methods on the same folds: accuracy, AUC, prices, leaves and the time of a fit.

    thriftree compare patients.csv --target sick --costs prices.toml --methods thrift,cart,c45
    """
    from thriftree.cli import data
    from thriftree.comparison import compare as measure

    names = options.names_of(categorical)
    rows, prices = data.read_priced_dataset(
        table,
        target,
        costs,
        weight=weight,
        drop=options.names_of(drop),
        categorical=names,
        task=task,
        style=options.style_of(delimiter, encoding, decimal, missing),
    )
    words = {"time_limit_s": time_limit} | ({"categorical_features": list(names)} if names else {})
    with input_errors(), screen.progress("fitting", quiet=as_json) as progress:
        search = partial(
            measure,
            rows.X,
            rows.y,
            prices,
            methods=options.names_of(methods) or None,
            target=rows.kind,
            cv=cv,
            sample_weight=rows.weight,
            random_state=seed,
            n_jobs=jobs,
            words=words,
            progress=progress,
        )
        compared, interrupt = found_so_far(search)
    if as_json:
        facts = {"target_kind": compared.target, "cv": cv, "stopped_by": compared.stopped_by}
        screen.json_document({**facts, "methods": compared.table()})
    elif compared.results:
        screen.heading(rows.summary())
        screen.say(f"Measured on the held-out rows of {cv} folds; ± is a standard error.\n")
        show_comparison(compared)
    if interrupt is not None:
        so_far = "these are the methods" if compared.results else "there is no method"
        screen.remark(f"interrupted: {so_far} that all folds have measured so far")
        raise interrupt


def show_comparison(compared: Comparison) -> None:
    """The table, a line a method."""
    from thriftree.comparison import HEADERS, cells_of

    screen.table(HEADERS[compared.target], [cells_of(result) for result in compared.results])
