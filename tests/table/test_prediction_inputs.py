"""New rows in the terms of the training table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from thriftree.columns import ColumnSchema
from thriftree.table.coding import encode
from thriftree.table.prediction_inputs import prediction_inputs
from thriftree.table.target_order import class_indicator

NUMBERS = (ColumnSchema("x0", "number"), ColumnSchema("x1", "number"))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_float_array_is_passed_on_without_a_copy(dtype: Any) -> None:
    X = np.zeros((5, 4), dtype)[::-1, ::2]
    inputs = prediction_inputs(X, NUMBERS)
    assert isinstance(inputs, np.ndarray)
    assert np.shares_memory(inputs, X)
    assert inputs.strides == X.strides


def test_integers_become_floats() -> None:
    inputs = prediction_inputs(np.array([[1, 2]]), NUMBERS)
    assert isinstance(inputs, np.ndarray)
    assert inputs.dtype == np.float64


SCHEMA = (
    ColumnSchema("n", "number"),
    ColumnSchema("c", "category", ("a", "b")),
    ColumnSchema("o", "ordered", ("low", "mid", "high")),
    ColumnSchema("t", "category", (False, True)),
)
ROWS: dict[str, list[Any]] = {
    "n": [1.5, None, 2.0, 3.0],
    "c": ["b", "new", None, "a"],
    "o": ["high", "low", "new", None],
    "t": [True, None, False, True],
}


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS).astype(
            {"c": "category", "o": pd.CategoricalDtype(["new", "high", "low"], ordered=True)}
        ),
        pl.DataFrame(ROWS),
        pl.DataFrame(
            ROWS, schema_overrides={"o": pl.Enum(["new", "high", "mid", "low"]), "c": pl.Categorical}
        ),
        pa.table(ROWS),
    ],
    ids=["pandas", "pandas categories", "polars", "polars enum", "pyarrow"],
)
def test_categories_are_matched_by_value_in_every_library(frame: Any) -> None:
    n, c, o, t = prediction_inputs(frame, SCHEMA)
    np.testing.assert_array_equal(n, [1.5, np.nan, 2.0, 3.0])
    assert [c.tolist(), o.tolist(), t.tolist()] == [[1, -2, -1, 0], [2, 0, -2, -1], [1, -1, 0, 1]]
    assert {column.dtype for column in (c, o, t)} == {np.dtype(np.int32)}


def test_integers_floats_and_booleans_match_by_value() -> None:
    columns = (ColumnSchema("a", "category", (1, 2, 2.5)), ColumnSchema("b", "category", (False, True)))
    for X in (
        np.array([[2.0, 1.0], [2.5, 0.0], [7.0, np.nan]]),
        pd.DataFrame({"a": pd.Categorical([2, 2.5, 7]), "b": [1, 0, None]}),
    ):
        a, b = prediction_inputs(X, columns)
        assert [a.tolist(), b.tolist()] == [[1, 2, -2], [1, 0, -1]]


def test_numbers_are_never_equal_to_strings() -> None:
    with pytest.warns(UserWarning, match="column 'a' holds float values such as 1.0"):
        (codes,) = prediction_inputs(np.array([[1.0], [np.nan]]), (ColumnSchema("a", "category", ("1",)),))
    assert codes.tolist() == [-2, -1]


def test_training_rows_get_their_training_codes() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"s": rng.choice(list("zyxw"), 50), "i": rng.integers(0, 9, 50), "f": rng.random(50)}
    )
    table = encode(frame, categorical_features=["i"])
    s, i, f = prediction_inputs(frame, table.columns)
    np.testing.assert_array_equal(s, table.core.codes(0))
    np.testing.assert_array_equal(i, table.core.codes(1))
    np.testing.assert_array_equal(f, frame["f"])


def test_a_frame_with_other_columns_is_refused() -> None:
    columns = (ColumnSchema("a", "number"), ColumnSchema("b", "number"))
    with pytest.raises(ValueError, match="X has 1 features, but CART is expecting 2 features as input"):
        prediction_inputs(pd.DataFrame({"a": [1]}), columns, expected_by="CART")
    with pytest.raises(ValueError, match=r"does not know: \['c'\]; and lacks: \['b'\]"):
        prediction_inputs(pd.DataFrame({"a": [1], "c": [1]}), columns)
    with pytest.raises(ValueError, match=r"order of the training data: \['a', 'b'\]"):
        prediction_inputs(pd.DataFrame({"b": [1], "a": [1]}), columns)
    assert len(prediction_inputs(pd.DataFrame({"p": [1.0], "q": [1.0]}), NUMBERS)) == 2


def test_strings_in_a_number_column_are_refused() -> None:
    with pytest.raises(ValueError, match="'a' was a number in training; now it holds 'red'"):
        prediction_inputs(pd.DataFrame({"a": ["red"]}), (ColumnSchema("a", "number"),))
    (truth,) = prediction_inputs(pd.DataFrame({"a": [True, False]}), (ColumnSchema("a", "number"),))
    assert truth.tolist() == [1.0, 0.0]


def test_the_indicator_marks_the_second_of_two_classes_and_the_heaviest_of_more() -> None:
    assert class_indicator(np.array([0, 1, 0]), 2).tolist() == [0, 1, 0]
    assert class_indicator(np.array([0, 2, 2, 1]), 3).tolist() == [0, 1, 1, 0]
    assert class_indicator(np.array([0, 2, 2, 1]), 3, [9.0, 1, 1, 1]).tolist() == [1, 0, 0, 0]


def test_large_integers_are_matched_to_their_own_category() -> None:
    ids = np.array([[2**60], [2**60 + 1], [-(2**62)], [-(2**62) + 1]])
    table = encode(ids, categorical_features=[0])
    given = prediction_inputs(ids + np.array([[0], [0], [0], [2]]), table.columns)
    assert given[0].tolist() == [2, 3, 0, -2]
    floats = prediction_inputs(np.array([[2.0**60], [np.inf], [np.nan]]), table.columns)
    assert floats[0].tolist() == [2, -2, -1]


def test_columns_in_another_order_are_refused_even_under_names_such_as_an_array_gets() -> None:
    with pytest.raises(ValueError, match=r"in the order of the training data: \['x0', 'x1'\]"):
        prediction_inputs(pd.DataFrame({"x1": [1.0], "x0": [2.0]}), NUMBERS)
    assert len(prediction_inputs(pd.DataFrame({"age": [1.0], "height": [2.0]}), NUMBERS)) == 2
