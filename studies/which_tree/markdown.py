"""The study's tables as markdown."""

from __future__ import annotations

import math
from collections.abc import Iterator

from studies.harness.markdown import rows_of, table
from studies.which_tree import sets
from studies.which_tree.claims import of_sets, single_trees
from studies.which_tree.kept import KeptStudy
from studies.which_tree.learners import OURS, TUNED
from studies.which_tree.scores import Difference, PartScores
from thriftree.tuning.estimates import Estimate

PARTLY = "\\*"


def classes(study: KeptStudy) -> Iterator[str]:
    """All learners of classes, means over sets."""
    scores = PartScores(study, "classes")
    ranks = scores.ranks(single_trees(scores), "accuracy")
    of_rank = {} if ranks is None else dict(zip(ranks.names, ranks.ranks, strict=True))
    rows = []
    for name in _by_accuracy(scores):
        gap = scores.difference(name, OURS, "accuracy") if OURS in scores.learners else None
        rows.append(
            [
                _named(scores, name),
                percent(scores.mean(name, "accuracy")),
                "" if gap is None or name == OURS else points(gap),
                f"{of_rank[name]:.1f}" if name in of_rank else "–",
                number(scores.mean(name, "log_loss"), 3),
                number(scores.mean(name, "auc"), 3),
                *_size(scores, name),
                number(scores.mean(name, "fit_s"), 2),
            ]
        )
    header = ["learner", "accuracy, %", f"against {OURS}, points", "rank", "log loss", "AUC", "leaves"]
    yield from table([*header, "questions", "seconds"], rows)
    if ranks is not None and ranks.critical_difference is not None:
        yield ""
        yield (
            f"Ranks are of accuracy among single trees that finished every set, 1 is best. Friedman's test "
            f"over {ranks.n_sets} sets: p = {ranks.friedman_p:.2g}; Nemenyi's critical difference of "
            f"ranks is {ranks.critical_difference:.1f}."
        )


def halves(study: KeptStudy) -> Iterator[str]:
    """Accuracy where defaults were decided and where they were not."""
    scores = PartScores(study, "classes")
    both = [[name for name in scores.sets if sets.decides(name) is half] for half in (True, False)]
    rows = [
        [_named(scores, name), *(percent(scores.mean(name, "accuracy", half)) for half in both)]
        for name in _by_accuracy(scores)
    ]
    header = [f"deciding half ({of_sets(len(both[0]))})", f"other half ({of_sets(len(both[1]))})"]
    yield from table(["accuracy, %", *header], rows)


def per_set(study: KeptStudy) -> Iterator[str]:
    """Accuracy on every set of the learners that people compare first."""
    scores = PartScores(study, "classes")
    shown = [name for name in (OURS, TUNED, "C5.0", "HSTreeCV", "LightGBM") if name in scores.learners]
    others = [name for name in single_trees(scores) if name != OURS]
    rows = []
    for name in scores.sets:
        facts = study.about["sets"]["classes"][name]
        cells = [_of_set(scores, learner, name) for learner in shown]
        finished = [one for one in others if name in scores.finished(one)]
        best = max(finished, key=lambda one: scores.of_set(one, name, "accuracy").mean, default="")
        said = f"{100 * scores.of_set(best, name, 'accuracy').mean:.1f} ({best})" if best else "–"
        place = "deciding" if sets.decides(name) else ""
        rows.append([name, rows_of(facts), str(facts["columns"]), str(facts["classes"]), place, *cells, said])
    yield from table(["set", "rows", "columns", "classes", "half", *shown, "best other single tree"], rows)


def numbers(study: KeptStudy) -> Iterator[str]:
    """All learners of numbers."""
    scores = PartScores(study, "numbers")
    rows = []
    for name in sorted(scores.learners, key=lambda one: -_or_least(scores.mean(one, "r2").mean)):
        each = [_number_of_set(scores, name, data) for data in scores.sets]
        mean = number(scores.mean(name, "r2"), 3)
        rows.append([_named(scores, name), mean, *_size(scores, name), *each])
    named = [data.removeprefix("bundled:").removesuffix(":numbers") for data in scores.sets]
    yield from table(["learner", "mean R²", "leaves", "questions", *named], rows)


def prices(study: KeptStudy) -> Iterator[str]:
    """All learners with budgets."""
    scores = PartScores(study, "prices")
    rows = []
    for name in sorted(scores.learners, key=lambda one: -_or_least(scores.mean(one, "hypervolume").mean)):
        each = [
            f"{scores.of_set(name, data, 'hypervolume').mean:.3f}" if data in scores.finished(name) else "–"
            for data in scores.sets
        ]
        rows.append(
            [
                _named(scores, name),
                number(scores.mean(name, "hypervolume"), 3),
                percent(scores.mean(name, "mean_accuracy")),
                number(scores.mean(name, "fit_s"), 1),
                *each,
            ]
        )
    named = [f"{data}{'' if study.about['sets']['prices'][data]['real'] else ' †'}" for data in scores.sets]
    yield from table(["learner", "hypervolume", "mean accuracy, %", "seconds", *named], rows)


def failures(study: KeptStudy) -> Iterator[str]:
    """Runs that have no measures, by learner and reason."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for part in ("classes", "numbers", "prices"):
        for run in PartScores(study, part).failures():
            grouped.setdefault((run.learner, str(run.error)), []).append(f"{run.data} ({run.split + 1})")
    for (learner, error), where in sorted(grouped.items()):
        yield f"- {learner}: {' '.join(error.split())[:160]}: {', '.join(sorted(where))}"


def percent(value: Estimate) -> str:
    """A share in hundredths, with half its 95 % interval over splits."""
    return _plus_minus(100 * value.mean, 100 * (value.high - value.mean), 1)


def number(value: Estimate, digits: int) -> str:
    """A mean alone."""
    return "–" if math.isnan(value.mean) else f"{value.mean:.{digits}f}"


def points(gap: Difference) -> str:
    """A difference of shares in hundredths, with its interval over sets."""
    if math.isnan(gap.mean):
        return "–"
    if math.isnan(gap.low):
        return f"{100 * gap.mean:+.1f}"
    return f"{100 * gap.mean:+.1f} [{100 * gap.low:+.1f}, {100 * gap.high:+.1f}]"


def _plus_minus(mean: float, reach: float, digits: int) -> str:
    if math.isnan(mean):
        return "–"
    return f"{mean:.{digits}f}" + ("" if math.isnan(reach) else f" ± {reach:.{digits}f}")


def _size(scores: PartScores, name: str) -> list[str]:
    measures = ("leaves", "questions")
    return [number(scores.mean(name, one), 1) if scores.has(name, one) else "–" for one in measures]


def _named(scores: PartScores, name: str) -> str:
    shown = f"**{name}**" if name == OURS else name
    if scores.group(name) == "ceiling":
        shown = f"*{name}*"
    return shown if scores.finished(name) == scores.sets else f"{shown} {PARTLY}"


def _by_accuracy(scores: PartScores) -> list[str]:
    """Ceilings first, then the most accurate."""

    def place(name: str) -> tuple[bool, float]:
        return scores.group(name) != "ceiling", -_or_least(scores.mean(name, "accuracy").mean)

    return sorted(scores.learners, key=place)


def _or_least(value: float) -> float:
    return -math.inf if math.isnan(value) else value


def _of_set(scores: PartScores, learner: str, name: str) -> str:
    return percent(scores.of_set(learner, name, "accuracy")) if name in scores.finished(learner) else "–"


def _number_of_set(scores: PartScores, learner: str, name: str) -> str:
    if name not in scores.finished(learner):
        return "–"
    found = scores.of_set(learner, name, "r2")
    return _plus_minus(found.mean, found.high - found.mean, 2)
