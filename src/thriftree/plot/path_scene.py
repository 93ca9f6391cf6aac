"""The picture of one row's way through a tree as shapes: what is asked, what is answered, what is left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from thriftree.document.follow import MISSING, Answer, Unknown, answer_of, branch_of, path_of
from thriftree.explain.question_words import question_words
from thriftree.explain.words import Wording, label_words
from thriftree.messages import printable
from thriftree.plot.answer_marks import branch_pills, number_line
from thriftree.plot.cards import CardLine
from thriftree.plot.palette import ACCENT, FADED, INK, LINE
from thriftree.plot.scene import Anchor, Rect, Scene, Shape, ShapeGroup, moved, straight
from thriftree.plot.text_metrics import fit, wrap
from thriftree.plot.tree_legend import bar_note, bar_of, legend
from thriftree.plot.tree_words import words_of

_MARGIN = 14.0
_SIZE, _SMALL = 12.0, 10.5
_QUESTION = 28.0  # the left end of the questions
_GAP = 14.0  # between columns, where room is scarce


@dataclass(frozen=True)
class _Columns:
    """Where the columns are: left ends with widths, or right ends. Without ends for prices, those stand below
    the answers.
    """

    question_width: float
    marks: float
    marks_width: float
    bar: float
    bar_width: float
    rows: float
    adds: float | None
    paid: float | None
    step: float  # from one question to the next
    lines: int  # of a question

    @property
    def right(self) -> float:
        return self.rows if self.paid is None else self.paid


_WITH_PRICES = _Columns(270.0, 330.0, 210.0, 580.0, 170.0, 840.0, 990.0, 1060.0, 70.0, 2)
_WITHOUT = replace(_WITH_PRICES, adds=None, paid=None)


def _columns(width: float | None, rows: int, priced: bool) -> _Columns:
    """The columns for a picture of this width: if it is too narrow for all of them, prices go below the
    answers, and questions, marks and bars share what the number of rows leaves.
    """
    full = _WITH_PRICES if priced else _WITHOUT
    if width is None or width >= full.right + 2 * _MARGIN:
        return full
    end = min(width - 2 * _MARGIN, _WITHOUT.rows)
    free = end - CardLine(f"{rows:,}", _SMALL).width - _QUESTION - 3 * _GAP
    share = free / (full.question_width + full.marks_width + full.bar_width)
    question, marks, bar = (share * w for w in (full.question_width, full.marks_width, full.bar_width))
    left = _QUESTION + question + _GAP
    step = 101.0 if priced else 86.0
    return _Columns(question, left, marks, left + marks + _GAP, bar, end, None, None, step, 3)


def path_scene(
    document: dict[str, Any], row: Mapping[str, Any], *, prices: bool = True, width: float | None = None
) -> Scene:
    """The way of a row, given by column name, through the tree of a JSON form; None: as wide as it likes."""
    drawing = _Path(document, row, prices, width)
    columns = drawing.columns
    passed = path_of(document, row)
    key, top = legend(document, columns.bar + columns.bar_width, bar_note(document, drawing.told))
    y = top + 30
    groups = [key, moved(drawing.head(), 0.0, top + 6), moved(drawing.start(), 0.0, y)]
    y += 34
    for number, below in pairwise(passed):
        groups.append(moved(drawing.step(number, below), 0.0, y))
        y += columns.step
    groups.append(moved(drawing.end(passed[-1]), 0.0, y))
    return Scene(
        columns.right + 2 * _MARGIN,
        y + 44 + 2 * _MARGIN,
        tuple(moved(group, _MARGIN, _MARGIN) for group in groups),
        "The path of one row",
    )


class _Path:
    """The parts of the picture, each with its upper end at 0."""

    def __init__(
        self, document: dict[str, Any], row: Mapping[str, Any], prices: bool, width: float | None
    ) -> None:
        self.document = document
        self.row = row
        self.told = words_of(document, prices=prices)
        self.columns = _columns(width, self.told[0].rows, bool(self.told[0].paid))
        self._bar = bar_of(document, self.told)
        self._wording = Wording(document)

    def head(self) -> ShapeGroup:
        """The names of the columns."""
        columns = self.columns
        names: list[tuple[str, float, Anchor]] = [
            ("question and answer", _QUESTION, "start"),
            (fit("left after the answer", columns.bar_width, _SMALL), columns.bar, "start"),
            ("rows", columns.rows, "end"),
        ]
        if columns.adds is not None and columns.paid is not None:
            names += [("price", columns.adds, "end"), ("paid", columns.paid, "end")]
        return ShapeGroup(
            "legend", tuple(CardLine(t, _SMALL, colour=FADED).at(x, 0.0, a) for t, x, a in names)
        )

    def start(self) -> ShapeGroup:
        """All rows, before the first question."""
        shapes = [CardLine("all rows", _SIZE, colour=FADED).at(_QUESTION, 0.0), *self._left(0, 1.0)]
        return ShapeGroup("step", tuple(shapes), 0, self.told[0].title)

    def step(self, number: int, below: int) -> ShapeGroup:
        """A question, the row's answer, and what is left after it."""
        node, columns = self.told[number], self.columns
        test = self.document["nodes"][number]["test"]
        column = self.document["columns"][test["column"]]
        value = self.row.get(column["name"])
        answer = answer_of(column, value)
        said = self._value_words(test, answer, value)
        lines = [
            CardLine(text, _SIZE, bold=True)
            for text in wrap(node.question, columns.question_width, _SIZE, lines=columns.lines, bold=True)
        ]
        branch = self.told[below].branch
        reply = f"here: {said}" if said == branch else f"here: {said} → {branch}"
        lines.append(CardLine(wrap(reply, columns.question_width, _SIZE, lines=1)[0], _SIZE, colour=ACCENT))
        if node.paid and columns.paid is None:
            price = fit(f"{node.adds} → {node.paid}", columns.question_width, _SMALL)
            lines.append(CardLine(price, _SMALL, colour=FADED))
        shapes: list[Shape] = [
            straight((_QUESTION, 0.0), (columns.right, 0.0), "#e3e6ea", 1.0),
            straight((7.0, 17.0), (7.0, columns.step + 12.0), "#f0b48f", 2.0),
            Rect(2.0, 12.0, 10.0, 10.0, ACCENT, radius=5.0),
        ]
        y = 9.0
        for line in lines:
            shapes.append(line.at(_QUESTION, y))
            y += line.height
        if column["kind"] == "number" and isinstance(answer, float) and test["keys"]:
            cuts = self._cuts(test["column"])
            words = [self._wording.number(test["column"], cut) for cut in test["keys"]]
            marks = number_line(test["keys"], words, answer, said, cuts, columns.marks_width)
        else:
            _, answers = question_words(self.document, self.document["nodes"][number], self._wording)
            marks = branch_pills(answers, branch_of(test, answer), columns.marks_width)
        shapes += moved(ShapeGroup("step", tuple(marks)), columns.marks, columns.step / 2).shapes
        middle = columns.step / 2 - 8
        shapes += self._left(below, middle)
        if columns.adds is not None and columns.paid is not None:
            shapes += [
                CardLine(node.adds, _SMALL).at(columns.adds, middle, "end"),
                CardLine(node.paid, _SMALL).at(columns.paid, middle, "end"),
            ]
        return ShapeGroup("step", tuple(shapes), number, node.title)

    def end(self, leaf: int) -> ShapeGroup:
        """The answer of the tree."""
        node = self.told[leaf]
        left, right = _QUESTION - 14, self.columns.right
        answer = CardLine(fit(node.conclusion, self.columns.question_width, 15.0, bold=True), 15.0, bold=True)
        after = left + answer.width + 14
        facts = fit(" · ".join(node.facts), right - after - 6, _SIZE)
        shapes: list[Shape] = [
            Rect(0.0, 0.0, right, 38.0, "#f4f6f8", LINE, radius=4.0),
            answer.at(left, 9.0),
            CardLine(facts, _SIZE, colour=FADED).at(after, 11.0),
        ]
        return ShapeGroup("step", tuple(shapes), leaf, node.title)

    def _left(self, number: int, y: float) -> list[Shape]:
        """The rows that reach a node: their bar and their number."""
        node = self.told[number]
        rows, columns = CardLine(f"{node.rows:,}", _SMALL, colour=INK), self.columns
        bar = self._bar(node, columns.bar, y + 1, columns.bar_width, 12.0)
        return [*bar, rows.at(columns.rows, y, "end")]

    def _cuts(self, column: int) -> list[float]:
        """All cuts of a column in the tree: its scale is the same at every question."""
        tests = [node["test"] for node in self.document["nodes"] if "test" in node]
        return sorted({cut for test in tests if test["column"] == column for cut in test["keys"]})

    def _value_words(self, test: dict[str, Any], answer: Answer, value: Any) -> str:
        if isinstance(answer, Unknown):
            return "missing" if answer is MISSING else f"{printable(str(value))} (never seen)"
        column = self.document["columns"][test["column"]]
        if column["kind"] != "number":
            return label_words(column["categories"][int(answer)])
        if self._wording.temporal[test["column"]] is not None:
            return self._wording.value(test["column"], answer)
        short = f"{answer:.6g}"  # unless rounding would take it across a cut
        return short if branch_of(test, float(short)) == branch_of(test, answer) else repr(float(answer))
