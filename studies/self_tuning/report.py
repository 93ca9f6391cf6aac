"""The study of self-tuning trees in words: a table for each data set, and whether the claims hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from studies.self_tuning.claims import (
    HALF,
    PAPER_RIVALS,
    POINTS,
    SHUTTLE,
    OfSet,
    Statement,
    Total,
    can_be_judged,
    judge,
    statements,
    treatments_measured,
)
from studies.self_tuning.methods import (
    EVERY_METHOD,
    METHODS,
    OURS,
    PAPER_CART,
    PRUNED_CART,
    TUNED_CART,
)
from studies.self_tuning.results import DivisionResults
from studies.self_tuning.sets import TEST_SHARE, LabelledSet
from thriftree.tuning.estimates import Estimate

WIDTH = 100


def about(repeats: int, methods: list[str]) -> Iterator[str]:
    """What was compared, and how to read the figures."""
    share = f"{1 - TEST_SHARE:.0%} to train, {TEST_SHARE:.0%} to test"
    yield f"Trees that tune themselves: {repeats} × {share}, the same rows for all."
    yield "Nodes include leaves; depth is the most tests of any row; time is seconds of one core to fit,"
    yield "tuning included. ± is a standard error that allows for overlapping training rows."
    yield ""
    for name in methods:
        yield f"  {name:<15}{EVERY_METHOD[name].summary}"


def of_set(data: LabelledSet, results: DivisionResults) -> Iterator[str]:
    """One data set: every score of every learner."""
    title = f"{data.name}: {len(data.y):,} rows, {data.X.shape[1]} columns, {len(np.unique(data.y))} classes"
    yield f"── {title} {'─' * (WIDTH - 4 - len(title))}"
    yield f"  {'':<15}{'accuracy %':>14}{'nodes':>20}{'depth':>16}{'seconds':>12}"
    for method in results.scores:
        cells = [
            _plus_minus(_times_100(results.of(method, "accuracy")), 1),
            _plus_minus(results.of(method, "nodes"), 1),
            _plus_minus(results.of(method, "depth"), 1),
            f"{results.mean(method, 'seconds'):.2f}",
        ]
        yield f"  {method:<15}{cells[0]:>14}{cells[1]:>20}{cells[2]:>16}{cells[3]:>12}"


def claims(every: Mapping[str, DivisionResults]) -> Iterator[str]:
    """Whether the paper's claims hold, for each data set and in total."""
    yield f"Do the paper's claims about {OURS} hold?"
    if not all(can_be_judged(results) for results in every.values()):
        yield f"  They cannot be judged without {OURS}, {PAPER_CART} and {TUNED_CART} among the methods."
        return
    judged = {name: judge(results) for name, results in every.items()}
    yield from _definitions()
    yield ""
    yield f"  {'':<9}{'points behind the best':>38}{'nodes':>15}{'of tuned CART':>14}   fewest of the others"
    for name, found in judged.items():
        yield _line(name, found)
    yield "  accuracy marked ? : the 95 % interval of the difference does not decide"
    yield ""
    yield from _in_total(Total.of(list(judged.values())))
    own = Total.of([judge(results, against=PAPER_RIVALS) for results in every.values()])
    yield (
        f"  Against the paper's own rivals alone ({', '.join(PAPER_RIVALS)}): accurate in {own.accurate}, "
        f"{100 * own.behind:.1f} points behind."
    )
    yield ""
    yield from _every_learner(every)
    if SHUTTLE in every and PRUNED_CART in every[SHUTTLE].scores:
        yield ""
        yield from _shuttle(every[SHUTTLE])


def short_models(every: Mapping[str, DivisionResults]) -> Iterator[str]:
    """MSI by each treatment of short models beside what the paper says of its own trees."""
    names = treatments_measured(every)
    yield "Treatments of short models: accuracy %, nodes and depth"
    yield f"  {'':<9}" + "".join(f"{name:>24}" for name in names)
    for data, results in every.items():
        cells = [
            f"{100 * results.mean(name, 'accuracy'):5.1f} {results.mean(name, 'nodes'):7.1f} "
            f"{results.mean(name, 'depth'):5.1f}"
            for name in names
        ]
        yield f"  {data:<9}" + "".join(f"{cell:>24}" for cell in cells)
    if not all(can_be_judged(results) for results in every.values()):
        return
    said = statements(every, names)
    yield ""
    yield f"  {'What the paper says of its trees':<52}{'paper':>7}" + "".join(f"{name:>14}" for name in names)
    for one in said:
        marked = "".join(f"{_marked(one, name):>14}" for name in names)
        yield f"  {one.text:<52}{one.paper:>7}{marked}".rstrip()
    nearest = {name: sum(name in one.nearest() for one in said) for name in names}
    counts = ", ".join(f"{name} {count}" for name, count in nearest.items())
    yield f"  * nearest to the paper; how often, of {len(said)}: {counts}."


def _marked(said: Statement, name: str) -> str:
    mark = "*" if name in said.nearest() else " "
    return f"{said.found[name]:.3g}{mark}"


def times(every: Mapping[str, DivisionResults]) -> Iterator[str]:
    """What takes long."""
    seconds = {
        (name, method): sum(score.seconds for score in scores)
        for name, results in every.items()
        for method, scores in results.scores.items()
    }
    total = sum(seconds.values())
    fits = sum(len(scores) for results in every.values() for scores in results.scores.values())
    yield f"{fits:,} fits took {total:,.0f} s of one core. Most of it:"
    for name, method in sorted(seconds, key=lambda of: -seconds[of])[:4]:
        share = seconds[name, method] / total
        yield f"  {method} on {name}, {every[name].mean(method, 'seconds'):.1f} s a fit, {share:.0%} of all"


def _definitions() -> Iterator[str]:
    yield f"  Accurate: at most {100 * POINTS:.0f} points of accuracy below the best other learner."
    yield f"  Far fewer nodes: at most {HALF:.0%} of those of tuned CART ({TUNED_CART})."


def _line(name: str, found: OfSet) -> str:
    behind = _plus_minus(_times_100(found.behind), 1)
    accurate = ("accurate" if found.accurate else "NOT") + ("" if found.sure else " ?")
    return (
        f"  {name:<9}{behind:>12} {'(' + found.best + ')':<16}{accurate:<11}"
        f"{found.nodes:>9.1f}{found.node_ratio:>9.1%} {'far fewer' if found.far_fewer_nodes else 'NOT':<10}"
        f"{found.smallest_nodes:>9.1f} ({found.smallest})"
    )


def _in_total(total: Total) -> Iterator[str]:
    n = total.n_sets
    yield f"  In total, of {n} data set{'s' * (n > 1)} (in brackets: the paper, of 12):"
    behind = f"{100 * total.behind:.1f} points behind the best on average (less than 2)"
    yield f"  {total.accurate:>4}  accurate (12); {behind}"
    yield f"  {total.beats_cart:>4}  more accurate than CART ({PAPER_CART}) (3)"
    yield (
        f"  {total.far_fewer_nodes:>4}  far fewer nodes than tuned CART (most); "
        f"{total.node_ratio:.0%} of them, as a geometric mean"
    )
    yield f"  {total.fewest_nodes:>4}  fewer nodes than every other learner (11)"
    yield f"  {total.shallower:>4}  shallower than every other learner (9)"
    yield f"  {total.holds:>4}  both accurate and far fewer nodes"
    yield ""
    yield f"  So: {verdict(total)}"


def verdict(total: Total) -> str:
    """The claim of equal accuracy with far fewer nodes, in a sentence."""
    n = total.n_sets
    if total.holds == n:
        word = "holds"
    elif 2 * total.holds > n:
        word = "holds in most data sets, not in all"
    else:
        word = "does not hold"
    return (
        f"the claim {word}. Far fewer nodes: {total.far_fewer_nodes} of {n}. "
        f"Within {100 * POINTS:.0f} points: {total.accurate}. Both: {total.holds}."
    )


def _every_learner(every: Mapping[str, DivisionResults]) -> Iterator[str]:
    """The same questions of every learner, each against all others: who is both accurate and small?"""
    yield "  The same of every learner, each against the others:"
    yield f"  {'':<15}{'accurate':>9}{'points behind':>15}{'far fewer':>11}{'nodes of tuned':>16}{'both':>6}"
    for method in METHODS:
        if all(method in results.scores for results in every.values()):
            total = Total.of([judge(results, method) for results in every.values()])
            yield (
                f"  {method:<15}{total.accurate:>9}{100 * total.behind:>15.1f}{total.far_fewer_nodes:>11}"
                f"{total.node_ratio:>16.0%}{total.holds:>6}"
            )


def _shuttle(results: DivisionResults) -> Iterator[str]:
    yield "  Shuttle, against cost-complexity pruning (the paper: 28 nodes to rpart's 59, equal accuracy):"
    behind = _plus_minus(_times_100(results.difference(PRUNED_CART, OURS, "accuracy")), 2)
    yield (
        f"  {results.mean(OURS, 'nodes'):.1f} nodes to {results.mean(PRUNED_CART, 'nodes'):.1f}; "
        f"{OURS} is {behind} points behind."
    )


def _times_100(share: Estimate) -> Estimate:
    return Estimate(100 * share.mean, 100 * share.error, 100 * share.low, 100 * share.high)


def _plus_minus(value: Estimate, digits: int) -> str:
    """Without ± where there is no error to tell."""
    error = "" if np.isnan(value.error) else f" ± {value.error:>4.{digits}f}"
    return f"{value.mean:.{digits}f}{error}"
