"""From steps to a tree in its JSON form, without any rows counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from math import inf
from typing import Any

from thriftree.columns import ColumnSchema, Scalar, sorted_categories
from thriftree.document.write import column_of, label_of
from thriftree.explain.sentences.grammar import Action, Script, StepSentence, read_script
from thriftree.explain.sentences.meaning import Meaning, columns_of
from thriftree.explain.sentences.tokens import fail
from thriftree.explain.values import Values, all_values

MAX_NODES = 2**16  # steps that several others go to are copied, so a short text can mean a huge tree


@dataclass(frozen=True)
class _Asking:
    """A test: its column, and for each branch the values that take it and what comes then."""

    column: int
    branches: tuple[tuple[Values, _What], ...]


_What = Action | _Asking | int  # decide, ask, or the step of this position


def document_of_sentences(
    text: str,
    *,
    columns: Sequence[ColumnSchema | str] | None = None,
    classes: Sequence[Scalar] | None = None,
    prices: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """The tree that a text tells.

    `columns` and `classes` say what its words are. Without them, or for a column that is only named, it is
    what the text declares, or else what can be seen from it.
    """
    script = read_script(text)
    schemas = columns_of(script)
    if columns is not None:
        seen = {schema.name: schema for schema in schemas}
        schemas = tuple(
            seen.get(column, ColumnSchema(column, "number")) if isinstance(column, str) else column
            for column in columns
        )
    meaning = Meaning(script, schemas, classes)
    described = [column_of(schema) for schema in schemas]
    whats = [_what_of(meaning, described, i) for i in range(len(script.steps))]
    _check_order(script, whats)
    labels = _classes_of(meaning)
    return {
        "format": "thriftree-tree",
        "version": 1,
        "settings": None,
        "prices": prices,
        "columns": described,
        "classes": None if labels is None else [label_of(label) for label in labels],
        "nodes": _nodes(meaning, described, whats, labels),
    }


def _what_of(meaning: Meaning, columns: list[dict[str, Any]], position: int) -> _What:
    """A step as nested tests: neighbouring clauses that ask for one column are one test."""
    script, step = meaning.script, meaning.script.steps[position]
    clauses = [(*meaning.passing(clause), clause) for clause in step.clauses]
    what: _What | None = None
    if step.otherwise is not None:
        what = _target(script, step.otherwise, position)
    elif position + 1 < len(script.steps):
        what = position + 1
    for column, group in reversed([(c, list(g)) for c, g in groupby(clauses, key=lambda clause: clause[0])]):
        left = all_values(columns[column])
        branches: list[tuple[Values, _What]] = []
        for _, values, clause in group:
            passing = values & left
            if not passing:
                fail(script.text, clause.begin, "this can never hold: no value is left that passes")
            left -= passing
            branches.append((passing, _target(script, clause.action, position)))
        if left and what is None:
            fail(
                script.text,
                step.begin,
                f"this is the last sentence, so it must say what to do otherwise, {_left_words(left)}",
            )
        if left and what is not None:
            branches.append((left, what))
        elif what is not None and step.otherwise is not None:
            fail(
                script.text,
                step.otherwise.term.begin,
                "this is never reached: the conditions before hold always",
            )
        if len(branches) == 1:
            fail(script.text, group[0][2].begin, "this always holds, so it is no question")
        what = _Asking(column, tuple(branches))
    assert what is not None
    return what


def _left_words(left: Values) -> str:
    return (
        "where none of its conditions holds" if left.intervals or left.codes else "where the value is missing"
    )


def _target(script: Script, action: Action, position: int) -> _What:
    if action.verb in ("decide", "estimate"):
        return action
    if action.verb == "next":
        if position + 1 == len(script.steps):
            fail(script.text, action.term.begin, "there is no next sentence to go on with")
        return position + 1
    named = [i for i, step in enumerate(script.steps) if step.name == action.term.text]
    if len(named) != 1:
        many = "no step has" if not named else "several steps have"
        fail(script.text, action.term.begin, f"{many} the number {action.term.text!r}")
    return named[0]


def _check_order(script: Script, whats: list[_What]) -> None:
    """Refuses steps that lead back to themselves, steps that nothing leads to, and huge trees."""
    state = [0] * len(whats)  # 1: on the way, 2: done
    size = [0] * len(whats)  # the nodes that a step means, once it is done
    open_: list[tuple[int, bool]] = [(0, False)]
    while open_:
        step, done = open_.pop()
        if done:
            state[step] = 2
            own, following_steps = _parts(whats[step])
            size[step] = own + sum(size[following] for following in following_steps)
        elif state[step] == 0:
            state[step] = 1
            open_.append((step, True))
            for following in _parts(whats[step])[1]:
                if state[following] == 1:
                    fail(script.text, script.steps[step].begin, "the steps lead back here, without an end")
                open_.append((following, False))
    for i, reached in enumerate(state):
        if not reached:
            fail(script.text, script.steps[i].begin, "this sentence is never reached")
    if size[0] > MAX_NODES:
        fail(script.text, 0, f"the steps mean a tree of more than {MAX_NODES} nodes")


def _parts(what: _What) -> tuple[int, list[int]]:
    """How many nodes a step makes itself, and the steps that it goes to, as often as it does."""
    n_nodes, steps = 0, []
    open_ = [what]
    while open_:
        part = open_.pop()
        if isinstance(part, int):
            steps.append(part)
            continue
        n_nodes += 1
        if isinstance(part, _Asking):
            open_.extend(then for _, then in part.branches)
    return n_nodes, steps


def _classes_of(meaning: Meaning) -> tuple[Scalar, ...] | None:
    """The classes, those declared or those decided; None where numbers are estimated."""
    actions = [action for step in meaning.script.steps for action in _actions(step)]
    said = [action for action in actions if action.verb in ("decide", "estimate")]
    if not said:
        fail(meaning.script.text, 0, "nothing is decided: say what the tree decides")
    for action in said:
        if action.verb != said[0].verb:
            meaning.fail(action.term, "some sentences decide a class and some estimate a number: do one")
    if said[0].verb == "estimate":
        for action in said:
            if action.term.number() is None:
                meaning.fail(action.term, f"an estimate is a number, not {action.term.text!r}")
        return None
    labels = [meaning.label(action.term) for action in said]
    return meaning.classes or tuple(sorted_categories(dict.fromkeys(labels)))


def _actions(step: StepSentence) -> list[Action]:
    return [clause.action for clause in step.clauses] + ([step.otherwise] if step.otherwise else [])


def _nodes(
    meaning: Meaning, columns: list[dict[str, Any]], whats: list[_What], labels: tuple[Scalar, ...] | None
) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    open_: list[tuple[_What, dict[str, Any] | None]] = [(whats[0], None)]
    while open_:
        what, parent = open_.pop()
        while isinstance(what, int):
            what = whats[what]
        node: dict[str, Any] = {"rows": 0, "objects": 0, "weight": 0.0}
        if parent is not None:
            parent["children"].append(len(nodes))
        nodes.append(node)
        if isinstance(what, Action):
            node |= _said(meaning, what, labels)
            continue
        node |= {"value": [0.0, 0.0] if labels is None else [0.0] * len(labels), "impurity": 0.0}
        node["test"] = dividing_test(
            what.column, columns[what.column], [values for values, _ in what.branches]
        )
        node["children"] = []
        open_.extend((then, node) for _, then in reversed(what.branches))
    for node in reversed(nodes):  # children follow their parents
        if "test" in node and labels is not None:
            node["label"] = nodes[node["children"][0]]["label"]
    return nodes


def _said(meaning: Meaning, action: Action, labels: tuple[Scalar, ...] | None) -> dict[str, Any]:
    if labels is None:
        return {"value": [float(action.term.text), 0.0], "impurity": 0.0}
    label = meaning.label(action.term)
    same = [i for i, known in enumerate(labels) if known == label]
    number = next((i for i in same if type(labels[i]) is type(label)), same[0])
    return {"value": [0.0] * len(labels), "label": number, "impurity": 0.0}


def dividing_test(number: int, column: dict[str, Any], branches: Sequence[Values]) -> dict[str, Any]:
    """The test that sends the values of a column, divided among `branches`, to their branch."""
    missing = next((i for i, values in enumerate(branches) if values.missing), 0)
    other = next((i for i, values in enumerate(branches) if values.other), missing)
    runs: list[tuple[float, int]]  # the upper end of each run of values, and its branch
    if column["kind"] == "number":
        cuts = sorted(
            {end for values in branches for interval in values.intervals for end in interval} - {inf, -inf}
        )
        runs = [
            (high, next((i for i, values in enumerate(branches) if _covers(values, low, high)), missing))
            for low, high in pairwise([-inf, *cuts, inf])
        ]
    else:
        of_code = {code: i for i, values in enumerate(branches) for code in values.codes}
        runs = [(code + 0.5, of_code[code]) for code in range(len(column["categories"]))] or [(inf, other)]
        codes = [code for code, branch in of_code.items() if branch != other]
        if column["kind"] == "category" and codes:
            keys = sorted(codes)
            made = {
                "column": number,
                "kind": "category",
                "keys": keys,
                "to": [of_code[code] for code in keys],
            }
            return {**made, "missing": missing, "other": other, "score": None}
    ends = [i for i, (_, branch) in enumerate(runs) if i + 1 == len(runs) or runs[i + 1][1] != branch]
    made = {"column": number, "kind": "ordered", "keys": [runs[i][0] for i in ends[:-1]]}
    return {**made, "to": [runs[i][1] for i in ends], "missing": missing, "other": other, "score": None}


def _covers(values: Values, low: float, high: float) -> bool:
    return any(begin <= low and high <= end for begin, end in values.intervals)
