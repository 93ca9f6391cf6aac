"""One question of a tree to a person: its words, its price, and how a typed answer is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from thriftree.columns import Kind, Scalar, Temporal
from thriftree.document.follow import OTHER, Answer, Unknown, scalar
from thriftree.explain.prices import amount_words
from thriftree.explain.questionnaire import Order, Questionnaire, checked_order
from thriftree.explain.values import values_by_branch
from thriftree.explain.words import label_words, name_words
from thriftree.temporal.iso_texts import NotIsoError, parsed
from thriftree.temporal.words import example_words, temporal_of, tick_words

UNKNOWN_WORDS = ("unknown", "?")
OTHER_WORDS = ("other", "none of these")

_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


@dataclass(frozen=True)
class Question:
    """What to ask next.

    Attributes
    ----------
    column : the column to find out.
    kind : "number", "ordered" or "category".
    temporal : how a number is to be read: as a date, datetime, time or duration; None: as a number.
    text : the question in words.
    choices : the categories that can be the answer; empty for a number.
    cuts : the numbers that matter to what the tree may still say; empty for categories.
    answers : in words, the groups of answers that the tree tells apart at `node`.
    node : the first test that asks for the column.
    price : what asking adds to `paid`: the most, if it `varies` with the outcome. An order of delayed tests
        holds the price of all columns in `orders`.
    paid : the price of what is known so far.
    """

    column: str
    kind: Kind
    text: str
    choices: tuple[Scalar, ...]
    cuts: tuple[float, ...]
    answers: tuple[str, ...]
    node: int
    price: float
    varies: bool
    orders: tuple[str, ...]
    paid: float
    temporal: Temporal | None = None

    def __str__(self) -> str:
        return self.text

    @property
    def price_words(self) -> str:
        """ "102.90", "up to 7.20", "203.80 for 2 tests" or "nothing"."""
        words = amount_words(self.price, varies=self.varies)
        return words if len(self.orders) < 2 else f"{words} for {len(self.orders)} tests"

    def parse(self, text: str) -> Scalar | Unknown | None:
        """The answer that a person typed, as `next_question` and `Consultation.answer` take it.

        "unknown" and "?" are None: asked, but not known. A category is named (case does not matter where
        that is clear) or given by its place among the choices, from 1; "other" is one that is not listed. A
        date, datetime, time or duration is typed in ISO 8601. A ValueError says what is accepted.
        """
        typed = text.strip()
        if self.kind == "number":
            return None if typed.casefold() in UNKNOWN_WORDS else self._read(typed)
        for spelt in (str, label_words):  # as it is, as it is shown
            exact = [choice for choice in self.choices if text == spelt(choice) or typed == spelt(choice)]
            if exact:
                return exact[0]
        folded = typed.casefold()
        alike = [choice for choice in self.choices if str(choice).strip().casefold() == folded]
        if len(alike) == 1 and folded:
            return alike[0]
        if folded in UNKNOWN_WORDS:
            return None
        if folded in OTHER_WORDS:
            return OTHER
        if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= len(self.choices):
            return self.choices[int(typed) - 1]
        raise ValueError(f"{text!r} is no answer to {self.column!r}: {self._accepted()}")

    def _read(self, typed: str) -> Scalar:
        if self.temporal is None:
            return self._number(typed)
        try:
            return tick_words(self.temporal, parsed(self.temporal, typed))
        except NotIsoError as error:
            said = f"{typed!r} is no answer to {self.column!r}: {error}; {self._accepted()}"
            raise ValueError(said) from None

    def _number(self, typed: str) -> float:
        if _NUMBER.fullmatch(typed) and isfinite(float(typed)):
            return float(typed)
        hint = "; write a decimal point, not a comma" if _NUMBER.fullmatch(typed.replace(",", ".")) else ""
        raise ValueError(f"{typed!r} is no answer to {self.column!r}: {self._accepted()}{hint}")

    def _accepted(self) -> str:
        if self.kind == "number":
            return f"type {kind_of_answer(self.temporal)}, or unknown"
        listed = ", ".join(label_words(choice) for choice in self.choices[:8])
        more = f" and {len(self.choices) - 8} more" if len(self.choices) > 8 else ""
        return f"type one of {listed}{more}, its number (1 to {len(self.choices)}), other, or unknown"


def next_question_of(
    questionnaire: Questionnaire, known: Mapping[str, Any], *, order: str = "cheapest"
) -> Question | None:
    """See `Tree.next_question`."""
    return question_of(questionnaire, questionnaire.known_of(known), checked_order(order))


def question_of(questionnaire: Questionnaire, known: Mapping[int, Answer], order: Order) -> Question | None:
    """The next question, or None if the tree's answer is settled."""
    column = questionnaire.next_column(known, order)
    if column is None:
        return None
    document, wording, bill = questionnaire.document, questionnaire.wording, questionnaire.bill
    schema = document["columns"][column]
    reach = questionnaire.tree.reach(known)
    asking = [t.node for t in reach.tests if questionnaire.tree.column_of(t) == column]
    nodes = [document["nodes"][node] for node in asking]
    first = asking[0] if asking else _reading_leaf(questionnaire, known, column)
    bought = questionnaire.bought(known)
    after = questionnaire.ask(bought, column, known)
    new = bill.columns(after) - bill.columns(bought)
    orders = bill.prices.has_ordered(after) and not bill.prices.has_ordered(bought)
    is_number = schema["kind"] == "number"
    cuts = tuple(sorted({cut for node in nodes for cut in node["test"]["keys"]})) if is_number else ()
    branches = values_by_branch(document["nodes"][first], schema) if asking else []
    return Question(
        column=schema["name"],
        kind=schema["kind"],
        text=_text(schema, [wording.number(column, cut) for cut in cuts]),
        choices=() if is_number else tuple(scalar(category) for category in schema["categories"]),
        cuts=cuts,
        answers=tuple(wording.answer(column, values) for values in branches if values),
        node=first,
        price=bill.adds(bought, after),
        varies=bill.varies(new),
        orders=tuple(questionnaire.names[c] for c in sorted(new)) if orders else (),
        paid=bill.total(bought, known),
        temporal=temporal_of(schema),
    )


def _reading_leaf(questionnaire: Questionnaire, known: Mapping[int, Answer], column: int) -> int:
    """The first linear leaf that can be reached and reads the column."""
    tree = questionnaire.tree
    return next(leaf.node for leaf in tree.reach(known).leaves if column in tree.unread(leaf.node, known))


def kind_of_answer(temporal: Temporal | None) -> str:
    """What may be typed for a number, or for a date or the like."""
    return "a number" if temporal is None else f"a {temporal.what} such as {example_words(temporal)}"


def column_question(column: str) -> str:
    """The question for a column, without what can be answered."""
    return f"What is {name_words(column)}?"


def _text(schema: dict[str, Any], cuts: list[str]) -> str:
    asked = column_question(schema["name"])
    if schema["kind"] == "number":
        temporal = temporal_of(schema)
        what = kind_of_answer(temporal)
        if not cuts:
            return f"{asked} ({what}, or unknown)"
        shown = ", ".join(cuts[:6]) + (" …" if len(cuts) > 6 else "")
        after = "above" if temporal is None or temporal.what == "duration" else "after"
        return f"{asked} ({what}; what counts is whether it is {after} {shown})"
    labels = [label_words(category) for category in schema["categories"]]
    if len(labels) > 8:
        return f"{asked} (one of {len(labels)})"
    return f"{asked} ({' or '.join(filter(None, [', '.join(labels[:-1]), labels[-1]]))})"
