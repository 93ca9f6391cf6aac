"""Why a tree says what it says of one row, in numbers and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

from thriftree.columns import Scalar
from thriftree.costs import within_budget
from thriftree.document.follow import Answer, path_of
from thriftree.explain.answers import share_words
from thriftree.explain.changes import Change, changes_of
from thriftree.explain.counts import Counts, counts_of, counts_words
from thriftree.explain.intervals import Interval
from thriftree.explain.model_words import ModelTerm, terms_of
from thriftree.explain.prices import amount_words, row_prices
from thriftree.explain.questionnaire import Questionnaire
from thriftree.explain.steps import Step, StepCost, step_of
from thriftree.explain.words import said_words

_CHANGES_SHOWN = 4


@dataclass(frozen=True)
class Explanation:
    """What a tree says of a row, and why; `str()` says it in words.

    Attributes
    ----------
    label : the class, or the number that is predicted.
    leaf : the leaf reached; None where several leaves could still be reached and all say the same.
    leaves : every leaf that could be reached.
    probability : the label's, as `Tree.predict_proba` gives it: its share of the leaf's weight, unless the
        tree is shrunk. None for a numeric target or a leaf without weight.
    interval : 95 % confidence interval of the label's share in the leaf's training rows (Wilson) or of their
        mean (Student).
    counts : the training rows behind it.
    steps : the tests on the way.
    paid : what the row pays.
    worst : what the tree costs at most.
    priced : whether the tree has prices; without them every test counts 1.
    changes : single changes of one answer that alter the label.
    shrunk : whether the probability, or the number, is drawn towards the nodes above the leaf.
    mean : of a linear leaf the mean of its rows, which its `terms` add to; None elsewhere.
    terms : what each column that a linear leaf reads adds.
    """

    label: Scalar
    leaf: int | None
    leaves: tuple[int, ...]
    probability: float | None
    interval: Interval | None
    counts: Counts
    steps: tuple[Step, ...]
    paid: float
    worst: float
    priced: bool
    changes: tuple[Change, ...]
    shrunk: bool = False
    mean: float | None = None
    terms: tuple[ModelTerm, ...] = ()

    def __str__(self) -> str:
        lines = [f"The tree says: {said_words(self.label)} ({self._certainty()})."]
        if self.steps:
            lines.append("Because:")
            lines += [f"  {i}. {step}" for i, step in enumerate(self.steps, start=1)]
        else:
            lines.append("It asks nothing." if self.terms else "It says so of every row: it asks nothing.")
        if self.terms:
            lines.append(f"To the mean {self.mean:.6g} of its rows the leaf adds:")
            lines += [f"  {term}" for term in self.terms]
            lines.append(f"and keeps within the range of its rows: {said_words(self.label)}.")
        if self.priced and self.steps:
            lines.append(f"In all this cost {amount_words(self.paid)}; {self._worst_words()}.")
        if self.changes:
            lines.append("With one answer changed it would say:")
            lines += [f"  {change}" for change in self.changes[:_CHANGES_SHOWN]]
            more = len(self.changes) - _CHANGES_SHOWN
            if more > 0:
                lines.append(f"  and {more} more")
        elif self.steps and not self.terms:
            lines.append("No other answer to a single question would change that.")
        return "\n".join(lines)

    def _worst_words(self) -> str:
        if within_budget(self.worst, self.paid):  # but for rounding: sums of prices in other orders
            return "no way through the tree costs more"
        return f"the most expensive way through the tree costs {amount_words(self.worst)}"

    def to_dict(self) -> dict[str, Any]:
        """The explanation as values that JSON can hold, and its `text`; None stands for infinite numbers."""
        plain: dict[str, Any] = _without_infinity(asdict(self))
        return {**plain, "text": str(self)}

    def _certainty(self) -> str:
        words = counts_words(self.counts, self.label)
        after = " after shrinkage" * self.shrunk
        if self.probability is None:
            words = f"{after.strip()}, {words}" if self.shrunk else words
            if self.interval is None:
                return words
            of = "their" if self.shrunk else "the"
            return f"{words}; 95% interval of {of} mean {self.interval[0]:.4g} to {self.interval[1]:.4g}"
        words = f"{share_words(self.probability)}{after}, {words}"
        if self.interval is None:
            return words
        low, high = self.interval
        return f"{words}; 95% interval{' of their share' * self.shrunk} {low:.0%} to {high:.0%}"


def _without_infinity(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_infinity(own) for key, own in value.items()}
    if isinstance(value, list | tuple):
        return [_without_infinity(own) for own in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def explain_row(questionnaire: Questionnaire, row: Mapping[str, Any]) -> Explanation:
    """See `Tree.explain`. Names in `row` must be columns of the tree; a column that it lacks is missing."""
    document = questionnaire.document
    whole = {name: row.get(name) for name in questionnaire.names}
    known = questionnaire.known_of(whole)
    path = path_of(document, whole)
    paid, tests = row_prices(questionnaire.bill.costs, questionnaire.prices, path, known)
    steps = []
    for i, number in enumerate(path[:-1]):
        column = document["nodes"][number]["test"]["column"]
        value = whole[questionnaire.names[column]]
        cost = StepCost(paid[i + 1] - paid[i], paid[i + 1], tests[i])
        steps.append(step_of(document, questionnaire.wording, number, value, known[column], cost))
    extra = float(questionnaire.extra[path[-1]]) if document.get("prices") is None else 0.0
    return explanation_of(questionnaire, known, (path[-1],), steps, paid[-1] + extra)


def explanation_of(
    questionnaire: Questionnaire,
    known: Mapping[int, Answer],
    leaves: tuple[int, ...],
    steps: list[Step],
    paid: float,
) -> Explanation:
    """The explanation of answers that lead to one of `leaves`, which all say the same."""
    document, tree = questionnaire.document, questionnaire.tree
    label = tree.said_at(leaves[0], known)
    model = tree.answers.models.get(leaves[0])
    counts = counts_of(document, leaves)
    probability, interval = questionnaire.tree.answers.certainty(leaves, counts, label)
    return Explanation(
        label=label,
        leaf=leaves[0] if len(leaves) == 1 else None,
        leaves=leaves,
        probability=probability,
        interval=interval,
        counts=counts,
        steps=tuple(steps),
        paid=paid,
        worst=questionnaire.worst_case,
        priced=document.get("prices") is not None,
        changes=changes_of(questionnaire.tree, known, questionnaire.wording),
        shrunk=tree.answers.is_shrunk and model is None,
        mean=None if model is None else float(tree.says[leaves[0]]),
        terms=() if model is None else terms_of(document, model, dict(known)),
    )
