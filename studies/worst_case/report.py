"""The study of the worst case in words: a table for each data set, then whether the paper's findings hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from studies.worst_case.findings import (
    HINGED,
    IMPURITIES,
    WITHOUT_OFFSET,
    Curves,
    PaperComparison,
    compare,
    error_at,
    max_costs,
    verdict,
)
from studies.worst_case.sets import LEVELS, SOURCES, ObjectSet

WIDTH = 100


def about() -> Iterator[str]:
    """What was compared, and how to read the figures."""
    yield "Error against the most tests that anyone takes: GreedyTree on the nine data sets of paper 001."
    yield f"Numbers have {LEVELS} levels, equal rows are one object with their most common label, a missing"
    yield "answer is an answer, every test costs 1 and has a branch for each of its codes."
    yield "Powers trees stop at F <= δ, for every δ that matters; hinged-Pairs trees at F = 0, for"
    yield "many α. An entry is the least error, in % of the objects, of a tree of at most that max-cost;"
    yield f"* marks the least of its line where not all are equal. {WITHOUT_OFFSET!r} are {HINGED} as the"
    yield "paper's Figure 1 computes them."


def of_set(data: ObjectSet, curves: Curves) -> Iterator[str]:
    """One data set: the errors of all impurities at every max-cost."""
    source, n_objects = data.source, len(data.y)
    title = (
        f"{source.title}: {data.n_rows:,} rows, {n_objects:,} objects, {data.X.shape[1]} tests, "
        f"{len(np.unique(data.y))} classes"
    )
    yield f"── {title} {'─' * max(0, WIDTH - 4 - len(title))}"
    theirs = "does not say how many are unique" if source.objects is None else f"{source.objects:,} unique"
    yield f"  The paper has {source.rows:,} rows, {theirs}."
    yield ""
    yield f"  {'max-cost':>8}" + "".join(f"{name:>14}" for name in IMPURITIES)
    for cost in max_costs(curves):
        errors = [error_at(curves[name], cost) for name in IMPURITIES]
        cells = "".join(f"{_percent(error, errors):>14}" for error in errors)
        yield f"  {cost:>8}{cells}".rstrip()
    yield ""
    yield from _in_words(compare(curves))


def summary(every: Mapping[str, Curves]) -> Iterator[str]:
    """All data sets: where hinged-Pairs and the best of the Powers differ, and who errs less."""
    yield "Do the paper's two findings hold?"
    yield f"  1. At small max-costs {HINGED} errs less than the Powers. 2. At large ones the Powers do."
    yield "  Small and large: the lower and the upper half of the max-costs at which their errors differ."
    yield ""
    yield f"  {HINGED} (Eq. 10) against the best of the four Powers at each max-cost:"
    yield from _table({SOURCES[name].title: compare(curves) for name, curves in every.items()})
    yield ""
    yield f"  {HINGED} {WITHOUT_OFFSET}, as in the paper's Figure 1, against the best of the four Powers:"
    yield from _table({SOURCES[name].title: compare(c, WITHOUT_OFFSET) for name, c in every.items()})


def _table(compared: Mapping[str, PaperComparison]) -> Iterator[str]:
    yield f"  {'':<22}{'differ at':>10}{'1. small':>14}{'':<12}{'2. large':>14}"
    for name, found in compared.items():
        yield _line(name, [found])
    yield _line("all max-costs", list(compared.values()))
    first = [verdict(c.hinged_better, len(c.small)) for c in compared.values()]
    second = [verdict(c.powers_better, len(c.large)) for c in compared.values()]
    yield f"  Finding 1 {_by_sets(first)}."
    yield f"  Finding 2 {_by_sets(second)}."


def _line(name: str, found: Sequence[PaperComparison]) -> str:
    small, large = sum(len(c.small) for c in found), sum(len(c.large) for c in found)
    hinged, powers = sum(c.hinged_better for c in found), sum(c.powers_better for c in found)
    return (
        f"  {name:<22}{sum(len(c.differences) for c in found):>10}"
        f"{f'{hinged} of {small}':>14}  {verdict(hinged, small):<10}"
        f"{f'{powers} of {large}':>14}  {verdict(powers, large)}"
    )


def _by_sets(verdicts: Sequence[str]) -> str:
    holds, fails = verdicts.count("holds"), verdicts.count("fails")
    return f"holds in {holds} and fails in {fails} of {len(verdicts)} data sets"


def _in_words(found: PaperComparison) -> Iterator[str]:
    if not found.differences:
        yield f"  {HINGED} and the best of the Powers err equally at every max-cost."
    better = [cost for cost, difference in found.differences.items() if difference < 0]
    worse = [cost for cost, difference in found.differences.items() if difference > 0]
    if better:
        yield f"  {HINGED} errs less than every Powers at max-cost {_listed(better)}."
    if worse:
        yield f"  Some Powers errs less than {HINGED} at max-cost {_listed(worse)}."


def _listed(costs: Sequence[int]) -> str:
    return ", ".join(map(str, costs))


def _percent(error: float, errors: Sequence[float]) -> str:
    mark = "*" if error == min(errors) < max(errors) else " "
    return f"{100 * error:.2f}{mark}"
