"""Every kind of frame gives the same table; what is no table is refused with the remedy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from thriftree.columns import ColumnSchema
from thriftree.table.coding import encode
from thriftree.table.encoded_table import EncodedTable
from thriftree.table.frames import read_frame
from thriftree.table.making_frames import concat_rows, make_frame

DATA: dict[str, list[Any]] = {
    "age": [63.5, None, 41.0, 63.5, 12.25],
    "visits": [3, 1, None, 2, 3],
    "town": ["Zürich", "Aarau", None, "Zug", "Aarau"],
    "smokes": [True, False, True, None, False],
    "plain": [5, 4, 3, 2, 1],
}
FRAMES: dict[str, Callable[[dict[str, list[Any]]], Any]] = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "pandas arrow": lambda data: pd.DataFrame(data).convert_dtypes(dtype_backend="pyarrow"),
    "pandas objects": lambda data: pd.DataFrame(data).astype(object),
    "pandas categories": lambda data: pd.DataFrame(data).astype({"town": "category"}),
    "polars": pl.DataFrame,
    "polars categories": lambda data: pl.DataFrame(data, schema_overrides={"town": pl.Categorical}),
    "pyarrow": pa.table,
    "pyarrow dictionary": lambda data: pa.table(
        {
            name: pa.array(values).dictionary_encode() if name == "town" else values
            for name, values in data.items()
        }
    ),
    "pyarrow chunks": lambda data: pa.concat_tables(
        [pa.table({name: pa.array(values)[i : i + 1] for name, values in data.items()}) for i in range(5)]
    ),
}


def codes(table: EncodedTable) -> list[list[int]]:
    return [table.core.codes(j).tolist() for j in range(len(table.columns))]


@pytest.mark.parametrize("library", FRAMES)
def test_every_library_gives_the_same_table(library: str) -> None:
    table = encode(FRAMES[library](DATA))
    assert table.columns == (
        ColumnSchema("age", "number"),
        ColumnSchema("visits", "number"),
        ColumnSchema("town", "category", ("Aarau", "Zug", "Zürich")),
        ColumnSchema("smokes", "category", (False, True)),
        ColumnSchema("plain", "number"),
    )
    assert codes(table) == [
        [2, 3, 1, 2, 0],
        [2, 0, 3, 1, 2],
        [2, 0, 3, 1, 0],
        [1, 0, 1, 2, 0],
        [4, 3, 2, 1, 0],
    ]
    assert [table.core.column(j).kind for j in range(5)] == [
        "ordered",
        "ordered",
        "category",
        "category",
        "ordered",
    ]


def test_lists_and_object_arrays_keep_the_type_of_each_column() -> None:
    rows = [[1, "b", None], [2.5, "a", 7], [1, None, 7]]
    for X in (rows, np.array(rows, dtype=object)):
        table = encode(X)
        assert [schema.kind for schema in table.columns] == ["number", "category", "number"]
        assert [schema.name for schema in table.columns] == ["x0", "x1", "x2"]
        assert codes(table) == [[0, 1, 0], [1, 0, 2], [1, 0, 0]]


def test_string_and_boolean_arrays_are_categories() -> None:
    assert encode(np.array([["b"], ["a"]])).columns[0].categories == ("a", "b")
    assert encode(np.array([[True], [True]])).columns[0].categories == (True,)


ORDERED = ["low", "mid", "high"]
ON_ARROW = pa.DictionaryArray.from_arrays(pa.array([2, 0, None, 2], pa.int8()), ORDERED, ordered=True)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"level": pd.Categorical(["high", "low", None, "high"], ORDERED, ordered=True)}),
        pd.DataFrame({"level": pd.array(ON_ARROW, dtype=pd.ArrowDtype(ON_ARROW.type))}),
        pl.DataFrame({"level": pl.Series(["high", "low", None, "high"], dtype=pl.Enum(ORDERED))}),
    ],
    ids=["pandas", "pandas on arrow", "polars"],
)
def test_ordered_categoricals_count_as_their_position(frame: Any) -> None:
    table = encode(frame)
    assert table.columns == (ColumnSchema("level", "ordered", tuple(ORDERED)),)
    assert table.core.column(0).kind == "ordered"
    assert table.core.column(0).values.tolist() == [0, 2]
    assert codes(table) == [[1, 0, 2, 1]]
    chosen = encode(frame, categorical_features=["level"])
    assert chosen.columns == (ColumnSchema("level", "category", ("high", "low")),)


def test_categories_are_sorted_by_type_and_value_never_by_appearance() -> None:
    frame = pd.DataFrame({"c": pd.Categorical(["b", 10, 9, "B", 2.5], ["b", 10, 9, "B", 2.5, "unused"])})
    assert encode(frame).columns[0].categories == (2.5, 9, 10, "B", "b")


@pytest.mark.parametrize("choice", [[0, 2], [-3, 2], [True, False, True], np.array([0, 2]), ["x0", "x2"]])
def test_columns_can_be_chosen_as_categories(choice: Any) -> None:
    X = np.array([[2.0, 1.0, np.nan], [-1.0, 2.0, 0.0], [2.0, 3.0, -0.0]], np.float32)
    table = encode(X, categorical_features=choice)
    assert table.columns == (
        ColumnSchema("x0", "category", (-1.0, 2.0)),
        ColumnSchema("x1", "number"),
        ColumnSchema("x2", "category", (0.0,)),
    )
    assert codes(table) == [[1, 0, 1], [0, 1, 2], [1, 0, 0]]


@pytest.mark.parametrize(
    ("choice", "message"),
    [(["nope"], "'nope'"), ([3], "position 3"), ([True], "mask of 1"), ("all", "'all'"), ([1.5], "1.5")],
)
def test_a_wrong_choice_of_categories_is_explained(choice: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"categorical_features .*{message}"):
        encode(np.zeros((2, 3)), categorical_features=choice)


BAD: list[tuple[Any, type[Exception], str]] = [
    (np.zeros(3), ValueError, "Expected 2D array, got 1D array instead.*Reshape your data"),
    (pd.Series([1.0]), ValueError, "Reshape your data"),
    (np.zeros((2, 2, 2)), ValueError, "Found array with dim 3"),
    (
        np.zeros((0, 3)),
        ValueError,
        r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required.",
    ),
    (np.zeros((3, 0)), ValueError, r"0 feature\(s\) \(shape=\(3, 0\)\) while a minimum of 1 is required."),
    (pd.DataFrame({"a": []}), ValueError, r"Found array with 0 sample\(s\)"),
    (np.zeros((2, 2), complex), ValueError, "Complex data not supported"),
    (pd.DataFrame({"z": [1j]}), ValueError, "Complex data not supported.*'z'"),
    (pd.DataFrame([[1, 2]], columns=["a", "a"]), ValueError, r"duplicate column names: 'a'"),
    (pl.DataFrame({"parts": [[1, 2]]}), TypeError, "'parts' has type List.*a column of its own"),
    (
        pd.DataFrame({"things": [{"a": 1}]}),
        TypeError,
        "'things' holds objects of type dict: .*must be a string or .* number",
    ),
    (pd.DataFrame({"mixed": [1, "a"]}), TypeError, "'mixed' holds objects of type int, str: .*astype"),
    (pl.DataFrame({"a": [1]}).lazy(), TypeError, "collect"),
    ([[1], [1, 2]], ValueError, "rows have equal lengths"),
    (pd.DataFrame({"id": [2**60, 1]}), ValueError, "column 'id', row 0 holds an integer beyond"),
    (pl.DataFrame({"id": [2**60, None]}), ValueError, "column 'id' holds an integer beyond"),
    (np.array([[2**60, "a"]], object), ValueError, "column 'x0' holds an integer beyond"),
    (pd.DataFrame({"age": [1.0, np.inf]}), ValueError, "column 'age', row 1 holds infinity"),
]


@pytest.mark.parametrize(("X", "error", "message"), BAD)
def test_what_is_no_table_is_refused_with_the_remedy(X: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        encode(X)


def test_infinity_in_a_chosen_category_is_refused() -> None:
    with pytest.raises(ValueError, match="'x0' holds infinity"):
        encode(np.array([[np.inf]]), categorical_features=[0])


def test_columns_without_string_names_get_made_up_ones() -> None:
    table = encode(pd.DataFrame([[1, 2.0]]))
    assert [schema.name for schema in table.columns] == ["x0", "x1"]


def test_a_column_without_any_value_has_no_categories_and_is_always_missing() -> None:
    for frame in (
        pd.DataFrame({"a": [None, None]}),
        pl.DataFrame({"a": [None, None]}),
        pa.table({"a": pa.nulls(2)}),
    ):
        table = encode(frame)
        assert table.columns == (ColumnSchema("a", "category"),)
        assert codes(table) == [[0, 0]]
        assert table.core.column(0).has_missing


def test_foreign_byte_order_and_odd_floats_are_converted() -> None:
    for dtype in (">f8", ">i4", "f2", "g"):
        assert codes(encode(np.array([[2], [1]], dtype))) == [[1, 0]]


def test_arrays_do_not_import_dataframe_libraries() -> None:
    program = (
        "import sys, numpy, thriftree.table.coding as t; t.encode(numpy.zeros((2, 2)));"
        "print(sorted({'narwhals', 'pandas', 'polars', 'pyarrow'} & set(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_categories_in_order_of_class_proportion() -> None:
    frame = pd.DataFrame({"id": ["a", "a", "b", "c", "c", None], "x": [1, 2, 3, 4, 5, 6]})
    target = np.array([1.0, 0.0, 1.0, 0.0, 0.0, 1.0])
    for choice in (2, ["id"], [0]):
        table = encode(frame, proportion_encode=choice, proportion_of=target)
        assert table.columns[0] == ColumnSchema("id", "category", ("c", "a", "b"))
        column = table.core.column(0)
        assert (column.kind, column.ranked_category, column.n_codes) == ("ordered", True, 4)
        assert codes(table)[0] == [1, 1, 2, 0, 0, 3]
    weighted = encode(
        frame, proportion_encode=2, proportion_of=target, sample_weight=np.array([9.0, 1, 1, 1, 1, 1])
    )
    assert weighted.columns[0].categories == ("c", "a", "b")
    assert encode(frame, proportion_encode=3, proportion_of=target).columns[0].categories == ("a", "b", "c")
    with pytest.raises(ValueError, match="'x', which holds no categories"):
        encode(frame, proportion_encode=["x"], proportion_of=target)
    with pytest.raises(ValueError, match="'x0', which holds no categories"):
        encode(np.zeros((6, 2)), proportion_encode=[0], proportion_of=target)
    assert encode(np.zeros((6, 2)), proportion_encode=0).columns[0].kind == "number"
    with pytest.raises(ValueError, match="needs proportion_of"):
        encode(frame, proportion_encode=2)


def test_the_intervals_of_pandas_cut_are_ordered_texts() -> None:
    ages = pd.DataFrame({"age": pd.cut([1.0, 5.0, 9.0], [0, 3, 6, 10])})
    table = encode(ages)
    assert table.columns == (ColumnSchema("age", "ordered", ("(0, 3]", "(3, 6]", "(6, 10]")),)
    assert codes(table) == [[0, 1, 2]]


@pytest.mark.parametrize(
    ("categories", "message"),
    [
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), "'when' has a category of type Timestamp: .*rename"),
        ([(1, 2), (3, 4)], "'when' has a category of type tuple: .*rename"),
        ([1.5, np.inf], "'when' has the category inf: rename"),
    ],
)
def test_categories_that_no_file_could_hold_are_refused(categories: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        encode(pd.DataFrame({"when": pd.Categorical(categories)}))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame, pa.table])
def test_a_column_may_have_any_name(frame: Any) -> None:
    names = ["column_names", "columns", "tocsr", "shape", "dtypes", "", "日本\n"]
    table = encode(frame({name: [0.0, 1.0] for name in names}))
    assert [schema.name for schema in table.columns] == names


def test_integers_of_128_bits_are_numbers_up_to_what_a_float_tells_apart() -> None:
    small = pl.DataFrame({"id": pl.Series([2**53, None, -(2**53)], dtype=pl.Int128)})
    assert codes(encode(small)) == [[1, 2, 0]]
    with pytest.raises(ValueError, match=r"column 'id' holds an integer beyond 2\^53"):
        encode(pl.DataFrame({"id": pl.Series([2**60, 1], dtype=pl.Int128)}))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_the_rows_of_frames_follow_each_other(library):
    parts = [make_frame({"a": [1, 2], "b": ["x", "y"]}, library), make_frame({"a": [3], "b": ["x"]}, library)]
    frame = read_frame(concat_rows(parts))
    assert frame.names == ["a", "b"]
    assert frame.column(0).values.tolist() == [1, 2, 3]
    assert frame.column(1).codes.tolist() == [0, 1, 0]
