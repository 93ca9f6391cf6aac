"""`thriftree fit` where the rows are not read into memory: learn, write, and show what there is to say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from thriftree.cli import data, larger, screen
from thriftree.cli.errors import InputError, input_errors, naming_output
from thriftree.cli.fit import with_settings, written_if_interrupted

if TYPE_CHECKING:
    from thriftree.distributed.parquet_table import ParquetTable

_BINS: Final = 255  # where nothing else is asked for: every value a code is for tables in memory


@dataclass(frozen=True)
class Request:
    """What is asked of the command, as far as it does not concern the learner."""

    target: str
    weight: str | None
    drop: Sequence[str]
    method: str
    output: str | None
    where: larger.Where
    as_json: bool
    quiet: bool


def refuse(measuring: Mapping[str, Any]) -> None:
    """Refuses options that need rows in memory."""
    for option, value in measuring.items():
        if value is not None:
            raise InputError(
                f"{option} needs the rows in memory, and the tree learns from them in parts: leave it out, "
                "or give --in-memory"
            )


def _refuse_rows_one_by_one(model: Any, request: Request) -> None:
    """Refuses learners that cannot learn in parts, before anything is read for them."""
    if not getattr(model, "_learns_from_parts", False):
        instead = f" in the place of {request.where.in_parts}" if request.where.in_parts else ""
        raise InputError(
            f"--method {request.method} looks at single rows, and the tree learns from them in parts: give "
            f"--in-memory{instead}, or take a method that counts, such as cart"
        )


def fit(
    files: ParquetTable,
    request: Request,
    task: str | None,
    costs: str | None,
    categorical: Sequence[str],
    asked: Mapping[str, Any],
    offered: Mapping[str, Any],
) -> None:
    """Learns from all rows of the files, writes the tree and says what it costs."""
    from thriftree.registry import make_learner

    place, target = str(files.path), request.target
    files = larger.without(files, target, request.weight, request.drop)
    y, known = data.target_values(larger.some_targets(files, target), target, place)
    kind, _ = data.kind_of(y[known], task)
    offered = {"max_bins": _BINS, "costs": data.read_costs(costs, request.drop), **offered}
    if categorical:
        offered["categorical_features"] = list(categorical)
    with input_errors(place):
        offered = {name: value for name, value in offered.items() if name not in asked}
        model = make_learner(request.method, kind, asked, offered)
        _refuse_rows_one_by_one(model, request)
        with written_if_interrupted(model, request.method, request.output):
            quiet = request.as_json or request.quiet
            larger.learn(model, files, target, request.weight, request.where, quiet)
    tree = with_settings(model, request.method)
    if request.output is not None:
        with naming_output(request.output):
            tree.save(request.output)
    if request.as_json:
        facts = larger.facts_of(model, tree, files, target, request.method)
        screen.json_document({**facts, "output": request.output})
    elif not request.quiet:
        larger.show(model, tree, files, target, request.method, request.output)
        if request.output is not None:
            screen.remark(f"wrote {request.output}")
