"""What the report opens with: a title, and in one sentence what the tree decides and what that costs."""

from __future__ import annotations

from typing import Any

from thriftree.explain.prices import amount_words
from thriftree.messages import printable
from thriftree.report.facts.prices import listed
from thriftree.report.facts.words import count_words

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
    said: str,
) -> str:
    """What the tree decides, by how many questions, and what rows pay. `said` is the root's answer."""
    name = "" if target is None else f" {printable(target)}"
    if depth == 0:
        return f"This tree asks nothing: {name.strip() or 'its answer'} is {said} for everyone."
    if classes is None:
        decides = f"predicts{name or ' a number'}"
    elif 2 <= len(classes) <= MOST_NAMED:
        decides = (
            f"tells {listed(classes)} apart"
            if target is None
            else f"decides whether{name} is {_either(classes)}"
        )
    else:
        decides = f"decides{name} between {_classes(classes)}"
    of = (
        f"{columns_used} of the table’s {columns} columns"
        if columns_used < columns
        else f"all {columns} columns"
    )
    questions = "one question" if depth == 1 else f"at most {depth} questions"
    sentence = f"This tree {decides} by {questions} about {of if columns > 1 else 'one column'}"
    if not priced:
        return f"{sentence}; on average it asks {paid['expected']:.2f}."
    return (
        f"{sentence}, for {amount_words(round(paid['expected'], 2))} on average and never more than "
        f"{amount_words(paid['worst_case'])}."
    )


def rows_facts(
    which: str | None, n: int, n_training: int, effective: float, weighted: bool, own: bool
) -> dict[str, Any]:
    """On which rows the figures were measured, said so that nobody takes figures of training for figures of
    new rows. `own` tells that the rows look like those that grew the tree; `caution` asks to say it loudly.
    """
    rows = f"{count_words(n)} row{'' if n == 1 else 's'}"
    worse = "on new rows expect it to do worse"
    caution = own
    if which == "training":
        note = f"Measured on the {rows} that the tree was grown from: {worse}."
        caution = True
    elif own and which == "held out":
        note = (
            f"Measured on {rows} said to be held out, but every leaf has as many of them, with the same "
            f"answers, as of the rows that the tree was grown from. If they are the same rows, {worse}."
        )
    elif own:
        note = f"Measured on {rows}, by all signs those that the tree was grown from: {worse}."
    elif which == "held out":
        others = count_words(n_training)
        note = f"Measured on {rows} that were held out: the tree was grown from {others} others."
    elif which is None:
        note = f"Measured on {rows}. Whether the tree was grown from them was not said."
        caution = True
    else:
        note = f"Measured on {rows}: {printable(which)}."
    if weighted:
        note += f" Rows have weights; intervals count them as {effective:.0f} rows of equal weight."
    return {
        "which": None if which is None else printable(which),
        "n": n,
        "weighted": weighted,
        "effective": effective,
        "seen_in_training": own,
        "note": note,
        "caution": caution,
    }


def _either(classes: list[str]) -> str:
    return f"{', '.join(classes[:-1])} or {classes[-1]}"


def _classes(classes: list[str]) -> str:
    return "one class" if len(classes) == 1 else f"{len(classes)} classes"
