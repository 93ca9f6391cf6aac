"""A soft tree as JavaScript, for browsers and Node."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from thriftree.export.javascript_literals import (
    ENDINGS,
    READING,
    RESERVED,
    array,
    category_literal,
    checked_form,
    counting_lines,
    literal,
    reading_lines,
)
from thriftree.export.naming import checked_name, identifiers
from thriftree.export.soft_form import SoftColumn, SoftForm

_FLOW = """
// The probability of reaching each leaf.
function {name}LeafProbabilities(row) {{
  return {name}Reach({name}Terms(row));
}}

// The same by what the gates weigh.
function {name}Reach(terms) {{
  const gates = new Array({name}Gates.length).fill(1);
  const leaves = new Array({name}Leaves.length).fill(1);
  {name}Gates.forEach(([left, right, first, weights, offset], gate) => {{
    let total = offset;
    for (let i = 0; i < weights.length; ++i) total += weights[i] * terms[first + i];
    const share = {share};
    for (const [child, reach] of [[left, gates[gate] * share], [right, gates[gate] * (1 - share)]]) {{
      if (child >= 0) gates[child] = reach;
      else leaves[-1 - child] = reach;
    }}
  }});
  return leaves;
}}

// A number that gates can weigh.
function {name}Finite(value, column) {{
  if (value === Infinity || value === -Infinity) throw new RangeError(`column ${{column}} holds infinity`);
  return value;
}}
"""

_CONSTANT = """
// What the leaves hold, by the probability of reaching them.
function {name}Mixed(row) {{
  const mixed = new Array({n_outputs}).fill(0);
  {name}LeafProbabilities(row).forEach((reach, leaf) => {{
    {name}Leaves[leaf].forEach((value, i) => {{ mixed[i] += reach * value; }});
  }});
  return mixed;
}}
"""

_LINEAR = """
// What the leaves hold, by the probability of reaching them. It is linear in the terms.
function {name}Mixed(row) {{
  const terms = {name}Terms(row);
  const mixed = new Array({n_outputs}).fill(0);
  {name}Reach(terms).forEach((reach, leaf) => {{
    let held = {name}Leaves[leaf].map(([offset, weights]) => {{
      let total = offset;
      for (let i = 0; i < weights.length; ++i) total += weights[i] * terms[i];
      return total;
    }});
{softmax}    held.forEach((value, i) => {{ mixed[i] += reach * value; }});
  }});
  return mixed;
}}
"""

_SOFTMAX = """\
    const top = Math.max(...held);
    const powers = held.map((value) => Math.exp(value - top));
    const whole = powers.reduce((sum, power) => sum + power, 0);
    held = powers.map((power) => power / whole);
"""

_CLASSES = """
// The most probable class, of equals the first.
function {name}(row) {{
  const shares = {name}Probabilities(row);
  return {name}Classes[shares.indexOf(Math.max(...shares))];
}}

// The probability of each class, in the order of {name}Classes.
function {name}Probabilities(row) {{
  return {name}Mixed(row);
}}
"""

_NUMBER = """
// The expected number.
function {name}(row) {{
  return {centre!r} + {deviation!r} * {name}Mixed(row)[0];
}}
"""


def soft_javascript_of(document: dict[str, Any], *, name: str = "predict", form: str = "module") -> str:
    """JavaScript (ES2022) that answers as the soft tree does, for browsers and Node, without packages or
    eval.

    `predict(row)` takes an object with a property for each column and returns the most probable class, or the
    expected number. null, undefined, NaN and an absent property are missing. Beside it are
    `predictLeafProbabilities`, and for classes `predictProbabilities`, in the order of `predictClasses`.
    Integers beyond 2^53 are BigInts. A date is the number of days since 1970-01-01; a datetime, time or
    duration is in microseconds, as a comment at the beginning says.

    Parameters
    ----------
    name : of the function, and the beginning of the other names.
    form : "module" exports the names, "commonjs" is for `require`, "script" only declares them.
    """
    checked_name(name, {*RESERVED, "Math", "RangeError"}, "JavaScript")
    checked_form(form)
    soft = SoftForm(document)
    names = identifiers([column.column["name"] for column in soft.columns], RESERVED)
    variable = dict(zip(soft.positions, names, strict=True))
    share = "total >= 0 ? 1 : 0" if soft.is_hard else f"1 / (1 + Math.exp(-({soft.sharpness!r} * total)))"
    public = [name, f"{name}LeafProbabilities"]
    public += [f"{name}Probabilities", f"{name}Classes"] if soft.classes else []
    ending = ENDINGS[form].format(names=", ".join(public))
    lines = [
        f"// {soft.summary}. Written by thriftree.",
        f"// {name}(row) takes an object of values by column name; null, undefined and NaN are missing.",
        *counting_lines(document["columns"], soft.positions),
        "",
        *_tables(soft, name),
        _CLASSES.format(name=name)
        if soft.classes
        else _NUMBER.format(name=name, centre=soft.centre, deviation=soft.deviation),
        _FLOW.format(name=name, share=share),
        _LINEAR.format(name=name, n_outputs=soft.n_outputs, softmax=_SOFTMAX if soft.classes else "")
        if soft.is_linear
        else _CONSTANT.format(name=name, n_outputs=soft.n_outputs),
        *_terms(soft, name, document, variable),
        READING.format(name=name),
        *([ending, ""] if ending else []),
    ]
    return "\n".join(lines)


def _tables(soft: SoftForm, name: str) -> Iterator[str]:
    if soft.classes is not None:
        yield f"const {name}Classes = {array(soft.classes)};"
    yield f"const {name}Gates = [ // left and right (of leaf l: -1 - l), first term, weights, offset"
    for gate in soft.gates:
        yield f"  [{gate.left}, {gate.right}, {gate.first}, {array(gate.weights)}, {gate.offset!r}],"
    yield "];"
    yield f"const {name}Leaves = [ // {soft.holds}"
    if soft.is_linear:
        for offsets, weights in zip(soft.leaves, soft.leaf_weights, strict=True):
            outputs = [f"[{b!r}, {array(w)}]" for b, w in zip(offsets, weights, strict=True)]
            yield f"  [{', '.join(outputs)}],"
    else:
        yield from (f"  {array(leaf)}," for leaf in soft.leaves)
    yield "];"


def _terms(soft: SoftForm, name: str, document: dict[str, Any], variable: Mapping[int, str]) -> Iterator[str]:
    """The function from a row to what gates weigh."""
    yield from ("// What the gates weigh.", f"function {name}Terms(row) {{")
    yield from reading_lines(name, document["columns"], variable)
    yield "  return ["
    for column in soft.columns:
        yield from (f"    {term}," for term in _of_column(column, variable[column.position], name))
    yield from ("  ];", "}")


def _of_column(column: SoftColumn, x: str, name: str) -> Iterator[str]:
    if column.is_category:
        for code in range(column.n_known):
            met = code in column.codes
            yield f"{x} === {category_literal(column.codes[code])} ? 1 : 0" if met else "0"
        missing = f"{x} === null"
    elif column.is_number:
        missing = f"Number.isNaN({x})"
        known = f"{name}Finite({x}, {literal(column.column['name'])})"
        yield f"{missing} ? 0 : ({known} - {column.centre!r}) * {column.scale!r}"
    else:
        labels = ", ".join(category_literal(label) for label in column.codes.values())
        place = f"[{', '.join(map(str, column.codes))}][[{labels}].indexOf({x})]"
        missing = f"{place} === undefined"
        yield f"{missing} ? 0 : ({place} - {column.centre!r}) * {column.scale!r}"
    if column.has_missing:
        yield f"{missing} ? 1 : 0"
