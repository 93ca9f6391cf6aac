"""The tree as Python source that needs no package."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thriftree.document.follow import scalar
from thriftree.explain.values import Interval
from thriftree.explain.words import Wording
from thriftree.export.decisions import Decisions, Place
from thriftree.export.leaves import NO_COST, Leaf, answers_of, has_models, leaves_of, summary_of
from thriftree.export.naming import checked_name, identifiers
from thriftree.export.python_reading import RESERVED, Reading


def python_of(document: dict[str, Any], *, name: str = "predict", smoothing: float = 0.0) -> str:
    """A Python module that answers as the tree does, with nothing to install.

    `predict(row)` takes a dict of values by column name and returns the class, or the mean of a numeric
    target (of a linear leaf what its model says).
    None, NaN and an absent column are missing; a category that training did not see goes where
    `Tree.predict` sends it. Dates, datetimes, times and durations are Python's or pandas', and but for
    durations texts in ISO 8601 too. Beside it are `predict_leaf` (the node's number, as `Tree.apply`),
    `predict_cost` (what the row pays; left out where prices depend on outcomes), and for classes
    `predict_probabilities`, in the order of `predict_classes`.

    Parameters
    ----------
    name : of the function, and the beginning of the other names.
    smoothing : added to every class's weight in `predict_probabilities`, as in `Tree.predict_proba`.
    """
    checked_name(name, RESERVED, "Python")
    decisions = Decisions(document)
    leaves = leaves_of(document, smoothing)
    used = decisions.used_columns()
    variable = dict(
        zip(used, identifiers([document["columns"][j]["name"] for j in used], RESERVED), strict=True)
    )
    language = _Python(document, variable, leaves)
    reading = Reading(name, document["columns"], variable)
    return "\n".join(
        [
            f'"""A decision tree: {summary_of(document)}. Written by thriftree; needs nothing but Python 3.',
            "",
            f"{name}(row) takes a dict of values by column name; None, NaN and absent are missing.",
            '"""',
            "",
            *reading.imports,
            "",
            *_answers(document, name, leaves),
            "",
            *_functions(document, name, decisions, language, reading),
            "",
            reading.functions,
        ]
    )


class _Python:
    """Python's words for conditions and branches."""

    indent = "    "
    closing: str | None = None

    def __init__(self, document: dict[str, Any], variable: dict[int, str], leaves: dict[int, Leaf]) -> None:
        self.variable = variable
        self._columns = document["columns"]
        self._leaves = leaves

    def number(self, column: int, intervals: tuple[Interval, ...], missing: bool) -> str:
        x = self.variable[column]
        parts = [_interval(x, low, high) for low, high in intervals]
        return " or ".join([*parts, f"math.isnan({x})"] if missing else parts)

    def category(self, column: int, codes: tuple[int, ...], missing: bool, inside: bool) -> str:
        x = self.variable[column]
        listed = [repr(scalar(self._columns[column]["categories"][code])) for code in codes]
        if missing:
            listed.append("None")
        if len(listed) > 1:
            return f"{x} {'in' if inside else 'not in'} {{{', '.join(listed)}}}"
        if missing:
            return f"{x} {'is' if inside else 'is not'} None"
        return f"{x} {'==' if inside else '!='} {listed[0]}"

    def branch(self, place: Place, condition: str, words: str, rows: str) -> str:
        if place == "last":
            return f"else:  # {words}: {rows}"
        return f"if {condition}:  # {rows}"

    def leaf(self, node: int) -> str:
        return f"return {node}  # {self._leaves[node].words}"

    def onward(self, node: int) -> str:
        return f"return -{node}"


def _interval(x: str, low: float, high: float) -> str:
    if low == float("-inf"):
        return f"not math.isnan({x})" if high == float("inf") else f"{x} <= {high!r}"
    return f"{x} > {low!r}" if high == float("inf") else f"{low!r} < {x} <= {high!r}"


def _answers(document: dict[str, Any], name: str, leaves: dict[int, Leaf]) -> Iterator[str]:
    """The table of leaves, and the functions that look in it."""
    answers = answers_of(document, leaves)
    if document["classes"] is not None:
        yield f"{name}_classes = {tuple(scalar(label) for label in document['classes'])!r}"
    yield f"_{name}_leaves = {{  # by number of the leaf: {', '.join(answers.values())}"
    for leaf in leaves.values():
        values = {"": leaf.answer, "cost": leaf.cost, "probabilities": leaf.shares}
        yield f"    {leaf.node}: {tuple(values[ending] for ending in answers)!r},"
    yield "}"
    models = has_models(leaves)
    yield from _linear(document, name, leaves) if models else ()
    for place, (ending, words) in enumerate(answers.items()):
        if models and not ending:
            continue
        function = f"{name}_{ending}" if ending else name
        yield from ("", "", f"def {function}(row):", f'    """The {words} at the row\'s leaf."""')
        yield f"    return _{name}_leaves[{name}_leaf(row)][{place}]"
    if "cost" not in answers:
        yield from ("", "", f"# {NO_COST}")


def _linear(document: dict[str, Any], name: str, leaves: dict[int, Leaf]) -> Iterator[str]:
    """The models of linear leaves, and the function that answers by them."""
    yield f"_{name}_linear = {{  # by number of the leaf: lowest, highest; column, coefficient and mean"
    for leaf in leaves.values():
        if leaf.model is not None:
            names = [document["columns"][j]["name"] for j in leaf.model.columns]
            terms = tuple(zip(names, leaf.model.coefficients, leaf.model.means, strict=True))
            yield f"    {leaf.node}: {(leaf.model.lowest, leaf.model.highest, terms)!r},"
    yield "}"
    yield from (
        "",
        "",
        f"def {name}(row):",
        '    """The mean at the row\'s leaf, or what its linear model says."""',
    )
    yield from (
        f"    node = {name}_leaf(row)",
        f"    said = mean = _{name}_leaves[node][0]",
        f"    lowest, highest, terms = _{name}_linear.get(node, (mean, mean, ()))",
        "    for column, coefficient, centre in terms:",
        f"        value = _{name}_number(row, column)",
        "        if not math.isnan(value):  # a missing value adds nothing",
        "            said += coefficient * (value - centre)",
        "    if math.isnan(said):",
        "        return mean",
        "    return lowest if said < lowest else highest if said > highest else said",
    )


def _functions(
    document: dict[str, Any], name: str, decisions: Decisions, language: _Python, reading: Reading
) -> Iterator[str]:
    """The way to a leaf: one function, or one a section."""
    wording = Wording(document)
    roots = decisions.section_roots
    parameters = ", ".join(language.variable.values())
    yield from ("", f"def {name}_leaf(row):", '    """Number of the leaf that a row reaches."""')
    yield from reading.lines()
    if len(roots) == 1:
        yield from decisions.section(0, language, wording, "    ")
        return
    yield f"    node = _{name}_from_0({parameters})"
    yield "    while node < 0:  # the tree is deep: each section names the next"
    yield f"        node = _{name}_sections[-node]({parameters})"
    yield "    return node"
    for root in roots:
        yield from ("", "", f"def _{name}_from_{root}({parameters}):")
        yield from decisions.section(root, language, wording, "    ")
    yield from ("", "", f"_{name}_sections = {{")
    yield from (f"    {root}: _{name}_from_{root}," for root in roots)
    yield "}"
