"""What the report opens with: a title, and in one sentence what the tree decides and what that costs."""

from __future__ import annotations

from typing import Any

from thriftree.explain.prices import amount_words
from thriftree.explain.words import printable
from thriftree.report.facts.prices import listed

MOST_NAMED = 5


def title_of(title: str | None, target: str | None, classes: list[str] | None) -> str:
    """The title that was given, or one from the target."""
    if title is not None:
        return printable(title)
    if target is not None:
        return f"A decision tree for {printable(target)}"
    if classes is not None and 2 <= len(classes) <= MOST_NAMED:
        return f"{', '.join(classes[:-1])} or {classes[-1]}?"
    return "A decision tree for a number" if classes is None else f"A decision tree for {_classes(classes)}"


def sentence_of(
    target: str | None,
    classes: list[str] | None,
    depth: int,
    columns: int,
    columns_used: int,
    paid: dict[str, Any],
    priced: bool,
) -> str:
    """What the tree decides, by how many questions, and what rows pay for them."""
    name = "" if target is None else f" {printable(target)}"
    if classes is None:
        decides = f"predicts{name or ' a number'}"
    elif 2 <= len(classes) <= MOST_NAMED:
        decides = f"tells {listed(classes)} apart" if target is None else f"decides whether{name} is {_either(classes)}"
    else:
        decides = f"decides{name} between {_classes(classes)}"
    if depth == 0:
        return f"This tree {decides} without asking anything: it gives everyone the same answer."
    of = f"{columns_used} of the table’s {columns} columns" if columns_used < columns else f"all {columns} columns"
    questions = "one question" if depth == 1 else f"at most {depth} questions"
    sentence = f"This tree {decides} by {questions} about {of if columns > 1 else 'one column'}"
    if not priced:
        return f"{sentence}; on average it asks {paid['expected']:.2f}."
    return (
        f"{sentence}, for {amount_words(round(paid['expected'], 2))} on average and never more than "
        f"{amount_words(paid['worst_case'])}."
    )


def _either(classes: list[str]) -> str:
    return f"{', '.join(classes[:-1])} or {classes[-1]}"


def _classes(classes: list[str]) -> str:
    return "one class" if len(classes) == 1 else f"{len(classes)} classes"
