"""What the default tree has to show, each as a sentence that the figures hold or do not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from studies.which_tree.kept import KeptStudy
from studies.which_tree.learners import OURS, TUNED
from studies.which_tree.scores import PartScores

C50, SHRUNK = "C5.0", "HSTreeCV"
BEHIND = 0.002  # accuracy that the default may be behind the best
AHEAD_R2 = 0.02


@dataclass(frozen=True)
class TreeClaim:
    """A sentence, what was measured, and whether it holds; None: the rival was not measured."""

    text: str
    measured: str
    holds: bool | None


def single_trees(scores: PartScores) -> list[str]:
    """Learners that are no ceiling."""
    return [name for name in scores.learners if scores.group(name) != "ceiling"]


def claims(study: KeptStudy) -> list[TreeClaim]:
    """All of them."""
    of_classes, of_numbers = PartScores(study, "classes"), PartScores(study, "numbers")
    found = [*_accuracy(of_classes), *_leaves(of_classes), _log_loss(of_classes), _r2(of_numbers)]
    return [*found, *_prices(PartScores(study, "prices"))]


def _accuracy(scores: PartScores) -> Iterator[TreeClaim]:
    text = f"no single tree is more than {100 * BEHIND:.1f} points of accuracy ahead of {OURS}"
    rivals = [name for name in single_trees(scores) if name != OURS and scores.finished(name)]
    gaps = {name: scores.difference(name, OURS, "accuracy") for name in rivals}
    gaps = {name: gap for name, gap in gaps.items() if gap.n_sets}
    if not gaps:
        yield TreeClaim(text, "not measured", None)
        return
    best = max(gaps, key=lambda name: gaps[name].mean)
    measured = f"{best}: {100 * gaps[best].mean:+.2f} points on {of_sets(gaps[best].n_sets)}"
    yield TreeClaim(text, measured, gaps[best].mean <= BEHIND)
    text = f"{OURS} is more accurate than {TUNED}"
    yield _compared(scores, text, TUNED, "accuracy", 100, "points", lambda gap: gap > 0)


def _leaves(scores: PartScores) -> Iterator[TreeClaim]:
    for rival in (TUNED, C50):
        text = f"{OURS} has fewer leaves than {rival}"
        yield _compared(scores, text, rival, "leaves", 1, "leaves", lambda gap: gap < 0)


def _log_loss(scores: PartScores) -> TreeClaim:
    text = f"the log loss of {OURS} is at most that of {SHRUNK}"
    return _compared(scores, text, SHRUNK, "log_loss", 1, "", lambda gap: gap <= 0, digits=3)


def _r2(scores: PartScores) -> TreeClaim:
    text = f"the R² of {OURS} is at least {AHEAD_R2} above that of {TUNED}"
    return _compared(scores, text, TUNED, "r2", 1, "", lambda gap: gap >= AHEAD_R2, digits=3)


def _prices(scores: PartScores) -> Iterator[TreeClaim]:
    for measure, words in (("hypervolume", "hypervolume"), ("mean_accuracy", "mean accuracy over budgets")):
        text = f"with prices {OURS} or its frontier has the best {words}"
        ours = [name for name in (OURS, "frontier") if scores.finished(name)]
        rivals = [name for name in scores.learners if name not in ours and scores.finished(name)]
        if not ours or not rivals:
            yield TreeClaim(text, "not measured", None)
            continue
        best, rival = _best(scores, ours, measure), _best(scores, rivals, measure)
        gap = scores.difference(best, rival, measure)
        yield TreeClaim(text, f"{best} less {rival}: {gap.mean:+.4f} on {of_sets(gap.n_sets)}", gap.mean >= 0)


def _best(scores: PartScores, names: Sequence[str], measure: str) -> str:
    return max(names, key=lambda name: scores.mean(name, measure).mean)


def _compared(
    scores: PartScores,
    text: str,
    rival: str,
    measure: str,
    times: float,
    unit: str,
    holds: Callable[[float], bool],
    digits: int = 2,
) -> TreeClaim:
    """`holds` judges the difference of ours to the rival's."""
    if rival not in scores.learners or OURS not in scores.learners:
        return TreeClaim(text, f"{rival} was not measured", None)
    gap = scores.difference(OURS, rival, measure)
    if not gap.n_sets:
        return TreeClaim(text, "no set was finished by both", None)
    measured = f"{times * gap.mean:+.{digits}f} {unit}".strip()
    if gap.n_sets > 1:
        measured += f" [{times * gap.low:+.{digits}f}, {times * gap.high:+.{digits}f}]"
    return TreeClaim(text, f"{measured} on {of_sets(gap.n_sets)}", holds(gap.mean))


def of_sets(n: int) -> str:
    """How many, in words."""
    return f"{n} set{'s' * (n != 1)}"
