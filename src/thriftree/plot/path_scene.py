"""The picture of one row's way through a tree as shapes: what is asked, what is answered, what is left."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from thriftree.document.follow import MISSING, Answer, Unknown, answer_of, branch_of, path_of
from thriftree.explain.words import Wording, label_words, printable
from thriftree.export.text import question_words
from thriftree.plot.answer_marks import branch_pills, number_line
from thriftree.plot.cards import Line
from thriftree.plot.palette import ACCENT, FADED, INK, LINE
from thriftree.plot.scene import Anchor, Group, Rect, Scene, Shape, moved, straight
from thriftree.plot.text_metrics import fit, wrap
from thriftree.plot.tree_legend import bar_note, bar_of, legend
from thriftree.plot.tree_words import words_of

_MARGIN = 14.0
_SIZE, _SMALL = 12.0, 10.5
_STEP = 70.0  # from one question to the next
# The columns: left ends and widths, or right ends.
_QUESTION, _QUESTION_WIDTH = 28.0, 270.0
_MARKS, _MARKS_WIDTH = 330.0, 210.0
_BAR, _BAR_WIDTH = 580.0, 170.0
_ROWS, _ADDS, _PAID = 840.0, 990.0, 1060.0


def path_scene(document: dict[str, Any], row: Mapping[str, Any], *, prices: bool = True) -> Scene:
    """The way of a row, given by column name, through the tree of a JSON form."""
    drawing = _Path(document, row, prices)
    passed = path_of(document, row)
    key, top = legend(document, _BAR + _BAR_WIDTH, bar_note(document, drawing.told))
    y = top + 30
    groups = [key, moved(drawing.head(), 0.0, top + 6), moved(drawing.start(), 0.0, y)]
    y += 34
    for number, below in pairwise(passed):
        groups.append(moved(drawing.step(number, below), 0.0, y))
        y += _STEP
    groups.append(moved(drawing.end(passed[-1]), 0.0, y))
    return Scene(
        (_PAID if drawing.told[0].paid else _ROWS) + 2 * _MARGIN,
        y + 44 + 2 * _MARGIN,
        tuple(moved(group, _MARGIN, _MARGIN) for group in groups),
        "The path of one row",
    )


class _Path:
    """The parts of the picture, each with its upper end at 0."""

    def __init__(self, document: dict[str, Any], row: Mapping[str, Any], prices: bool) -> None:
        self.document = document
        self.row = row
        self.told = words_of(document, prices=prices)
        self._bar = bar_of(document, self.told)
        self._wording = Wording(document)

    def head(self) -> Group:
        """The names of the columns."""
        names: list[tuple[str, float, Anchor]] = [
            ("question and answer", _QUESTION, "start"),
            ("left after the answer", _BAR, "start"),
            ("rows", _ROWS, "end"),
        ]
        if self.told[0].paid:
            names += [("price", _ADDS, "end"), ("paid", _PAID, "end")]
        return Group("legend", tuple(Line(t, _SMALL, colour=FADED).at(x, 0.0, a) for t, x, a in names))

    def start(self) -> Group:
        """All rows, before the first question."""
        shapes = [Line("all rows", _SIZE, colour=FADED).at(_QUESTION, 0.0), *self._left(0, 1.0)]
        return Group("step", tuple(shapes), 0, self.told[0].title)

    def step(self, number: int, below: int) -> Group:
        """A question, the row's answer, and what is left after it."""
        node = self.told[number]
        test = self.document["nodes"][number]["test"]
        column = self.document["columns"][test["column"]]
        value = self.row.get(column["name"])
        answer = answer_of(column, value)
        said = self._value_words(test, answer, value)
        lines = [
            Line(text, _SIZE, bold=True)
            for text in wrap(node.question, _QUESTION_WIDTH, _SIZE, lines=2, bold=True)
        ]
        branch = self.told[below].branch
        reply = f"here: {said}" if said == branch else f"here: {said} → {branch}"
        lines.append(Line(wrap(reply, _QUESTION_WIDTH, _SIZE, lines=1)[0], _SIZE, colour=ACCENT))
        shapes: list[Shape] = [
            straight((_QUESTION, 0.0), (_PAID if node.paid else _ROWS, 0.0), "#e3e6ea", 1.0),
            straight((7.0, 17.0), (7.0, _STEP + 12.0), "#f0b48f", 2.0),
            Rect(2.0, 12.0, 10.0, 10.0, ACCENT, radius=5.0),
        ]
        y = 9.0
        for line in lines:
            shapes.append(line.at(_QUESTION, y))
            y += line.height
        if column["kind"] == "number" and isinstance(answer, float) and test["keys"]:
            cuts = self._cuts(test["column"])
            words = [self._wording.number(test["column"], cut) for cut in test["keys"]]
            marks = number_line(test["keys"], words, answer, said, cuts, _MARKS_WIDTH)
        else:
            _, answers = question_words(self.document, self.document["nodes"][number], self._wording)
            marks = branch_pills(answers, branch_of(test, answer), _MARKS_WIDTH)
        shapes += moved(Group("step", tuple(marks)), _MARKS, _STEP / 2).shapes
        shapes += self._left(below, _STEP / 2 - 8)
        if node.paid:
            shapes += [
                Line(node.adds, _SMALL).at(_ADDS, _STEP / 2 - 8, "end"),
                Line(node.paid, _SMALL).at(_PAID, _STEP / 2 - 8, "end"),
            ]
        return Group("step", tuple(shapes), number, node.title)

    def end(self, leaf: int) -> Group:
        """The answer of the tree."""
        node = self.told[leaf]
        answer = Line(fit(node.conclusion, _QUESTION_WIDTH, 15.0, bold=True), 15.0, bold=True)
        right = _PAID if node.paid else _ROWS
        shapes: list[Shape] = [
            Rect(0.0, 0.0, right, 38.0, "#f4f6f8", LINE, radius=4.0),
            answer.at(_QUESTION - 14, 9.0),
            Line(" · ".join(node.facts), _SIZE, colour=FADED).at(_QUESTION - 14 + answer.width + 14, 11.0),
        ]
        return Group("step", tuple(shapes), leaf, node.title)

    def _left(self, number: int, y: float) -> list[Shape]:
        """The rows that reach a node: their bar and their number."""
        node = self.told[number]
        rows = Line(f"{node.rows:,}", _SMALL, colour=INK)
        return [*self._bar(node, _BAR, y + 1, _BAR_WIDTH, 12.0), rows.at(_ROWS, y, "end")]

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
        short = f"{answer:.6g}"  # unless rounding would take it across a cut
        return short if branch_of(test, float(short)) == branch_of(test, answer) else repr(float(answer))
