"""Codes given to an estimator must have the columns that it was fitted to: their number, names and kinds."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from thriftree import CARTClassifier
from thriftree.table.coding import read_codes

X = pd.DataFrame({"age": [30.0, 40, 50, 60], "grade": [1, 2, 2, 3], "town": list("abab")})
Y = [0, 0, 1, 1]


@pytest.fixture
def model() -> CARTClassifier:
    return CARTClassifier().fit(read_codes(X), Y)


def test_codes_are_features_as_their_frame_is(model: CARTClassifier) -> None:
    assert model.n_features_in_ == 3
    assert model.feature_names_in_.tolist() == ["age", "grade", "town"]
    np.testing.assert_array_equal(model.predict(read_codes(X)), Y)


def test_other_names_are_said(model: CARTClassifier) -> None:
    with pytest.raises(ValueError, match=r"CARTClassifier does not know: \['city'\]; and lacks: \['town'\]"):
        model.predict(read_codes(X.rename(columns={"town": "city"})))
    with pytest.raises(ValueError, match="in the order of the training data"):
        model.predict(read_codes(X[["town", "age", "grade"]]))


def test_another_number_of_columns_is_said(model: CARTClassifier) -> None:
    unnamed = CARTClassifier().fit(X[["age", "grade"]].to_numpy(), Y)
    with pytest.raises(ValueError, match="X has 1 features, but CARTClassifier is expecting 2 features"):
        unnamed.predict(read_codes(X[["age"]].to_numpy()))


def test_other_kinds_are_said(model: CARTClassifier) -> None:
    swapped = X.assign(age=X["age"].astype(str), town=[1, 2, 1, 2])
    said = "'age' (a number in training, now categories), 'town' (categories in training, now a number)"
    with pytest.raises(ValueError, match=re.escape(said)):
        model.predict(read_codes(swapped))


def test_numbers_that_the_estimator_makes_categories_are_no_other_kind() -> None:
    model = CARTClassifier(categorical_features=["grade"]).fit(X, Y)
    assert model.tree_.columns[1].kind == "category"
    np.testing.assert_array_equal(model.predict(read_codes(X)), model.predict(X))


def test_codes_without_names_are_compared_by_number() -> None:
    numbers = X[["age", "grade"]]
    model = CARTClassifier().fit(numbers, Y)
    np.testing.assert_array_equal(model.predict(read_codes(numbers.to_numpy())), Y)
