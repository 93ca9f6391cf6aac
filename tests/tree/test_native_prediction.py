"""The native walk agrees with the obvious walker on every kind of input, boundary values included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from thoroughness import tries
from tree_documents import column_inputs, cuts_of, documents, path

from thriftree.tree import Tree

QUICK = settings(max_examples=tries(60, 25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
N_ROWS = 300  # enough for the compiled plan, and no multiple of the rows that it walks together


def expected_leaves(document: dict[str, Any], inputs: list[np.ndarray]) -> list[int]:
    return [path(document, inputs, row)[-1] for row in range(len(inputs[0]))]


def laid_out(matrix: np.ndarray) -> dict[str, np.ndarray]:
    n, m = matrix.shape
    wide = np.full((2 * n, 3 * m), 7.0, matrix.dtype)
    wide[::2, ::3] = matrix
    rows_apart = np.full((n, m + 3), 7.0, matrix.dtype)
    rows_apart[:, 1 : m + 1] = matrix
    raw = np.frombuffer(b"\0" + matrix.tobytes(), dtype=np.uint8)[1:]
    return {
        "rows": matrix,
        "columns": np.asfortranarray(matrix),
        "strided": wide[::2, ::3],
        "padded rows": rows_apart[:, 1 : m + 1],
        "reversed": matrix[::-1, ::-1].copy()[::-1, ::-1],
        "misaligned": np.ndarray((n, m), matrix.dtype, raw.data),
    }


@QUICK
@given(documents(), st.integers(0, 2**32))
def test_mixed_columns_reach_the_leaves_of_the_obvious_walker(document: dict[str, Any], seed: int) -> None:
    core = Tree.from_dict(document).core
    inputs = column_inputs(N_ROWS, np.random.default_rng(seed), cuts_of(document))
    leaves = expected_leaves(document, inputs)
    assert core.apply(inputs).tolist() == leaves
    assert core.apply([column[:9] for column in inputs]).tolist() == leaves[:9]
    assert core.apply([np.repeat(column, 2)[::2] for column in inputs]).tolist() == leaves
    nodes = document["nodes"]
    if document["classes"] is None:
        assert core.predict(inputs).tolist() == [nodes[leaf]["value"][0] for leaf in leaves]
    else:
        assert core.predict(inputs).tolist() == [nodes[leaf]["label"] for leaf in leaves]


@QUICK
@given(documents(columns=(0, 1)), st.integers(0, 2**32), st.sampled_from([np.float32, np.float64]))
def test_matrices_of_any_layout_reach_the_same_leaves(
    document: dict[str, Any], seed: int, dtype: type
) -> None:
    core = Tree.from_dict(document).core
    numbers = column_inputs(N_ROWS, np.random.default_rng(seed), cuts_of(document))[:2]
    with np.errstate(over="ignore"):
        matrix = np.column_stack([*numbers, *numbers]).astype(dtype)
    as_double = [matrix[:, c].astype(np.float64) for c in range(4)]
    leaves = expected_leaves(document, as_double)
    for name, layout in laid_out(matrix).items():
        np.testing.assert_array_equal(layout, matrix, err_msg=name)
        layout.flags.writeable = False
        assert core.apply(layout).tolist() == leaves, name
        assert core.apply([layout[:, c] for c in range(4)]).tolist() == leaves, name


@QUICK
@given(documents(), st.integers(0, 2**32))
def test_decision_path_lists_the_walkers_path(document: dict[str, Any], seed: int) -> None:
    core = Tree.from_dict(document).core
    inputs = column_inputs(80, np.random.default_rng(seed), cuts_of(document))
    indptr, indices = core.decision_path(inputs)
    for row in range(80):
        assert indices[indptr[row] : indptr[row + 1]].tolist() == path(document, inputs, row)


@settings(max_examples=10, deadline=None)
@given(documents(), st.integers(0, 2**32))
def test_the_answer_does_not_depend_on_the_number_of_threads(document: dict[str, Any], seed: int) -> None:
    core = Tree.from_dict(document).core
    inputs = column_inputs(40_000, np.random.default_rng(seed), cuts_of(document))
    np.testing.assert_array_equal(core.apply(inputs, 1), core.apply(inputs, 4))
    for one, four in zip(core.decision_path(inputs, 1), core.decision_path(inputs, 4), strict=True):
        np.testing.assert_array_equal(one, four)


def test_no_rows_give_no_answers(spec_tree: Tree) -> None:
    inputs = [np.empty(0), np.empty(0, np.int32), np.empty(0, np.int32)]
    assert spec_tree.core.apply(inputs).shape == (0,)
    indptr, indices = spec_tree.core.decision_path(inputs)
    assert indptr.tolist() == [0]
    assert indices.shape == (0,)


@pytest.mark.parametrize(
    ("inputs", "complaint"),
    [
        (np.zeros((4, 2)), "3 columns, the input 2"),
        (np.zeros(4), "two-dimensional"),
        (np.zeros((4, 3), dtype=int), "float32 or float64"),
        (np.zeros((4, 3), dtype=">f8"), "float32 or float64"),
        (np.zeros((4, 3), dtype=object), "float32 or float64"),
        ("text", "numpy array"),
        ([], "no columns"),
        ([np.zeros(4), np.zeros(4), np.zeros(5)], "column 2 of the input has 5 rows"),
        ([np.zeros(4), np.zeros((4, 1)), np.zeros(4)], "column 1 of the input must be one-dimensional"),
        ([np.zeros(4), np.zeros(4, np.int64), np.zeros(4)], "column 1 of the input must be of dtype"),
        ([np.zeros(4), [1, 2, 3, 4], np.zeros(4)], "column 1 of the input must be a numpy array"),
    ],
)
def test_a_bad_input_is_a_clear_error(spec_tree: Tree, inputs: Any, complaint: str) -> None:
    for method in (spec_tree.core.apply, spec_tree.core.predict, spec_tree.core.decision_path):
        with pytest.raises(ValueError, match=complaint):
            method(inputs)
