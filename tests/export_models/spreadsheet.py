"""A small spreadsheet: it computes the formulas of a workbook as Excel documents them.

Only what our workbooks use. `digits` says how many digits comparisons see: spreadsheets compare 15, or all.
"""

import io
import re
from functools import cache
from typing import Any

from openpyxl import load_workbook
from openpyxl.utils.cell import range_boundaries

TOKEN = re.compile(
    r'\s*(?:(?P<text>"(?:[^"]|"")*")|(?P<number>\d+(?:\.\d+)?(?:[Ee][+-]?\d+)?)'
    r"|(?P<ref>(?:[A-Za-z]+!)?\$?[A-Z]{1,3}\$?\d+(?::\$?[A-Z]{1,3}\$?\d+)?)|(?P<name>[A-Z]+)|(?P<mark>[-+&=<>(),]))"
)
ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")


class NotAvailableError(Exception):
    """The value #N/A."""


class Spreadsheet:
    def __init__(self, content: bytes, digits: int = 17) -> None:
        self.book = load_workbook(io.BytesIO(content))
        self.digits = digits
        self.value = cache(self._value)

    def _value(self, sheet: str, row: int, column: int) -> Any:
        """What a cell shows; None if it is blank."""
        cell = self.book[sheet].cell(row, column)
        if cell.data_type == "f":
            return Formula(self, sheet, cell.value[1:]).result()
        if cell.data_type == "s" and isinstance(cell.value, str):
            return ESCAPE.sub(lambda found: chr(int(found[1], 16)), cell.value)
        return cell.value

    def seen(self, number: float) -> float:
        return float(f"{number:.{self.digits}g}")

    def equal(self, a: Any, b: Any) -> bool:
        """The operator =: letters of either case are the same, values of different types are not."""
        a, b = (("" if isinstance(other, str) else 0) if x is None else x for x, other in ((a, b), (b, a)))
        if isinstance(a, bool) or isinstance(b, bool):
            return isinstance(a, bool) and isinstance(b, bool) and a == b
        if isinstance(a, str) or isinstance(b, str):
            return isinstance(a, str) and isinstance(b, str) and a.casefold() == b.casefold()
        return self.seen(a) == self.seen(b)


class Formula:
    """One formula: a recursive descent over its tokens. Ranges are lists of lists."""

    def __init__(self, sheets: Spreadsheet, sheet: str, text: str) -> None:
        self.sheets, self.sheet = sheets, sheet
        self.tokens = [(found.lastgroup, found.group().strip()) for found in TOKEN.finditer(text)]
        assert "".join(t for _, t in self.tokens) == re.sub(r'\s+(?=(?:[^"]*"[^"]*")*[^"]*$)', "", text), text
        self.place = 0

    def result(self) -> Any:
        value = self.comparison()()
        assert self.place == len(self.tokens), self.tokens
        return _only(value)

    def peek(self) -> str:
        return self.tokens[self.place][1] if self.place < len(self.tokens) else ""

    def take(self) -> tuple[str, str]:
        self.place += 1
        return self.tokens[self.place - 1]

    # Each level returns a function, so that IF computes only the way it takes.

    def comparison(self) -> Any:
        left = self.joined()
        if self.peek() in ("=", ">"):
            sign = self.take()[1]
            right = self.joined()
            if sign == "=":
                return lambda: _each(self.sheets.equal, left(), right())
            return lambda: _only(left()) > _only(right())
        return left

    def joined(self) -> Any:
        left = self.sum()
        while self.peek() == "&":
            self.take()
            right, before = self.sum(), left
            left = lambda a=before, b=right: _text(_only(a())) + _text(_only(b()))  # noqa: E731
        return left

    def sum(self) -> Any:
        left = self.signed()
        while self.peek() in ("+", "-"):
            sign = 1 if self.take()[1] == "+" else -1
            right, before = self.signed(), left
            left = lambda a=before, b=right, s=sign: _number(_only(a())) + s * _number(_only(b()))  # noqa: E731
        return left

    def signed(self) -> Any:
        if self.peek() == "-":
            self.take()
            inner = self.signed()
            return lambda: _each(lambda x, _: -_number(x), inner(), None)
        return self.atom()

    def atom(self) -> Any:
        kind, token = self.take()
        if token == "(":
            inner = self.comparison()
            assert self.take()[1] == ")"
            return inner
        if kind == "text":
            return lambda: token[1:-1].replace('""', '"')
        if kind == "number":
            return lambda: float(token) if re.search("[.Ee]", token) else int(token)
        if kind == "ref":
            return lambda: self.cells(token)
        assert kind == "name", token
        arguments = []
        assert self.take()[1] == "("
        while self.peek() != ")":
            arguments.append(self.comparison())
            if self.peek() == ",":
                self.take()
        self.take()
        return lambda: getattr(self, token.lower())(*arguments)

    def cells(self, reference: str) -> Any:
        sheet, _, area = reference.rpartition("!")
        left, top, right, bottom = range_boundaries(area.replace("$", ""))
        found = [
            [self.sheets.value(sheet or self.sheet, row, column) for column in range(left, right + 1)]
            for row in range(top, bottom + 1)
        ]
        return found if ":" in area else found[0][0]

    # The functions. Where one does not say otherwise, it takes what Excel's own takes.

    def na(self) -> Any:
        raise NotAvailableError

    def counta(self, area: Any) -> int:
        return sum(value is not None for line in area() for value in line)

    def countif(self, area: Any, wanted: Any) -> int:
        return sum(self.sheets.equal(value, wanted()) for line in area() for value in line)

    def exact(self, area: Any, text: Any) -> Any:
        return _each(lambda a, b: _text(a) == _text(b), area(), text())

    def frequency(self, data: Any, ends: Any) -> list[list[int]]:
        ends = [end for (end,) in _block(ends())]
        x = self.sheets.seen(data())
        place = next((i for i, end in enumerate(ends) if x <= self.sheets.seen(end)), len(ends))
        return [[int(i == place)] for i in range(len(ends) + 1)]

    def index(self, area: Any, row: Any, column: Any = lambda: 1) -> Any:
        block, i, j = _block(area()), _only(row()), _only(column())
        if len(block) == 1:  # one row: the only number given counts its columns
            i, j = 1, max(i, j)
        assert i >= 1, "INDEX with 0 is a whole column"
        assert j >= 1, "INDEX with 0 is a whole row"
        return block[i - 1][j - 1]

    def isnumber(self, value: Any) -> bool:
        return isinstance(value(), (int, float)) and not isinstance(value(), bool)

    def sumproduct(self, left: Any, right: Any) -> float:
        a, b = _block(left()), _block(right())
        assert [len(line) for line in a] == [len(line) for line in b]
        return sum(
            _number(x) * _number(y) for m, n in zip(a, b, strict=True) for x, y in zip(m, n, strict=True)
        )


def _if(self: Formula, condition: Any, yes: Any, no: Any) -> Any:
    return _only(yes() if _only(condition()) else no())


setattr(Formula, "if", _if)


def _block(value: Any) -> list[list[Any]]:
    return value if isinstance(value, list) else [[value]]


def _only(value: Any) -> Any:
    if isinstance(value, list):
        assert len(value) == 1, "a formula shows one value"
        assert len(value[0]) == 1, "a formula shows one value"
        return value[0][0]
    return value


def _each(function: Any, left: Any, right: Any) -> Any:
    if isinstance(left, list):
        return [[function(value, right) for value in line] for line in left]
    return function(left, right)


def _number(value: Any) -> float:
    return 0 if value is None else value + 0


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    return value if isinstance(value, str) else f"{value:.15g}"
