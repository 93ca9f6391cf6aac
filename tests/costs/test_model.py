"""TestCosts: what it holds, what it refuses, and that it survives pickling, copying and JSON."""

import copy
import json
import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone

from thriftree.costs import Group, Steps, TestCosts

FULL = {"chol": 7.27, "fbs": 5.20, "cp": 1.0}
DISCOUNT = {"chol": 5.17, "fbs": 3.10}


def everything():
    return TestCosts(
        {
            "cp": 1,
            "chol": 5.17,
            "fbs": 3.1,
            "biopsy": {"benign": 120, "malignant": 300},
            "dose": Steps((1, 2), (3, 4, 5)),
        },
        groups={"blood": Group(2.1, ("chol", "fbs"))},
        pay="each",
        known=["sex", "cp"],
        delayed=["fbs", "chol"],
        delayed_scope="all",
        asking=0.25,
        free_first=True,
        read=False,
    )


def test_prices_survive_pickle_copy_and_json():
    costs = everything()
    for twin in (
        pickle.loads(pickle.dumps(costs)),
        copy.deepcopy(costs),
        TestCosts.from_dict(json.loads(json.dumps(costs.to_dict()))),
        eval(repr(costs)),
    ):
        assert twin == costs
        assert hash(twin) == hash(costs)


@pytest.mark.parametrize("read", ["auto", True, False])
def test_files_hold_what_is_read_and_those_without_it_say_auto(read):
    written = json.loads(json.dumps(TestCosts({"a": 1}, read=read).to_dict()))
    assert TestCosts.from_dict(written).read == read
    del written["read"]
    assert TestCosts.from_dict(written).read == "auto"


def test_json_keeps_the_types_of_positions_and_categories():
    costs = TestCosts({0: 1, 3: {0: 5, True: 2, "0": 7, 1.5: 1}}, known=[1, 2])
    twin = TestCosts.from_dict(json.loads(json.dumps(costs.to_dict())))
    assert twin == costs
    assert [type(value) for value in twin.prices[3]] == [int, bool, str, float]


def test_an_estimator_that_holds_prices_can_be_cloned():
    class Estimator(BaseEstimator):
        def __init__(self, costs=None):
            self.costs = costs

    assert clone(Estimator(costs=everything())).costs == everything()


def test_the_order_of_features_in_sets_and_of_prices_does_not_matter():
    one = TestCosts({"a": 1, "b": 2}, delayed=["a", "b"], known=["b", "a"])
    other = TestCosts({"b": 2, "a": 1}, delayed=["b", "a"], known=["a", "b"])
    assert one == other
    assert hash(one) == hash(other)


def test_plain_dicts_describe_groups():
    assert TestCosts(DISCOUNT, groups={"blood": {"setup": 2.1, "members": ["chol", "fbs"]}}) == TestCosts(
        DISCOUNT, groups={"blood": Group(2.1, ("chol", "fbs"))}
    )


def test_prices_cannot_be_changed_but_replaced():
    costs = TestCosts({"a": 1})
    with pytest.raises(AttributeError):
        costs.pay = "each"
    with pytest.raises(TypeError):
        costs.prices["a"] = 2.0
    assert replace(costs, prices={**costs.prices, "b": 2}).prices == {"a": 1.0, "b": 2.0}


def test_an_array_prices_columns_by_position_or_by_given_names():
    assert TestCosts(np.array([1, 2.5])).prices == {0: 1.0, 1: 2.5}
    assert TestCosts.from_array([1, 2.5]) == TestCosts([1, 2.5])
    assert TestCosts.from_array([1, 2.5], ["a", "b"], delayed=["b"]) == TestCosts(
        {"a": 1, "b": 2.5}, delayed=["b"]
    )


def test_full_and_discount_prices_give_own_prices_and_set_ups():
    costs = TestCosts.from_full_and_discount(FULL, DISCOUNT, {"blood": ["chol", "fbs"]}, delayed=["chol"])
    assert costs == TestCosts(
        {"chol": 5.17, "fbs": 3.10, "cp": 1.0},
        groups={"blood": Group(2.10, ("chol", "fbs"))},
        delayed=["chol"],
    )


GROUP = {"g": {"setup": 1, "members": ["a"]}}
BAD = {
    "negative": (lambda: TestCosts({"a": -1}), "the price of 'a' is -1.0: .*not below 0"),
    "NaN": (lambda: TestCosts({"a": float("nan")}), "the price of 'a' is nan"),
    "infinite": (lambda: TestCosts([1, np.inf]), "position 1 is inf"),
    "text": (lambda: TestCosts({"a": "1"}), "the price of 'a' is '1': write a number"),
    "bool": (lambda: TestCosts({"a": True}), "write a number"),
    "matrix": (lambda: TestCosts([[1.0]]), "one number a column"),
    "negative outcome": (lambda: TestCosts({"a": {"x": -2}}), "price of 'a' at 'x' is -2"),
    "no outcome": (lambda: TestCosts({"a": {}}), "'a' has no outcome"),
    "steps out of order": (lambda: Steps((2, 1), (1, 1, 1)), "rising order"),
    "too few step prices": (lambda: Steps((1, 2), (1, 1)), "2 limits in up_to need 3 prices"),
    "negative step": (lambda: Steps((1,), (1, -1)), r"prices\[1\] is -1"),
    "feature of odd type": (lambda: TestCosts({1.5: 1}), "write a column name, or a position"),
    "negative position": (lambda: TestCosts({-1: 1}), "position counted from 0"),
    "names and positions": (lambda: TestCosts([1, 2], delayed=["b"]), "feature_names"),
    "negative set-up": (
        lambda: TestCosts({"a": 1}, {"g": {"setup": -1, "members": ["a"]}}),
        "group 'g': setup is -1",
    ),
    "no set-up": (lambda: TestCosts({"a": 1}, {"g": {"members": ["a"]}}), "group 'g' needs both"),
    "no members": (
        lambda: TestCosts({"a": 1}, {"g": {"setup": 1, "members": []}}),
        "group 'g': members is empty",
    ),
    "members as text": (
        lambda: TestCosts({"a": 1}, {"g": {"setup": 1, "members": "a"}}),
        "'g': .* write a list",
    ),
    "misspelt entry": (
        lambda: TestCosts({"a": 1}, {"g": {"setpu": 1, "members": ["a"]}}),
        "did you mean 'setup'",
    ),
    "group of another type": (lambda: TestCosts({"a": 1}, {"g": 3}), "group 'g' is 3"),
    "unknown member": (
        lambda: TestCosts({"chol": 1}, {"g": {"setup": 1, "members": ["chl"]}}),
        "group 'g' names 'chl', which has no price; did you mean 'chol'",
    ),
    "member twice": (lambda: TestCosts({"a": 1}, {"g": Group(1, ("a", "a"))}), "names 'a' twice"),
    "two groups": (
        lambda: TestCosts({"a": 1}, {**GROUP, "h": Group(1, ("a",))}),
        "'a' is in two groups, 'g' and 'h'",
    ),
    "unknown delayed": (lambda: TestCosts({"a": 1}, delayed=["b"]), "delayed names 'b', which has no price"),
    "known as text": (lambda: TestCosts({"a": 1}, known="a"), "known is 'a': write a list"),
    "pay": (lambda: TestCosts({"a": 1}, pay="twice"), "pay is 'twice': write 'once' or 'each'"),
    "scope": (lambda: TestCosts({"a": 1}, delayed_scope="none"), "'delayed' or 'all'"),
    "asking": (lambda: TestCosts({"a": 1}, asking=-1), "asking is -1"),
    "free_first": (lambda: TestCosts({"a": 1}, free_first=1), "free_first is 1: write True or False"),
    "read": (lambda: TestCosts({"a": 1}, read="no"), "read is 'no': write 'auto', True or False"),
    "array and names": (lambda: TestCosts.from_array([1, 2], ["a"]), "2 prices for 1 feature names"),
    "name twice": (lambda: TestCosts.from_array([1, 2], ["a", "a"]), "names 'a' twice"),
    "unequal differences": (
        lambda: TestCosts.from_full_and_discount({"a": 5, "b": 6}, {"a": 3, "b": 3}, {"g": ["a", "b"]}),
        "group 'g': full minus discount is 2.0 for 'a' but 3.0 for 'b'",
    ),
    "discount above full": (
        lambda: TestCosts.from_full_and_discount({"a": 5}, {"a": 6}, {"g": ["a"]}),
        "'a' costs more at a discount",
    ),
    "discount without group": (
        lambda: TestCosts.from_full_and_discount({"a": 5}, {"a": 3}, {}),
        "'a' costs 5.0 in full and 3.0 at a discount but is in no group",
    ),
    "discount without full": (
        lambda: TestCosts.from_full_and_discount({}, {"a": 3}, {}),
        "'a' has a discount",
    ),
    "group without prices": (
        lambda: TestCosts.from_full_and_discount({"a": 5}, {"a": 3}, {"g": ["a", "z"]}),
        "group 'g' names 'z', which lacks",
    ),
    "json entry": (lambda: TestCosts.from_dict({"prices": [], "pya": "once"}), "did you mean 'pay'"),
    "json without prices": (lambda: TestCosts.from_dict({}), "prices is None"),
    "json price": (
        lambda: TestCosts.from_dict({"prices": [{"feature": "a"}]}),
        "prices, 'a' has the entries",
    ),
    "json record": (lambda: TestCosts.from_dict({"prices": [{"price": 1}]}), "needs 'feature'"),
    "json twice": (
        lambda: TestCosts.from_dict({"prices": [{"feature": "a", "price": 1}, {"feature": "a", "price": 2}]}),
        "'a' twice",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_prices_are_refused_with_the_place_and_the_remedy(case):
    make, message = BAD[case]
    with pytest.raises((ValueError, TypeError), match=message):
        make()


def test_names_from_a_numpy_array_are_names():
    prices = dict(zip(np.array(["a", "b"]), [1, 2], strict=True))
    costs = TestCosts(prices, known=["a"], delayed=np.array(["b"]))
    assert costs == TestCosts({"a": 1, "b": 2}, known=["a"], delayed=["b"])
    assert json.dumps(costs.to_dict())


def test_a_pandas_series_names_the_features_in_its_index():
    pd = pytest.importorskip("pandas")
    assert TestCosts(pd.Series([2.0, 1.0], index=["b", "a"])) == TestCosts({"a": 1, "b": 2})
    assert TestCosts(pd.Series([2.0, 1.0])) == TestCosts([2.0, 1.0])
    with pytest.raises(ValueError, match="prices names 'a' twice"):
        TestCosts(pd.Series([2.0, 1.0], index=["a", "a"]))


def test_a_member_without_a_discount_price_is_not_taken_for_a_misspelling():
    with pytest.raises(ValueError, match="'chol', which lacks a full or a discount price; give it both"):
        TestCosts.from_full_and_discount(FULL, {}, {"blood": ["chol"]})


@pytest.mark.parametrize("groups", [3, "blood", ["blood"]])
def test_groups_that_are_no_dict_are_refused_with_the_form(groups):
    with pytest.raises(TypeError, match=r"groups is .*: write a dict, \{'blood': Group\(setup="):
        TestCosts({"age": 1}, groups=groups)
