"""The core reproduces paper 001's figures, and F of it is the exact one."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.set_functions import SetFunction, hinged_pairs, pairs, polynomial, powers
from paper_tables import FIGURE_1, FIGURE_1_TESTS, REFERENCE, SYNTHETIC_FUNCTIONS, synthetic_rows

from thriftree import _core

SYNTHETIC: dict[str, tuple[Any, float]] = {  # with δ
    "Pairs": (_core.Pairs(), 0),
    **{f"Powers_l{l}": (_core.Powers(l), 0) for l in (3, 4, 5)},  # noqa: E741
    "Pairs_delta255_earlystop": (_core.Pairs(), 255),
    "hinged_alpha1": (_core.HingedPairs(1), 0),
    "hinged_alpha_255/256": (_core.HingedPairs(255 / 256), 0),
    "hinged_alpha_254/256": (_core.HingedPairs(254 / 256), 0),
    "hinged_alpha_0.5": (_core.HingedPairs(0.5), 0),
}


def grow(codes: Any, labels: Any, n_classes: int, **parameters: Any) -> _core.Tree:
    matrix = np.asarray(codes, dtype=np.int32)
    columns = [np.ascontiguousarray(column) for column in matrix.T]
    table = _core.encode_columns(columns, [int(column.max()) + 1 for column in columns])
    target = _core.Target.classes(np.asarray(labels, dtype=np.int32), n_classes)
    candidates = [_core.MULTIWAY] * len(columns)
    options = _core.GrowOptions(score="worst_case", objects=True, candidates=candidates, **parameters)
    return _core.grow(table, target, options).tree


def errors(tree: _core.Tree, depth: int) -> int:
    """Rows that are not of the most frequent class of the node they end in, if the tree is cut there."""
    ends = (tree.depths == depth) | ((tree.column < 0) & (tree.depths < depth))
    return int((tree.value[ends].sum(axis=1) - tree.value[ends].max(axis=1)).sum())


@pytest.mark.parametrize("name", SYNTHETIC_FUNCTIONS)
def test_the_tree_of_the_1024_objects_has_the_paper_s_figures(name: str) -> None:
    expected, (function, tolerance) = REFERENCE["synthetic1024"][name], SYNTHETIC[name]
    tree = grow(*synthetic_rows(), 4, set_function=function, tolerance=tolerance)
    leaves = tree.column < 0
    assert tree.depths.max() == expected["max_cost"]
    assert leaves.sum() == expected["leaves"]
    mean_depth = Fraction(int((tree.depths[leaves] * tree.rows[leaves]).sum()), 1024)
    assert mean_depth == Fraction(expected["expected_cost_uniform"])
    assert [errors(tree, depth) for depth in range(11)] == expected["errors_by_cut_depth"]
    assert tree.column[0] + 1 == expected["root_test"]
    second = tree.children[tree.child_begin[0] : tree.child_begin[1]]
    assert (tree.column[second] + 1).tolist() == expected["second_level_tests"]
    # With equal prices a test's score is ln(F(S) / max F(S_v)), and R = 1 / (F(S) - max F(S_v)).
    whole = _core.set_values(function, tree.value[:1])[0]
    twice = 2 if name.startswith("hinged") else 1  # the reference sums Eq. (10) over i != j there
    ratio = 1 / (whole * -math.expm1(-tree.score[0]))
    assert ratio == pytest.approx(float(twice * Fraction(expected["root_R"])), rel=1e-12)


def figure_1_rows() -> tuple[list[list[int]], list[int]]:
    """Sixty objects; a third test would tell all apart, at a high price."""
    t1 = [0] * 30 + [0] * 10 + [1] * 20
    t2 = [i % 2 for i in range(60)]
    labels = [0] * 30 + [1] * 30
    return [[a, b, i] for i, (a, b) in enumerate(zip(t1, t2, strict=True))], labels


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (_core.Pairs(), "Pairs"),
        *((_core.Powers(l), f"Powers_l{l}") for l in (2, 3, 4, 5)),  # noqa: E741
        *((_core.HingedPairs(a), f"hinged_eq10_i<j_alpha{a:g}") for a in (7.0, 7.5, 8.0, 10.0)),
        (_core.HingedPairs(8, offset=False), "hinged_without_minus_alpha2_alpha8 (paper appendix)"),
    ],
)
def test_the_core_takes_the_test_that_figure_1_computes(function: Any, name: str) -> None:
    expected = REFERENCE["figure1"][name]
    sets = [FIGURE_1, *FIGURE_1_TESTS["t1"], *FIGURE_1_TESTS["t2"]]
    values = [expected["F(G)"], *expected["F(t1 outcomes)"], *expected["F(t2 outcomes)"]]
    found = _core.set_values(function, np.array(sets, dtype=float))
    assert found.tolist() == [float(Fraction(value)) for value in values]
    tree = grow(*figure_1_rows(), 2, set_function=function, prices=[1.0, 1.0, 1e6], cost_benefit=True)
    assert ["t1", "t2"][tree.column[0]] == {"tie": "t1"}.get(expected["argmin"], expected["argmin"])


PAIRS_OF_FUNCTIONS: dict[str, tuple[Any, SetFunction]] = {
    "pairs": (_core.Pairs(), pairs),
    **{f"powers {l}": (_core.Powers(l), powers(l)) for l in (2, 3, 7, 31, 33, 60)},  # noqa: E741
    **{f"hinged {a}": (_core.HingedPairs(a), hinged_pairs(Fraction(a))) for a in (0.0, 0.5, 3.25)},
    "hinged without offset": (_core.HingedPairs(2.5, False), hinged_pairs("5/2", offset=False)),
    "polynomial": (
        _core.Polynomial([0.5, 3.0], [[2, 1, 0], [1, 1, 4]]),
        polynomial([("1/2", (2, 1, 0)), (3, (1, 1, 4))]),
    ),
}


@pytest.mark.parametrize("name", PAIRS_OF_FUNCTIONS)
@given(counts=st.lists(st.integers(0, 10_000), min_size=3, max_size=3))
def test_f_of_the_core_is_the_exact_one(name: str, counts: list[int]) -> None:
    core, exact = PAIRS_OF_FUNCTIONS[name]
    found = _core.set_values(core, np.array([counts], dtype=float))[0]
    expected = exact(counts)
    assert (found == 0) == (expected == 0)
    assert found == pytest.approx(float(expected), rel=1e-9)


@given(counts=st.lists(st.integers(0, 10**6), min_size=1, max_size=5))
def test_the_core_s_functions_are_each_other_s_special_cases(counts: list[int]) -> None:
    row = np.array([counts], dtype=float)
    twice_the_pairs = 2 * _core.set_values(_core.Pairs(), row)
    assert _core.set_values(_core.Powers(2), row) == twice_the_pairs
    for offset in (True, False):
        assert 2 * _core.set_values(_core.HingedPairs(0, offset), row) == twice_the_pairs
