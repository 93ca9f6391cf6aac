"""Which engine has a table, by the module that its type comes from; no engine is imported to find out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from typing import Any, Final

import numpy as np

from thriftree.distributed.parts import Parts, TablePart
from thriftree.distributed.questions import RowQuestion

_HERE: Final = "thriftree.distributed."
#: By the module, or a package around it, of a table's type: the engine here. Its `parts_of(X, y,
#: sample_weight, n_threads)` makes Parts of the table, its `answered(X, question)` asks about its rows.
_ENGINES: Final[dict[str, str]] = {
    "dask": _HERE + "dask",
    "dask_expr": _HERE + "dask",
    "duckdb": _HERE + "files",
    "_duckdb": _HERE + "files",
    "pyarrow._dataset": _HERE + "files",
    "pyspark": _HERE + "spark",
    "thriftree.distributed.parquet_table": _HERE + "files",
}

_OPENED: Final[ContextVar[list[Parts] | None]] = ContextVar("thriftree_opened_parts", default=None)


def is_in_parts(X: Any) -> bool:
    """Whether a table lies in parts, or can be read in parts only."""
    return isinstance(X, Parts) or _engine(X) is not None


@contextmanager
def closing_parts() -> Iterator[None]:
    """On leaving, for whatever reason, engines give back what they keep of parts that were made inside."""
    opened: list[Parts] = []
    token = _OPENED.set(opened)
    try:
        yield
    finally:
        _OPENED.reset(token)
        for parts in opened:
            parts.close()


def parts_of(X: Any, y: Any = None, sample_weight: Any = None, *, n_threads: int = 1) -> Parts | None:
    """The parts of a table (X, y, sample_weight), whose contents are `TablePart`s; None: an ordinary table.

    Parts themselves may be given for X: they hold targets and weights already. ``n_threads`` is for engines
    that work in this process and have no number of their own.
    """
    if isinstance(X, Parts):
        if y is not None or sample_weight is not None:
            raise ValueError("parts of a table hold their targets and weights: give fit the parts alone")
        return X
    engine = _engine(X)
    if engine is None:
        return None
    parts: Parts = import_module(engine).parts_of(X, y, sample_weight, n_threads)
    opened = _OPENED.get()
    if opened is not None:
        opened.append(parts)
    return parts


def answered(X: Any, question: RowQuestion) -> Any:
    """What a fitted tree says of the rows of a table that an engine has, as the engine holds such things."""
    if isinstance(X, Parts):
        return np.concatenate(X.map(_asked, question.ask))
    engine = _engine(X)
    assert engine is not None
    return import_module(engine).answered(X, question)


def _asked(part: TablePart, ask: Callable[[Any], Any]) -> Any:
    return ask(part.X)


def _engine(X: Any) -> str | None:
    """The module of the engine, by the longest name that is known."""
    module = type(X).__module__
    while module:
        if module in _ENGINES:
            return _ENGINES[module]
        module = module.rpartition(".")[0]
    return None
