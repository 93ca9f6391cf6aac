"""Columns, cuts, categories and classes in the words of the user's table, safe to print."""

from __future__ import annotations

from math import floor, inf, isfinite
from typing import Any

from thriftree.columns import Scalar
from thriftree.document.follow import MISSING, OTHER, Answer, Unknown
from thriftree.explain.values import Values, all_values
from thriftree.messages import printable
from thriftree.temporal.words import cut_words, temporal_of, tick_words

_LARGE = 1e5  # from here on six digits would move a cut past a whole number


def name_words(name: str) -> str:
    """A column's name; two quotes for one that is empty."""
    return printable(name) or '""'


def label_words(label: Any) -> str:
    """A class or category of the JSON form; quoted only where it would read as something else."""
    if isinstance(label, dict):
        return repr(label["float"])
    if not isinstance(label, str):
        return repr(label)
    words = printable(label)
    plain = words == words.strip() and words != "" and not any(mark in words for mark in ',"')
    return words if plain else '"' + words.replace('"', '\\"') + '"'


def said_words(answer: Scalar) -> str:
    """What a tree says, a label or a mean, as a Python value."""
    return f"{answer:.6g}" if type(answer) is float else label_words(answer)


class Wording:
    """Puts the values of one tree's columns into words.

    Cuts are shown with six digits, or as many as keep the cuts of their column apart and leave large ones
    between the same whole numbers. A list of categories stops after `max_categories` and says how many more
    there are. Cuts of dates and the like are shown exactly, as the last value that is not above them.
    """

    def __init__(self, document: dict[str, Any], max_categories: int = 8) -> None:
        self.columns = document["columns"]
        self.names = [name_words(column["name"]) for column in self.columns]
        self.max_categories = max_categories
        self._cuts = _cuts(document)
        self._digits = [_digits(own) for own in self._cuts]
        self._true_of: set[tuple[int, float]] = set()
        self.temporal = [temporal_of(column) for column in self.columns]

    def number(self, column: int, value: float) -> str:
        """A cut of the column, with its digits, or as a date."""
        if (temporal := self.temporal[column]) is not None:
            return cut_words(temporal, value)
        return f"{value:.{self._digits[column]}g}"

    def keep_true_of(self, column: int, value: float) -> None:
        """From now on the column's cuts have digits enough to lie, as shown, on their side of this value."""
        if (column, value) not in self._true_of:
            self._digits[column] = _digits(self._cuts[column], value, self._digits[column])
            self._true_of.add((column, value))

    def value(self, column: int, answer: Answer) -> str:
        """A row's value as the tests see it; a number with all the digits it has."""
        if answer is MISSING:
            return "missing"
        if answer is OTHER:
            return "none of the known values"
        if self.columns[column]["kind"] != "number":
            return label_words(self.columns[column]["categories"][answer])
        assert not isinstance(answer, Unknown)
        if (temporal := self.temporal[column]) is not None:
            return tick_words(temporal, int(answer))
        return repr(float(answer)).removesuffix(".0")

    def condition(self, column: int, values: Values, *, say_missing: bool = True) -> str:
        """ "age <= 54.5", "thal is one of: fixed, normal", "chol is missing", ... joined by "or"."""
        name = self.names[column]
        everything = all_values(self.columns[column])
        known = values.intervals or values.codes or values.other
        known_is_all = (values.intervals, values.codes, values.other) == (
            everything.intervals,
            everything.codes,
            everything.other,
        )
        if not known:
            return f"{name} is missing" if values.missing else f"{name} is nothing that exists"
        if known_is_all:
            return f"{name} is anything" if values.missing else f"{name} is known"
        if self.columns[column]["kind"] == "number":
            words = " or ".join(self._interval(column, low, high) for low, high in values.intervals)
        else:
            words = f"{name} {self._categories(column, values)}"
        return f"{words} or is missing" if values.missing and say_missing else words

    def answer(self, column: int, values: Values, *, say_missing: bool = True) -> str:
        """The condition without the column's name: an answer to the question "column?"."""
        parts = []
        if self.columns[column]["kind"] == "number":
            parts = [self._interval(column, low, high, name="") for low, high in values.intervals]
        elif values.codes or values.other:
            words = self._categories(column, values)
            parts = [words.removeprefix("is one of: ").removeprefix("is ")]
        if values.missing and (say_missing or not parts):
            parts.append("missing")
        return " or ".join(parts)

    def _interval(self, column: int, low: float, high: float, name: str | None = None) -> str:
        name = self.names[column] if name is None else name
        if low == -inf and high == inf:
            return f"{name} is known" if name else "known"
        if low == -inf:
            return f"{name} <= {self.number(column, high)}".lstrip()
        if high == inf:
            return f"{name} > {self.number(column, low)}".lstrip()
        return f"{self.number(column, low)} < {name or '…'} <= {self.number(column, high)}"

    def _categories(self, column: int, values: Values) -> str:
        categories = self.columns[column]["categories"]
        inside = sorted(values.codes)
        if not inside:
            return "is none of the known values"
        if self.columns[column]["kind"] == "ordered" and len(inside) > 1:
            if inside[-1] == len(inside) - 1:
                return f"is at most {label_words(categories[inside[-1]])}"
            if inside[0] == len(categories) - len(inside):
                return f"is at least {label_words(categories[inside[0]])}"
        if values.other and len(categories) < 2 * len(inside):
            outside = [code for code in range(len(categories)) if code not in values.codes]
            return f"is not {self._listed(categories, outside)}" if outside else "is known"
        if len(inside) == 1:
            return f"is {label_words(categories[inside[0]])}"
        return f"is one of: {self._listed(categories, inside)}"

    def _listed(self, categories: list[Any], codes: list[int]) -> str:
        shown = [label_words(categories[code]) for code in codes[: self.max_categories]]
        more = len(codes) - len(shown)
        return ", ".join(shown) + (f" and {more} more" if more else "")


def _cuts(document: dict[str, Any]) -> list[set[float]]:
    cuts: list[set[float]] = [set() for _ in document["columns"]]
    for node in document["nodes"]:
        if "test" in node and node["test"]["kind"] == "ordered":
            cuts[node["test"]["column"]].update(node["test"]["keys"])
    return cuts


def _digits(cuts: set[float], value: float | None = None, fewest: int = 6) -> int:
    """How many digits the cuts need so that what is said with them holds."""
    for digits in range(fewest, 17):
        shown = {cut: float(f"{cut:.{digits}g}") for cut in cuts}
        apart = len(set(shown.values())) == len(cuts)
        if apart and all(
            (abs(cut) < _LARGE or (isfinite(rounded) and floor(cut) == floor(rounded)))
            and (value is None or (cut < value) == (rounded < value))
            for cut, rounded in shown.items()
        ):
            return digits
    return 17
