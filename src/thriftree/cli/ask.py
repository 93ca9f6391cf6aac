"""`thriftree ask`: a tree asks a person, one question at a time, until its answer is settled."""

from __future__ import annotations

import os
import select
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from thriftree.cli import options, screen
from thriftree.cli.errors import input_errors

if TYPE_CHECKING:
    from thriftree.explain.consultation import Consultation
    from thriftree.explain.question import Question

_SHOWN_CHOICES = 20
_ENDED_EARLY = 1
_LOOK_UP_S = 0.1


def ask(
    tree_file: options.TreePath,
    order: Annotated[
        str,
        typer.Option(
            "--order",
            metavar="cheapest|tree",
            help="cheapest: whatever can still matter, the cheapest first; tree: as the tree stands.",
        ),
    ] = "cheapest",
    known: Annotated[
        list[str] | None,
        typer.Option("--set", "-s", metavar="COLUMN=VALUE", help="What is known already; not asked again."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Ask one question at a time, the cheapest useful next, and end with the answer and why.

    Type an answer, its number in the list, unknown (or ?), back, or quit.
    """
    from thriftree.cli.explain import typed_values
    from thriftree.cli.trees import load_tree

    tree = load_tree(tree_file)
    options.one_of(order, ("cheapest", "tree"), "--order")
    with input_errors():
        consultation = tree.consult(typed_values(tree, options.pairs_of(known, "--set")), order=order)
    priced = tree.prices is not None
    if consultation.question is not None:
        screen.remark("Type an answer or its number; unknown (or ?), back and quit are understood.")
    while (question := consultation.question) is not None:
        _put(consultation, question, priced)
    result = consultation.result
    assert result is not None
    if as_json:
        screen.json_document({**result.to_dict(), "answers": _plain_answers(consultation.known)})
    else:
        screen.say()
        _show_result(str(result))


def _put(consultation: Consultation, question: Question, priced: bool) -> None:
    """Asks one question until something useful is typed."""
    from thriftree.explain.words import label_words

    number = len(consultation.known) + 1
    console = screen.err()
    console.print()
    if priced:
        paid = f"paid so far {consultation.paid:.2f}; this adds {question.price_words}"
        console.print(Text(paid, "cyan"))
    console.print(Text(f"{number}. {_short(question)}", "bold"))
    for place, choice in enumerate(question.choices[:_SHOWN_CHOICES], start=1):
        console.print(Text.assemble((f"   {place:>2} ", "dim"), label_words(choice)))
    if len(question.choices) > _SHOWN_CHOICES:
        console.print(Text(f"      and {len(question.choices) - _SHOWN_CHOICES} more", "dim"))
    if len(question.orders) > 1:
        console.print(Text(f"   orders {', '.join(question.orders)} together", "dim"))
    while True:
        typed = _line()
        word = typed.strip().casefold()
        if word in ("quit", "exit"):
            raise typer.Exit(_ENDED_EARLY)
        if word == "back":
            if not _went_back(consultation):
                continue
            return
        if not word:
            screen.remark("type an answer, unknown, back or quit")
            continue
        try:
            consultation.answer(question.parse(typed))
        except ValueError as error:
            screen.remark(" ".join(str(error).split()), "red")
            continue
        return


def _short(question: Question) -> str:
    """The question without its list of choices, which stands below it."""
    from thriftree.explain.question import column_question

    return column_question(question.column) if question.choices else question.text


def _went_back(consultation: Consultation) -> bool:
    try:
        consultation.back()
    except ValueError:
        screen.remark("this is the first question: there is no answer to take back")
        return False
    return True


def _line() -> str:
    """What the person types; the end of input ends the conversation."""
    sys.stderr.write("> ")
    sys.stderr.flush()
    if os.name == "posix" and sys.stdin.isatty():
        # A Ctrl-C just before the wait, or heard by another thread, ends no wait: look up now and then.
        while not select.select([sys.stdin], [], [], _LOOK_UP_S)[0]:
            pass
    line = sys.stdin.readline()
    if not line:
        sys.stderr.write("\n")
        screen.error("the answers ended before the tree's answer was settled: answer on, or give --set")
        raise typer.Exit(_ENDED_EARLY)
    return line.rstrip("\r\n")


def _plain_answers(answers: dict[str, Any]) -> dict[str, Any]:
    """Answers as JSON has them; a category that the tree does not know is "other"."""
    from thriftree.document.follow import Unknown

    return {name: value.value if isinstance(value, Unknown) else value for name, value in answers.items()}


def _show_result(text: str) -> None:
    first, _, rest = text.partition("\n")
    screen.heading(first)
    if rest:
        screen.say(rest)
