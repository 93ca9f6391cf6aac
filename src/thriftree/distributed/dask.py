"""The engine of Dask: frames and arrays whose parts workers compute, or threads of this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate
from threading import Lock
from typing import Any, Final
from weakref import WeakSet

import numpy as np

from thriftree.distributed.dask_workers import Contents, held_on_workers, run_on_workers, sum_on_workers
from thriftree.distributed.loaded import LoadedParts
from thriftree.distributed.parts import Parts, TablePart
from thriftree.distributed.questions import RowQuestion
from thriftree.learning.limits import threads_of

_FRAMES: Final = ("DataFrame", "Series", "Array")
# Two threads that have Dask optimise frames at a time may wait for each other for ever: up to Python 3.11 a
# cached property is computed under a lock of its class, and Dask's ask for each other in any order.
_OPTIMISING: Final = Lock()


def parts_of(X: Any, y: Any, sample_weight: Any, n_threads: int) -> Parts:
    """The partitions of X, each with that of y and of sample_weight at the same place. With a client its
    workers do what is to be done, else threads of this process, as many as Dask would take.
    """
    with _OPTIMISING:
        X, parts = _paired(X, y, sample_weight)
    client = _client()
    if client is not None:
        return DaskParts(client, parts, _known_rows(X))
    loads = [partial(_computed, part) for part in parts]
    known = _known_rows(X)
    n_threads = max(n_threads, threads_of(-1))
    counted = LoadedParts(loads, lambda: [], n_threads=n_threads)
    return LoadedParts(loads, lambda: known or counted.map(_n_rows), n_threads=n_threads)


def _paired(X: Any, y: Any, sample_weight: Any) -> tuple[Any, list[Any]]:
    """The features, and the parts of all, which are not computed yet."""
    X, y, sample_weight = _columns(X, y, sample_weight)
    given = {"X": X, "y": y} | ({} if sample_weight is None else {"sample_weight": sample_weight})
    for name, table in given.items():
        _check_kind(table, name)
    _check_as_many(given)
    return X, list(_delayed_parts(list(given.values())))


class DaskParts:
    """Contents that a client's workers have, or can make.

    What is kept are futures: a worker that is lost loses nothing that the scheduler does not have made again
    elsewhere. There is nothing else of ours on the cluster.
    """

    def __init__(self, client: Any, contents: Contents, n_rows: list[int] | None = None) -> None:
        self._client = client
        self._contents = list(contents)
        self._n_rows = n_rows
        self._kept: WeakSet[DaskParts] = WeakSet()  # what was made of these
        self._held: list[Any] | None = None  # futures of the contents, until something was made of them
        self._was_held = False

    @property
    def n_parts(self) -> int:
        """How many there are."""
        return len(self._contents)

    def map(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        """function(content, *arguments) of every part, in order of parts."""
        return run_on_workers(self._client, self._at_hand(), function, arguments, gather=True)

    def reduce(self, function: Callable[..., Any], add: Callable[[Any, Any], Any], *arguments: Any) -> Any:
        """The answers of all parts, added by every worker first and then among workers."""
        return sum_on_workers(self._client, self._at_hand(), function, add, arguments)

    def keep(self, function: Callable[..., Any], *arguments: Any) -> DaskParts:
        """Parts of what the function makes of each, in the memory of the workers."""
        futures = run_on_workers(self._client, self._at_hand(), function, arguments, gather=False)
        self._held = None  # the rows were coded, and are not asked for often any more
        kept = DaskParts(self._client, futures, self._n_rows)
        self._kept.add(kept)
        return kept

    def order(self) -> list[int]:
        """How many rows lie before each part."""
        if self._n_rows is None:
            self._n_rows = self.map(_n_rows)
        return list(accumulate(self._n_rows, initial=0))[:-1]

    def close(self) -> None:
        """Lets the workers forget what was kept, also of parts that were made of these."""
        for kept in self._kept:
            kept.close()
        self._contents, self._held = [], None

    def _at_hand(self) -> list[Any]:
        """The contents, on the workers where their memory holds all of them: rows are asked for several times
        before they are coded. Else every question reads them anew.
        """
        if not self._was_held:
            self._was_held = True
            self._held = held_on_workers(self._client, self._contents)
        return self._contents if self._held is None else self._held


def answered(X: Any, question: RowQuestion) -> Any:
    """The answers as a collection of the same kind, not computed yet: of a frame a series with its index, or
    a frame where a row has several answers; of an array an array.
    """
    import pandas as pd  # type: ignore[import-untyped]

    kind = type(X).__name__
    if kind not in ("DataFrame", "Array"):
        raise TypeError(f"X is a dask {kind}: give a dask DataFrame or a dask Array of two dimensions")
    if kind == "DataFrame":
        names = question.columns
        if names is not None and set(names) <= set(X.columns):
            X = X[list(names)]
        meta = _framed(question, question.example, pd.RangeIndex(0))
        return X.map_partitions(partial(_frame_answers, question), meta=meta)
    X = X.rechunk({1: -1})
    if question.labels is None:
        return X.map_blocks(question.ask, drop_axis=1, dtype=question.example.dtype, meta=question.example)
    chunks = (X.chunks[0], (len(question.labels),))
    return X.map_blocks(question.ask, chunks=chunks, dtype=question.example.dtype, meta=question.example)


def _frame_answers(question: RowQuestion, rows: Any) -> Any:
    return _framed(question, question.ask(rows), rows.index)


def _framed(question: RowQuestion, answers: np.ndarray[Any, Any], index: Any) -> Any:
    import pandas as pd

    if question.labels is None:
        return pd.Series(answers, index=index, name=question.name)
    return pd.DataFrame(answers, index=index, columns=list(question.labels))


def _columns(X: Any, y: Any, sample_weight: Any) -> tuple[Any, Any, Any]:
    """Names of columns replaced by the columns, which are then no features."""
    taken = [name for name in (y, sample_weight) if isinstance(name, str)]
    if not taken:
        return X, y, sample_weight
    if type(X).__name__ != "DataFrame":
        raise TypeError(f"y={y!r} names a column, and X is a dask {type(X).__name__}: give a dask array")
    for name in taken:
        if name not in X.columns:
            raise ValueError(f"the dask DataFrame has no column {name!r}")
    features = X[[name for name in X.columns if name not in taken]]
    y, sample_weight = (X[name] if isinstance(name, str) else name for name in (y, sample_weight))
    return features, y, sample_weight


def _check_kind(table: Any, name: str) -> None:
    kind, module = type(table).__name__, type(table).__module__
    if module.partition(".")[0] not in ("dask", "dask_expr") or kind not in _FRAMES:
        wanted = "a dask DataFrame or Array" if name == "X" else "a dask Series or Array, or a column's name"
        raise TypeError(f"{name} is of the type {kind}: beside a dask X it must be {wanted}")


def _check_as_many(given: Mapping[str, Any]) -> None:
    n_parts = {name: _n_parts(table) for name, table in given.items()}
    for name, n in n_parts.items():
        if n != n_parts["X"]:
            raise ValueError(
                f"X has {n_parts['X']} partitions and {name} {n}: partitions are paired by their position, "
                f"so take {name} from the same frame, or repartition it"
            )


def _n_parts(table: Any) -> int:
    return int(table.numblocks[0] if type(table).__name__ == "Array" else table.npartitions)


def _known_rows(X: Any) -> list[int] | None:
    """The rows of each part, where Dask knows them without computing."""
    if type(X).__name__ != "Array" or any(np.isnan(n) for n in X.chunks[0]):
        return None
    return [int(n) for n in X.chunks[0]]


def _delayed_parts(given: Sequence[Any]) -> Iterator[Any]:
    from dask import delayed

    make = delayed(_table_part, pure=False)
    for number, together in enumerate(_together(given)):
        yield make(number, together)


def _together(given: Sequence[Any]) -> list[Any]:
    """What lies at each position, not computed yet: a list of partitions.

    Frames are brought together before Dask optimises them. Each alone, it may read several files into one
    partition where few columns are asked for, and frames of the same files would not fit each other any more.
    """
    from dask import delayed

    if all(type(table).__name__ != "Array" for table in given):
        X, *others = given
        pairs = X.map_partitions(
            _listed, *others, meta=X._meta, enforce_metadata=False, align_dataframes=False
        )
        return list(pairs.to_delayed())
    join = delayed(_listed, pure=False)
    return [join(*pieces) for pieces in zip(*map(_pieces, given), strict=True)]


def _listed(*pieces: Any) -> list[Any]:
    return list(pieces)


def _pieces(table: Any) -> list[Any]:
    """A collection's partitions, each not computed yet and as many as it says that there are."""
    if type(table).__name__ != "Array":
        return list(table.to_delayed(optimize_graph=False))
    if table.ndim == 2:
        table = table.rechunk({1: -1})
    return list(np.ravel(np.asarray(table.to_delayed(), dtype=object)))


def _table_part(number: int, together: Sequence[Any]) -> TablePart:
    X, y, weight = (*together, None)[:3]
    for name, column in (("y", y), ("sample_weight", weight)):
        if column is not None and len(column) != len(X):
            raise ValueError(
                f"part {number} (from 0) has {len(X)} rows of X and {len(column)} of {name}: take both from "
                "the same frame"
            )
    return TablePart(X, y, weight, number)


def _computed(part: Any) -> TablePart:
    table: TablePart = part.compute(scheduler="synchronous")
    return table


def _n_rows(part: TablePart) -> int:
    return len(part.X)


def _client() -> Any:
    """The client whose workers Dask would compute with now; None: this process does."""
    from dask.base import get_scheduler

    client = getattr(get_scheduler(), "__self__", None)
    return client if hasattr(client, "who_has") else None
