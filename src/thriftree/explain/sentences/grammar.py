"""From a text to steps: what is asked, and what is done then. Names and values are not looked up here.

    text       = [ "Columns:" column { ";" column } "." ] [ "Classes:" label { "," label } "." ] step { step }
    column     = name "(" "number" | "category:" values | "ordered:" values
                        | "date" | "datetime" [ ":" time zone ] | "time" | "duration" ")"
    step       = [ number "." ] [ "Otherwise" ] clause { ";" clause } [ ";" "otherwise" action ] "."
    clause     = "If" condition [ note ] "," action
    condition  = test { "or" test }
    test       = name comparison value | number "<" name "<=" number
               | name "is" [ "not" ] [ "one of" ] values | name "is" ( "at most" | "at least" ) value
               | name "is" ( "known" | "missing" | "unlisted" )
    number     = digits | a date, datetime, time or duration, in quotes if it has a colon
    note       = "(" "missing: yes" [ "," "other: yes" ] ")"
    action     = ( "decide" | "predict" | "say" ) label | "estimate" number | "go to" number | "go on"

Commas may stand for semicolons, "else" for "otherwise"; a step without "otherwise" goes on with the next.
Case of these words does not matter. A name or value that holds one of them stands in quotes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NoReturn

from thriftree.explain.sentences.tokens import RESERVED, Term, Token, fail, tokenize

_KINDS = ("number", "category", "ordered", "date", "datetime", "time", "duration")
_ENDS = ("or", "then", "decide", "predict", "say", "estimate", "go")
_VERBS = ("decide", "predict", "say", "estimate", "go")


@dataclass(frozen=True)
class ColumnCondition:
    """`column` compared by `sign` with `values`; the signs that need no value are known, missing, unlisted.

    "between" has the two comparisons of "1 < x <= 2", as seen from x, in `bounds`.
    """

    __test__ = False  # not a test of pytest

    column: Term
    sign: str
    values: tuple[Term, ...] = ()
    bounds: tuple[tuple[str, Term], ...] = ()


@dataclass(frozen=True)
class Action:
    """What to do: "decide" a label, "estimate" a number, "go" to a step, or go on with the "next"."""

    verb: Literal["decide", "estimate", "go", "next"]
    term: Term


@dataclass(frozen=True)
class Clause:
    """If one of `tests` holds, `action`. `missing` and `other`: whether a note says that such values pass."""

    tests: tuple[ColumnCondition, ...]
    missing: bool | None
    other: bool | None
    action: Action
    begin: int


@dataclass(frozen=True)
class StepSentence:
    """Clauses, the first that holds counts, and what to do if none does: None: go on with the next step."""

    name: str | None
    clauses: tuple[Clause, ...]
    otherwise: Action | None
    begin: int


@dataclass(frozen=True)
class ColumnWords:
    """A column as the text declares it."""

    name: Term
    kind: Literal["number", "ordered", "category", "date", "datetime", "time", "duration"]
    values: tuple[Term, ...]  # the categories; of datetimes the time zone, if they have one


@dataclass(frozen=True)
class Script:
    """A text of sentences; `columns` and `classes` are None where it does not declare them."""

    text: str
    columns: tuple[ColumnWords, ...] | None
    classes: tuple[Term, ...] | None
    steps: tuple[StepSentence, ...]


def read_script(text: str) -> Script:
    """The steps of a text; a SentenceError names the place of what is wrong."""
    return _Reader(text).script()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.place = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.place]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.place + ahead, len(self.tokens) - 1)]

    def fail(self, problem: str, at: int | None = None) -> NoReturn:
        fail(self.text, self.token.begin if at is None else at, problem)

    def take_word(self, *words: str) -> bool:
        if self.token.is_word(*words):
            self.place += 1
            return True
        return False

    def take_mark(self, *marks: str) -> bool:
        if self.token.is_mark(*marks):
            self.place += 1
            return True
        return False

    def script(self) -> Script:
        columns = self._columns() if self._heading("columns") else None
        classes = self._classes() if self._heading("classes") else None
        steps = []
        while self.token.kind != "end":
            steps.append(self._step())
        if not steps:
            self.fail(
                "there is no sentence: write one, as in 'If age > 54.5, decide old; otherwise decide young.'"
            )
        return Script(self.text, columns, classes, tuple(steps))

    def _heading(self, word: str) -> bool:
        if not (self.token.is_word(word) and self.peek().is_mark(":")):
            return False
        self.place += 2
        return True

    def _columns(self) -> tuple[ColumnWords, ...]:
        columns = []
        while True:
            name = self._term("the name of a column")
            if not self.take_mark("("):
                self.fail(
                    f"after the column {name.text!r} write its kind: (number), (category: …), (ordered: …), "
                    "(date), (datetime), (time) or (duration)"
                )
            kind = self.token.text.casefold()
            if not self.take_word(*_KINDS):
                self.fail(f"the kind of a column is {', '.join(_KINDS[:-1])} or {_KINDS[-1]}")
            values: tuple[Term, ...] = ()
            if (
                kind in ("category", "ordered", "datetime")
                and self.take_mark(":")
                and not self.token.is_mark(")")
            ):
                values = self._values(")")
            if not self.take_mark(")"):
                self.fail("here the kind of the column must be closed with )")
            columns.append(ColumnWords(name, kind, values))  # type: ignore[arg-type]
            if not self.take_mark(";", ","):
                break
        self._full_stop()
        return tuple(columns)

    def _classes(self) -> tuple[Term, ...]:
        classes = [self._term("a class")]
        while self.take_mark(",", ";"):
            classes.append(self._term("a class"))
        self._full_stop()
        return tuple(classes)

    def _full_stop(self) -> None:
        if self.token.kind != "end" and not self.take_mark("."):
            self.fail("a sentence ends here: write a full stop, or what is missing before it")

    def _step(self) -> StepSentence:
        begin = self.token.begin
        name = self._step_name()
        self.take_word("otherwise", "else")
        self.take_mark(",")
        if self.take_word("always") or self.token.is_word(*_VERBS):
            action = self._action()
            self._full_stop()
            return StepSentence(name, (), action, begin)
        clauses = [self._clause()]
        otherwise = None
        while otherwise is None:
            separated = self.take_mark(",", ";")
            if self.take_word("otherwise", "else"):
                self.take_mark(",")
                if self.token.is_word("if"):
                    clauses.append(self._clause())
                else:
                    otherwise = self._action()
            elif separated:
                clauses.append(self._clause())
            else:
                break
        self._full_stop()
        return StepSentence(name, tuple(clauses), otherwise, begin)

    def _step_name(self) -> str | None:
        if self.token.is_word("step"):
            self.place += 1
        named = (
            self.token.kind == "word" and self.token.text.isdecimal() and self.peek().is_mark(".", ":", ")")
        )
        if not named:
            return None
        self.place += 2
        return self.tokens[self.place - 2].text

    def _clause(self) -> Clause:
        begin = self.token.begin
        if not self.take_word("if"):
            self.fail("here a sentence goes on with 'If', or with 'otherwise' and what to do then")
        tests = [self._test()]
        missing = other = None
        while self.take_word("or"):
            if self.token.is_word("missing") or (self.token.is_word("is") and self.peek().is_word("missing")):
                self.take_word("is")
                self.take_word("missing")
                missing = True
            else:
                tests.append(self._test())
        if self.take_mark("("):
            note_missing, other = self._note()
            missing = note_missing if note_missing is not None else missing
        self.take_mark(",")
        self.take_word("then")
        return Clause(tuple(tests), missing, other, self._action(), begin)

    def _note(self) -> tuple[bool | None, bool | None]:
        said: dict[str, bool] = {}
        while True:
            what = self.token.text.casefold()
            if not (
                self.take_word("missing", "other") and self.take_mark(":") and self.token.is_word("yes", "no")
            ):
                self.fail("a note is (missing: yes), (other: yes), or both; or with no")
            said[what] = self.token.is_word("yes")
            self.place += 1
            if not self.take_mark(",", ";"):
                break
        if not self.take_mark(")"):
            self.fail("the note must be closed with )")
        return said.get("missing"), said.get("other")

    def _action(self) -> Action:
        begin = self.token.begin
        if self.take_word("go"):
            if self.take_word("on"):
                return Action("next", Term("", False, begin))
            if not self.take_word("to"):
                self.fail("write 'go to' and the number of a step, or 'go on'")
            self.take_word("step")
            return Action("go", self._term("the number of a step"))
        estimate = self.token.is_word("estimate")
        if not self.take_word("decide", "predict", "say", "estimate"):
            self.fail(
                "here the sentence says what to do: decide, predict or estimate something, or go to a step"
            )
        return Action("estimate" if estimate else "decide", self._term("what the tree says"))

    def _test(self) -> ColumnCondition:
        if self._is_between():
            return self._between()
        column = self._term("the name of a column")
        sign = self.token
        if sign.kind == "sign":
            self.place += 1
            return ColumnCondition(
                column, sign.text, self._values() if sign.text in ("=", "!=") else (self._term("a value"),)
            )
        if not self.take_word("is"):
            self.fail(f"after {column.text!r} write is, or one of < <= > >= = !=")
        for word in ("known", "missing", "unlisted"):
            if self.take_word(word):
                return ColumnCondition(column, word)
        if self.take_word("at"):
            end = self.token
            if not self.take_word("most", "least"):
                self.fail("write 'at most' or 'at least'")
            return ColumnCondition(column, "<=" if end.is_word("most") else ">=", (self._term("a value"),))
        negated = self.take_word("not")
        if self.take_word("one") and not self.take_word("of"):
            self.fail("write 'one of' and the values")
        self.take_mark(":")
        return ColumnCondition(column, "!=" if negated else "=", self._values())

    def _is_between(self) -> bool:
        """Whether a number, or a date or the like, stands before a column."""
        place, n_signs = self.place, 0
        while self.tokens[place].kind in ("word", "quoted", "sign") and not self.tokens[place].is_word(
            *_ENDS
        ):
            n_signs += self.tokens[place].kind == "sign"
            place += 1
        first = Term(self.token.text, self.token.kind == "quoted", self.token.begin)
        is_number = self.token.kind == "word" and first.number() is not None
        return self.peek().kind == "sign" and (is_number or n_signs == 2)

    def _between(self) -> ColumnCondition:
        low = self._term("a number")
        first = self.token
        self.place += 1
        column = self._term("the name of a column")
        second = self.token
        if first.text not in ("<", "<=") or second.text not in ("<", "<=") or second.kind != "sign":
            self.fail("between two numbers a column is written like 1 < x <= 2", first.begin)
        self.place += 1
        bounds = ((">" if first.text == "<" else ">=", low), (second.text, self._term("a number")))
        return ColumnCondition(column, "between", bounds=bounds)

    def _values(self, closing: str = "}") -> tuple[Term, ...]:
        braced = closing == "}" and self.take_mark("{")
        values = [self._term("a value")]
        while True:
            if self.token.is_mark(","):
                if not (braced or closing == ")") and (self.peek().is_word("then", *_VERBS)):
                    break
                self.place += 1
                self.take_word("or")
            elif not self.token.is_word("or") or self._begins_a_test(self.place + 1):
                break
            else:
                self.place += 1
            values.append(self._term("a value"))
        if braced and not self.take_mark("}"):
            self.fail("the values must be closed with }")
        return tuple(values)

    def _begins_a_test(self, place: int) -> bool:
        """Whether what follows "or" is a new test and not one more value."""
        while self.tokens[place].kind in ("word", "quoted"):
            if self.tokens[place].is_word("is", "missing"):
                return True
            if self.tokens[place].is_word("or"):
                return False
            place += 1
        return self.tokens[place].kind == "sign"

    def _term(self, what: str) -> Term:
        """A text in quotes, or the words up to one that means something."""
        begin = self.token
        if begin.kind == "quoted":
            self.place += 1
            return Term(begin.text, True, begin.begin)
        words = []
        while self.token.kind == "word" and self.token.text.casefold() not in RESERVED:
            words.append(self.token.text)
            self.place += 1
        if not words:
            hint = (
                f"; a text that has the word {begin.text!r} in it needs quotes"
                if begin.kind == "word"
                else ""
            )
            self.fail(f"here {what} is missing{hint}")
        return Term(" ".join(words), False, begin.begin)
