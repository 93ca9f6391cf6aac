"""A soft tree as C99: one source without allocation, files or variables that change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from thriftree.export.c_columns import NEEDS_NAN, CColumns, labels_line
from thriftree.export.c_literals import RESERVED, decimal
from thriftree.export.naming import checked_name
from thriftree.export.soft_form import SoftColumn, SoftForm

# Sums of products that are rounded once instead of twice have other last digits, and a hard gate may turn.
_NO_CONTRACTION = ("#ifdef __clang__", "#pragma STDC FP_CONTRACT OFF", "#endif")

_FLOW = """
/* The probability of reaching each leaf, by what the gates weigh. */
static void {name}_reach(const double *terms, double *out) {{
    double gates[{n_gates}];
    int gate, i;
    gates[0] = 1.0;
    out[0] = 1.0;
    for (gate = 0; gate < {gates}; ++gate) {{
        const double *weights = {name}_weights + {name}_gates[gate].begin;
        const double *weighed = terms + {name}_gates[gate].first;
        double total = {name}_gates[gate].offset, share, reach[2];
        for (i = 0; i < {name}_gates[gate].count; ++i) total += weights[i] * weighed[i];
        share = {share};
        reach[0] = gates[gate] * share;
        reach[1] = gates[gate] * (1.0 - share);
        for (i = 0; i < 2; ++i) {{
            const int child = {name}_gates[gate].child[i];
            if (child >= 0) gates[child] = reach[i];
            else out[-1 - child] = reach[i];
        }}
    }}
}}

/* The probability of reaching each of the {n_leaves} leaves, into out. */
void {name}_leaf_probabilities(const struct {name}_input *in, double *out) {{
    double terms[{n_terms}];
    {name}_terms(in, terms);
    {name}_reach(terms, out);
}}
"""

_CONSTANT = """
/* What the leaves hold, by the probability of reaching them. */
static void {name}_mixed(const struct {name}_input *in, double *out) {{
    double reach[{n_leaves}];
    int leaf, i;
    {name}_leaf_probabilities(in, reach);
    for (i = 0; i < {n_outputs}; ++i) out[i] = 0.0;
    for (leaf = 0; leaf < {n_leaves}; ++leaf)
        for (i = 0; i < {n_outputs}; ++i) out[i] += reach[leaf] * {name}_leaves[leaf][i];
}}
"""

_LINEAR = """
/* What the leaves hold, by the probability of reaching them. It is linear in the terms. */
static void {name}_mixed(const struct {name}_input *in, double *out) {{
    double terms[{n_terms}], reach[{n_leaves}], held[{n_outputs}];
    int leaf, i, t;
    {name}_terms(in, terms);
    {name}_reach(terms, reach);
    for (i = 0; i < {n_outputs}; ++i) out[i] = 0.0;
    for (leaf = 0; leaf < {n_leaves}; ++leaf) {{
        for (i = 0; i < {n_outputs}; ++i) {{
            held[i] = {name}_leaves[leaf][i];
            for (t = 0; t < {n_terms}; ++t) held[i] += {name}_leaf_weights[leaf][i][t] * terms[t];
        }}
{softmax}        for (i = 0; i < {n_outputs}; ++i) out[i] += reach[leaf] * held[i];
    }}
}}
"""

_SOFTMAX = """\
        {{
            double top = held[0], whole = 0.0;
            for (i = 1; i < {n_outputs}; ++i)
                if (held[i] > top) top = held[i];
            for (i = 0; i < {n_outputs}; ++i) whole += held[i] = exp(held[i] - top);
            for (i = 0; i < {n_outputs}; ++i) held[i] /= whole;
        }}
"""

_CLASSES = """
/* The probability of each of the {n_outputs} classes, in the order of {name}_labels, into out. */
void {name}_probabilities(const struct {name}_input *in, double *out) {{
    {name}_mixed(in, out);
}}

/* The number of the most probable class, of equals the first. */
int {name}(const struct {name}_input *in) {{
    double shares[{n_outputs}];
    int best = 0, i;
    {name}_probabilities(in, shares);
    for (i = 1; i < {n_outputs}; ++i)
        if (shares[i] > shares[best]) best = i;
    return best;
}}
"""

_NUMBER = """
/* The expected number. */
double {name}(const struct {name}_input *in) {{
    double mixed[1];
    {name}_mixed(in, mixed);
    return {centre!r} + {deviation!r} * mixed[0];
}}
"""


def soft_c_of(document: dict[str, Any], *, name: str = "predict") -> str:
    """One C99 source that answers as the soft tree does. It needs <math.h> (exp, isnan) and <string.h>
    (strcmp) only.

    `struct predict_input` has a field for each column that is weighed; a comment has the column's own name.
    Numbers are doubles, dates count in days and datetimes, times and durations in microseconds, as the
    comment says; and NaN is missing (so compilers must not be told that there is no NaN, as -ffast-math
    does). Numbers must not be infinite. Categories are codes: an enumerator for each, beside
    `PREDICT_MISSING` and `PREDICT_OTHER` (not seen in training); `predict_<field>_from_text` and
    `_from_number` find the code of a value.

    `predict` returns the number of the most probable class, a position in `predict_labels`; or the expected
    number. Beside it are `predict_leaf_probabilities`, and for classes `predict_probabilities`, which write
    into an array of yours.

    Parameters
    ----------
    name : of the function, and the beginning of the other names.
    """
    checked_name(name, {*RESERVED, "exp"}, "C")
    form = SoftForm(document)
    columns = CColumns(name, document["columns"], form.positions)
    # An array of C has one element at least.
    facts = {
        "name": name,
        "n_terms": max(form.n_terms, 1),
        "gates": len(form.gates),
        "n_gates": max(len(form.gates), 1),
        "n_leaves": len(form.leaves),
        "n_outputs": form.n_outputs,
        "share": "total >= 0.0 ? 1.0 : 0.0"
        if form.is_hard
        else f"1.0 / (1.0 + exp(-({decimal(form.sharpness)} * total)))",
    }
    lines = [
        f"/* {form.summary}. Written by thriftree. C99, no allocation. */",
        "",
        "#include <math.h>",
        "#include <stddef.h>",
        "#include <string.h>",
        "",
        *NEEDS_NAN,
        *_NO_CONTRACTION,
        "",
        *columns.struct("the tree weighs nothing"),
        *columns.categories(),
        *_tables(name, form),
        *_terms(name, form, columns),
        _FLOW.format(**facts),
        _LINEAR.format(**facts, softmax=_SOFTMAX.format(**facts) if form.classes else "")
        if form.is_linear
        else _CONSTANT.format(**facts),
        _CLASSES.format(**facts)
        if form.classes
        else _NUMBER.format(name=name, centre=form.centre, deviation=form.deviation),
    ]
    return "\n".join(lines)


def _tables(name: str, form: SoftForm) -> Iterator[str]:
    """Classes, weights, gates and leaves."""
    if form.classes is not None:
        yield from (labels_line(name, form.classes), "")
    weights = [gate.weights for gate in form.gates] or [(0.0,)]
    yield f"static const double {name}_weights[] = {{"
    yield from (f"    {_listed(of_gate)}," for of_gate in weights if of_gate)
    yield from (*(["    0.0,"] if not any(weights) else []), "};", "")
    yield "/* A child is a gate or, of leaf l, -1 - l. A gate weighs `count` terms from `first` on. */"
    members = "int child[2]; int first; int count; int begin; double offset;"
    yield f"static const struct {{ {members} }} {name}_gates[{max(len(form.gates), 1)}] = {{"
    begin = 0
    for gate in form.gates:
        n = len(gate.weights)
        yield f"    {{{{{gate.left}, {gate.right}}}, {gate.first}, {n}, {begin}, {decimal(gate.offset)}}},"
        begin += n
    yield from (*(["    {{-1, -1}, 0, 0, 0, 0.0},"] if not form.gates else []), "};", "")
    yield f"/* Of each leaf: {form.holds}. */"
    yield f"static const double {name}_leaves[{len(form.leaves)}][{form.n_outputs}] = {{"
    yield from (f"    {{{_listed(leaf)}}}," for leaf in form.leaves)
    yield from ("};", "")
    if form.is_linear:
        sizes = f"[{len(form.leaves)}][{form.n_outputs}][{max(form.n_terms, 1)}]"
        yield f"static const double {name}_leaf_weights{sizes} = {{"
        for leaf in form.leaf_weights:
            yield f"    {{{', '.join(f'{{{_listed(of_output)}}}' for of_output in leaf)}}},"
        yield from ("};", "")


def _listed(numbers: Sequence[float]) -> str:
    return ", ".join(map(decimal, numbers))


def _terms(name: str, form: SoftForm, columns: CColumns) -> Iterator[str]:
    """The function from a row to what gates weigh."""
    yield from (
        "/* What the gates weigh. */",
        f"static void {name}_terms(const struct {name}_input *in, double *out) {{",
    )
    if not form.columns:
        yield from ("    (void)in;", "    (void)out;")
    for column in form.columns:
        for place, term in enumerate(_of_column(column, columns), column.begin):
            yield f"    out[{place}] = {term};"
    yield "}"


def _of_column(column: SoftColumn, columns: CColumns) -> Iterator[str]:
    x = f"in->{columns.fields[column.position]}"
    if column.is_category:
        for code in range(column.n_known):
            yield f"{x} == {columns.enumerators[column.position, code]} ? 1.0 : 0.0"
        missing = f"{x} == {columns.missing}"
    else:
        # An ordered category that was not seen is missing, too: both codes are negative.
        missing = f"isnan({x})" if column.is_number else f"{x} < 0"
        yield f"{missing} ? 0.0 : ({x} - {decimal(column.centre)}) * {decimal(column.scale)}"
    if column.has_missing:
        yield f"{missing} ? 1.0 : 0.0"
