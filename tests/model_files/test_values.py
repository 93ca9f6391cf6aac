"""Parameters of every kind come back equal in type and value; others are refused with a remedy."""

from __future__ import annotations

import json
import math
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sameness import same
from sklearn.model_selection import KFold

from thriftree import (
    CARTClassifier,
    HingedPairs,
    Pairs,
    Polynomial,
    Powers,
    TestCosts,
    WorstCaseTreeClassifier,
)
from thriftree.costs import Steps
from thriftree.document.checks import TreeFormatError
from thriftree.model_files.values import from_json_value, to_json_value

SCALARS = (
    st.none()
    | st.booleans()
    | st.text(max_size=5)
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False)
)
KEYS = st.booleans() | st.text(max_size=5) | st.integers(-9, 9) | st.floats(-9, 9)
ARRAYS = arrays.arrays(
    st.sampled_from(["<i8", "|u1", "<f8", "<f4", ">f2", "|b1", "<U3", ">U2"]),
    arrays.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3),
)
IMPURITIES = st.sampled_from(
    [Pairs(), Powers(3), HingedPairs(2.5), HingedPairs(epsilon=0.1, offset=np.False_),
     Polynomial([(2.0, (1, 1, 0)), (1.5, (2, 0, 1))])]
)  # fmt: skip
VALUES = st.recursive(
    SCALARS | IMPURITIES | ARRAYS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.tuples(inner, inner) | st.dictionaries(KEYS, inner, max_size=3)
    ),
    max_leaves=8,
)


@given(VALUES)
def test_a_value_comes_back_from_text_equal_in_type_and_value(value: Any) -> None:
    text = json.dumps(to_json_value(value, "it"), allow_nan=False)
    assert same(from_json_value(json.loads(text), ()), value)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (1, 1),
        (1.0, {"float": 1.0}),
        (0.5, 0.5),
        (math.inf, {"float": "inf"}),
        (np.int8(3), 3),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        ((1, "a"), {"tuple": [1, "a"]}),
        ({1: 2, "1": 3}, {"dict": [[1, 2], ["1", 3]]}),
        (Powers(3), {"impurity": {"kind": "Powers", "l": 3}}),
        (HingedPairs(2.0), {"impurity": {"kind": "HingedPairs", "alpha": 2.0, "offset": True}}),
        (Steps((1.0,), (2.0, 3.0)), {"steps": {"up_to": [1.0], "prices": [2.0, 3.0]}}),
        (np.array([0.5, np.nan]), {"array": {"dtype": "<f8", "shape": [2], "values": [0.5, "nan"]}}),
    ],
)
def test_values_have_the_form_that_the_spec_gives(value: Any, form: Any) -> None:
    assert same(to_json_value(value, "it"), form)


def test_half_of_a_surrogate_pair_comes_back() -> None:
    for value in ("\ud800", np.array(["\ud800", "a"]), np.array(["\ud800"], dtype=object)):
        assert same(from_json_value(json.loads(json.dumps(to_json_value(value, "it"))), ()), value)


def test_nan_comes_back() -> None:
    assert math.isnan(from_json_value(to_json_value(math.nan, "it"), ()))


def test_prices_by_name_and_by_position_come_back() -> None:
    for costs in (
        {"a": 1, "b": Steps((1.0,), (2.0, 3.0)), "c": {"x": 1.5}},
        [1.0, 2],
        np.array([1.0, 2.0]),
        TestCosts({"a": {True: 1, "x": 2}}, asking=0.5),
    ):
        assert same(from_json_value(json.loads(json.dumps(to_json_value(costs, "it"))), ()), costs)


def own(parent: Any, branches: Any, price: Any) -> Any:
    return -branches.sum(axis=2).max(axis=1)


@pytest.mark.parametrize(
    ("model", "complaint"),
    [
        (CARTClassifier(impurity=own), r"'impurity' of CARTClassifier is the function own,.*no code"),
        (CARTClassifier(random_state=np.random.RandomState(0)), r"'random_state'.*number as the seed"),
        (CARTClassifier(cv=KFold(3)), r"'cv' of CARTClassifier is of type KFold.*number of folds"),
        (CARTClassifier(costs=pd.Series([1.0])), r"'costs'.*of type Series.*prices as TestCosts"),
        (CARTClassifier(class_weight=OrderedDict({0: 1.0})), r"'class_weight'.*type OrderedDict.*give None"),
        (CARTClassifier(class_weight={0: 2**70, 1: 1}), r"'class_weight'.*integer of more than 64 bits"),
        (CARTClassifier(cv=[([0, 1], np.array([2j]))]), r"'cv' of CARTClassifier\[0\]\[1\] is of type nd"),
        (CARTClassifier(class_weight={0: 1.0, 1: Pairs}), r"'class_weight' of CARTClassifier\[1\] is the"),
        (WorstCaseTreeClassifier(impurity=own), r"'impurity' of WorstCaseTreeClassifier is the func"),
    ],
)  # fmt: skip
def test_what_a_file_does_not_hold_is_named_with_a_remedy(model: Any, complaint: str, tmp_path: Path) -> None:
    fitted = type(model)().fit([[0.0], [1.0]], [0, 1])
    fitted.set_params(**model.get_params())
    with pytest.raises(TypeError, match=complaint):
        fitted.save(tmp_path / "model.json")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ({}, r"^\$\.p: must be a JSON scalar, an array, or an object of one tag"),
        ({"a": 1, "b": 2}, r"^\$\.p: must be a JSON scalar"),
        ({"class": "os.system"}, r"^\$\.p: the tag 'class' is not known; known are: float, tuple"),
        (2**70, r"^\$\.p: must be an integer of 64 bits"),
        (math.inf, r"^\$\.p: must be a finite number"),
        ({"float": "1.0"}, r'^\$\.p\.float: must be a number, "inf"'),
        ({"float": True}, r"^\$\.p\.float: must be a finite number"),
        ({"tuple": 3}, r"^\$\.p\.tuple: must be an array"),
        ({"dict": [[1]]}, r"^\$\.p\.dict\[0\]: must hold a key and a value"),
        ({"dict": [[1, 2], [True, 3]]}, r"^\$\.p\.dict\[1\]\[0\]: the key True appears twice"),
        ({"dict": [[[], 2]]}, r"^\$\.p\.dict\[0\]\[0\]: a key must be a string"),
        ({"costs": {"prices": [{"feature": "a", "price": -1}]}}, r"^\$\.p\.costs: .*not below 0"),
        ({"costs": {"prices": [{"feature": "a", "price": 10**400}]}}, r"^\$\.p\.costs: .*no float can hold"),
        ({"costs": {"prices": [{"feature": [], "price": 1}]}}, r"^\$\.p\.costs: "),
        ({"costs": {"pay": "never"}}, r"^\$\.p\.costs: "),
        ({"costs": 3}, r"^\$\.p\.costs: must be an object"),
        ({"steps": {"up_to": [2, 1], "prices": [1, 1, 1]}}, r"^\$\.p\.steps: .*rising order"),
        ({"impurity": ["Powers", 3]}, r'^\$\.p\.impurity: must be an object whose "kind" is one of'),
        ({"impurity": {"kind": "Powers", "l": 1}}, r"^\$\.p\.impurity: l is 1"),
        ({"impurity": {"kind": "Powers"}}, r"^\$\.p\.impurity: .*missing.*'l'"),
        ({"impurity": {"kind": "Powers", "l": 3, "x": 1}}, r"^\$\.p\.impurity: the key 'x' is not known"),
        ({"array": {"dtype": "|O", "shape": [1]}}, r"^\$\.p\.array: the key 'values' is missing"),
        ({"array": {"dtype": "M8[s]", "shape": [0], "values": []}}, r"^\$\.p\.array\.dtype: 'M8"),
        ({"array": {"dtype": "<f8", "shape": [2], "values": [1]}}, r"^\$\.p\.array\.shape: asks for 2"),
        ({"array": {"dtype": "<i8", "shape": [1], "values": [1.5]}}, r"^\$\.p\.array\.values\[0\]: must"),
        ({"array": {"dtype": "|u1", "shape": [1], "values": [256]}}, r"^\$\.p\.array\.values\[0\]: must"),
        ({"array": {"dtype": "<f2", "shape": [1], "values": [1e9]}}, r"values\[0\]: 1000000000.0 is beyond"),
        ({"array": {"dtype": "|b1", "shape": [1], "values": [1]}}, r"values\[0\]: must be true or false"),
        ({"array": {"dtype": "<U1", "shape": [1], "values": ["ab"]}}, r"values\[0\]: has 2 characters"),
        ({"array": {"dtype": "<U999999", "shape": [99], "values": ["a"] * 99}}, r"dtype: the strings would"),
        ({"array": {"dtype": "<U1003", "shape": [1], "values": ["ab"]}}, r"dtype: <U1003 has 1001 char"),
        ({"array": {"dtype": "|O", "shape": [1], "values": [[1]]}}, r"values\[0\]: must be a string"),
        ({"array": {"dtype": "text", "shape": [1], "values": ["\ud800"]}}, r"^\$\.p\.array\.values: "),
        ({"array": {"dtype": "<f8", "shape": [1] * 9, "values": [1]}}, r"shape: has 9 entries"),
        ({"array": {"dtype": "<f8", "shape": [0, *[2**31 - 1] * 7], "values": []}}, r"^\$\.p\.array\.shape"),
    ],
)  # fmt: skip
def test_a_value_of_another_form_is_refused_with_its_place(value: Any, complaint: str) -> None:
    with pytest.raises(TreeFormatError, match=complaint):
        from_json_value(value, ("p",))


def test_deep_values_are_refused() -> None:
    value: Any = 1
    for _ in range(40):
        value = [value]
    with pytest.raises(TreeFormatError, match="nested deeper than the 32 levels"):
        from_json_value(value, ("p",))


def test_strings_of_any_length_need_numpy_2(monkeypatch: pytest.MonkeyPatch) -> None:
    described = to_json_value(np.array(["a"], dtype=np.dtypes.StringDType()), "it")
    monkeypatch.delattr(np.dtypes, "StringDType")
    with pytest.raises(TreeFormatError, match=r"^\$\.p\.array\.dtype: strings of any length need numpy 2"):
        from_json_value(described, ("p",))


def test_strings_with_a_missing_value_of_their_own_are_refused() -> None:
    array = np.array(["a", None], dtype=np.dtypes.StringDType(na_object=None))
    with pytest.raises(TypeError, match="it is of type ndarray, which a model file does not hold"):
        to_json_value(array, "it")


def test_strings_of_a_length_that_none_needs_are_refused() -> None:
    with pytest.raises(
        TypeError, match=r"^it is an array of type <U1004, whose strings have 1001 characters more"
    ):
        to_json_value(np.array(["a", "abc"], dtype="<U1004"), "it")
    for array in (np.array(["a", "abc"], dtype="<U1003"), np.array([], dtype="<U9999")):
        again = from_json_value(to_json_value(array, "it"), ())
        assert again.dtype == array.dtype
        assert again.tolist() == array.tolist()
