"""A test that is stated - a column with its cut or its groups - is asked as stated."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from edited_trees import leaves_of, questions_of

from thriftree import CARTClassifier, CARTRegressor, CHAIDClassifier, ThriftTreeClassifier
from thriftree.datasets import heart_prices, load_heart

SIZE = pd.CategoricalDtype(["S", "M", "L", "XL"], ordered=True)


@pytest.fixture(scope="module")
def clothes() -> tuple[pd.DataFrame, np.ndarray]:
    random = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "price": random.integers(10, 50, 120).astype(float),
            "size": pd.Categorical(random.choice(["S", "L", "XL"], 120), dtype=SIZE),
            "colour": random.choice(["red", "green", "blue", None], 120),
        }
    )
    X.loc[::17, "price"] = np.nan
    y = np.where((X["price"] < 30) | (X["colour"] == "red"), "sold", "kept")
    return X, y


@pytest.fixture(scope="module")
def model(clothes) -> CARTClassifier:
    return CARTClassifier(min_leaf=5, max_depth=3).fit(*clothes)


def first_test(edit, node=0):
    return edit.tree.to_dict()["nodes"][node]["test"]


def test_a_cut_stands_where_it_was_put(model, clothes):
    edit = model.refit_below(0, *clothes, feature="price", cut=33.3)
    test = first_test(edit)
    assert (test["keys"], test["to"], test["score"]) == ([33.3], [0, 1], None)
    assert edit.tree.core.rows[1] + edit.tree.core.rows[edit.tree.core.children[1]] == 120


def test_a_cut_at_a_value_takes_the_value_to_the_left(model, clothes):
    X, y = clothes
    edit = model.refit_below(0, X, y, feature="price", cut=20, max_depth=1)
    counted = int((X["price"] <= 20).sum()) + (first_test(edit)["missing"] == 0) * int(
        X["price"].isna().sum()
    )
    assert edit.tree.core.rows[1] == counted


def test_several_cuts_make_several_branches(model, clothes):
    edit = model.refit_below(0, *clothes, feature="price", cut=[20, 30, 40])
    assert first_test(edit)["keys"] == [20.0, 30.0, 40.0]
    assert len(edit.tree.to_dict()["nodes"][0]["children"]) == 4


def test_missing_values_take_the_branch_of_least_impurity(model, clothes):
    X, y = clothes
    edit = model.refit_below(0, X, y, feature="price", cut=30, max_depth=1)

    def impurity(missing: int) -> float:
        left = (X["price"] <= 30) | (X["price"].isna() & (missing == 0))
        sides = (pd.Series(y)[left.to_numpy()], pd.Series(y)[~left.to_numpy()])
        return sum(len(side) * (1 - (side.value_counts(normalize=True) ** 2).sum()) for side in sides)

    assert first_test(edit)["missing"] == int(np.argmin([impurity(0), impurity(1)]))


def test_an_ordered_column_is_cut_after_a_category(model, clothes):
    edit = model.refit_below(0, *clothes, feature="size", cut="S", max_depth=1)
    assert first_test(edit)["keys"] == [0.5]  # M, which no row has, is above S
    with pytest.raises(ValueError, match=r"'size' has no category 'XS'; did you mean 'S'\? it has"):
        model.refit_below(0, *clothes, feature="size", cut="XS")


def test_groups_are_branches_and_what_is_left_out_is_one_more(model, clothes):
    X, y = clothes
    edit = model.refit_below(0, X, y, feature="colour", groups=[["red"], ["green", None]], max_depth=1)
    sizes = [
        int((X["colour"] == "red").sum()),
        int(((X["colour"] == "green") | X["colour"].isna()).sum()),
        int((X["colour"] == "blue").sum()),
    ]
    assert edit.tree.core.rows[1:].tolist() == sizes
    assert first_test(edit)["missing"] == 1


def test_groups_can_leave_missing_values_to_the_rows(model, clothes):
    edit = model.refit_below(0, *clothes, feature="colour", groups=[["red", "green", "blue"], [None]])
    assert first_test(edit)["missing"] == 1
    edit = model.refit_below(0, *clothes, feature="colour", groups=[["red"]])
    assert first_test(edit)["missing"] in (0, 1)


def test_groups_hold_for_categories_that_no_row_of_the_node_has(model, clothes):
    X, y = clothes
    stump = model.refit_below(0, X, y, feature="colour", groups=[["red"], ["green", "blue"]], max_depth=1)
    for groups in ([["green", "red"], ["blue"]], [["green"], ["blue", "red"]]):
        edit = stump.estimator.refit_below(2, X, y, feature="colour", groups=groups, max_depth=2)
        test, colours = first_test(edit, 2), [str(c) for c in edit.tree.columns[2].categories]
        branch_of = dict(zip([colours[key] for key in test["keys"]], test["to"], strict=True))
        assert [branch_of[c] for c in groups[0]] == [0] * len(groups[0])
        assert [branch_of[c] for c in groups[1]] == [1] * len(groups[1])
    sizes = [["S", "M"], ["L", "XL"]], [["S"], ["M", "L", "XL"]]
    for groups in sizes:  # no row is M
        edit = model.refit_below(0, X, y, feature="size", groups=groups, max_depth=1)
        assert first_test(edit)["keys"] == [len(groups[0]) - 0.5]


def test_a_group_for_missing_values_holds_where_none_is_missing(model, clothes):
    X, y = clothes
    known = X["colour"].notna().to_numpy()
    for groups, branch in ([["red", None], ["blue"]], 0), ([["red"], ["blue", None]], 1):
        edit = model.refit_below(0, X[known], y[known], feature="colour", groups=groups, max_depth=1)
        assert first_test(edit)["missing"] == branch


def test_a_test_of_many_branches_needs_as_many_leaves(clothes):
    X, y = clothes
    model = CARTClassifier(max_leaves=2).fit(X, y)
    with pytest.raises(ValueError, match=r"with 3 branches there the tree has 3 leaves, above max_leaves=2"):
        model.refit_below(0, X, y, feature="colour", groups=[["red"], ["green"]])
    edit = model.refit_below(0, X, y, feature="colour", groups=[["red"], ["green"]], max_leaves=3)
    assert edit.tree.n_leaves == 3


def test_a_stated_test_is_asked_below_a_node_too_and_counts_only_its_rows(model, clothes):
    X, y = clothes
    node = questions_of(model.tree_)[1]
    edit = model.refit_below(node, X, y, feature="price", cut=35)
    assert first_test(edit, node)["keys"] == [35.0]
    assert edit.tree.core.rows[node] == model.tree_.core.rows[node]


def test_numbers_bins_and_other_learners_take_stated_tests(clothes):
    X, y = clothes
    for learner, target in (
        (CARTRegressor(max_depth=2), (y == "sold").astype(float)),
        (CARTClassifier(max_depth=2, max_bins=4), y),
        (CHAIDClassifier(), y),
        (ThriftTreeClassifier(cv=2, random_state=0), y),
    ):
        edit = learner.fit(X, target).refit_below(0, X, target, feature="price", cut=21.5)
        assert first_test(edit)["keys"] == [21.5]
        known = X["price"].notna().to_numpy()
        went_left = edit.tree.decision_path(X[known]).toarray()[:, 1].astype(bool)
        assert (went_left == (X["price"][known] <= 21.5)).all()


def test_chaid_can_be_forced_to_ask_what_is_not_significant():
    X, y = load_heart()
    model = CHAIDClassifier().fit(X, y)
    with pytest.raises(ValueError, match=r"cannot ask about 'high_fasting_sugar'.*state the test"):
        model.refit_below(0, X, y, feature="high_fasting_sugar")
    edit = model.refit_below(0, X, y, feature="high_fasting_sugar", groups=[["yes"], ["no"]])
    assert edit.tree.columns[edit.tree.core.column[0]].name == "high_fasting_sugar"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"feature": "prise"}, r"no column 'prise'; did you mean 'price'\?"),
        ({"feature": 7}, "no column 7: the tree has 3 columns"),
        ({"cut": 3}, "give feature too"),
        ({"feature": "price", "cut": 3, "groups": [["a"]]}, "cut or groups, not both"),
        ({"feature": "price", "cut": 500}, "node 0: column 'price' is from 10.0 to 49.0 there, so branch 1"),
        ({"feature": "price", "cut": [30, 20]}, "rising order"),
        ({"feature": "price", "cut": []}, "cut is empty"),
        ({"feature": "price", "cut": "cheap"}, "give finite numbers"),
        ({"feature": "price", "cut": float("nan")}, "give finite numbers"),
        ({"feature": "price", "groups": [["cheap"]]}, "'price' is a number, which has no groups: give cut"),
        ({"feature": "colour", "cut": "red"}, "categories without an order.*give groups"),
        ({"feature": "colour", "groups": [["red"], ["rd"]]}, r"has none of \['rd'\] there, only \['blue'"),
        ({"feature": "colour", "groups": [["red"], ["red", "blue"]]}, "'red' twice"),
        ({"feature": "colour", "groups": [["red", "green", "blue", None]]}, "all its 120 rows in one branch"),
        ({"feature": "colour", "groups": []}, "all its 120 rows in one branch"),
        ({"feature": "colour", "groups": [["red", "gren"]]}, r"no category 'gren'; did you mean 'green'\?"),
        ({"feature": "size", "groups": [["S", "XXL"]]}, r"no category 'XXL'; did you mean 'XL'\?"),
        ({"feature": "price", "min_leaf": 70}, r"cannot ask about 'price': no test of it is allowed"),
        ({"feature": "price", "max_depth": 0}, "max_depth=0; raise it, as in .*max_depth=1"),
    ],
)
def test_what_cannot_be_asked_is_said_with_node_column_and_remedy(model, clothes, parameters, message):
    with pytest.raises(ValueError, match=message):
        model.refit_below(0, *clothes, **parameters)


def test_groups_are_lists_of_lists(model, clothes):
    for groups in ("red", ["red", "blue"], 5, [["red", ["blue"]]]):
        with pytest.raises(TypeError, match="list of lists of categories"):
            model.refit_below(0, *clothes, feature="colour", groups=groups)


def test_a_node_without_choice_says_so():
    X = pd.DataFrame({"a": [0, 0, 1, 1], "b": [5, 5, 5, 5], "c": [0, 1, 0, 1]})
    model = CARTClassifier(max_depth=1).fit(X, ["p", "p", "q", "q"])
    leaf = leaves_of(model.tree_)[0]
    with pytest.raises(
        ValueError, match=f"node {leaf} cannot ask about 'c': all its 2 rows have the same target"
    ):
        model.refit_below(leaf, X, ["p", "p", "q", "q"], feature="c", max_depth=3)
    with pytest.raises(ValueError, match="node 0 cannot ask about 'b': all its 4 rows have the same value"):
        model.refit_below(0, X, ["p", "p", "q", "q"], feature="b")
    with pytest.raises(ValueError, match=f"no row of X reaches node {leaf}"):
        model.refit_below(leaf, X[2:], ["p", "q"])


def test_tables_that_are_not_those_of_fit_are_refused(model, clothes):
    X, y = clothes
    with pytest.raises(ValueError, match="feature names"):
        model.refit_below(0, X.rename(columns={"size": "sise"}), y)
    with pytest.raises(ValueError, match=r"y has the class 'lost', which the tree does not know"):
        model.refit_below(0, X, np.where(y == "sold", "lost", y))
    other = X.assign(size=X["size"].cat.reorder_categories(["XL", "L", "M", "S"]))
    node = questions_of(model.tree_)[1]
    with pytest.raises(
        ValueError, match=r"column 'size' was ordered categories .* in X: give a table of the same"
    ):
        model.refit_below(node, other, y, feature="size", min_leaf=1)


def test_parameters_are_checked_as_in_fit(model, clothes):
    with pytest.raises(TypeError, match=r"no parameter 'max_dept'; did you mean 'max_depth'\?"):
        model.refit_below(0, *clothes, max_dept=3)
    with pytest.raises(ValueError, match="use min_leaf"):
        model.refit_below(0, *clothes, min_samples_leaf=3)
    with pytest.raises(ValueError, match="'max_depth' parameter"):
        model.refit_below(0, *clothes, max_depth=-3)


def test_an_expensive_test_can_be_traded_for_cheap_ones():
    X, y = load_heart()
    model = CARTClassifier(max_leaves=4, costs=heart_prices()).fit(X, y)
    edit = model.refit_below(0, X, y, feature="chest_pain", costs=heart_prices(), max_depth=1)
    assert edit.after.expected_cost == 1.0
    assert edit.before.expected_cost > 200
