"""A column of categories whose type changed since training is said to have changed."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from thriftree import CARTClassifier
from thriftree.estimators.category_tests import FREE_SETS

Y = [0, 0, 1, 1]


def fitted(values: Any) -> CARTClassifier:
    return CARTClassifier(categorical_features=["grade"], **FREE_SETS).fit(pd.DataFrame({"grade": values}), Y)


@pytest.mark.parametrize(
    ("trained", "given", "said"),
    [
        (
            [20, 30, 40, 50],
            ["20", "30", "40", "50"],
            r"str values such as '20' where training had int .* 20:",
        ),
        (
            ["20", "30", "40", "50"],
            [20, 30, 40, 50],
            r"int values such as 20 where training had str .* '20':",
        ),
        (["20", "30", "40", "50"], [20.0, np.nan, 40, 50], r"float values such as 20\.0 where .* '20':"),
        ([1.5, 2.5, 3.5, 4.5], ["1.5", "x", "y", "z"], r"str values such as '1\.5' where training had float"),
        (
            [True, True, False, False],
            ["true", "true", "false", "false"],
            r"str values such as 'true' where training had bool",
        ),
    ],
    ids=["texts of numbers", "numbers of texts", "floats of texts", "fractions", "truth"],
)
def test_values_of_another_type_are_said_with_the_remedy(trained: Any, given: Any, said: str) -> None:
    model = fitted(trained)
    with pytest.warns(UserWarning, match=rf"column 'grade' holds {said}.*X\['grade'\]\.(astype|map)\("):
        model.predict(pd.DataFrame({"grade": given}))


@pytest.mark.parametrize(
    "given",
    [[20, 30, 40, 50], [20.0, 30.0, 40.0, np.nan], [7, 8, 9, 10], [np.nan] * 4, ["x", "y", "z", None]],
    ids=["the same", "equal by value", "new", "missing", "other texts"],
)
def test_nothing_is_said_of_values_that_no_change_of_type_would_match(given: Any) -> None:
    model = fitted([20, 30, 40, 50])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(pd.DataFrame({"grade": given}))


def test_nothing_is_said_where_one_value_is_known() -> None:
    model = fitted(["20", "30", "40", "fifty"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(pd.DataFrame({"grade": ["fifty", "21", "22", "23"]}))
