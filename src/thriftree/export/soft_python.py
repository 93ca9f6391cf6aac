"""A soft tree as Python source that needs no package."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from thriftree.export.naming import checked_name, identifiers
from thriftree.export.python_reading import RESERVED, Reading
from thriftree.export.soft_form import SoftColumn, SoftForm

_FLOW = '''
def {name}_leaf_probabilities(row):
    """The probability of reaching each leaf."""
    return _{name}_reach(_{name}_terms(row))


def _{name}_reach(terms):
    """The probability of reaching each leaf, by what the gates weigh."""
    gates, leaves = [1.0] * len(_{name}_gates), [1.0] * {n_leaves}
    for gate, (left, right, first, weights, offset) in enumerate(_{name}_gates):
        total = offset
        for place, weight in enumerate(weights, first):
            total += weight * terms[place]
        share = {share}
        for child, reach in ((left, gates[gate] * share), (right, gates[gate] * (1.0 - share))):
            if child >= 0:
                gates[child] = reach
            else:
                leaves[-1 - child] = reach
    return leaves
'''

_CLASSES = '''
def {name}(row):
    """The most probable class, of equals the first."""
    shares = {name}_probabilities(row)
    return {name}_classes[shares.index(max(shares))]


def {name}_probabilities(row):
    """The probability of each class, in the order of {name}_classes."""
    return _{name}_mixed(row)
'''

_NUMBER = '''
def {name}(row):
    """The expected number."""
    return {centre!r} + {deviation!r} * _{name}_mixed(row)[0]
'''

_CONSTANT = '''
def _{name}_mixed(row):
    """What the leaves hold, by the probability of reaching them."""
    mixed = [0.0] * {n_outputs}
    for reach, leaf in zip({name}_leaf_probabilities(row), _{name}_leaves):
        for place, value in enumerate(leaf):
            mixed[place] += reach * value
    return mixed
'''

_LINEAR = '''
def _{name}_mixed(row):
    """What the leaves hold, by the probability of reaching them. It is linear in the terms."""
    terms = _{name}_terms(row)
    mixed = [0.0] * {n_outputs}
    for reach, leaf in zip(_{name}_reach(terms), _{name}_leaves):
        held = []
        for total, weights in leaf:
            for weight, term in zip(weights, terms):
                total += weight * term
            held.append(total)
{softmax}        for place, value in enumerate(held):
            mixed[place] += reach * value
    return mixed
'''

_SOFTMAX = """\
        top = max(held)
        powers = [math.exp(max(value - top, -708.0)) for value in held]
        held = [power / sum(powers) for power in powers]
"""


def soft_python_of(document: dict[str, Any], *, name: str = "predict") -> str:
    """A Python module that answers as the soft tree does, with nothing to install.

    `predict(row)` takes a dict of values by column name and returns the most probable class, or the expected
    number. None, NaN and an absent column are missing; a category that training did not see has no weight.
    Dates, datetimes, times and durations are Python's or pandas', and but for durations texts in ISO 8601
    too. Beside it are `predict_leaf_probabilities`, and for classes `predict_probabilities`, in the order of
    `predict_classes`.

    Parameters
    ----------
    name : of the function, and the beginning of the other names.
    """
    checked_name(name, RESERVED, "Python")
    form = SoftForm(document)
    names = identifiers([column.column["name"] for column in form.columns], {*RESERVED, "terms"})
    variable = dict(zip(form.positions, names, strict=True))
    reading = Reading(name, document["columns"], variable)
    facts = {"name": name, "n_leaves": len(form.leaves), "n_outputs": form.n_outputs}
    share = "1.0 if total >= 0.0 else 0.0"
    if not form.is_hard:
        share = f"1.0 / (1.0 + math.exp(min(max(-({form.sharpness!r} * total), -708.0), 709.0)))"
    answers = (
        _CLASSES.format(**facts)
        if form.classes
        else _NUMBER.format(**facts, centre=form.centre, deviation=form.deviation)
    )
    return "\n".join(
        [
            f'"""{form.summary}. Written by thriftree; needs nothing but Python 3.',
            "",
            f"{name}(row) takes a dict of values by column name; None, NaN and absent are missing.",
            '"""',
            "",
            *reading.imports,
            "",
            *_tables(form, name),
            answers,
            _LINEAR.format(**facts, softmax=_SOFTMAX if form.classes else "")
            if form.is_linear
            else _CONSTANT.format(**facts),
            _FLOW.format(**facts, share=share),
            "",
            *_terms(form, name, reading, variable),
            "",
            reading.functions,
        ]
    )


def _tables(form: SoftForm, name: str) -> Iterator[str]:
    if form.classes is not None:
        yield f"{name}_classes = {tuple(form.classes)!r}"
    yield f"_{name}_gates = (  # left and right (of leaf l: -1 - l), first term, weights, offset"
    for gate in form.gates:
        yield f"    {(gate.left, gate.right, gate.first, gate.weights, gate.offset)!r},"
    yield ")"
    yield f"_{name}_leaves = (  # {form.holds}"
    if form.is_linear:
        linear = zip(form.leaves, form.leaf_weights, strict=True)
        yield from (f"    {tuple(zip(*leaf, strict=True))!r}," for leaf in linear)
    else:
        yield from (f"    {leaf!r}," for leaf in form.leaves)
    yield from (")", "")


def _terms(form: SoftForm, name: str, reading: Reading, variable: Mapping[int, str]) -> Iterator[str]:
    """The function from a row to what gates weigh."""
    yield from (f"def _{name}_terms(row):", '    """What the gates weigh."""')
    yield from reading.lines()
    for column in form.columns:
        x = variable[column.position]
        if column.is_number:
            yield f"    if math.isinf({x}):"
            yield f"        raise ValueError({'column ' + repr(column.column['name']) + ' holds infinity'!r})"
        elif not column.is_category:
            places = {label: float(code) for code, label in column.codes.items()}
            yield f"    {x} = {places!r}.get({x}, math.nan)"
    yield "    return ["
    for column in form.columns:
        yield from (f"        {term}," for term in _of_column(column, variable[column.position]))
    yield from ("    ]", "")


def _of_column(column: SoftColumn, x: str) -> Iterator[str]:
    if column.is_category:
        for code in range(column.n_known):
            yield f"1.0 if {x} == {column.codes[code]!r} else 0.0" if code in column.codes else "0.0"
        missing = f"{x} is None"
    else:
        missing = f"math.isnan({x})"
        yield f"0.0 if {missing} else ({x} - {column.centre!r}) * {column.scale!r}"
    if column.has_missing:
        yield f"1.0 if {missing} else 0.0"
