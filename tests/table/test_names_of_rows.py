"""A column with a category for nearly every row is reported by name, once a fit."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from thriftree import CARTClassifier, CHAIDClassifier, MSIClassifier, ThriftTreeClassifier
from thriftree.table.coding import read_codes
from thriftree.table.names_of_rows import LEAST_CATEGORIES, names_of_rows

N = 120


def frame(key, other=None):
    columns = {"x": np.arange(len(key)) % 7, "key": key}
    return pd.DataFrame(columns if other is None else columns | {"other": other})


KEYS = np.array([f"id {i}" for i in range(N)])
Y = np.arange(N) % 2


@pytest.mark.parametrize("learner", [CARTClassifier, CHAIDClassifier, MSIClassifier, ThriftTreeClassifier])
def test_one_warning_a_fit_names_the_column_and_the_remedy(learner):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = learner().fit(frame(KEYS), Y)
    assert len(caught) == 1  # folds of the same table do not warn again
    assert "'key' (120 categories in 120 rows)" in str(caught[0].message)
    assert "Leave such a column out" in str(caught[0].message)
    assert caught[0].filename == __file__
    assert list(model.feature_names_in_) == ["x", "key"]  # nothing is dropped


def test_several_columns_share_one_warning():
    with pytest.warns(UserWarning, match=r"'key' \(120 .* 'other' \(60 categories in 120 rows\)") as caught:
        CARTClassifier().fit(frame(KEYS, np.repeat(KEYS[:60], 2)), Y)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("categories", "rows", "named"),
    [(60, 120, True), (59, 120, False), (LEAST_CATEGORIES, 60, True), (LEAST_CATEGORIES - 1, 49, False)],
)
def test_half_as_many_categories_as_rows_is_many_if_there_are_enough(categories, rows, named):
    key = [f"id {i % categories}" for i in range(rows)]
    assert bool(names_of_rows(read_codes(frame(key)))) == named


def test_rows_without_a_value_and_categories_without_a_row_do_not_count():
    half = np.where(np.arange(N) % 2 == 0, KEYS, None)
    assert names_of_rows(read_codes(frame(half))) == [("key", 60, 60)]
    unused = pd.Categorical(["a", "b"] * 60, categories=[*KEYS, "a", "b"])
    assert names_of_rows(read_codes(frame(unused))) == []


def test_columns_of_numbers_and_of_ordered_categories_are_not_names():
    ordered = pd.Categorical(KEYS, categories=list(KEYS), ordered=True)
    assert names_of_rows(read_codes(frame(np.arange(N) * 1.5, ordered))) == []
