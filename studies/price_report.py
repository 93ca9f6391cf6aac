"""The study of prices in words: a table for each data set, then who wins where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from studies.evaluation import FoldResults
from studies.methods import BASELINE, METHODS
from studies.price_sets import PricedSet
from thriftree.table.dataframes import column_names
from thriftree.tuning.estimates import Estimate

WIDTH = 100
OURS = "ThriftTree"


def about(n_folds: int, repeats: int, methods: list[str]) -> Iterator[str]:
    """What was compared, and how to read the figures."""
    yield f"Where tests have prices: {repeats} × {n_folds}-fold cross-validation, the same folds for all."
    yield "Prices are dollars: a test is paid once a path, set-ups are shared, delayed results are ordered"
    yield "together. ± is a standard error, brackets are a 95 % interval; both allow for overlapping folds."
    yield ""
    for name in methods:
        yield f"  {name:<12}{METHODS[name].summary}"
    yield ""
    yield "CART/price, ASR, EC4.5 and ECART grow as published, every test paid, and are pruned as CART is."


def of_set(data: PricedSet, results: FoldResults) -> Iterator[str]:
    """One data set: every score of every learner, and each learner against the baseline."""
    yield from _heading(data)
    yield ""
    yield f"  {'':<12}{'accuracy %':>14}{'AUC':>18}{'expected price':>18}{'worst case':>18}{'leaves':>16}"
    for method in results.scores:
        accuracy, auc = results.of(method, "accuracy"), results.of(method, "auc")
        cells = [
            f"{100 * accuracy.mean:7.1f} ± {100 * accuracy.error:3.1f}",
            f"{auc.mean:9.3f} ± {auc.error:5.3f}",
            _plus_minus(results.of(method, "price"), 2),
            _plus_minus(results.of(method, "worst_case"), 2),
            _plus_minus(results.of(method, "leaves"), 1),
        ]
        yield f"  {method:<12}{cells[0]:>14}{cells[1]:>18}{cells[2]:>18}{cells[3]:>18}{cells[4]:>16}".rstrip()
    yield ""
    if BASELINE in results.scores and len(results.scores) > 1:
        yield f"  {'against ' + BASELINE:<12}{'accuracy, points':>21}{'expected price':>31}"
        for method in results.scores:
            if method != BASELINE:
                yield _against_baseline(method, results)
        yield ""
    yield from _winners(results)


def summary(every: Mapping[str, FoldResults]) -> Iterator[str]:
    """All data sets in a few lines."""
    yield "Who wins where"
    yield ""
    names = max(map(len, every))
    yield f"  {'':<{names}}  not beaten on both accuracy and price, cheapest first"
    for name, results in every.items():
        yield f"  {name:<{names}}  {', '.join(results.not_beaten()) or 'none is better than no test at all'}"
    if all({OURS, BASELINE} <= set(results.scores) for results in every.values()):
        yield ""
        yield f"  {OURS} against {BASELINE} with weakest-link pruning:"
        for name, results in every.items():
            accuracy, price = _differences(OURS, results)
            words = verdict(accuracy, price)
            yield f"  {name:<{names}}  points {_points(accuracy)}, price {_dollars(price)}: {words}"


def verdict(accuracy: Estimate, price: Estimate) -> str:
    """What the intervals of two differences allow to say: only what the whole interval agrees on."""
    clear = []
    if price.is_below_zero or price.is_above_zero:
        clear.append("cheaper" if price.is_below_zero else "more expensive")
    if accuracy.is_below_zero or accuracy.is_above_zero:
        clear.append("less accurate" if accuracy.is_below_zero else "more accurate")
    return ", ".join(clear) or "no clear difference"


def _heading(data: PricedSet) -> Iterator[str]:
    bound = data.costs.bind(column_names(data.X) or [])
    title = f"{data.name}: {len(data.y):,} rows, {data.columns} tests, {len(np.unique(data.y))} classes"
    yield f"── {title} {'─' * (WIDTH - 4 - len(title))}"
    yield (
        f"  Without any test {data.largest_class:.1%} are right; all tests together cost "
        f"{bound.together(range(len(bound.names))):.2f}."
    )
    if data.remark:
        yield f"  {data.remark[0].upper()}{data.remark[1:]}."


def _plus_minus(value: Estimate, digits: int) -> str:
    return f"{value.mean:.{digits}f} ± {value.error:>5.{digits}f}"


def _differences(method: str, results: FoldResults) -> tuple[Estimate, Estimate]:
    return results.difference(method, BASELINE, "accuracy"), results.difference(method, BASELINE, "price")


def _against_baseline(method: str, results: FoldResults) -> str:
    accuracy, price = _differences(method, results)
    return f"  {method:<12}{_points(accuracy)}   {_dollars(price)}   {verdict(accuracy, price)}"


def _points(accuracy: Estimate) -> str:
    """A difference of accuracies in hundredths, with its interval."""
    return f"{100 * accuracy.mean:+5.1f} [{100 * accuracy.low:+5.1f}, {100 * accuracy.high:+5.1f}]"


def _dollars(price: Estimate) -> str:
    return f"{price.mean:+8.2f} [{price.low:+8.2f}, {price.high:+8.2f}]"


def _winners(results: FoldResults) -> Iterator[str]:
    useful = results.useful()
    for method in results.scores:
        if method not in useful:
            yield f"  Not better than no test at all: {method}."
    if not useful:
        return
    accurate = max(useful, key=lambda m: results.of(m, "accuracy").mean)
    cheap = min(useful, key=lambda m: results.of(m, "price").mean)
    yield f"  Most accurate: {accurate} ({results.of(accurate, 'accuracy').mean:.1%})."
    yield f"  Cheapest: {cheap} ({results.of(cheap, 'price').mean:.2f})."
    yield f"  Not beaten on both, cheapest first: {', '.join(results.not_beaten())}."
