"""`thriftree frontier`: the trees that no other beats, and what a better score costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thriftree.cli import options, output, screen
from thriftree.cli.errors import InputError, input_errors
from thriftree.cli.interrupts import found_so_far

if TYPE_CHECKING:
    from thriftree.cli.data import Dataset
    from thriftree.tuning.frontier.points import Frontier, FrontierPoint

_SMALL_TABLE = 5000
_ENDINGS = (".png", ".svg", ".pdf", ".csv", ".json")


def frontier(
    table: options.TablePath,
    target: options.Target,
    costs: options.Costs = None,
    budget: options.Budget = None,
    output_file: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", help="A picture (.png, .svg, .pdf), the table (.csv) or all of it (.json)."
        ),
    ] = None,
    tree_file: Annotated[
        str | None,
        typer.Option("--tree", help="Where to write the tree that the budget admits, or the best."),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(
            "--cv", help="Measure by so many folds; 0: on a quarter of the rows. [up to 5,000 rows: 5]"
        ),
    ] = None,
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
    """List the trees that no other beats on score, expected price, worst-case price and leaves.

    thriftree frontier patients.csv --target sick --costs prices.toml --budget 50 -o front.png
    """
    from thriftree.cli import data
    from thriftree.tuning.frontier import frontier as find

    for file in (output_file, tree_file):
        output.check_writable(file)
    if output_file is not None and Path(output_file).suffix.lower() not in _ENDINGS:
        raise InputError(f"{output_file}: end the name with one of {', '.join(_ENDINGS)}")
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
    folds = folds_for(len(rows.y)) if cv is None else cv or None
    with input_errors(), screen.progress("growing trees", quiet=as_json) as progress:
        search = partial(
            find,
            rows.X,
            rows.y,
            prices,
            target=rows.kind,
            cv=folds,
            sample_weight=rows.weight,
            categorical_features=list(names) if names else "auto",
            random_state=seed,
            n_jobs=jobs,
            time_limit_s=time_limit,
            progress=progress,
        )
        front, interrupt = found_so_far(search)
    with input_errors():
        best = front.best(budget=budget)
        if tree_file is not None:
            best.tree.save(tree_file)
        if output_file is not None:
            _write(front, output_file)
    if as_json:
        screen.json_document(_facts(front, best, budget))
    else:
        _show(front, best, budget, rows, folds)
    for file in (output_file, tree_file):
        if file is not None and not as_json:
            screen.remark(f"wrote {file}")
    if interrupt is not None:
        so_far = (
            "these are the trees that were measured so far" if front.measured else "no tree was measured yet"
        )
        screen.remark(f"interrupted: {so_far}")
        raise interrupt


def _show(
    front: Frontier, best: FrontierPoint, budget: float | None, rows: Dataset, folds: int | None
) -> None:
    screen.heading(rows.summary())
    how = "a quarter of the rows, held out" if folds is None else f"the held-out rows of {folds} folds"
    said = f"{len(front)} trees that no other beats, measured on {how}; {len(front.dominated):,} are beaten."
    if not front.measured:
        said = "No tree was measured: this is the first, as far as it was grown."
    screen.say(f"{said}\n{what_scores_are(front)}".rstrip() + "\n")
    show_frontier(front, best)
    screen.say()
    within = "" if budget is None else f" within a budget of {budget:g}"
    screen.heading(f"The best{within} (marked ●):")
    screen.tree(best.tree)


def folds_for(n_rows: int) -> int | None:
    """Folds measure a small table best; on a large one a quarter of the rows does as well, and is quicker."""
    return 5 if n_rows <= _SMALL_TABLE else None


def what_scores_are(front: Frontier) -> str:
    """One sentence: whether they are corrected for the choice among many trees."""
    if not front.measured:
        return ""
    if front.metric not in front.corrected:
        return (
            "Scores are as measured, not corrected for the choice among many trees: expect less on new rows."
        )
    return 'Scores are corrected for the choice: "measured" is what the best of so many trees scored.'


def show_frontier(front: Frontier, best: FrontierPoint | None = None) -> None:
    """The table of a frontier; the best is marked. Beside a corrected score stands the measured one."""
    scores = [name for name in ("accuracy", "auc", "r2") if name in front.table()[0]]
    columns: dict[str, Callable[[FrontierPoint], str]] = {"": lambda point: "●" if point is best else ""}
    for name in scores:
        columns["AUC" if name == "auc" else name] = partial(_score, name=name)
        if name == front.metric and name in front.corrected:
            columns["measured"] = partial(_measured, name=name)
            columns["best of"] = lambda point: f"{point.compared}"
    columns |= {
        "expected": lambda point: f"{point.expected_cost:.2f}",
        "at worst": lambda point: f"{point.worst_case_cost:.2f}",
        "leaves": lambda point: f"{point.leaves}",
        "method": _making,
    }
    rows = [[cell(point) for cell in columns.values()] for point in front]
    screen.table(list(columns), rows, words=(0, len(columns) - 1))


def _score(point: FrontierPoint, name: str) -> str:
    return _in_words(name, getattr(point, name))


def _measured(point: FrontierPoint, name: str) -> str:
    return _in_words(name, point.measured[name])


def _in_words(name: str, score: float) -> str:
    return f"{score:.1%}" if name == "accuracy" else f"{score:.3f}"


def _making(point: FrontierPoint) -> str:
    """The method, and the trade-off that most of them differ by."""
    trade_off = point.settings.get("trade_off")
    return point.method if trade_off is None else f"{point.method}, λ = {trade_off:g}"


def _write(front: Frontier, path: str) -> None:
    from thriftree.whole_files import whole_file, write_whole

    ending = Path(path).suffix.lower()
    if ending == ".json":
        import json

        write_whole(path, json.dumps(screen.plain(_facts(front, None, None)), indent=2) + "\n")
    elif ending == ".csv":
        write_whole(path, _as_csv(front.table()))
    else:
        figure: Any = front.plot().figure
        with whole_file(path) as temporary:
            figure.savefig(temporary, format=ending[1:], dpi=150)


def _as_csv(rows: list[dict[str, Any]]) -> str:
    import csv
    import io

    names = list(dict.fromkeys(name for row in rows for name in row))
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _facts(front: Frontier, best: FrontierPoint | None, budget: float | None) -> dict[str, Any]:
    facts: dict[str, Any] = {
        "metric": front.metric,
        "stopped_by": front.stopped_by,
        "corrected": list(front.corrected),
        "points": [{**point.row(), "tree": point.tree.to_dict()} for point in front],
    }
    if best is not None:
        facts |= {"budget": budget, "best": front.points.index(best)}
    return facts
