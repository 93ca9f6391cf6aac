"""A conversation with a tree: it asks, a person answers, until the answer is settled."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from thriftree.document.follow import Answer, answer_of
from thriftree.explain.explanation import Explanation, explanation_of
from thriftree.explain.question import Question, question_of
from thriftree.explain.questionnaire import Questionnaire, checked_order
from thriftree.explain.steps import Step, StepCost, step_of


class Consultation:
    """Asks one question at a time and keeps the answers, in the order of asking.

    >>> from thriftree import CARTClassifier
    >>> tree = CARTClassifier().fit([[1.0, 5.0], [2.0, 5.0], [3.0, 1.0]], ["low", "low", "high"]).tree_
    >>> ask = tree.consult()
    >>> ask.question.column
    'x0'
    >>> ask.answer(ask.question.parse("2.9"))
    >>> ask.question is None, ask.result.label
    (True, 'high')
    """

    def __init__(
        self, questionnaire: Questionnaire, known: Mapping[str, Any] | None = None, *, order: str = "cheapest"
    ) -> None:
        self._questionnaire = questionnaire
        self._order = checked_order(order)
        self._given = dict(known or {})
        self._n_given = len(self._given)
        self._settle()

    @property
    def question(self) -> Question | None:
        """What to ask now; None when the answer is settled."""
        return self._question

    @property
    def known(self) -> dict[str, Any]:
        """The answers so far, in the order of asking; None: asked, and not known."""
        return dict(self._given)

    @property
    def paid(self) -> float:
        """The price of all that was asked. Tests that were ordered and whose result is not in count at their
        most expensive outcome.
        """
        known = self._questionnaire.known_of(self._given)
        return self._questionnaire.bill.total(self._questionnaire.bought(known), known)

    @property
    def waiting(self) -> tuple[str, ...]:
        """Columns that were ordered with another and have not been asked for."""
        known = self._questionnaire.known_of(self._given)
        bought = self._questionnaire.bill.columns(self._questionnaire.bought(known))
        return tuple(self._questionnaire.names[column] for column in sorted(bought - set(known)))

    @property
    def result(self) -> Explanation | None:
        """What the tree says and why; None until it is settled."""
        if self._question is not None:
            return None
        questionnaire = self._questionnaire
        known = questionnaire.known_of(self._given)
        leaves = tuple(leaf.node for leaf in questionnaire.tree.reach(known).leaves)
        return explanation_of(questionnaire, known, leaves, self._steps(), self.paid)

    def answer(self, value: Any) -> None:
        """Answers the question: a value of its column, None for unknown, or what `Question.parse` returns."""
        if self._question is None:
            raise ValueError("the answer is settled, so there is no question to answer: see result")
        column = self._question.column
        schema = self._questionnaire.document["columns"][self._questionnaire.position[column]]
        answer_of(schema, value)  # raises where the column cannot have such a value
        self._given[column] = value
        self._settle()

    def back(self) -> None:
        """Takes the last answer back, so that its question is asked again."""
        if len(self._given) == self._n_given:
            raise ValueError("no question has been answered, so there is no answer to take back")
        self._given.popitem()
        self._settle()

    def _settle(self) -> None:
        known = self._questionnaire.known_of(self._given)
        self._question = question_of(self._questionnaire, known, self._order)

    def _steps(self) -> list[Step]:
        """What was asked and mattered, in the order of asking."""
        questionnaire, bill = self._questionnaire, self._questionnaire.bill
        steps: list[Step] = []
        before: dict[int, Answer] = {}
        paid = 0.0
        bought = questionnaire.bought({})
        for name, value in self._given.items():
            column = questionnaire.position[name]
            tests = questionnaire.tree.reach(before).tests
            asking = next((t.node for t in tests if questionnaire.tree.column_of(t) == column), None)
            after = questionnaire.ask(bought, column, before)
            before[column] = answer_of(questionnaire.document["columns"][column], value)
            now = bill.total(after, before)
            cost = StepCost(now - paid, now, len(bill.columns(after) - bill.columns(bought)))
            bought, paid = after, now
            if asking is not None:
                steps.append(
                    step_of(
                        questionnaire.document,
                        questionnaire.wording,
                        asking,
                        value,
                        before[column],
                        cost,
                    )
                )
        return steps
