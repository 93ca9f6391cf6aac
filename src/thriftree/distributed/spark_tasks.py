"""What runs inside Spark's Python workers: rows to answers, and contents in files beside the worker."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from thriftree.distributed.columns_of_parts import Roles
from thriftree.distributed.parts import TablePart
from thriftree.distributed.questions import RowQuestion
from thriftree.distributed.spill import load_content, save_content

Function: TypeAlias = Callable[..., Any]
Arguments: TypeAlias = tuple[Any, ...]
Sums: TypeAlias = tuple[
    set[int], list[Any]
]  # parts whose files are missing; the others' sum, if there are any


def answer_partition(
    schema: Any, roles: Roles, ask: Callable[[int, TablePart], Any], batches: Iterator[Any]
) -> Iterator[Any]:
    """One row for the rows of a partition, for `mapInArrow`: its number, its rows, and the answer pickled."""
    import pyarrow as pa

    part = _number()
    rows = pa.Table.from_batches(list(batches), schema)
    answer = packed(ask(part, roles.part(rows, part)))
    row = {"part": [part], "n_rows": [rows.num_rows], "answer": [answer]}
    types = pa.schema([("part", pa.int32()), ("n_rows", pa.int64()), ("answer", pa.binary())])
    yield pa.RecordBatch.from_pydict(row, types)


def ask_rows(function: Function, arguments: Arguments, part: int, rows: TablePart) -> Any:
    """What a function says of rows."""
    return function(rows, *arguments)


def keep_content(key: str, function: Function, arguments: Arguments, part: int, rows: TablePart) -> None:
    """Makes the content of rows, and leaves it in a file."""
    save_content(_file(key, part), function(rows, *arguments))


def keep_and_ask(
    key: str,
    function: Function,
    arguments: Arguments,
    ask: Callable[[int, Any], Any],
    part: int,
    rows: TablePart,
) -> Any:
    """The same, and what is asked about the content: where its file was missing."""
    content = function(rows, *arguments)
    save_content(_file(key, part), content)
    return ask(part, content)


def keep_made(
    key: str,
    function: Function,
    arguments: Arguments,
    ask: Callable[[int, Any], Any],
    part: int,
    content: Any,
) -> Any:
    """The same with a content that was made of another."""
    made = function(content, *arguments)
    save_content(_file(key, part), made)
    return ask(part, made)


def keep_of_kept(
    before: str, key: str, function: Function, arguments: Arguments, rows: Iterator[Any]
) -> Iterator[Any]:
    """Makes new contents of those that are kept."""
    for row in rows:
        content = _loaded(before, row.part)
        if content:
            save_content(_file(key, row.part), function(content[0], *arguments))
        yield row


def ask_kept(key: str, ask: Callable[[int, Any], Any], add: Function, rows: Iterator[Any]) -> Iterator[Sums]:
    """The sum of the answers about the contents of some parts, one after the other."""
    sums: Sums = (set(), [])
    for row in rows:
        content = _loaded(key, row.part)
        sums = added(add, sums, (set(), [ask(row.part, content[0])]) if content else ({row.part}, []))
    yield sums


def added(add: Function, one: Sums, other: Sums) -> Sums:
    """Two such sums together."""
    if one[1] and other[1]:
        return one[0] | other[0], [add(one[1][0], other[1][0])]
    return one[0] | other[0], one[1] or other[1]


def with_number(function: Function, arguments: Arguments, part: int, content: Any) -> dict[int, Any]:
    """The answer about a content, under the part's number."""
    return {part: function(content, *arguments)}


def without_number(function: Function, arguments: Arguments, part: int, content: Any) -> Any:
    """The answer about a content."""
    return function(content, *arguments)


def joined(one: dict[int, Any], other: dict[int, Any]) -> dict[int, Any]:
    """Answers under their parts' numbers."""
    return one | other


def forget(key: str, rows: Iterator[Any]) -> Iterator[int]:
    """Removes the files of these parts that are on this machine."""
    for row in rows:
        path = _file(key, row.part)
        if os.path.exists(path):
            os.unlink(path)
    yield 0


def answer_rows(
    question: RowQuestion, names: Sequence[str], schema: Any, answer_type: Any, batches: Iterator[Any]
) -> Iterator[Any]:
    """The rows with what a tree says of them, for `mapInArrow`."""
    import pyarrow as pa

    for batch in batches:
        rows = pa.Table.from_batches([batch]).cast(schema)
        answers = question.ask(rows.select(list(names)))
        column = pa.array(answers.tolist(), answer_type)
        yield from rows.append_column(question.name, column).to_batches()


def packed(answer: Any) -> bytes:
    """An answer as Spark carries it."""
    return pickle.dumps(answer, protocol=5)


def unpacked(answer: bytes) -> Any:
    """The answer that was packed."""
    return pickle.loads(answer)


def _loaded(key: str, part: int) -> list[Any]:
    """The content, alone in a list; an empty list where this machine has no file of it."""
    path = _file(key, part)
    return [load_content(path)] if os.path.exists(path) else []


def _file(key: str, part: int) -> str:
    """Where a content lies: in the folder that Spark gives the executor, and removes with it."""
    from pyspark import SparkFiles

    return os.path.join(SparkFiles.getRootDirectory(), f"{key}-{part}")


def _number() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())
