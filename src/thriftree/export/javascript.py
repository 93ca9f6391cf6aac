"""The tree as JavaScript, for browsers and Node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from thriftree.document.follow import scalar
from thriftree.explain.values import Interval
from thriftree.explain.words import Wording
from thriftree.export.c_like import number_condition
from thriftree.export.decisions import Decisions, Place
from thriftree.export.javascript_literals import (
    ENDINGS,
    READING,
    RESERVED,
    array,
    category_literal,
    checked_form,
    comment,
    counting_lines,
    literal,
    reading_lines,
)
from thriftree.export.leaves import NO_COST, Leaf, answers_of, has_models, leaves_of, summary_of
from thriftree.export.naming import checked_name, identifiers


def javascript_of(
    document: dict[str, Any], *, name: str = "predict", form: str = "module", smoothing: float = 0.0
) -> str:
    """JavaScript (ES2022) that answers as the tree does, for browsers and Node, without packages or eval.

    `predict(row)` takes an object with a property for each column and returns the class, or the mean of a
    numeric target. null, undefined, NaN and an absent property are missing. Beside it are `predictLeaf`
    (the node's number, as `Tree.apply`), `predictCost` (what the row pays; left out where prices depend on
    outcomes), and for classes `predictProbabilities`, in the order of `predictClasses`. Integers beyond
    2^53 are BigInts. A date is the number of days since 1970-01-01; a datetime, time or duration is in
    microseconds, as a comment at the beginning says.

    Parameters
    ----------
    name : of the function, and the beginning of the other names.
    form : "module" exports the names, "commonjs" is for `require`, "script" only declares them.
    smoothing : added to every class's weight in `predictProbabilities`, as in `Tree.predict_proba`.
    """
    checked_name(name, RESERVED, "JavaScript")
    checked_form(form)
    decisions = Decisions(document)
    leaves = leaves_of(document, smoothing)
    used = decisions.used_columns()
    names = identifiers([document["columns"][j]["name"] for j in used], RESERVED)
    language = _JavaScript(document, dict(zip(used, names, strict=True)), leaves)
    tables, public = _answers(document, name, leaves)
    ending = ENDINGS[form].format(names=", ".join(public))
    lines = [
        f"// A decision tree: {summary_of(document)}. Written by thriftree.",
        f"// {name}(row) takes an object of values by column name; null, undefined and NaN are missing.",
        *counting_lines(document["columns"], used),
        "",
        *tables,
        "",
        *_functions(document, name, decisions, language),
        READING.format(name=name),
        *([ending, ""] if ending else []),
    ]
    return "\n".join(lines)


class _JavaScript:
    """JavaScript's words for conditions and branches."""

    indent = "  "
    closing: str | None = "}"

    def __init__(self, document: dict[str, Any], variable: dict[int, str], leaves: dict[int, Leaf]) -> None:
        self.variable = variable
        self._columns = document["columns"]
        self._leaves = leaves

    def number(self, column: int, intervals: tuple[Interval, ...], missing: bool) -> str:
        return number_condition(self.variable[column], intervals, missing, "Number.isNaN", repr)

    def category(self, column: int, codes: tuple[int, ...], missing: bool, inside: bool) -> str:
        x = self.variable[column]
        listed = [category_literal(scalar(self._columns[column]["categories"][code])) for code in codes]
        listed += ["null"] if missing else []
        if len(listed) == 1:
            return f"{x} {'===' if inside else '!=='} {listed[0]}"
        return f"{'' if inside else '!'}[{', '.join(listed)}].includes({x})"

    def branch(self, place: Place, condition: str, words: str, rows: str) -> str:
        if place == "last":
            return f"}} else {{ // {comment(words)}: {rows}"
        return f"if ({condition}) {{ // {rows}"

    def leaf(self, node: int) -> str:
        return f"return {node}; // {comment(self._leaves[node].words)}"

    def onward(self, node: int) -> str:
        return f"return -{node};"


def _answers(document: dict[str, Any], name: str, leaves: dict[int, Leaf]) -> tuple[list[str], list[str]]:
    """The table of leaves with the functions that look in it, as lines; and the public names."""
    answers = answers_of(document, leaves)
    functions = [name + ending.capitalize() for ending in answers]
    public = [*functions, f"{name}Leaf"]
    lines = []
    if document["classes"] is not None:
        public.append(f"{name}Classes")
        lines.append(f"const {name}Classes = {array(scalar(label) for label in document['classes'])};")
    lines += [f"const {name}Leaves = {{", f"  // by number of the leaf: {', '.join(answers.values())}"]
    for leaf in leaves.values():
        texts = {"": literal(leaf.answer), "cost": repr(leaf.cost), "probabilities": array(leaf.shares)}
        lines.append(f"  {leaf.node}: [{', '.join(texts[ending] for ending in answers)}],")
    lines.append("};")
    models = has_models(leaves)
    lines += _linear(document, name, leaves) if models else []
    for place, (function, words) in enumerate(zip(functions, answers.values(), strict=True)):
        if models and not place:
            continue
        lines += ["", f"// The {words} at the row's leaf.", f"function {function}(row) {{"]
        lines += [f"  return {name}Leaves[{name}Leaf(row)][{place}];", "}"]
    if "cost" not in answers:
        lines += ["", f"// {NO_COST}"]
    return lines, public


def _linear(document: dict[str, Any], name: str, leaves: dict[int, Leaf]) -> list[str]:
    """The models of linear leaves, and the function that answers by them."""
    lines = [
        f"const {name}Linear = {{",
        "  // by number of the leaf: lowest and highest answer; column, coefficient and mean of each term",
    ]
    for leaf in leaves.values():
        if leaf.model is not None:
            names = [document["columns"][j]["name"] for j in leaf.model.columns]
            terms = zip(names, leaf.model.coefficients, leaf.model.means, strict=True)
            written = ", ".join(array(term) for term in terms)
            bounds = f"{leaf.model.lowest!r}, {leaf.model.highest!r}"
            lines.append(f"  {leaf.node}: [{bounds}, [{written}]],")
    lines += [
        *(
            "};",
            "",
            "// The mean at the row's leaf, or what its linear model says.",
            f"function {name}(row) {{",
        ),
        f"  const node = {name}Leaf(row);",
        f"  const mean = {name}Leaves[node][0];",
        f"  const [lowest, highest, terms] = {name}Linear[node] ?? [mean, mean, []];",
        "  let said = mean;",
        "  for (const [column, coefficient, centre] of terms) {",
        f"    const value = {name}Number(row, column);",
        "    if (!Number.isNaN(value)) said += coefficient * (value - centre); // missing adds nothing",
        "  }",
        "  if (Number.isNaN(said)) return mean;",
        "  return said < lowest ? lowest : said > highest ? highest : said;",
        "}",
    ]
    return lines


def _functions(
    document: dict[str, Any], name: str, decisions: Decisions, language: _JavaScript
) -> Iterator[str]:
    """The way to a leaf: one function, or one a section."""
    wording = Wording(document)
    roots = decisions.section_roots
    parameters = ", ".join(language.variable.values())
    yield from ("// Number of the leaf that a row reaches.", f"function {name}Leaf(row) {{")
    yield from reading_lines(name, document["columns"], language.variable)
    if len(roots) == 1:
        yield from decisions.section(0, language, wording, "  ")
        yield "}"
        return
    yield f"  let node = {name}From0({parameters});"
    yield "  while (node < 0) { // the tree is deep: each section names the next"
    yield f"    node = {name}Sections[-node]({parameters});"
    yield from ("  }", "  return node;", "}")
    for root in roots:
        yield from ("", f"function {name}From{root}({parameters}) {{")
        yield from decisions.section(root, language, wording, "  ")
        yield "}"
    yield from ("", f"const {name}Sections = {{")
    yield from (f"  {root}: {name}From{root}," for root in roots)
    yield "};"
