"""The lines that `make bench-optimal` prints."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log
from typing import Final

from benchmarks.optimal.cells import Work
from benchmarks.optimal.comparing import Cell, LookaheadCell, PricedCell, Threads
from benchmarks.optimal.running import Outcome

SLOW_S: Final = 0.05  # of a peer: from there on ratios count
QUICK_S: Final = 0.005  # that we may take where a peer is quicker
MOST_MB: Final = 64.0
FIRST_S: Final = 0.05
NEAR: Final = {4: 0.01, 5: 0.03}  # that the first tree may be above the optimum, by depth


def heading(work: Work) -> str:
    """Above the lines of a task."""
    return f"\n{work.name}  (against {', '.join(work.peers) or 'the same without prices'})"


def line(cell: Cell) -> str:
    """One cell: objective, our seconds, the fastest peer's, the ratio, memory."""
    table = f"  {cell.table:<13}{cell.n_rows:>7,} x {cell.n_columns:<4}"
    if cell.ours.answer is None:
        return f"{table} WE {cell.ours.why}"
    ours = f"{cell.objective:.6f}  {cell.ours.answer['cpu_s']:8.4f} s"
    state = "" if cell.ours.finished else "  NOT PROVED"
    fastest = cell.fastest
    if fastest is None:
        theirs = "; ".join(f"{name}: {_why_not(peer)}" for name, peer in cell.peers.items())
        return f"{table} {ours}  {cell.ours.answer['memory_mb']:5.1f} MB{state}  no peer: {theirs}"
    found = f"{fastest[0]:>9} {fastest[1]:8.4f} s  {_times(cell.ratio)}"
    differs = f"  OBJECTIVE DIFFERS: {cell.differs}" if cell.differs else ""
    return f"{table} {ours}  {found}  {cell.ours.answer['memory_mb']:5.1f} MB{state}{_verdict(cell)}{differs}"


def summary(work: Work, cells: Sequence[Cell]) -> str:
    """The geometric mean over the cells that count."""
    ratios = [cell.ratio for cell in cells if cell.ratio is not None and counts(cell)]
    if not ratios:
        return "  no cell in which a peer that finishes needs more than 50 ms"
    mean = exp(sum(map(log, ratios)) / len(ratios))
    verdict = "ok" if mean >= work.mean else "MISSED"
    wanted = f"at least {work.mean:g}, aim {work.aim:g}"
    return f"  geometric mean of {len(ratios)}: {mean:.1f}x, least {min(ratios):.1f}x  ({wanted}): {verdict}"


def counts(cell: Cell) -> bool:
    """Whether the ratio counts: the peer takes long enough."""
    return cell.fastest is not None and cell.fastest[1] > SLOW_S


def first_line(found: LookaheadCell) -> str:
    """The first tree: its time, and how far it is from the optimum and from the other heuristic."""
    if found.ours.answer is None:
        return f"  {found.table:<13} WE {found.ours.why}"
    ours, seconds = found.ours.objective(found.n_rows, 0), found.ours.answer["cpu_s"]
    words = [f"  {found.table:<13} {ours:.6f}  {seconds:8.4f} s"]
    good = seconds <= FIRST_S
    if found.optimum.finished:
        best = found.optimum.objective(found.n_rows, 0)
        above = (ours - best) / best if best else ours
        words.append(f"{above:7.2%} above the optimum")
        good &= above <= NEAR[found.work.task["max_depth"]]
    else:
        words.append("optimum not proved in time")
    if found.other.answer is None:
        words.append(f"licketysplit: {found.other.why}")
    else:
        other = found.other.objective(found.n_rows, 0)
        words.append(f"licketysplit {other:.6f} in {found.other.answer['cpu_s']:.4f} s")
        good &= ours <= other + 1e-9
    return "  ".join([*words, "ok" if good else "MISSED"])


def priced_line(found: PricedCell) -> str:
    """What prices take."""
    priced, free = found.priced.answer, found.free.answer
    if priced is None or free is None or found.times is None:
        return f"  {found.table:<13} WE {found.priced.why or found.free.why}"
    good = found.times <= found.work.each or priced["cpu_s"] <= QUICK_S
    state = "" if found.priced.finished else "  NOT PROVED"
    seconds = f"{priced['cpu_s']:8.4f} s, without prices {free['cpu_s']:8.4f} s"
    verdict = "ok" if good else f"MISSED (at most {found.work.each:g})"
    return f"  {found.table:<13} {seconds}  {found.times:5.2f} times{state}  {verdict}"


def threads_line(threads: Threads) -> str:
    """Two threads against one."""
    one, two = threads.one.answer, threads.two.answer
    if one is None or two is None:
        return f"\ntwo threads: {threads.one.why or threads.two.why}"
    speed = one["wall_s"] / two["wall_s"]
    verdict = "ok" if speed >= 1.7 else "MISSED"
    seconds = f"{one['wall_s']:.2f} s -> {two['wall_s']:.2f} s wall"
    return f"\ntwo threads: {seconds}, {speed:.2f}x (at least 1.7): {verdict}"


def verdicts(cells: Sequence[Cell]) -> str:
    """What is missed, in one place."""
    judged = [(cell, _verdict(cell).strip()) for cell in cells]
    missed = [f"{cell.work.name} {cell.table} ({said})" for cell, said in judged if said not in ("", "ok")]
    differ = [f"{cell.work.name} {cell.table}" for cell in cells if cell.differs]
    lines = [f"\n{len(cells)} cells, {len(differ)} with another objective than a peer that finished"]
    return "\n".join([*lines, f"missed: {'; '.join(missed)}" if missed else "every cell reaches its target"])


def _verdict(cell: Cell) -> str:
    if cell.ours.answer is None or cell.ratio is None:
        return ""
    depth = cell.work.task["max_depth"]
    problems = []
    if counts(cell):
        if cell.ratio < cell.work.each:
            problems.append(f"below {cell.work.each:g}x")
    elif cell.ours.answer["cpu_s"] > QUICK_S:
        problems.append("above 5 ms")
    if depth is not None and cell.ours.answer["memory_mb"] > MOST_MB:
        problems.append("above 64 MB")
    return "  " + (", ".join(problems) or "ok")


def _times(ratio: float | None) -> str:
    return "      -" if ratio is None else f"{ratio:6.1f}x"


def _why_not(peer: Outcome) -> str:
    return peer.why if peer.answer is None else f"not finished after {peer.answer['cpu_s']:.0f} s"
