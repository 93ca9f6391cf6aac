"""What rows pay, what each test costs, and the rules of prices in words."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from thriftree.costs import TestCosts
from thriftree.costs.bound import NO_GROUP
from thriftree.explain.prices import amount_words, priced_tree
from thriftree.messages import printable
from thriftree.report.facts.intervals import mean_interval
from thriftree.report.facts.measured import MeasuredRows

MOST_BARS: Final = 14
_MOST_WHOLE: Final = 1e9  # beyond, whole numbers are as good as any


def paid_facts(measured: MeasuredRows) -> dict[str, Any]:
    """What the rows pay: the mean with its interval, the most that any path costs, and a bar for each price
    or, of many prices, for each of equally wide ranges.
    """
    paid, weight = measured.paid, measured.weight
    interval = mean_interval(paid, weight)
    return {
        "expected": float(np.average(paid, weights=weight)),
        "interval": None if interval is None else [max(interval[0], float(paid.min())), interval[1]],
        "worst_case": measured.tree.worst_case_cost(),
        "median": _weighted_median(paid, weight),
        "bars": _bars(paid, weight),
    }


def _bars(paid: Any, weight: Any) -> list[dict[str, Any]]:
    # Prices are sums in various orders; what differs beyond ten digits does not differ.
    levels, level = np.unique([float(f"{value:.10g}") for value in paid.tolist()], return_inverse=True)
    lows = highs = levels
    if len(levels) > MOST_BARS:
        lows, highs = _ranges(levels)
        level = (np.searchsorted(lows, levels, side="right") - 1)[level]
    rows = np.bincount(level, minlength=len(lows)).tolist()
    share = (np.bincount(level, weight, minlength=len(lows)) / weight.sum()).tolist()
    return [
        {"low": low, "high": high, "rows": n, "share": part}
        for low, high, n, part in zip(lows.tolist(), highs.tolist(), rows, share, strict=True)
    ]


def _ranges(levels: Any) -> tuple[Any, Any]:
    """Equally wide ranges of many levels, as their ends; of whole numbers, such as
    numbers of questions, ranges of whole numbers.
    """
    if (levels == np.round(levels)).all() and levels[-1] - levels[0] < _MOST_WHOLE:
        width = -(-(levels[-1] - levels[0] + 1) // MOST_BARS)
        lows = np.arange(levels[0], levels[-1] + 1, width)
        return lows, np.minimum(lows + width - 1, levels[-1])
    edges = np.linspace(levels[0], levels[-1], MOST_BARS + 1)
    return edges[:-1], edges[1:]


def _weighted_median(values: Any, weight: Any) -> float:
    order = np.argsort(values, kind="stable")
    reached = np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)
    return float(values[order[min(reached, len(order) - 1)]])


def prices_of_tests(document: dict[str, Any]) -> list[str]:
    """For each column what its test costs, in words."""
    if document.get("prices") is None:
        return ["1.00" for _ in document["columns"]]
    _, costs, _ = priced_tree(document)
    words = []
    for column in range(len(document["columns"])):
        if costs.known[column]:
            words.append("free, known")
            continue
        own = amount_words(costs.own[column])
        if column in costs.outcomes:
            least = costs.outcomes[column].least
            own = f"{amount_words(least)} to {own}, by outcome" if least < costs.own[column] else own
        group = int(costs.group[column])
        setup = "" if group == NO_GROUP else f" + {amount_words(costs.setup[group])} set-up"
        words.append(own + setup)
    return words


def price_rules(document: dict[str, Any]) -> list[str]:
    """The rules of the tree's prices, a sentence each."""
    if document.get("prices") is None:
        return ["No prices were given: every question costs 1."]
    costs = TestCosts.from_dict(document["prices"])
    rules = [
        "A test is paid once, however often a path comes back to it."
        if costs.pay == "once"
        else "A test is paid every time that a path asks it."
    ]
    for name, group in costs.groups.items():
        members = listed([_name(document, feature) for feature in group.members])
        rules.append(
            f"Group {printable(name)}: {members} share a set-up of {amount_words(group.setup)}, paid by the "
            "first of them on a path."
        )
    if costs.delayed:
        ordered = "all of them" if costs.delayed_scope == "delayed" else "all tests"
        later = listed([_name(document, feature) for feature in costs.delayed])
        rules.append(
            f"Results of {later} come later: the first of them on a path orders {ordered} that may be "
            "needed below it, and pays for all at once."
        )
    if costs.known:
        rules.append(f"Known beforehand, so free: {listed([_name(document, f) for f in costs.known])}.")
    if any(not isinstance(price, float) for price in costs.prices.values()):
        rules.append(
            "Where a price depends on the outcome, a missing one costs as much as the most expensive."
        )
    return rules


def listed(names: list[str]) -> str:
    """ "a, b and c"."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _name(document: dict[str, Any], feature: str | int) -> str:
    name = document["columns"][feature]["name"] if isinstance(feature, int) else feature
    return printable(name)
