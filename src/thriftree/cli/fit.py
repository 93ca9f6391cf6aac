"""`thriftree fit`: learn a tree from a table and write it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thriftree.cli import class_figures, larger, options, output, proofs, screen
from thriftree.cli.errors import InputError, input_errors
from thriftree.messages import printable

if TYPE_CHECKING:
    from thriftree.cli.data import Dataset
    from thriftree.comparison import MethodResult, Scores

_SHARE, _FOLDS = "--test-share", "--cv"


def fit(
    table: options.TablePath,
    target: options.Target,
    output_file: Annotated[
        str | None,
        typer.Option("--output", "-o", help="Where to write the tree, as JSON.", show_default=False),
    ] = None,
    costs: options.Costs = None,
    budget: options.Budget = None,
    max_expected: options.MaxExpected = None,
    method: options.Method = "thrift",
    settings: options.Settings = None,
    test_share: Annotated[
        float | None,
        typer.Option(
            _SHARE, help="Share of rows to measure on; the tree learns from the others. 0: none. [0.3]"
        ),
    ] = None,
    cv: Annotated[
        int | None,
        typer.Option(_FOLDS, help="Measure by so many folds instead; the tree learns from all rows."),
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
    report_file: Annotated[
        str | None,
        typer.Option("--report", help="Also write the page of thriftree report, on held-out rows."),
    ] = None,
    held_out_file: Annotated[
        str | None,
        typer.Option("--save-held-out", help="Write the held-out rows: .csv, .parquet, .arrow or .feather."),
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(
            "--positive", metavar="CLASS", help="Of two classes: add sensitivity, specificity, PPV, NPV."
        ),
    ] = None,
    in_memory: options.InMemory = False,
    spill: options.Spill = False,
    dask: options.Dask = None,
    spark: options.Spark = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but warnings and errors.")
    ] = False,
    as_json: options.Json = False,
) -> None:
    """Learn a tree, say how good and how expensive it is, and write it to a file.

    thriftree fit patients.csv --target sick --costs prices.toml --budget 50 -o tree.json
    """
    from thriftree.cli import data
    from thriftree.registry import make_learner

    if test_share is not None and cv is not None:
        raise InputError(f"{_SHARE} and {_FOLDS} are two ways to measure: take one of them")
    _check_outputs(output_file, report_file, held_out_file, test_share, cv)
    names = options.names_of(categorical)
    where = larger.Where(in_memory, spill, dask, spark)
    if (files := larger.in_parts(table, where)) is not None:
        from thriftree.cli import fit_in_parts

        measuring = {
            "--cv": cv,
            "--report": report_file,
            "--save-held-out": held_out_file,
            "--positive": positive,
        }
        fit_in_parts.refuse({_SHARE: test_share or None, **measuring})
        request = fit_in_parts.Request(
            target, weight, options.names_of(drop), method, output_file, where, as_json, quiet
        )
        bounds = {"budget": budget, "max_expected": max_expected}
        asked = options.settings_of(settings)
        asked |= {name: bound for name, bound in bounds.items() if bound is not None}
        offered: dict[str, Any] = {"random_state": seed, "n_jobs": jobs, "time_limit_s": time_limit}
        fit_in_parts.fit(files, request, task, costs, names, asked, offered)
        return
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
    called_positive = None if positive is None else class_figures.positive_of(positive, rows)
    asked = options.settings_of(settings)
    if isinstance(asked.get("class_weight"), dict):
        labels = rows.labels_by_text()
        asked["class_weight"] = {labels.get(name, name): w for name, w in asked["class_weight"].items()}
    bounds = {"budget": budget, "max_expected": max_expected}
    asked |= {name: bound for name, bound in bounds.items() if bound is not None}
    offered = {
        "costs": prices,
        "random_state": seed,
        "n_jobs": jobs,
        "time_limit_s": time_limit,
    }
    if names:
        offered["categorical_features"] = [name for name in names if name in rows.X.column_names]
    with input_errors():
        model = make_learner(method, rows.kind, asked, offered)
    with input_errors(rows.place):
        share = 0.3 if test_share is None and cv is None else test_share or 0.0
        with written_if_interrupted(model, method, output_file):
            with screen.progress("learning", quiet=as_json or quiet) as progress:
                X = coded_for(model, rows)
                with proofs.told_of_search(progress):
                    learnt = learn(model, X, rows, share, seed, called_positive)
            folds = None if cv is None else _cross_validated(model, X, rows, cv, seed, jobs, as_json or quiet)
    tree = with_settings(model, method)
    written = _written(output_file, report_file, held_out_file, tree, rows, learnt)
    if as_json:
        screen.json_document(_facts(model, rows, method, learnt, folds, tree, written))
    elif not quiet:
        show_learnt(model, rows, method, learnt, tree, folds, output_file)
        for path in filter(None, written.values()):
            screen.remark(f"wrote {path}")


def _check_outputs(
    tree_file: str | None,
    report_file: str | None,
    held_out_file: str | None,
    share: float | None,
    cv: int | None,
) -> None:
    """Refuses files that could not be written, or would have nothing in them."""
    from thriftree.table.files.writing import form_of

    paths = [path for path in (tree_file, report_file, held_out_file) if path is not None]
    for path in paths:
        output.check_writable(path)
    if len(set(map(os.path.realpath, paths))) < len(paths):
        raise InputError("two outputs have the same name: give each its own")
    if held_out_file is not None:
        with input_errors():
            form_of(held_out_file)
        if share == 0 or (share is None and cv is not None):
            raise InputError(f"--save-held-out: no rows are held out: give {_SHARE}, such as 0.3")


def _written(
    tree_file: str | None,
    report_file: str | None,
    held_out_file: str | None,
    tree: Any,
    rows: Dataset,
    learnt: Learnt,
) -> dict[str, str | None]:
    """Writes what was asked for."""
    from thriftree.cli import learnt_rows, report

    if tree_file is not None:
        learnt_rows.save_with_rows(tree_file, tree, rows, learnt.train)
    if held_out_file is not None:
        learnt_rows.save_held_out(held_out_file, rows, learnt.test)
    if report_file is not None:
        held_out = len(learnt.test) > 0
        measured, which = (learnt.test, "held out") if held_out else (learnt.train, "training")
        report.write(report_file, tree, rows, None, None, only=measured, which=which)
    return {"output": tree_file, "report": report_file, "held_out_rows": held_out_file}


@contextmanager
def written_if_interrupted(model: Any, method: str, output_file: str | None) -> Iterator[None]:
    """Around learning and measuring: Ctrl-C leaves the tree so far in the file, and says so."""
    try:
        yield
    except KeyboardInterrupt:
        if hasattr(model, "tree_") or hasattr(model, "soft_tree_"):
            tree = with_settings(model, method)
            so_far = "the tree" if model.stopped_by_ is None else "the tree so far"
            leaves = f"{so_far}, of {tree.n_leaves} leaves"
            if output_file is None:
                screen.remark(f"interrupted: {leaves}, is lost; give -o to keep it")
            else:
                tree.save(output_file)
                screen.remark(f"interrupted: wrote {leaves}, to {output_file}")
            if hasattr(model, "status_"):
                screen.remark(proofs.sentence(model))
        raise


@dataclass(frozen=True)
class Learnt:
    """The positions of rows that a tree learnt from and is measured on, and how it does there."""

    train: Any
    test: Any
    scores: Scores | None
    base: tuple[Any, float] | None = None  # the heaviest class learnt from, and its share measured on
    positive: Any = None
    test_figures: dict[str, Any] | None = None  # of two classes, one of them positive


def _divided(rows: Dataset, share: float, seed: int) -> tuple[Any, Any]:
    """Positions to learn from and to measure on; classes keep their shares where each has two rows."""
    import numpy as np
    from sklearn.model_selection import train_test_split

    everything = np.arange(len(rows.y))
    if not 0 <= share < 1:
        raise InputError(f"{_SHARE} is {share:g}: write a share from 0 to below 1, such as 0.3")
    if share == 0:
        return everything, everything[:0]
    n_test = int(np.ceil(share * len(rows.y)))
    if n_test >= len(rows.y):
        raise InputError(
            f"{_SHARE} {share:g} of {len(rows.y)} rows leaves none to learn from: take {_SHARE} 0"
        )
    stratify = None
    if rows.kind == "classes":
        counts = np.unique(rows.y, return_counts=True)[1]
        if counts.min() > 1 and min(n_test, len(rows.y) - n_test) >= len(counts):
            stratify = rows.y
    train, test = train_test_split(everything, test_size=share, random_state=seed, stratify=stratify)
    return np.sort(train), np.sort(test)


def coded_for(model: Any, rows: Dataset) -> Any:
    """The features of all rows, read and coded once for all that follows."""
    from thriftree.table.coding import read_codes

    parameters = model.get_params()
    coded_by = ("categorical_features", "max_bins", "binning")
    coding = {name: parameters[name] for name in coded_by if name in parameters}
    weight = rows.weight
    positive = weight is not None and bool((weight > 0).all())
    return read_codes(rows.X, sample_weight=weight if positive else None, **coding)


def learn(model: Any, X: Any, rows: Dataset, share: float, seed: int, positive: Any = None) -> Learnt:
    """Fits the model, and measures it on this share of the rows, whose features are `X`, coded."""
    from thriftree.comparison import score
    from thriftree.learning.sample import rows_at

    train, test = _divided(rows, share, seed)
    weight = rows.weight
    start = time.perf_counter()
    model.fit(rows_at(X, train), rows.y[train], sample_weight=None if weight is None else weight[train])
    seconds = time.perf_counter() - start
    if not len(test):
        return Learnt(train, test, None)
    of_test = None if weight is None else weight[test]
    held_out = rows_at(X, test)
    scores = score(model, held_out, rows.y[test], of_test, seconds)
    if rows.kind != "classes":
        return Learnt(train, test, scores)
    figures = (
        None if positive is None else class_figures.figures_of_test(model, held_out, rows, test, positive)
    )
    return Learnt(train, test, scores, class_figures.base_rate(rows, train, test), positive, figures)


def _cross_validated(
    model: Any, X: Any, rows: Dataset, cv: int, seed: int, jobs: int, quiet: bool
) -> MethodResult:
    from thriftree.comparison import compare

    with screen.progress(f"measuring by {cv} folds", quiet=quiet) as progress:
        compared = compare(
            X,
            rows.y,
            methods={"tree": model},
            target=rows.kind,
            cv=cv,
            sample_weight=rows.weight,
            random_state=seed,
            n_jobs=jobs,
            progress=progress,
        )
    return compared.results[0]


def with_settings(model: Any, method: str) -> Any:
    """The model's tree, with what made it on record; a soft tree as it is."""
    from thriftree.tree import Tree

    if hasattr(model, "soft_tree_"):
        return model.soft_tree_

    parameters = {
        name: value
        for name, value in model.get_params().items()
        if name != "costs" and (value is None or isinstance(value, (str, int, float, bool)))
    }
    finite = {name: str(value) if value in (float("inf"),) else value for name, value in parameters.items()}
    settings = {"estimator": type(model).__name__, "method": method, "params": finite}
    return Tree.from_dict({**model.tree_.to_dict(), "settings": settings})


def show_learnt(
    model: Any,
    rows: Dataset,
    method: str,
    learnt: Learnt,
    tree: Any,
    folds: MethodResult | None = None,
    file: str | None = None,
) -> None:
    """The table, the tree, which is in `file`, and what it scores and costs."""
    scores, n_test = learnt.scores, len(learnt.test)
    screen.heading(rows.summary())
    measured = f"; measured on the other {n_test:,}" if n_test else ""
    screen.say(f"Learnt from {len(learnt.train):,} rows by {method}{measured}.\n")
    screen.tree(tree, file)
    screen.say()
    lines = []
    if scores is not None:
        lines += _score_lines(scores, learnt, tree)
    if folds is not None:
        lines += _fold_lines(folds)
    soft = hasattr(model, "soft_tree_")
    name = "price" if tree.prices is not None else "gates" if soft else "questions"
    lines.append((f"expected {name}", f"{model.expected_cost_:.2f}", "mean of the rows learnt from"))
    if scores is not None:
        lines.append(("", f"{scores.expected_cost:.2f}", "mean of the held-out rows"))
    lines.append((f"worst-case {name}", f"{model.worst_case_cost_:.2f}", "no path costs more"))
    asked = "gate" if soft else "question"
    lines.append(
        ("leaves", f"{tree.n_leaves}", f"at most {tree.depth} {asked}{'' if tree.depth == 1 else 's'}")
    )
    if hasattr(model, "status_"):
        lines.append(proofs.line(model))
    screen.figures(lines)


def _score_lines(scores: Scores, learnt: Learnt, tree: Any) -> list[tuple[str, str, str]]:
    from thriftree.explain.intervals import wilson

    if scores.accuracy is None:
        return [
            ("r2 on held-out rows", f"{scores.r2:.3f}", ""),
            ("typical error (rmse)", f"{scores.rmse:.4g}", ""),
        ]
    low, high = wilson(scores.accuracy, len(learnt.test))
    lines = [("accuracy on held-out rows", f"{scores.accuracy:.1%}", f"95% interval {low:.0%} to {high:.0%}")]
    if learnt.base is not None:
        said, share = learnt.base
        lines.append(("base rate", f"{share:.1%}", f"right by always saying {printable(str(said))}"))
    if learnt.test_figures is not None:
        negative = next(label for label in tree.classes if label != learnt.positive)
        lines += class_figures.lines_of_test(learnt.test_figures, learnt.positive, negative)
    if scores.auc is not None:
        lines.append(("area under the ROC curve", f"{scores.auc:.3f}", ""))
    return lines


def _fold_lines(folds: MethodResult) -> list[tuple[str, str, str]]:
    number = len(folds.folds)
    if folds.accuracy is None:
        return [("r2", f"{folds.r2:.3f}", f"± {folds.r2_error:.3f} over {number} folds")]
    return [
        ("accuracy", f"{folds.accuracy:.1%}", f"± {folds.accuracy_error:.1%} over {number} folds"),
        ("price over the folds", f"{folds.expected_cost:.2f}", "mean of the held-out rows"),
    ]


def _facts(
    model: Any,
    rows: Dataset,
    method: str,
    learnt: Learnt,
    folds: MethodResult | None,
    tree: Any,
    written: dict[str, str | None],
) -> dict[str, Any]:
    scores = learnt.scores
    return {
        "rows": len(rows.y),
        "columns": rows.X.num_columns,
        "target": rows.target,
        "target_kind": rows.kind,
        "method": method,
        "estimator": type(model).__name__,
        "held_out": None if scores is None else vars(scores),
        "base_rate": None if learnt.base is None else learnt.base[1],
        "test_figures": learnt.test_figures,
        "cross_validation": None
        if folds is None
        else {name: value for name, value in vars(folds).items() if name not in ("folds", "method")},
        "expected_cost": model.expected_cost_,
        "worst_case_cost": model.worst_case_cost_,
        "leaves": tree.n_leaves,
        "depth": tree.depth,
        "text": tree.to_text(),
        "proof": proofs.facts(model) if hasattr(model, "status_") else None,
        **written,
    }
