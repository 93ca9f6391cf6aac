"""The ways in which a column's codes can divide a cell of objects, in the order that ties are decided by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from oracles.ngi import Cell, Instance, mass
from oracles.node_tests import ALL_SUBSETS_UP_TO, Kind

Parts: TypeAlias = tuple[Cell, ...]

MISSING = -1  # this code is last in every order


def by_code(of: Instance, cell: Cell, column: int) -> Parts:
    """The multiway split: one part a code of the column in the cell, missing last."""
    codes = {of.codes[i][column] for i in cell}
    known = sorted(codes - {MISSING})
    return tuple(_with_codes(of, cell, column, [code]) for code in (*known, *(codes & {MISSING})))


def candidates(of: Instance, cell: Cell, column: int, kind: Kind) -> Iterator[Parts]:
    """Every split of this kind; none if the cell has one code only."""
    runs = by_code(of, cell, column)
    if len(runs) < 2:
        return
    missing = runs[-1] if of.codes[min(runs[-1])][column] == MISSING else None
    known = runs if missing is None else runs[:-1]
    if kind == "multiway":
        yield runs
    elif kind == "one_vs_rest":
        alone = runs[:1] if len(runs) == 2 else runs
        yield from ((run, cell - run) for run in alone)
    elif kind == "threshold":
        yield from _prefixes(cell, known, missing)
    elif len(runs) <= ALL_SUBSETS_UP_TO:
        yield from _subsets(cell, runs)
    else:
        yield from _prefixes(cell, in_class_order(of, cell, known), missing)


def in_class_order(of: Instance, cell: Cell, runs: Sequence[Cell]) -> list[Cell]:
    """By the share of one class: the second of two, else the cell's heaviest, the first of equals."""
    of = of.as_counted
    classes = sorted(set(of.labels))
    by_mass = max(classes, key=lambda label: _class_mass(of, cell, label))
    wanted = classes[1] if len(classes) == 2 else by_mass
    return sorted(runs, key=lambda run: _class_mass(of, run, wanted) / mass(of, run))


def product(splits: Sequence[Parts]) -> Parts:
    """The parts that objects share in all of these splits."""
    parts: list[Cell] = list(splits[0])
    for split in splits[1:]:
        parts = [a & b for a in parts for b in split if a & b]
    return tuple(parts)


def _prefixes(cell: Cell, known: Sequence[Cell], missing: Cell | None) -> Iterator[Parts]:
    """The first runs against the rest, missing on the left, then on the right; then known against missing."""
    left: Cell = frozenset()
    for run in known[:-1]:
        left = left | run
        if missing is not None:
            yield left | missing, cell - left - missing
        yield left, cell - left
    if missing is not None:
        yield cell - missing, missing


def _subsets(cell: Cell, runs: Sequence[Cell]) -> Iterator[Parts]:
    """The first run stays left; candidate c sends run i + 1 right if bit i of c is set."""
    for c in range(1, 2 ** (len(runs) - 1)):
        right = frozenset[int]().union(*(run for i, run in enumerate(runs[1:]) if c >> i & 1))
        yield cell - right, right


def _with_codes(of: Instance, cell: Cell, column: int, codes: Sequence[int]) -> Cell:
    return frozenset(i for i in cell if of.codes[i][column] in codes)


def _class_mass(of: Instance, cell: Cell, label: int) -> Fraction:
    return sum((of.p[i] for i in cell if of.labels[i] == label), Fraction(0))
