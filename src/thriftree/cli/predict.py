"""`thriftree predict`: the answers of a tree for the rows of a table, as they stream by."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

import typer

from thriftree.cli import options, output, screen
from thriftree.cli.errors import InputError, input_errors, naming_output
from thriftree.cli.trees import is_soft

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from thriftree.table.files import Batch
    from thriftree.table.frame import Levels
    from thriftree.tree import Tree

_BATCH_BYTES = 1 << 24
_NEEDS_QUOTES = ',"\r\n'


def predict(
    tree_file: options.TreePath,
    table: options.TablePath,
    output_file: Annotated[
        str, typer.Option("--output", "-o", help="A .csv, .parquet, .arrow or .feather file; - prints CSV.")
    ] = "-",
    proba: Annotated[bool, typer.Option("--proba", help="Add the share of each class.")] = False,
    cost: Annotated[bool, typer.Option("--cost", help="Add what the tests of each row cost.")] = False,
    leaf: Annotated[bool, typer.Option("--leaf", help="Add the number of the leaf.")] = False,
    keep: Annotated[
        list[str] | None, typer.Option("--keep", help="Columns to copy before the answers: --keep id,name.")
    ] = None,
    jobs: options.Jobs = 1,
    delimiter: options.Delimiter = None,
    encoding: options.Encoding = None,
    decimal: options.Decimal = ".",
    missing: options.Missing = None,
    as_json: options.Json = False,
) -> None:
    """Answer every row of a table, in its order, in bounded memory.

    Only the columns that the tree tests are read; others may be absent.

    thriftree predict tree.json patients.csv -o answers.csv --cost --keep id
    """
    from thriftree.cli.trees import load_any_tree, tested_columns
    from thriftree.table.files import stream_table
    from thriftree.table.files.writing import form_of

    tree = load_any_tree(tree_file)
    if proba and tree.classes is None:
        raise InputError("--proba asks for shares of classes, but this tree predicts a number: leave it out")
    kept = options.names_of(keep)
    answers = _Answers(tree, proba=proba, cost=cost, leaf=leaf, n_threads=_threads(jobs))
    _check_names_differ(kept, answers.names)
    output.check_writable(output_file)
    with input_errors():
        form_of(output_file)
        style = options.style_of(delimiter, encoding, decimal, missing)
        tested = tested_columns(tree.to_dict())
        batches = stream_table(table, tree.columns, tested, keep=kept, style=style)
        with screen.progress("rows answered", quiet=as_json) as progress:
            counted = _counted(batches, answers.most_rows, progress)
            if as_json and output_file == "-":
                _print_json(counted, answers)
                return
            rows = _write(counted, answers, output_file, [*kept, *answers.names], quote=bool(kept))
    if as_json:
        screen.json_document({"rows": rows, "columns": [*kept, *answers.names], "output": output_file})
    elif output_file != "-":
        screen.remark(f"wrote {rows:,} rows to {output_file}")


class _Answers:
    """The columns that are added to a row."""

    def __init__(self, tree: Tree, *, proba: bool, cost: bool, leaf: bool, n_threads: int) -> None:
        self._tree, self._cost, self._leaf, self._n_threads = tree, cost, leaf, n_threads
        self._shares = _share_names(tree.classes or ()) if proba else []
        self.names = ["prediction", *self._shares, *(["cost"] if cost else []), *(["leaf"] if leaf else [])]
        longest = max((len(str(label)) for label in tree.classes or ()), default=0)
        row_bytes = 8 * len(self._shares) + 4 * longest
        #: Of many classes, or of long names of classes, fewer rows are answered at a time.
        self.most_rows = max(1, _BATCH_BYTES // max(1, row_bytes))
        self.need_quotes = any(mark in str(label) for label in tree.classes or () for mark in _NEEDS_QUOTES)

    def of(self, batch: Batch) -> dict[str, NDArray[Any] | Levels]:
        """The answers to a batch, by name."""
        from thriftree.table.frame import Levels

        frame, threads = batch.frame, self._n_threads
        leaf, said = self._leaves_and_answers(frame)
        classes = self._tree.classes
        columns: dict[str, Any] = {"prediction": said if classes is None else Levels(said, list(classes))}
        if self._shares:
            shares = self._tree.predict_proba(frame, n_threads=threads)
            columns |= {name: shares[:, k] for k, name in enumerate(self._shares)}
        if self._cost:
            columns["cost"] = self._tree.predict_cost(frame, n_threads=threads)
        if self._leaf:
            columns["leaf"] = leaf
        return columns

    def _leaves_and_answers(self, frame: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """The leaf of each row, of a soft tree the most probable one; and the number, or the class's."""
        if not is_soft(self._tree):
            leaf = self._tree.apply(frame, n_threads=self._n_threads)
            if self._tree.leaf_models:
                return leaf, self._tree.predict(frame, n_threads=self._n_threads)
            return leaf, self._said[leaf]
        soft: Any = self._tree
        reach = soft.path_probabilities(frame, n_threads=self._n_threads)
        leaf = reach[:, soft.n_gates :].argmax(axis=1)
        if soft.classes is None:
            return leaf, soft.predict(frame, n_threads=self._n_threads)
        said = soft.predict_proba(frame, n_threads=self._n_threads).argmax(axis=1)
        return leaf, said.astype("int32")

    @cached_property
    def _said(self) -> NDArray[Any]:
        """By node, of a hard tree."""
        import numpy as np

        from thriftree.document.answers import node_numbers

        document = self._tree.to_dict()
        if self._tree.classes is None:
            return node_numbers(document)
        return np.array([node["label"] for node in document["nodes"]], np.int32)


def _share_names(classes: Sequence[Any]) -> list[str]:
    """A name for each class; numbered where labels of different types are spelt alike."""
    spelt = [f"probability_{label}" for label in classes]
    times = Counter(spelt)
    return [name if times[name] == 1 else f"{name}_{k}" for k, name in enumerate(spelt)]


def _threads(jobs: int) -> int:
    import os

    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return available if jobs == -1 else min(jobs, available)


def _check_names_differ(kept: Sequence[str], added: Sequence[str]) -> None:
    answers = frozenset(added)
    for name in kept:
        if name in answers:
            raise InputError(f"--keep names {name!r}, which is the name of an answer: rename the column")


def _counted(batches: Iterator[Batch], most_rows: int, progress: Any) -> Iterator[Batch]:
    done = 0
    for batch in batches:
        yield from batch.pieces(most_rows)
        done += batch.n_rows
        progress(done, None)


def _write(
    batches: Iterator[Batch], answers: _Answers, path: str, names: Sequence[str], *, quote: bool
) -> int:
    from thriftree.table.files import batch_writer

    rows = 0
    # What is wrong with the table that is read is no OSError, so this one is about the file that is written.
    with naming_output(path), batch_writer(path, names, quote=quote or answers.need_quotes) as writer:
        for batch in batches:
            writer.write(batch.kept, answers.of(batch))
            rows += batch.n_rows
    return rows


def _print_json(batches: Iterator[Batch], answers: _Answers) -> None:
    """One document, written as the rows come: its size is not bounded, but its memory is."""
    sys.stdout.write('{"predictions": [')
    rows = 0
    for batch in batches:
        columns = {name: _values(cells) for name, cells in answers.of(batch).items()}
        for number in range(batch.n_rows):
            row = {name: batch.kept.column(name)[number].as_py() for name in batch.kept.schema.names}
            row |= {name: values[number] for name, values in columns.items()}
            sys.stdout.write(
                ("\n " if rows == 0 else ",\n ") + json.dumps(screen.plain(row), ensure_ascii=False)
            )
            rows += 1
    sys.stdout.write(f'\n], "rows": {rows}}}\n')


def _values(cells: NDArray[Any] | Levels) -> list[Any]:
    """The cells as Python values."""
    from thriftree.table.frame import Levels

    return [cells.levels[code] for code in cells.codes] if isinstance(cells, Levels) else cells.tolist()
