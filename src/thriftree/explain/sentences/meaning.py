"""What the words of sentences stand for: columns, categories, classes, and the values a condition lets pass.

A value that is missing passes no condition but "is missing"; one that is not in the code book passes only "is
not", "is known" and "is unlisted". A note, "(missing: yes)" or "(other: yes)", says where that is otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nextafter
from typing import NoReturn

from thriftree.columns import ColumnSchema, Scalar, Temporal, sorted_categories
from thriftree.explain.sentences.grammar import Clause, ColumnCondition, ColumnWords, Script
from thriftree.explain.sentences.tokens import Term, fail
from thriftree.explain.values import Interval, Values, union
from thriftree.messages import did_you_mean
from thriftree.temporal.iso_texts import NotIsoError, parsed, zone_name
from thriftree.temporal.words import example_words

_TEMPORAL = (
    Temporal("date"),
    Temporal("datetime"),
    Temporal("datetime", "UTC"),
    Temporal("time"),
    Temporal("duration"),
)


def columns_of(script: Script) -> tuple[ColumnSchema, ...]:
    """The columns that the text declares, or else those that it asks for, in that order: numbers where it
    compares by size, categories otherwise.
    """
    if script.columns is not None:
        _check_distinct(script, [column.name for column in script.columns])
        for column in script.columns:
            _check_distinct(script, column.values)
        return tuple(_declared(script, column) for column in script.columns)
    tests: dict[str, list[ColumnCondition]] = {}
    for step in script.steps:
        for clause in step.clauses:
            for test in clause.tests:
                tests.setdefault(test.column.text, []).append(test)
    return tuple(_inferred(name, own) for name, own in tests.items())


def _declared(script: Script, column: ColumnWords) -> ColumnSchema:
    name, kind = column.name.text, column.kind
    if kind == "number" or kind == "ordered" or kind == "category":
        return ColumnSchema(name, kind, tuple(value.value() for value in column.values))
    zones = [value.text for value in column.values]
    if len(zones) > 1 or any(zone_name(zone) != zone for zone in zones):
        fail(
            script.text, column.values[0].begin, 'a time zone is written like Europe/Berlin, UTC or "+01:00"'
        )
    return ColumnSchema(name, "number", temporal=Temporal(kind, zones[0] if zones else None))


def _check_distinct(script: Script, terms: Sequence[Term]) -> None:
    seen = set()
    for term in terms:
        value = term.value()
        if (type(value), value) in seen:
            fail(script.text, term.begin, f"{term.text!r} stands here twice: remove one")
        seen.add((type(value), value))


def _inferred(name: str, tests: Sequence[ColumnCondition]) -> ColumnSchema:
    by_size = [test for test in tests if test.sign in ("<", "<=", ">", ">=", "between")]
    values = [value for test in tests if test.sign in ("=", "!=") for value in test.values]
    if by_size or not values:
        compared = [term for test in tests for term in (*test.values, *(term for _, term in test.bounds))]
        return ColumnSchema(name, "number", temporal=_seen_kind(compared))
    categories = sorted_categories(dict.fromkeys(value.value() for value in values))
    return ColumnSchema(name, "category", tuple(categories))


def _seen_kind(terms: Sequence[Term]) -> Temporal | None:
    """What all of the values that are compared with are, if they are no numbers."""
    for temporal in _TEMPORAL if terms else ():
        try:
            for term in terms:
                parsed(temporal, term.text)
        except NotIsoError:
            continue
        return temporal
    return None


class Meaning:
    """Looks up the words of a script. `classes` None: they are the labels that the script decides."""

    def __init__(
        self, script: Script, columns: Sequence[ColumnSchema], classes: Sequence[Scalar] | None
    ) -> None:
        self.script = script
        self.columns = tuple(columns)
        self._position = {column.name: i for i, column in enumerate(self.columns)}
        if classes is None and script.classes is not None:
            _check_distinct(script, script.classes)
            classes = [term.value() for term in script.classes]
        self.classes = None if classes is None else tuple(classes)

    def fail(self, term: Term, problem: str) -> NoReturn:
        """Raise the error about a word."""
        fail(self.script.text, term.begin, problem)

    def column(self, term: Term) -> int:
        """The number of the column of this name; case matters only where it tells two apart."""
        if term.text in self._position:
            return self._position[term.text]
        alike = [i for name, i in self._position.items() if name.casefold() == term.text.casefold()]
        if len(alike) == 1:
            return alike[0]
        self.fail(term, f"there is no column {term.text!r}{did_you_mean(term.text, self._position)}")

    def label(self, term: Term) -> Scalar:
        """The class that a label names."""
        if self.classes is None:
            return term.value()
        place = _place_of(term, self.classes)
        if place is None:
            shown = ", ".join(map(repr, self.classes[:8]))
            self.fail(
                term, f"{term.text!r} is none of the classes ({shown}){did_you_mean(term.text, self.classes)}"
            )
        return self.classes[place]

    def passing(self, clause: Clause) -> tuple[int, Values]:
        """The column that a clause asks for, and the values that pass."""
        column = self.column(clause.tests[0].column)
        sets = []
        for test in clause.tests:
            if self.column(test.column) != column:
                self.fail(
                    test.column,
                    f"a condition asks for one column, this one for {self.columns[column].name!r} and "
                    f"{test.column.text!r}: write a step for each",
                )
            kind = self.columns[column].kind
            sets.append(self._numbers(test, column) if kind == "number" else self._categories(test, column))
        values = union(sets)
        missing = values.missing if clause.missing is None else clause.missing
        other = values.other if clause.other is None else clause.other
        if other and self.columns[column].kind == "number":
            self.fail(
                clause.tests[0].column, "a number is never outside the known categories: leave the note out"
            )
        return column, Values(values.intervals, values.codes, missing, other)

    def _numbers(self, test: ColumnCondition, column: int) -> Values:
        temporal = self.columns[column].temporal
        if test.sign == "missing":
            return Values((), frozenset(), True, False)
        if test.sign == "known":
            return Values(((-inf, inf),), frozenset(), False, False)
        if test.sign == "unlisted":
            self.fail(test.column, f"{test.column.text!r} is a number, and no number is unlisted")
        if test.sign == "between":
            low, high = (self._interval(sign, term, temporal) for sign, term in test.bounds)
            return low & high
        if test.sign in ("=", "!="):
            points = union(self._interval("=", term, temporal) for term in test.values)
            return points if test.sign == "=" else Values(((-inf, inf),), frozenset(), False, False) - points
        return self._interval(test.sign, test.values[0], temporal)

    def _moment(self, term: Term, temporal: Temporal) -> float:
        try:
            return float(parsed(temporal, term.text))
        except NotIsoError as error:
            self.fail(
                term,
                f"here a {temporal.what} is needed, such as {example_words(temporal)}, not {term.text!r}: "
                f"{error}",
            )

    def _interval(self, sign: str, term: Term, temporal: Temporal | None) -> Values:
        cut = term.number() if temporal is None else self._moment(term, temporal)
        if cut is None:
            self.fail(term, f"here a number is needed, not {term.text!r}")
        below = nextafter(cut, -inf)  # x < cut is x <= below, and x >= cut is x > below
        interval: Interval = {
            "<=": (-inf, cut),
            "<": (-inf, below),
            ">": (cut, inf),
            ">=": (below, inf),
            "=": (below, cut),
        }[sign]
        return Values((interval,) if interval[0] < interval[1] else (), frozenset(), False, False)

    def _categories(self, test: ColumnCondition, column: int) -> Values:
        n = len(self.columns[column].categories)
        if test.sign in ("known", "missing", "unlisted"):
            codes = frozenset(range(n)) if test.sign == "known" else frozenset()
            return Values((), codes, test.sign == "missing", test.sign != "missing")
        if test.sign in ("=", "!="):
            named = frozenset(self._code(term, column) for term in test.values)
            return Values(
                (), named if test.sign == "=" else frozenset(range(n)) - named, False, test.sign == "!="
            )
        if self.columns[column].kind != "ordered":
            self.fail(test.column, f"the values of {test.column.text!r} have no order: write is, or is not")
        bounds = test.bounds or ((test.sign, test.values[0]),)
        codes = frozenset(range(n))
        for sign, term in bounds:
            code = self._code(term, column)
            low, high = {"<=": (0, code), "<": (0, code - 1), ">": (code + 1, n), ">=": (code, n)}[sign]
            codes &= frozenset(range(low, high + 1))
        return Values((), codes, False, False)

    def _code(self, term: Term, column: int) -> int:
        categories = self.columns[column].categories
        place = _place_of(term, categories)
        if place is None:
            shown = ", ".join(map(repr, categories[:8]))
            hint = did_you_mean(term.text, categories)
            self.fail(term, f"{self.columns[column].name!r} has no value {term.text!r} ({shown}){hint}")
        return place


def _place_of(term: Term, labels: Sequence[Scalar]) -> int | None:
    """The label that is meant: the same value of the same type; else the same value; else, spelt alike."""
    value = term.value()
    for same in (
        lambda label: type(label) is type(value) and label == value,
        lambda label: not isinstance(label, str) and not isinstance(value, str) and label == value,
        lambda label: str(label) == term.text,
    ):
        found = [i for i, label in enumerate(labels) if same(label)]
        if found:
            return found[0]
    alike = [i for i, label in enumerate(labels) if str(label).casefold() == term.text.casefold()]
    return alike[0] if len(alike) == 1 else None
