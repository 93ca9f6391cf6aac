"""`thriftree near-optimal`: the trees that are nearly as good as the best, and the cheapest of them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thriftree.cli import options, output, screen
from thriftree.cli.errors import InputError, input_errors
from thriftree.cli.interrupts import found_so_far

if TYPE_CHECKING:
    from thriftree.estimators.near_optimal import CheapestTree, NearOptimalTrees


def near_optimal(
    table: options.TablePath,
    target: options.Target,
    costs: options.Costs = None,
    slack: Annotated[
        float,
        typer.Option("--slack", help="How far above the least objective; 0.01 is one row in a hundred."),
    ] = 0.01,
    max_depth: Annotated[int, typer.Option("--max-depth", help="Tests on a path at most.")] = 3,
    leaf_penalty: Annotated[
        float, typer.Option("--leaf-penalty", help="What a leaf must gain, as a share of the rows.")
    ] = 0.01,
    max_leaves: Annotated[int | None, typer.Option("--max-leaves", help="Leaves at most.")] = None,
    min_leaf: Annotated[int, typer.Option("--min-leaf", help="Rows that a branch must keep.")] = 1,
    price_weight: Annotated[
        float,
        typer.Option("--price-weight", help="What an expected price of 1 counts, as a share of the rows."),
    ] = 0.0,
    budget: Annotated[float | None, typer.Option("--budget", help="What no path may cost more than.")] = None,
    show: Annotated[int, typer.Option("--show", help="Trees to print, the best first.")] = 1,
    tree_file: Annotated[str | None, typer.Option("--tree", help="Where to write the cheapest tree.")] = None,
    weight: options.Weight = None,
    drop: options.Drop = None,
    categorical: options.Categorical = None,
    jobs: options.Jobs = 1,
    time_limit: options.TimeLimit = None,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = ".",
    missing: options.Missing = None,
    as_json: options.Json = False,
) -> None:
    """Count the trees that are nearly as good as the best one, and find the cheapest of them.

    thriftree near-optimal patients.csv --target sick --costs prices.toml --slack 0.01
    """
    from thriftree import near_optimal as find
    from thriftree.cli import data

    output.check_writable(tree_file)
    names = options.names_of(categorical)
    rows, prices = data.read_priced_dataset(
        table,
        target,
        costs,
        weight=weight,
        drop=options.names_of(drop),
        categorical=names,
        task=None,
        style=options.style_of(delimiter, encoding, decimal, missing),
    )
    if rows.kind != "classes":
        raise InputError(f"{target} is a number: nearly best trees are of classes")
    with input_errors():
        search = partial(
            find,
            rows.X,
            rows.y,
            slack=slack,
            max_depth=max_depth,
            leaf_penalty=leaf_penalty,
            max_leaves=max_leaves,
            min_leaf=min_leaf,
            price_weight=price_weight,
            budget=budget,
            categorical_features=list(names) if names else "auto",
            sample_weight=rows.weight,
            costs=prices,
            n_jobs=jobs,
            time_limit_s=time_limit,
        )
        try:
            found, interrupt = found_so_far(search)
        except (TimeoutError, MemoryError) as error:
            raise InputError(str(error)) from error
        cheapest = found.cheapest()
        if tree_file is not None:
            cheapest.tree.save(tree_file)
    if as_json:
        screen.json_document(_facts(found, cheapest))
    else:
        screen.heading(rows.summary())
        _show(found, cheapest, show, priced=prices is not None)
        if tree_file is not None:
            screen.remark(f"wrote {tree_file}")
    if interrupt is not None:
        screen.remark(f"interrupted: these are the trees of a slack of {found.slack:.4g}")
        raise interrupt


def _show(found: NearOptimalTrees, cheapest: CheapestTree, show: int, *, priced: bool) -> None:
    best = found.first(max(show, 1))
    screen.say(
        f"{found.count():,} trees have an objective of {found.best:.4f} to {found.limit:.4f}, "
        f"over {found.proved_for}.\n"
    )
    needed = [name for name in found.feature_names if name not in found.dispensable]
    without = found.best_without()
    screen.say(
        "Each of these questions can be done without: " + (", ".join(found.dispensable) or "none") + "."
    )
    if needed:
        lines = [f"{name} (at best {without[name]:.4f} without it)" for name in needed]
        screen.say("Every one of these trees asks: " + ", ".join(lines) + ".")
    screen.say("")
    for rank in range(min(show, len(best))):
        screen.say(f"Tree {rank + 1}, objective {best.objectives[rank]:.4f}:")
        screen.say(best[rank].to_text() + "\n")
    unit = "expected price" if priced else "tests a row"
    proved = (
        "no tree of them is cheaper" if cheapest.is_proved else f"none is below {cheapest.lower_bound:.2f}"
    )
    screen.say(
        f"The cheapest of them, {unit} {cheapest.expected_cost:.2f}, objective {cheapest.objective:.4f} "
        f"({proved}):"
    )
    screen.say(cheapest.tree.to_text())


def _facts(found: NearOptimalTrees, cheapest: CheapestTree) -> dict[str, Any]:
    return {
        "count": found.count(),
        "best": found.best,
        "slack": found.slack,
        "proved_for": found.proved_for,
        "stopped_by": found.stopped_by,
        "best_without": dict(found.best_without()),
        "dispensable": found.dispensable,
        "cheapest": {
            "expected_cost": cheapest.expected_cost,
            "lower_bound": cheapest.lower_bound,
            "objective": cheapest.objective,
            "text": cheapest.tree.to_text(),
        },
    }
