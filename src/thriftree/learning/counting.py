"""Where the rows of a table are counted: in this process, or by a row store that answers with sums.

A store has the methods that docs/decisions/013-rows-elsewhere.md lists. Whoever brings one says, inside
`counted_by`, how it is made from a coded table and its target; estimators do not notice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeAlias

from thriftree import _core


@dataclass(frozen=True)
class CountedRows:
    """Rows that a store counts, and all that the core must know of them."""

    store: Any
    columns: Sequence[_core.Column]
    target: _core.TargetHeader  # of what is counted: rows, or objects
    rows: _core.TargetHeader | None = None  # of the rows behind the objects


MakeStore: TypeAlias = Callable[[_core.Table, _core.Target, _core.GrowOptions], CountedRows]

_make_store: ContextVar[MakeStore | None] = ContextVar("make_store", default=None)


@contextmanager
def counted_by(make: MakeStore) -> Iterator[None]:
    """Inside, trees are grown from the sums of the stores that `make` makes."""
    before = _make_store.set(make)
    try:
        yield
    finally:
        _make_store.reset(before)


def grow(table: _core.Table, target: _core.Target, options: _core.GrowOptions) -> _core.GrownTree:
    """The tree of these rows, whoever counts them."""
    make = _make_store.get()
    if make is None:
        return _core.grow(table, target, options)
    return grow_counted(make(table, target, options), options)


def grow_counted(rows: CountedRows, options: _core.GrowOptions) -> _core.GrownTree:
    """The tree of rows that a store counts."""
    return _core.grow_elsewhere(rows.store, rows.columns, rows.target, rows.rows, options)


def grow_path(
    table: _core.Table, target: _core.Target, options: _core.GrowOptions, trade_offs: Sequence[float]
) -> _core.GrownPath:
    """The tree of each trade-off, whoever counts the rows."""
    make = _make_store.get()
    if make is None:
        return _core.grow_path(table, target, options, trade_offs)
    return grow_path_counted(make(table, target, options), options, trade_offs)


def grow_path_counted(
    rows: CountedRows, options: _core.GrowOptions, trade_offs: Sequence[float]
) -> _core.GrownPath:
    """The tree of each trade-off, of rows that a store counts."""
    return _core.grow_path_elsewhere(rows.store, rows.columns, rows.target, rows.rows, options, trade_offs)
