"""The tree as sentences, in the manner of fast-and-frugal trees; `Tree.from_sentences` reads them."""

from __future__ import annotations

from math import inf
from typing import Any

from thriftree.columns import Scalar
from thriftree.document.answers import node_numbers
from thriftree.document.follow import scalar
from thriftree.explain.sentences.tokens import written
from thriftree.explain.values import Values, missing_is_telling, union, values_by_branch
from thriftree.explain.words import Wording
from thriftree.export.leaves import refuse_linear_leaves

Branch = tuple[Values, int]  # the values that take it, and the node it leads to


def sentences_of(document: dict[str, Any], *, exact: bool = False) -> str:
    """The tree of a JSON form as sentences, one a line.

    A tree whose every test has at most one branch that asks on is told as its questions in turn; any other
    as numbered steps. A note "(missing: yes)" says that a missing value passes the condition; otherwise it
    does not.

    Parameters
    ----------
    exact : whether the text holds all that `Tree.from_sentences` needs to make a tree that predicts the same
        of every row: the columns and classes, every digit of the cuts, and where missing and unlisted values
        go. Otherwise cuts have the digits that tell them apart, missing values are mentioned only where
        training showed where they belong, and questions whose answers all say the same are left out.

    Examples
    --------
    If thal is normal, decide healthy.
    If age > 54.5, decide sick; otherwise decide healthy.
    """
    refuse_linear_leaves(document, "to_sentences")
    writer = _Writer(document, exact)
    lines = writer.headings() if exact else []
    if writer.decides(writer.root):
        return "\n".join([*lines, f"Always {writer.action(writer.root)}."])
    asking = writer.asking()
    if all(sum(child in asking for _, child in branches) <= 1 for branches in asking.values()):
        lines += [writer.sentence(node, branches) for node, branches in asking.items()]
    else:
        number = {node: i for i, node in enumerate(asking, start=1)}
        lines += [
            f"{number[node]}. {writer.sentence(node, branches, number)}" for node, branches in asking.items()
        ]
    return "\n".join(lines)


class _Writer:
    def __init__(self, document: dict[str, Any], exact: bool) -> None:
        self.document = document
        self.exact = exact
        self.wording = Wording(document)
        self._numbers = node_numbers(document).tolist() if document["classes"] is None else []
        self._same = self._same_below()
        self.root = self._asking_or_leaf(0)

    def decides(self, node: int) -> bool:
        """Whether the node is told as a decision and not as a question."""
        return "test" not in self.document["nodes"][node]

    def headings(self) -> list[str]:
        """The columns and classes, so that the text can be read without the tree."""
        columns = []
        for column in self.document["columns"]:
            values = ", ".join(written(scalar(category)) for category in column.get("categories", []))
            kind, values = column.get("temporal", column["kind"]), written_zone(column) or values
            columns.append(f"{written(column['name'])} ({kind}{': ' + values if values else ''})")
        lines = [f"Columns: {'; '.join(columns)}."] if columns else []
        if self.document["classes"] is not None:
            lines.append(f"Classes: {', '.join(written(scalar(c)) for c in self.document['classes'])}.")
        return lines

    def asking(self) -> dict[int, list[Branch]]:
        """The tests in the order of telling, each with its branches, the one for "otherwise" last."""
        found: dict[int, list[Branch]] = {}
        open_ = [self.root]
        while open_:
            node = open_.pop()
            if not self.decides(node):
                found[node] = self._in_order(node)
                open_.extend(child for _, child in reversed(found[node]))
        return found

    def sentence(self, node: int, branches: list[Branch], number: dict[int, int] | None = None) -> str:
        """One question with all its answers; without numbers a branch that asks on is the next sentence."""
        *first, (_, last) = branches
        text = "; ".join(f"if {self._condition(node, v)}, {self.action(child, number)}" for v, child in first)
        if number is not None or self.decides(last):
            text += f"; otherwise {self.action(last, number)}"
        return text[0].upper() + text[1:] + "."

    def action(self, node: int, number: dict[int, int] | None = None) -> str:
        """What to do at a node: decide, estimate, or go to its step."""
        if number is not None and node in number:
            return f"go to {number[node]}"
        own = self.document["nodes"][node]
        if self.document["classes"] is None:
            mean = self._numbers[node]
            return f"estimate {mean!r}" if self.exact else f"estimate {mean:.6g}"
        return f"decide {written(scalar(self.document['classes'][own['label']]))}"

    def _branches(self, node: int) -> list[Branch]:
        """The branches that some value takes, each to the next node that asks or decides something."""
        own = self.document["nodes"][node]
        column = self.document["columns"][own["test"]["column"]]
        pairs = zip(values_by_branch(own, column), own["children"], strict=True)
        return [(values, child) for values, child in pairs if values]

    def _asking_or_leaf(self, node: int) -> int:
        """The node itself, or what it leads to if every value takes the same branch; in the readable form a
        leaf below it if all of them say the same.
        """
        while not self.decides(node) and len(branches := self._branches(node)) == 1:
            node = branches[0][1]
        if not self.exact and self._same[node] is not None:
            while not self.decides(node):
                node = self._branches(node)[0][1]
        return node

    def _same_below(self) -> list[str | None]:
        """By node the decision of all leaves below it that some value leads to; None if they differ."""
        same: list[str | None] = [None] * len(self.document["nodes"])
        for node in range(len(same) - 1, -1, -1):  # children follow their parents
            if self.decides(node):
                same[node] = self.action(node)
            elif len(below := {same[child] for _, child in self._branches(node)}) == 1:
                same[node] = below.pop()
        return same

    def _in_order(self, node: int) -> list[Branch]:
        """Last comes the branch that "otherwise" fits best: one that asks on, if it is the only one; then one
        that missing and unlisted values take, where they matter, since "otherwise" covers those.
        """
        matters = self.exact or missing_is_telling(self.document, self.document["nodes"][node])
        branches = [(values, self._asking_or_leaf(child)) for values, child in self._branches(node)]
        if not self.exact:
            branches = self._joined(branches)
        asks_on = [not self.decides(child) for _, child in branches]
        only = sum(asks_on) == 1
        best = max(
            range(len(branches)),
            key=lambda i: (
                only and asks_on[i],
                matters and branches[i][0].missing,
                matters and branches[i][0].other,
                i,
            ),
        )
        return [*branches[:best], *branches[best + 1 :], branches[best]]

    def _joined(self, branches: list[Branch]) -> list[Branch]:
        """Branches that decide the same as one."""
        groups: dict[Any, list[Branch]] = {}
        for values, child in branches:
            groups.setdefault(self.action(child) if self.decides(child) else child, []).append(
                (values, child)
            )
        return [(union(values for values, _ in group), group[0][1]) for group in groups.values()]

    def _condition(self, node: int, values: Values) -> str:
        own = self.document["nodes"][node]
        number = own["test"]["column"]
        column = self.document["columns"][number]
        name = written(column["name"])
        words, passes_other = self._known(number, values)
        condition = f"{name} is {words}" if column["kind"] != "number" else words
        notes = []
        only_missing = not (values.intervals or values.codes or values.other)
        if values.missing and not only_missing and (self.exact or missing_is_telling(self.document, own)):
            notes.append("missing: yes")
        if values.other != passes_other and self.exact:
            notes.append(f"other: {'yes' if values.other else 'no'}")
        return f"{condition} ({', '.join(notes)})" if notes else condition

    def _known(self, number: int, values: Values) -> tuple[str, bool]:
        """The known values in words, and whether unlisted values pass such words without a note."""
        column = self.document["columns"][number]
        if column["kind"] == "number":
            return self._intervals(number, values), False
        categories = [scalar(category) for category in column["categories"]]
        inside = sorted(values.codes)
        outside = [code for code in range(len(categories)) if code not in values.codes]
        if not inside:
            few = f"not {_listed(categories, outside)}" if 0 < len(outside) <= 2 else "unlisted"
            return (few, True) if values.other else ("missing", False)
        if not outside and values.other:
            return "known", True
        if column["kind"] == "ordered" and len(inside) > 1 and outside:
            if inside[-1] == len(inside) - 1:
                return f"at most {written(categories[inside[-1]])}", False
            if inside[0] == len(outside):
                return f"at least {written(categories[inside[0]])}", False
        if values.other and len(outside) < len(inside):
            return f"not {_listed(categories, outside)}", True
        return _listed(categories, inside), False

    def _intervals(self, number: int, values: Values) -> str:
        name = written(self.document["columns"][number]["name"])
        is_moment = self.wording.temporal[number] is not None

        def cut(value: float) -> str:
            if self.exact and not is_moment:
                return repr(value)
            shown = self.wording.number(number, value)
            return written(shown) if is_moment else shown

        parts = []
        for low, high in values.intervals:
            if low == -inf and high == inf:
                parts.append(f"{name} is known")
            elif low == -inf:
                parts.append(f"{name} <= {cut(high)}")
            elif high == inf:
                parts.append(f"{name} > {cut(low)}")
            else:
                parts.append(f"{cut(low)} < {name} <= {cut(high)}")
        return " or ".join(parts) or f"{name} is missing"


def written_zone(column: dict[str, Any]) -> str:
    """The time zone of a column of datetimes, if it has one."""
    return written(column["time_zone"]) if "time_zone" in column else ""


def _listed(categories: list[Scalar], codes: list[int]) -> str:
    *first, last = [written(categories[code]) for code in codes]
    return f"{', '.join(first)} or {last}" if first else last
