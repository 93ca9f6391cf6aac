"""The steps of an explanation: one test, the row's value, the answer it is, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thriftree.document.follow import MISSING, OTHER, Answer, Unknown, branch_of
from thriftree.explain.prices import amount_words
from thriftree.explain.values import Values, values_by_branch
from thriftree.explain.words import Wording, label_words
from thriftree.temporal.words import temporal_of


@dataclass(frozen=True)
class StepCost:
    """What a step added to the price, the price with it, and how many tests the addition paid for: more than
    one where a delayed test ordered others with it, none where nothing was bought.
    """

    adds: float
    paid: float
    tests: int


@dataclass(frozen=True)
class Step:
    """One test on the way: what it asks, what the row's value is, which answer that is, what it costs.

    `adds` is what the test added to the price, `paid` the price with it, `tests` how many tests that paid
    for.
    """

    node: int
    column: str
    question: str
    value: str
    answer: str
    adds: float
    paid: float
    tests: int
    text: str

    def __str__(self) -> str:
        return self.text


def step_of(
    document: dict[str, Any], wording: Wording, number: int, value: Any, answer: Answer, cost: StepCost
) -> Step:
    """The step at node `number` of a row whose value there is `value`, `answer` to the tests."""
    node = document["nodes"][number]
    column = node["test"]["column"]
    schema = document["columns"][column]
    if schema["kind"] == "number" and not isinstance(answer, Unknown) and temporal_of(schema) is None:
        wording.keep_true_of(column, float(answer))
    taken = values_by_branch(node, schema)[branch_of(node["test"], answer)]
    passes = _passes(wording, column, taken)
    said = (
        label_words(str(value)) if answer is OTHER and value is not OTHER else wording.value(column, answer)
    )
    text = _sentence(wording.names[column], said, passes, answer)
    if document.get("prices") is not None:
        text += f" [{_price_words(cost)}]"
    return Step(
        node=number,
        column=schema["name"],
        question=question_words(document, node, wording),
        value=said,
        answer=passes,
        adds=cost.adds,
        paid=cost.paid,
        tests=cost.tests,
        text=text,
    )


def question_words(document: dict[str, Any], node: dict[str, Any], wording: Wording) -> str:
    """A test with two branches as a question for yes or no; one with more names its column."""
    column = node["test"]["column"]
    branches = values_by_branch(node, document["columns"][column])
    if len(branches) > 2:
        return f"{wording.names[column]}?"
    return f"{wording.condition(column, branches[0], say_missing=False)}?"


def _passes(wording: Wording, column: int, taken: Values) -> str:
    """The values that take a branch: "<= 54.5", "one of: fixed defect, reversible defect", "missing"."""
    if wording.columns[column]["kind"] == "number":
        return wording.answer(column, taken, say_missing=False)
    condition = wording.condition(column, taken, say_missing=False)
    return condition.removeprefix(f"{wording.names[column]} is ")


def _sentence(name: str, said: str, passes: str, answer: Answer) -> str:
    if answer is MISSING:
        return (
            f"{name} is missing" if passes == "missing" else f"{name} is missing, which counts as: {passes}"
        )
    if answer is OTHER:
        return f"{name} is {said}, which the tree does not know and counts as: {passes}"
    return f"{name} is {said}" if passes == said else f"{name} is {said} ({passes})"


def _price_words(cost: StepCost) -> str:
    if cost.tests == 0:
        return "paid" if cost.paid else "free"
    words = "free" if cost.adds == 0 else amount_words(cost.adds)
    return words if cost.tests == 1 else f"{words} for {cost.tests} tests"
