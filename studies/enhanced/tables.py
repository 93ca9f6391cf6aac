"""The study's tables as markdown."""

from __future__ import annotations

from collections.abc import Iterator

from studies.enhanced.learners import Prices
from studies.enhanced.scores import NINE, RANKED, EnhancedScores
from studies.enhanced.sets import TABLES
from studies.harness.markdown import interval, rows_of, table
from studies.statistics import geometric_mean, mean_over_sets

OURS = ("ThriftTree", "Optimal")


def reproduction(scores: EnhancedScores) -> Iterator[str]:
    """Expected cost at unit prices of every set and learner, and its ratio to the published one."""
    learners = [*NINE[:2], "IP weighted", *NINE[2:]]
    rows = []
    for name in scores.sets:
        facts = scores.study.about["sets"][name]
        tests = f"{facts['tests']}" + (
            "" if facts["tests"] == TABLES[name].tests else f" ({TABLES[name].tests})"
        )
        splits = str(scores.splits[name])
        rows.append(
            [name, rows_of(facts), splits, tests, *(_cost_cell(scores, name, one) for one in learners)]
        )
    ratios = {one: scores.published_ratios(one) for one in learners}
    rows.append(
        [
            "**geometric mean of ratios**",
            "",
            "",
            "",
            *(
                f"**{ratios[one].mean:.3f}** {interval(ratios[one].low, ratios[one].high, 2)}"
                for one in learners
            ),
        ]
    )
    yield from table(["set", "rows", "splits", "tests (paper)", *learners], rows)


def _cost_cell(scores: EnhancedScores, name: str, learner: str) -> str:
    cost, ratio = scores.mean("unit", name, learner, "cost"), scores.published_ratio(name, learner)
    return f"{cost:.2f}" + ("" if ratio is None else f" ({ratio:.2f})")


def summary(scores: EnhancedScores, prices: Prices) -> Iterator[str]:
    """Every learner's means over sets."""
    learners = [*RANKED[prices], *(("IP weighted",) if prices == "unit" else ("CART", "C4.5")), *OURS]
    ranks = {measure: scores.ranks(prices, measure) for measure in ("auc", "cost")}
    rows = []
    for learner in learners:
        sets = scores.finished(prices, learner)
        if not sets:
            continue
        cells = []
        for measure in ("auc", "cost"):
            found = ranks[measure]
            of = {} if found is None else dict(zip(found.names, found.ranks, strict=True))
            cells.append(f"{of[learner]:.1f}" if learner in of else "–")
        each = {
            measure: [scores.mean(prices, name, learner, measure) for name in sets]
            for measure in ("auc", "auc_raw", "cost", "test_cost", "leaves", "fit_s")
        }
        auc = mean_over_sets(each["auc"])
        partly = "" if sets == scores.sets else f" ({len(sets)} set{'s' * (len(sets) > 1)})"
        rows.append(
            [
                f"**{learner}**{partly}" if learner in OURS else learner,
                f"{auc.mean:.3f}",
                f"{mean_over_sets(each['auc_raw']).mean:.3f}",
                cells[0],
                f"{geometric_mean(each['cost']):.2f}",
                f"{geometric_mean(each['test_cost']):.2f}" if min(each["test_cost"]) > 0 else "–",
                cells[1],
                f"{geometric_mean(each['leaves']):.1f}",
                f"{mean_over_sets(each['fit_s']).mean:.2f}",
            ]
        )
    header = ["learner", "AUC", "AUC, leaves by rows", "rank", "cost", "cost of test rows", "rank"]
    yield from table([*header, "leaves", "seconds"], rows)


def raw_leaves(scores: EnhancedScores) -> Iterator[str]:
    """Points of AUC that leaves gain which know the classes of their rows."""
    learners = ("ASR", "IP", "CART", "C4.5", "ECART", "EC4.5")
    gains = {one: scores.raw_gain(one) for one in learners}
    rows = [[name, *(f"{gains[one][name]:+.1f}" for one in learners)] for name in scores.sets]
    mean = {one: mean_over_sets(list(gains[one].values())) for one in learners}
    rows.append(
        [
            "**mean**",
            *(f"**{mean[one].mean:+.1f}** {interval(mean[one].low, mean[one].high, 1)}" for one in learners),
        ]
    )
    yield from table(["set", *learners], rows)


def random_prices(scores: EnhancedScores) -> Iterator[str]:
    """Expected cost of the enhanced trees over that of those that they are made from."""
    pairs = (
        ("EC4.5", "CC4.5"),
        ("EC4.5", "C4.5"),
        ("ECART", "CCART"),
        ("ECART", "CART"),
        ("pEC4.5", "pCC4.5"),
    )
    ratios = {pair: scores.cost_ratio("random", *pair) for pair in pairs}
    rows = [[name, *(f"{100 * (ratios[pair][name] - 1):+.0f} %" for pair in pairs)] for name in scores.sets]
    yield from table(["set", *(f"{one} to {other}" for one, other in pairs)], rows)


def speed(scores: EnhancedScores) -> Iterator[str]:
    """Seconds to fit against rows."""
    found = scores.speed()
    rows = sorted({n for of in found.values() for n in of})
    yield from table(
        ["learner", *(f"{n:,} rows" for n in rows)],
        [[name, *(f"{of[n]:.3f}" if n in of else "–" for n in rows)] for name, of in found.items()],
    )
