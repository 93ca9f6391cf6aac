"""What is wrong with the input is said clearly, with the remedy; or the sensible result is the documented
one.
"""

from __future__ import annotations

import datetime
import re
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import is_classifier
from sklearn.datasets import load_breast_cancer

from thriftree import C45Classifier, CARTClassifier, CARTRegressor, LimitReachedWarning, SoftTreeClassifier
from thriftree.columns import Temporal
from thriftree.learning import growth, pruning
from thriftree.testing.checks import all_estimators, estimators_with, soft_estimators
from thriftree.tuning import alpha

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
Y = np.array([0, 0, 1, 1])

every_estimator = pytest.mark.parametrize("cls", all_estimators(), ids=lambda cls: cls.__name__)
every_classifier = pytest.mark.parametrize(
    "cls", [cls for cls in all_estimators() if is_classifier(cls())], ids=lambda cls: cls.__name__
)


def every_estimator_with(parameter: str) -> Any:
    return pytest.mark.parametrize("cls", estimators_with(parameter), ids=lambda cls: cls.__name__)


@every_estimator
def test_an_empty_table_is_refused(cls: Any) -> None:
    with pytest.raises(
        ValueError, match=r"0 sample\(s\) \(shape=\(0, 2\)\) while a minimum of 1 is required"
    ):
        cls().fit(X[:0], Y[:0])


@every_estimator
def test_a_table_without_columns_is_refused(cls: Any) -> None:
    with pytest.raises(
        ValueError, match=r"0 feature\(s\) \(shape=\(4, 0\)\) while a minimum of 1 is required"
    ):
        cls().fit(X[:, :0], Y)


@every_estimator
def test_an_empty_table_has_no_prediction(cls: Any) -> None:
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        cls().fit(X, Y).predict(X[:0])


@every_classifier
def test_one_class_gives_a_tree_of_one_leaf(cls: Any) -> None:
    model = cls().fit(X, ["only"] * 4)
    assert model.tree_.n_nodes == 1
    assert model.predict(X).tolist() == ["only"] * 4
    assert model.predict_proba(X).tolist() == [[1.0]] * 4
    assert (model.expected_cost_, model.worst_case_cost_) == (0.0, 0.0)


@every_estimator
def test_one_row_gives_a_tree_of_one_leaf(cls: Any) -> None:
    model = cls().fit(X[:1], Y[:1])
    assert model.tree_.n_nodes == 1
    assert model.predict(X).tolist() == [0] * 4


@every_classifier
def test_labels_of_mixed_type_are_refused_with_an_example_of_each(cls: Any) -> None:
    with pytest.raises(TypeError, match=r"y\[0\] = 1 \(number\) and y\[2\] = 'b' \(string\).*one type"):
        cls().fit(X, np.array([1, 2, "b", 2], dtype=object))


@every_classifier
@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_a_missing_label_is_refused_with_its_row(cls: Any, missing: Any) -> None:
    with pytest.raises(ValueError, match=r"Input y contains NaN, first at row 2"):
        cls().fit(X, np.array(["a", "b", missing, "a"], dtype=object))


@every_estimator
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_target_that_is_no_number_is_refused_with_its_row(cls: Any, value: float) -> None:
    with pytest.raises(ValueError, match=r"Input y contains (NaN|infinity).*first at row 1"):
        cls().fit(X, np.array([0.0, value, 1.0, 1.0]))


@every_classifier
def test_dates_are_no_labels(cls: Any) -> None:
    with pytest.raises(ValueError, match=r"datetime64.*strings, numbers or booleans"):
        cls().fit(X, np.array(["2026-01-01"] * 4, dtype="datetime64[D]"))


def test_words_are_no_regression_target() -> None:
    with pytest.raises(ValueError, match=r"regression target is numbers"):
        CARTRegressor().fit(X, ["a", "b", "a", "b"])


@every_estimator
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_an_infinite_feature_is_refused_with_its_column(cls: Any, value: float) -> None:
    bad = X.copy()
    bad[2, 1] = value
    with pytest.raises(ValueError, match=r"(?i)column.*1.*infin"):
        cls().fit(bad, Y)


@every_estimator_with("sample_weight")
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1, -1, 1, 1], r"sample_weight\[1\] is -1"),
        ([1, 1, np.nan, 1], r"sample_weight\[2\] is nan"),
        ([0, 0, 0, 0], "zero for every row"),
        ([1, 1], "2 entries for 4 rows"),
        ([[1], [1], [1], [1]], "must be 1D"),
    ],
)
def test_a_bad_weight_is_refused_with_its_place(cls: Any, weights: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cls().fit(X, Y, sample_weight=weights)


@every_estimator
def test_duplicate_column_names_are_refused_by_name(cls: Any) -> None:
    with pytest.raises(ValueError, match=r"age"):
        cls().fit(pd.DataFrame(X, columns=["age", "age"]), Y)


@every_estimator
def test_a_column_of_objects_is_refused_by_name(cls: Any) -> None:
    frame = pd.DataFrame({"a": X[:, 0], "things": [object(), [1], {}, object()]})
    with pytest.raises((TypeError, ValueError), match=r"things"):
        cls().fit(frame, Y)


@every_estimator
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_column_of_dates_is_one_of_numbers_to_every_estimator(cls: Any, make: Any) -> None:
    day = datetime.datetime(2026, 1, 1)
    days = [day + datetime.timedelta(days=i) for i in range(4)]
    words = {"leaves": "constant"} if "leaves" in cls().get_params() else {}  # models do not read dates
    dated = cls(**words).fit(make({"a": X[:, 0], "seen": days}), Y)
    numbers = [i * 86_400_000_000 + 1_767_225_600_000_000 for i in range(4)]
    counted = cls(**words).fit(make({"a": X[:, 0], "seen": numbers}), Y)
    assert dated.tree_.to_dict()["nodes"] == counted.tree_.to_dict()["nodes"]
    assert dated.tree_.columns[1].temporal == Temporal("datetime")


@every_estimator
def test_several_targets_are_refused_with_the_remedy(cls: Any) -> None:
    with pytest.raises(ValueError, match=r"y has 2 columns.*one estimator per column"):
        cls().fit(X, np.column_stack([Y, Y]))


@every_estimator
def test_other_columns_at_prediction_are_refused(cls: Any) -> None:
    model = cls().fit(pd.DataFrame(X, columns=["a", "b"]), Y)
    with pytest.raises(ValueError, match=r"b"):
        model.predict(pd.DataFrame(X, columns=["a", "c"]))
    with pytest.raises(ValueError, match=r"has 1 features, but .* expecting 2"):
        cls().fit(X, Y).predict(X[:, :1])


@every_estimator
@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("criterion", "impurity"),
        ("min_samples_leaf", "min_leaf"),
        ("max_leaf_nodes", "max_leaves"),
        ("ccp_alpha", "alpha"),
        ("min_impurity_decrease", "min_decrease"),
        ("splitter", "the best test"),
    ],
)
def test_a_scikit_learn_name_is_answered_with_ours(cls: Any, name: str, ours: str) -> None:
    with pytest.raises(TypeError, match=f"{cls.__name__} has no parameter '{name}': use .*{ours}"):
        cls(**{name: 1})
    with pytest.raises(ValueError, match=f"has no parameter '{name}'"):
        cls().set_params(**{name: 1})


@every_estimator
def test_a_name_nobody_uses_is_an_error_too(cls: Any) -> None:
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'min_leef'"):
        cls(min_leef=1)


@every_estimator_with("min_leaf")
def test_a_parameter_out_of_its_range_is_refused_with_the_range(cls: Any) -> None:
    with pytest.raises(ValueError, match=r"'min_leaf' parameter .* must be"):
        cls(min_leaf=0).fit(X, Y)
    for share in (-0.01, 0.51):
        with pytest.raises(ValueError, match=r"'min_weight_fraction_leaf' parameter .* range \[0.0, 0.5\]"):
            cls(min_weight_fraction_leaf=share).fit(X, Y)


@every_estimator
def test_a_table_whose_codes_do_not_fit_the_memory_limit_is_refused_with_the_remedy(cls: Any) -> None:
    wide = np.random.default_rng(0).normal(size=(20_000, 20))
    with pytest.raises(MemoryError, match=r"memory_limit_mb.*raise the limit"):
        cls(memory_limit_mb=0.2).fit(wide, np.arange(20_000) % 2)


def test_a_fit_out_of_time_keeps_its_tree_and_says_so() -> None:
    random = np.random.default_rng(0)
    with pytest.warns(LimitReachedWarning, match=r"time_limit_s"):
        model = CARTClassifier(time_limit_s=0.0).fit(
            random.normal(size=(5000, 10)), random.integers(0, 2, 5000)
        )
    assert model.stopped_by_ == "time_limit"
    assert len(model.predict(np.zeros((3, 10)))) == 3


@every_estimator_with("error_costs")
@pytest.mark.parametrize(
    ("costs", "message"),
    [
        ([[0, 1]], "shape"),
        ([[0, -1], [1, 0]], "negative"),
        ([[1, 1], [1, 0]], "diagonal"),
        ([[0, 0], [1, 0]], "class .*0.* free"),
    ],
)
def test_bad_error_costs_are_refused(cls: Any, costs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cls(error_costs=costs).fit(X, Y)


def test_a_class_weight_for_an_unknown_class_is_refused() -> None:
    with pytest.raises(ValueError, match=r"names \['1'\].*leaves out \[1\]"):
        CARTClassifier(class_weight={0: 1.0, "1": 2.0}).fit(X, Y)


def test_a_class_weight_must_be_positive() -> None:
    with pytest.raises(ValueError, match=r"class_weight of .*1.* finite number > 0"):
        C45Classifier(class_weight={0: 1.0, 1: 0.0}).fit(X, Y)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (
            np.array([b"a", b"b", b"a", b"b"]),
            r"y has dtype \|S1: class labels are strings, numbers or booleans",
        ),
        ([2**70, 1, 2**70, 1], "y holds an integer of more than 64 bits: use strings"),
    ],
)
@every_classifier
def test_labels_that_no_file_could_hold_are_refused(cls: Any, labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        cls().fit(X, labels)


@every_classifier
def test_labels_of_extended_precision_become_plain_floats(cls: Any) -> None:
    model = cls().fit(np.repeat(X, 10, axis=0), np.repeat(Y, 10).astype(np.longdouble))
    assert [type(label) for label in model.tree_.classes] == [float, float]
    assert model.predict(X).tolist() == [0.0, 0.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("parameters", "weight", "message"),
    [
        ({"class_weight": {0: "heavy"}}, None, "class_weight of 0 must be numbers.*'heavy'"),
        ({"class_weight": {0: -1}}, None, "class_weight of 0 must be a finite number > 0"),
        ({"error_costs": [["a", "b"], ["c", "d"]]}, None, "error_costs must be numbers.*'a'"),
        ({"error_costs": [[0, 1], [1]]}, None, "error_costs must be numbers, in rows of equal length"),
        ({}, ["a", "b", "c", "d"], "sample_weight must be numbers.*'a'"),
    ],
)
def test_what_must_be_numbers_is_named_where_it_is_not(parameters: Any, weight: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CARTClassifier(**parameters).fit(X, Y, sample_weight=weight)


@every_estimator
def test_rows_of_unequal_length_are_refused(cls: Any) -> None:
    for rows in ([[1, 2], [3], [4, 5], [6, 7]], [[1, "a"], [2], [3, "b"], [4, "c"]]):
        with pytest.raises(ValueError, match="X must be a table whose rows have equal lengths"):
            cls().fit(rows, Y)


@every_estimator
def test_masked_arrays_are_refused_since_their_mask_would_be_lost(cls: Any) -> None:
    masked = np.ma.masked_array(X, mask=X == 3.0)
    with pytest.raises(TypeError, match=r"masked array: .*X\.filled\(np\.nan\)"):
        cls().fit(masked, Y)
    filled, labels = np.tile(masked.filled(np.nan), (10, 1)), np.tile(Y, 10)  # enough rows to tune on
    leaves = {"min_leaf": 1} if cls in estimators_with("min_leaf") else {}
    model = cls(**leaves).fit(filled, labels)
    assert np.round(model.predict(filled)).tolist() == labels.tolist()  # the regressor of ThriftTree shrinks


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="numpy before 2.0 has no such strings")
@every_estimator
def test_numpys_variable_length_strings_are_categories(cls: Any) -> None:
    parameters = np.array([["a"], ["a"], ["b"], ["b"]], dtype=np.dtypes.StringDType())
    often = np.repeat(np.arange(4), 10)  # a test of significance needs more than four rows
    model = cls().fit(parameters[often], Y[often])
    assert np.round(model.predict(parameters)).tolist() == Y.tolist()  # the regressor of ThriftTree shrinks


@pytest.mark.parametrize("fold_that_stops", [0, 2])
def test_folds_that_a_time_limit_cuts_short_are_told_and_not_counted(
    monkeypatch: pytest.MonkeyPatch, fold_that_stops: int
) -> None:
    rows, labels = load_breast_cancer(return_X_y=True)
    seen: list[int] = []

    def grow_some(training: Any, plan: Any, limits: Any) -> Any:
        seen.append(len(training))
        grown = growth.grow(training, plan, limits)
        return replace(grown, stopped_by="time_limit") if len(seen) == fold_that_stops + 2 else grown

    for module in (pruning, alpha):
        monkeypatch.setattr(module, "grow", grow_some)
    with pytest.warns(LimitReachedWarning, match="time_limit_s: the tree is valid, but not grown and pruned"):
        model = CARTClassifier(pruning="cost_complexity", random_state=0).fit(rows, labels)
    assert model.stopped_by_ == "time_limit"
    assert len(seen) == fold_that_stops + 2  # the whole table, the folds before, and the one that stopped
    assert (model.alpha_ == 0.0) == (fold_that_stops == 0)


def test_times_are_no_regression_target() -> None:
    with pytest.raises(ValueError, match=r"y has dtype datetime64.*convert times to numbers"):
        CARTRegressor().fit(X, np.array(["2020-01-01"] * 4, dtype="datetime64[D]"))


@pytest.mark.parametrize("limit", [1, 3])
def test_the_memory_said_to_be_needed_is_more_than_the_limit(limit: int) -> None:
    wide = np.random.default_rng(0).normal(size=(200_000, 10))
    with pytest.raises(MemoryError) as caught:
        CARTClassifier(memory_limit_mb=limit).fit(wide, np.arange(200_000) % 2)
    needed, allowed = map(int, re.findall(r"(\d+) MB", str(caught.value)))
    assert needed > allowed == limit


@every_estimator
def test_what_is_nearly_a_table_is_refused_with_the_remedy(cls: Any) -> None:
    with pytest.raises(
        TypeError, match=r"polars LazyFrame, whose rows are not in memory: call X\.collect\(\) first"
    ):
        cls().fit(pl.DataFrame(X).lazy(), Y)
    with pytest.raises(TypeError, match=r"X is a dict: make it a frame first"):
        cls().fit({"a": [1, 2, 3, 4]}, Y)


def test_a_time_limit_holds_while_the_table_is_coded() -> None:
    X = np.random.default_rng(0).standard_normal((1_500_000, 20), dtype=np.float32)
    X[0, 0] = np.nan
    frame = pd.DataFrame(X).add_prefix("x").assign(name=np.where(X[:, 1] > 0, "a", "b"))
    for data in (X, frame):
        with pytest.warns(LimitReachedWarning, match="time_limit_s"):
            model = CARTClassifier(time_limit_s=0.02).fit(data, (X[:, 2] > 0).astype(int))
        assert model.stopped_by_ == "time_limit"
        assert model.tree_.n_leaves == 1
        assert model.predict(data[:3]).shape == (3,)


@pytest.mark.parametrize("parameter", ["max_depth", "max_leaves", "min_leaf", "lookahead", "subset_min_rows"])
@pytest.mark.parametrize("given", [2**31, 10**30])
def test_a_number_beyond_what_the_core_counts_to_is_refused_by_name(parameter: str, given: int) -> None:
    classes = estimators_with(parameter)
    assert classes
    for cls in classes:
        with pytest.raises(ValueError, match=f"'{parameter}' parameter of {cls.__name__} must be"):
            cls(**{parameter: given}).fit(X, Y)


@pytest.mark.parametrize(
    ("y", "what"), [([1e308, -1e308] * 2, "too large"), ([1e-320, 0.0] * 2, "too small")]
)
def test_a_target_whose_squares_have_no_room_is_refused_by_every_regressor(y: Any, what: str) -> None:
    for cls in all_estimators():
        if not is_classifier(cls()):
            with pytest.raises(ValueError, match=f"the target's range is {what}"):
                cls().fit(X, np.array(y))


@pytest.mark.parametrize("limit", [np.int8(100), np.float32(100), np.uint8(200)], ids=repr)
def test_limits_may_be_numbers_of_few_bits(limit: Any) -> None:
    for cls in (*all_estimators(), *soft_estimators()):
        cls(time_limit_s=limit, memory_limit_mb=limit).fit(X, Y)


@pytest.mark.parametrize("choice", [np.array(1), np.array("x0")], ids=repr)
def test_a_choice_of_columns_that_is_no_list_is_refused(choice: Any) -> None:
    with pytest.raises(ValueError, match="categorical_features must be 'auto' or a list of names"):
        CARTClassifier(categorical_features=choice).fit(X, Y)


@pytest.mark.parametrize("cv", [{"zz": 1}, ["a"], [1], [([0.5], [1])], [([0], [99])], np.array([1])], ids=str)
def test_folds_that_are_no_pairs_of_positions_are_refused(cv: Any) -> None:
    for model in (CARTClassifier(pruning="cost_complexity", cv=cv), SoftTreeClassifier(l2="cv", cv=cv)):
        with pytest.raises(
            ValueError, match=r"cv is .*: give a number of folds, a splitter .*, or pairs|cv: fold"
        ):
            model.fit(X, Y)
