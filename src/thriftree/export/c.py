"""The tree as C99: one source without allocation, files or variables that change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thriftree.document.follow import scalar
from thriftree.explain.values import Interval
from thriftree.explain.words import Wording
from thriftree.export.c_columns import NEEDS_NAN, CColumns, labels_line
from thriftree.export.c_like import number_condition
from thriftree.export.c_literals import RESERVED, comment, decimal, exact
from thriftree.export.decisions import Decisions, Place
from thriftree.export.leaves import NO_COST, Leaf, answers_of, has_models, leaves_of, summary_of
from thriftree.export.naming import checked_name


def c_of(document: dict[str, Any], *, name: str = "predict", smoothing: float = 0.0) -> str:
    """One C99 source that answers as the tree does. It needs <math.h> (isnan) and <string.h> (strcmp) only.

    `struct predict_input` has a field for each column that the tree asks for; a comment has the column's
    own name. Numbers are doubles, dates count in days and datetimes, times and durations in microseconds, as
    the comment says; and NaN is missing (so compilers must not be told that there is no NaN, as
    -ffast-math does). Categories are codes: an enumerator for each, beside
    `PREDICT_MISSING` and `PREDICT_OTHER` (not seen in training); `predict_<field>_from_text` and
    `_from_number` find the code of a value.

    `predict` returns the class's number, a position in `predict_labels`; or the mean of a numeric target.
    Beside it are `predict_leaf` (the node's number, as `Tree.apply`), `predict_cost` (what the row pays;
    left out where prices depend on outcomes), and for classes `predict_probabilities`, a pointer to their
    shares.

    Parameters
    ----------
    name : of the function, and the beginning of the other names.
    smoothing : added to every class's weight in `predict_probabilities`, as in `Tree.predict_proba`.
    """
    checked_name(name, RESERVED, "C")
    decisions = Decisions(document)
    leaves = leaves_of(document, smoothing)
    language = _C(name, document, decisions, leaves)
    lines = [
        f"/* A decision tree: {summary_of(document)}. Written by thriftree. C99, no allocation. */",
        "",
        "#include <math.h>",
        "#include <stddef.h>",
        "#include <string.h>",
        "",
        *NEEDS_NAN,
        "",
        *language.columns.struct("the tree asks for nothing"),
        *language.columns.categories(),
        *_tables(name, document, leaves),
        *_walk(name, document, decisions, language),
        *_functions(name, document, leaves, language),
    ]
    return "\n".join(lines)


class _C:
    """C's words for conditions and branches."""

    indent = "    "
    closing: str | None = "}"

    def __init__(
        self, name: str, document: dict[str, Any], decisions: Decisions, leaves: dict[int, Leaf]
    ) -> None:
        self.columns = CColumns(name, document["columns"], decisions.read_columns())
        self._leaves = leaves
        self._places = {node: place for place, node in enumerate(leaves)}
        self._sections = {root: place for place, root in enumerate(decisions.section_roots)}

    def number(self, column: int, intervals: tuple[Interval, ...], missing: bool) -> str:
        return number_condition(f"in->{self.columns.fields[column]}", intervals, missing, "isnan", exact)

    def category(self, column: int, codes: tuple[int, ...], missing: bool, inside: bool) -> str:
        x = f"in->{self.columns.fields[column]}"
        equals, joint = ("==", " || ") if inside else ("!=", " && ")
        listed = [self.columns.enumerators[column, code] for code in codes] + (
            [self.columns.missing] if missing else []
        )
        return joint.join(f"{x} {equals} {code}" for code in listed)

    def branch(self, place: Place, condition: str, words: str, rows: str) -> str:
        if place == "last":
            return f"}} else {{ /* {comment(words)}: {rows} */"
        return f"if ({condition}) {{ /* {rows} */"

    def leaf(self, node: int) -> str:
        return f"return {self._places[node]}; /* leaf {node}: {comment(self._leaves[node].words)} */"

    def onward(self, node: int) -> str:
        return f"return -{self._sections[node]};"


def _tables(name: str, document: dict[str, Any], leaves: dict[int, Leaf]) -> Iterator[str]:
    """The labels of the classes, and what the leaves answer."""
    answers = answers_of(document, leaves)
    members = ["int node;", "double mean;" if document["classes"] is None else "int label;"]
    members += ["double cost;"] if "cost" in answers else []
    members += ["double lowest;", "double highest;"] if has_models(leaves) else []
    if document["classes"] is not None:
        labels = [scalar(label) for label in document["classes"]]
        yield from (labels_line(name, labels), "")
        members.append(f"double shares[{len(labels)}];")
    yield f"static const struct {{ {' '.join(members)} }} {name}_leaves[{len(leaves)}] = {{"
    for leaf in leaves.values():
        row = [str(leaf.node), decimal(float(leaf.answer)) if leaf.label is None else str(leaf.label)]
        row += [decimal(leaf.cost)] if "cost" in answers and leaf.cost is not None else []
        if has_models(leaves):
            mean = float(leaf.answer)
            bounds = (mean, mean) if leaf.model is None else (leaf.model.lowest, leaf.model.highest)
            row += [decimal(bound) for bound in bounds]
        row += [f"{{{', '.join(map(decimal, leaf.shares))}}}"] if leaf.shares else []
        yield f"    {{{', '.join(row)}}},"
    yield from ("};", "")


def _walk(name: str, document: dict[str, Any], decisions: Decisions, language: _C) -> Iterator[str]:
    """The way to a leaf's place in the table: one function, or one a section."""
    wording = Wording(document)
    roots = decisions.section_roots
    parameters = f"(const struct {name}_input *in)"
    for root in roots:
        function = f"{name}_place" if len(roots) == 1 else f"{name}_from_{root}"
        yield f"static int {function}{parameters} {{"
        lines = list(decisions.section(root, language, wording, "    "))
        if not lines[0].startswith("    if"):
            yield "    (void)in;"
        yield from lines
        yield from ("}", "")
    if len(roots) == 1:
        return
    yield f"static int (*const {name}_sections[{len(roots)}]){parameters} = {{"
    yield from (f"    {name}_from_{root}," for root in roots)
    yield from ("};", "", f"static int {name}_place{parameters} {{")
    yield f"    int place = {name}_from_0(in);"
    yield "    /* The tree is deep: each section names the next. */"
    yield f"    while (place < 0) place = {name}_sections[-place](in);"
    yield from ("    return place;", "}", "")


def _linear(name: str, leaves: dict[int, Leaf], language: _C) -> Iterator[str]:
    """The function that answers by the models of linear leaves."""
    yield f"static double {name}_term(double x, double coefficient, double mean) {{"
    yield "    return isnan(x) ? 0.0 : coefficient * (x - mean); /* a missing value adds nothing */"
    yield from ("}", "", "/* The mean at the row's leaf, or what its linear model says. */")
    yield f"double {name}(const struct {name}_input *in) {{"
    yield f"    const int place = {name}_place(in);"
    yield f"    const double mean = {name}_leaves[place].mean;"
    yield from ("    double said = mean;", "    switch (place) {")
    for place, leaf in enumerate(leaves.values()):
        if leaf.model is None:
            continue
        yield f"    case {place}:"
        for column, *numbers in zip(
            leaf.model.columns, leaf.model.coefficients, leaf.model.means, strict=True
        ):
            written = ", ".join(map(decimal, numbers))
            yield f"        said += {name}_term(in->{language.columns.fields[column]}, {written});"
        yield "        break;"
    yield from ("    default:", "        break;", "    }")
    yield "    if (isnan(said)) return mean;"
    yield f"    if (said < {name}_leaves[place].lowest) return {name}_leaves[place].lowest;"
    yield f"    if (said > {name}_leaves[place].highest) return {name}_leaves[place].highest;"
    yield from ("    return said;", "}", "")


def _functions(name: str, document: dict[str, Any], leaves: dict[int, Leaf], language: _C) -> Iterator[str]:
    """What the caller calls."""
    answers = answers_of(document, leaves)
    member = {
        "": "mean" if document["classes"] is None else "label",
        "cost": "cost",
        "probabilities": "shares",
    }
    type_ = {"": "double " if document["classes"] is None else "int ", "cost": "double "}
    functions = {f"{name}_{ending}" if ending else name: (ending, words) for ending, words in answers.items()}
    if has_models(leaves):
        functions.pop(name)
        yield from _linear(name, leaves, language)
    for function, (ending, words) in functions.items():
        words = f"number of the {words}" if words == "class" else words
        yield f"/* The {words} at the row's leaf. */"
        yield f"{type_.get(ending, 'const double *')}{function}(const struct {name}_input *in) {{"
        yield from (f"    return {name}_leaves[{name}_place(in)].{member[ending]};", "}", "")
    if "cost" not in answers:
        yield from (f"/* {NO_COST} */", "")
    yield from ("/* The number of the leaf. */", f"int {name}_leaf(const struct {name}_input *in) {{")
    yield from (f"    return {name}_leaves[{name}_place(in)].node;", "}", "")
