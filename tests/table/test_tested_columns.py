"""Prediction converts the columns that a tree tests, and refuses the same tables as before."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from thriftree import CARTClassifier
from thriftree.table import dataframes

ROWS = 60


def training() -> tuple[pd.DataFrame, Any]:
    """Only `asked` and `colour` tell anything of the target."""
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "idle": random.normal(size=ROWS),
            "asked": random.normal(size=ROWS),
            "whole": random.integers(0, 3, ROWS),
            "colour": random.choice(["red", "green", "blue"], ROWS),
            "name": random.choice(["ann", "bob"], ROWS),
            "kind": pd.Categorical(random.choice(["p", "q"], ROWS)),
            "flag": random.random(ROWS) < 0.5,
        }
    )
    return frame, ((frame["asked"] > 0) ^ (frame["colour"] == "red")).to_numpy().astype(int)


@pytest.fixture
def model() -> CARTClassifier:
    X, y = training()
    fitted = CARTClassifier(max_depth=2).fit(X, y)
    assert {fitted.tree_.columns[c].name for c in fitted.tree_._core.column if c >= 0} <= {"asked", "colour"}
    return fitted


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_columns_that_the_tree_does_not_test_are_not_read(
    model: CARTClassifier, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, _ = training()
    frames = {"pandas": X, "polars": pl.from_pandas(X), "pyarrow": pa.Table.from_pandas(X)}
    read: list[str] = []
    reader = dataframes._read_series

    def noted(series: Any, name: str) -> Any:
        read.append(name)
        return reader(series, name)

    expected = model.tree_.predict(X.to_numpy(dtype=object))
    monkeypatch.setattr(dataframes, "_read_series", noted)
    np.testing.assert_array_equal(model.tree_.predict(frames[library]), expected)
    assert "asked" in read
    assert not {"idle", "name", "flag"} & set(read)
    assert len(read) == len(set(read))


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_all_that_predicts_gives_the_same_from_a_frame_and_from_its_objects(
    model: CARTClassifier, library: str
) -> None:
    X, _ = training()
    X.loc[3, "asked"] = np.nan
    X.loc[4, "colour"] = None
    X.loc[5, "colour"] = "never seen"
    frame = {"pandas": X, "polars": pl.from_pandas(X), "pyarrow": pa.Table.from_pandas(X)}[library]
    values = X.astype(object).where(X.notna(), None).to_numpy()
    for answer in ("predict", "predict_proba", "apply", "predict_cost"):
        np.testing.assert_array_equal(
            getattr(model.tree_, answer)(frame), getattr(model.tree_, answer)(values)
        )


@pytest.mark.parametrize(
    ("column", "values", "error", "words"),
    [
        ("idle", ["a"] * ROWS, ValueError, "'idle' was a number in training"),
        ("idle", pd.Categorical(["a"] * ROWS), ValueError, "'idle' was a number in training"),
        ("idle", pd.date_range("2024-01-01", periods=ROWS), ValueError, "'idle'"),
        ("whole", ["a"] * ROWS, ValueError, "'whole' was a number in training"),
        (
            "kind",
            pd.Categorical.from_codes([0] * ROWS, [pd.Timestamp(0)]),
            TypeError,
            "'kind' has a category",
        ),
        ("name", [[1]] * ROWS, TypeError, "'name'"),
    ],
)
def test_a_bad_column_is_refused_though_the_tree_does_not_test_it(
    model: CARTClassifier, column: str, values: Any, error: type[Exception], words: str
) -> None:
    X, _ = training()
    X[column] = values
    with pytest.raises(error, match=words):
        model.predict(X)


def test_columns_are_compared_before_any_is_read(model: CARTClassifier) -> None:
    X, _ = training()
    with pytest.raises(ValueError, match="lacks: \\['idle'\\]"):
        model.tree_.predict(X.rename(columns={"idle": "other"}))
