"""The words, numbers and signs of a text of sentences, each with its place."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from math import isfinite
from typing import NoReturn

from thriftree.columns import Scalar

#: Words that mean something: a name that holds one of them is written in quotes.
RESERVED = frozenset(
    (
        *("if", "is", "or", "and", "not", "one", "at", "known", "missing", "unlisted", "then"),
        *("otherwise", "else", "decide", "predict", "say", "estimate", "go"),
    )
)

COMPARISONS = {"≤": "<=", "≥": ">=", "≠": "!=", "==": "=", "<>": "!="}

_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<quoted>"(?:[^"\\]|\\.)*")
  | (?P<sign><=|>=|!=|==|<>|[<>=≤≥≠])
  | (?P<mark>[,;:(){}]|\.(?=\s|$))
  | (?P<word>(?:[^\s,;:(){}<>=≤≥≠"!.]|!(?!=)|\.(?!\s|$))+)
    """,
    re.VERBOSE | re.DOTALL,
)
_PLAIN = re.compile(r"\w[\w\-/]*(?: [\w\-/]+)*")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


class SentenceError(ValueError):
    """A text is not a tree in sentences. The message names the line, the place in it and the remedy."""


@dataclass(frozen=True)
class Token:
    """A piece of the text; `kind` is "quoted" (without its quotes), "sign", "mark", "word" or "end"."""

    kind: str
    text: str
    begin: int
    end: int

    def is_word(self, *words: str) -> bool:
        """Whether this is one of these words, in any case, and not in quotes."""
        return self.kind == "word" and self.text.casefold() in words

    def is_mark(self, *marks: str) -> bool:
        """Whether this is one of these marks."""
        return self.kind == "mark" and self.text in marks


@dataclass(frozen=True)
class Term:
    """A name, a value or a label as written; `quoted` ones are always texts."""

    text: str
    quoted: bool
    begin: int

    def value(self) -> Scalar:
        """As a Python value: what is not in quotes can be a number, true or false."""
        if self.quoted:
            return self.text
        if _INTEGER.fullmatch(self.text):
            return int(self.text)
        number = self.number()
        if number is not None:
            return number
        return {"true": True, "false": False}.get(self.text.casefold(), self.text)

    def number(self) -> float | None:
        """As a finite number, if it is one."""
        if self.quoted or not _DECIMAL.fullmatch(self.text) or not isfinite(float(self.text)):
            return None
        return float(self.text)


def tokenize(text: str) -> list[Token]:
    """The tokens of a text, and one for its end."""
    tokens = []
    place = 0
    while place < len(text):
        match = _TOKEN.match(text, place)
        if match is None:
            what = "a quotation mark that is not closed" if text[place] == '"' else repr(text[place])
            fail(text, place, f"{what} is not understood")
        kind, own = str(match.lastgroup), match[0]
        if kind == "quoted":
            try:
                own = json.loads(own, strict=False)
            except ValueError:
                fail(
                    text, place, f"{own} has a backslash that JSON does not know: write \\\\ for a backslash"
                )
        if kind != "space":
            tokens.append(
                Token(kind, COMPARISONS.get(own, own) if kind == "sign" else own, place, match.end())
            )
        place = match.end()
    return [*tokens, Token("end", "", len(text), len(text))]


def fail(text: str, place: int, problem: str) -> NoReturn:
    """Raise the error about the text at `place`."""
    before = text[:place]
    line = before.count("\n") + 1
    position = place - (before.rfind("\n") + 1) + 1
    rest = text[place : place + 30].split("\n")[0]
    at = f" (at {rest!r})" if rest else " (at the end)"
    raise SentenceError(f"line {line}, character {position}{at}: {problem}")


def written(value: Scalar) -> str:
    """A name, category or class as it is written in a sentence, so that it reads back as the same value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return repr(value)
    plain = _PLAIN.fullmatch(value) and not RESERVED & set(value.casefold().split())
    if plain and isinstance(Term(value, False, 0).value(), str):
        return value
    return json.dumps(value)
