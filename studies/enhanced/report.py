"""The study on the terminal: its tables, and what is not there."""

from __future__ import annotations

from collections.abc import Iterator

from studies.enhanced import tables
from studies.enhanced.scores import EnhancedScores
from studies.harness.kept import KeptStudy


def lines(study: KeptStudy) -> Iterator[str]:
    """All of it."""
    scores = EnhancedScores(study)
    yield f"{len(study.runs)} of {study.about['planned']} runs; {len(scores.sets)} sets are finished."
    if scores.sets:
        yield from ("", "Expected cost at unit prices (over the published one):", "")
        yield from tables.reproduction(scores)
        for prices in ("unit", "random"):
            yield from ("", f"Means over sets, {prices} prices (costs and leaves: geometric):", "")
            yield from tables.summary(scores, prices)
        yield from ("", "Points of AUC gained by leaves that know the classes of their rows:", "")
        yield from tables.raw_leaves(scores)
        yield from ("", "Expected cost with random prices, against the traditional trees:", "")
        yield from tables.random_prices(scores)
    if scores.speed():
        yield from ("", "Seconds to fit:", "")
        yield from tables.speed(scores)
    for run in scores.failures():
        yield f"Failed: {run.part}, {run.data}, {run.learner}, split {run.split + 1}: {run.error}"
