"""`python -m studies.soft.page`: docs/soft_study.md from the results that were kept."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from studies.harness.versions import ROOT
from studies.soft.soft_learners import CART, OBLIQUE, PEER
from studies.soft.soft_results import SoftResults, read
from studies.soft.soft_runs import learners_for
from studies.statistics import interval_over_sets

PAGE: Final = ROOT / "docs" / "soft_study.md"
SCORE: Final = {"classes": "accuracy", "numbers": "R²"}
LEAST_BETTER: Final = 8  # of ten sets on which the oblique tree must be as accurate as CART of as many leaves


@dataclass(frozen=True)
class SoftClaim:
    """Something that the study was to find, and what it found."""

    text: str
    holds: bool
    measured: str


def claims(results: SoftResults) -> list[SoftClaim]:
    """The bars that were set beforehand."""
    names = results.of_kind("classes")
    better = [name for name in names if _gain(results, name, OBLIQUE, CART) >= 0]
    found = [
        SoftClaim(
            "the oblique soft tree is at least as accurate as CART of as many leaves on "
            f"{LEAST_BETTER} of 10",
            len(better) >= LEAST_BETTER * len(names) / 10,
            f"on {len(better)} of {len(names)}",
        )
    ]
    if PEER in results.learners("classes"):
        both = [name for name in names if results.values(name, PEER, "score")]
        gains = [_gain(results, name, OBLIQUE, PEER) for name in both]
        low, high = interval_over_sets(gains)
        found.append(
            SoftClaim(
                "it is at least as accurate as neural-trees on average",
                float(np.mean(gains)) >= 0,
                f"by {_points(float(np.mean(gains)))} points on {len(both)} sets "
                f"(95 % interval over sets: {_points(low)} to {_points(high)})",
            )
        )
    return found


def page(results: SoftResults) -> str:
    """The whole text."""
    return "\n".join([*_head(results), *_verdict(results), *_tables(results), *_how(results)]) + "\n"


def _head(results: SoftResults) -> Iterator[str]:
    yield "# Soft trees on real tables"
    yield ""
    yield (
        "Made by `python -m studies.soft.page` from "
        "[studies/results/soft.jsonl](../studies/results/soft.jsonl). "
        "What the trees are: [soft](guide/soft.md), [neural](guide/neural.md)."
    )
    yield ""


def _verdict(results: SoftResults) -> Iterator[str]:
    yield "## Who wins where"
    yield ""
    for kind in ("classes", "numbers"):
        names, learners = results.of_kind(kind), results.learners(kind)
        for measure, called, best in (("score", SCORE[kind], max), ("log_loss", "log loss", min)):
            won = _winners(results, names, learners, measure, best)
            if won:
                listed = "; ".join(f"{learner} on {', '.join(on)}" for learner, on in won.items())
                yield f"- Best {called}, {kind}: {listed}."
    yield ""
    for one in claims(results):
        yield f"- {'Holds' if one.holds else 'DOES NOT HOLD'}: {one.text}: {one.measured}."
    yield ""


def _tables(results: SoftResults) -> Iterator[str]:
    for kind in ("classes", "numbers"):
        names, learners = results.of_kind(kind), results.learners(kind)
        if not names:
            continue
        yield f"## {'Classes' if kind == 'classes' else 'Numbers'}"
        yield ""
        yield from _by_set(
            results, names, learners, "score", f"Mean {SCORE[kind]} ± half of its 95 % interval", 3
        )
        if kind == "classes":
            yield from _by_set(results, names, learners, "log_loss", "Log loss", 3)
        yield from _by_set(results, names, learners, "leaves", "Leaves", 0)
        yield from _by_set(results, names, learners, "fit_s", "Seconds of CPU for a fit", 2)


def _by_set(
    results: SoftResults, names: Sequence[str], learners: Sequence[str], measure: str, title: str, digits: int
) -> Iterator[str]:
    yield f"{title}:"
    yield ""
    yield "| set | " + " | ".join(learners) + " |"
    yield "|---" * (len(learners) + 1) + "|"
    means: dict[str, list[float]] = {learner: [] for learner in learners}
    for name in names:
        cells = []
        for learner in learners:
            estimate = results.estimate(name, learner, measure)
            if estimate is None:
                cells.append("–")
                continue
            means[learner].append(estimate.mean)
            half = (estimate.high - estimate.low) / 2
            shown = f"{estimate.mean:.{digits}f}"
            cells.append(shown if measure in ("leaves", "fit_s") else f"{shown} ± {half:.{digits}f}")
        yield f"| {name.removesuffix(':numbers')} | " + " | ".join(cells) + " |"
    whole = [f"**{np.mean(of):.{digits}f}**" if len(of) == len(names) else "–" for of in means.values()]
    yield "| mean | " + " | ".join(whole) + " |"
    yield ""


def _how(results: SoftResults) -> Iterator[str]:
    about = results.about
    splits = sorted(set(about["splits"].values()))
    yield "## How"
    yield ""
    shown = " or ".join(map(str, splits))
    yield (
        f"Cross-validation in {about['folds']} folds, {shown} folds in all, the same for every learner; at "
        f"most {about['max_rows']:,} rows of a set. Nothing is tuned for a set. One thread, seconds of CPU. "
        "Intervals are those of Nadeau and Bengio, since folds share rows. Sets of classes are the first ten "
        "in the alphabet of the half that decides no default."
    )
    yield ""
    yield "| learner | what it is |"
    yield "|---|---|"
    every = {
        learner: learners_for(results.of_kind(kind)[0])[learner].summary
        for kind in ("numbers", "classes")
        for learner in results.learners(kind)
    }
    yield from (f"| {name} | {summary} |" for name, summary in every.items())
    yield ""
    sizes = [
        f"{name.removesuffix(':numbers')} {facts['rows']:,} × {facts['columns']}"
        for name, facts in about["sets"].items()
    ]
    yield f"Rows used × columns: {', '.join(sizes)}."
    yield ""
    versions = ", ".join(f"{name} {version}" for name, version in about["versions"].items())
    yield f"Versions: {versions}; {about['last']}."
    if about["missing"]:
        yield ""
        yield f"Left out, since not installed: {', '.join(about['missing'])}."


def _winners(
    results: SoftResults,
    names: Sequence[str],
    learners: Sequence[str],
    measure: str,
    best: Callable[..., float],
) -> dict[str, list[str]]:
    """By learner, the sets on which no other has a better mean."""
    won: dict[str, list[str]] = {}
    for name in names:
        means = {one: results.mean(name, one, measure) for one in learners}
        known = {one: mean for one, mean in means.items() if mean is not None}
        if known:
            top = best(known.values())
            for one, mean in known.items():
                if mean == top:
                    won.setdefault(one, []).append(name.removesuffix(":numbers"))
    return won


def _gain(results: SoftResults, name: str, one: str, other: str) -> float:
    """By how much the first has the better mean score."""
    first, second = results.mean(name, one, "score"), results.mean(name, other, "score")
    return float("nan") if first is None or second is None else first - second


def _points(share: float) -> str:
    return f"{100 * share:+.1f}".replace("-", "−")


def main(path: Path = PAGE) -> int:
    """Write the page."""
    path.write_text(page(read()), encoding="utf-8")
    sys.stdout.write(f"wrote {path}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
