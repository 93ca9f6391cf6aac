"""Worst-case trees: paper 001's examples, the greedy rule at every node, tolerances, objects."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from thoroughness import tries
from thrift_prices import random_costs

from thriftree import HingedPairs, Pairs, Polynomial, Powers, TestCosts, WorstCaseTreeClassifier
from thriftree.costs import price
from thriftree.datasets import heart_prices, load_heart
from thriftree.learning.growth import Grown
from thriftree.learning.limits import LimitReachedWarning, Limits
from thriftree.learning.objects import objects_of
from thriftree.methods.worst_case.early_stopping import by_tolerance, worst_cases
from thriftree.methods.worst_case.set_functions import values
from thriftree.testing.makers import small_table, small_tables

REFERENCE = json.loads((Path(__file__).parents[1] / "reference" / "greedytree_paper001.json").read_text())
UNLIMITED = Limits.of(1, None, None)
IMPURITIES = [Pairs(), Powers(3), HingedPairs(1.25), HingedPairs(epsilon=0.1)]


@pytest.fixture(scope="module")
def paper_1024():
    """Section 5 of the paper: the objects are all rows of ten bits, the first bit the highest."""
    number = np.arange(1024)
    X = (number[:, np.newaxis] >> np.arange(9, -1, -1)) & 1
    y = number // 256 + 1
    y[[0, 256, 512, 768]] = [2, 3, 4, 1]
    return X.astype(float), y


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("Pairs", {"impurity": "pairs"}),
        ("Powers_l3", {"impurity": Powers(3)}),
        ("Powers_l4", {"impurity": Powers(4)}),
        ("Powers_l5", {"impurity": Powers(5)}),
        ("Pairs_delta255_earlystop", {"tolerance": 255}),
        ("hinged_alpha1", {"impurity": HingedPairs(1)}),
        ("hinged_alpha_255/256", {"impurity": HingedPairs(255 / 256)}),
        ("hinged_alpha_254/256", {"impurity": HingedPairs(254 / 256)}),
        ("hinged_alpha_0.5", {"impurity": HingedPairs(0.5)}),
    ],
)
def test_the_papers_example_of_1024_objects(paper_1024, name, parameters):
    X, y = paper_1024
    expected = REFERENCE["synthetic1024"][name]
    model = WorstCaseTreeClassifier(**parameters).fit(X, y)
    core = model.tree_.core
    assert model.worst_case_cost_ == expected["max_cost"]
    assert model.tree_.n_leaves == expected["leaves"]
    assert model.training_error_ * 1024 == pytest.approx(expected["errors"], abs=1e-9)
    assert model.expected_cost_ == float(Fraction(expected["expected_cost_uniform"]))
    assert core.column[0] + 1 == expected["root_test"]
    assert [core.column[child] + 1 for child in core.children[:2]] == expected["second_level_tests"]


@pytest.mark.parametrize(
    ("impurity", "root"),
    [
        (Pairs(), "t2"),
        (Powers(4), "t2"),
        (HingedPairs(7), "t2"),
        (HingedPairs(8, offset=False), "t1"),
        (HingedPairs(8), "t1"),  # a tie, which goes to the first column
    ],
)
def test_the_papers_figure_1(impurity, root):
    """30 circles and 30 triangles: t1 takes away 20 triangles, t2 halves both. A third column, constant
    in price but more expensive, tells the objects apart."""
    y = np.repeat([0, 1], 30)
    t1 = np.r_[np.zeros(40), np.ones(20)]
    t2 = np.tile([0, 1], 30)
    X = np.column_stack([t1, t2, np.arange(60)])
    model = WorstCaseTreeClassifier(impurity=impurity, costs=[1.0, 1.0, 1e6], max_depth=1).fit(X, y)
    assert f"t{model.tree_.core.column[0] + 1}" == root


def greedy_ratio(impurity, counts_of_branches, price):
    """R(t) of the paper's Algorithm 1; None if some outcome reduces nothing."""
    whole = counts_of_branches.sum(axis=0)
    reduced = [
        Fraction(float(impurity.value(whole))) - Fraction(float(impurity.value(branch)))
        for branch in counts_of_branches
    ]
    return None if min(reduced) <= 0 else max(Fraction(price) / r for r in reduced)


@pytest.mark.parametrize("seed", range(30))
def test_every_test_has_the_least_ratio_at_its_node(seed):
    rng = np.random.default_rng(seed)
    table = small_table(seed, n_rows=60, n_columns=4, n_classes=3, weighted=seed % 2 == 1)
    impurity = [Pairs(), Powers(4), HingedPairs(1.5), Polynomial([(1, (1, 1, 0)), (2, (0, 1, 2))])][seed % 4]
    prices = rng.integers(1, 6, 4).astype(float)
    costs = TestCosts(prices.tolist(), pay="each")
    model = WorstCaseTreeClassifier(impurity=impurity, costs=costs, multiway="all")
    model.fit(table.X, table.y, table.sample_weight)
    objects, counts = objects_and_counts(model, table)
    core = model.tree_.core
    X = np.asarray(objects.rows.codes.inputs(model.tree_.columns))
    reached = model.decision_path(X).toarray().astype(bool)
    for node in range(core.n_nodes):
        here = reached[:, node]
        ratios = []
        for column in range(4):
            of = X[here, column]
            branches = np.array(
                [np.bincount(objects.labels[here][of == v], minlength=3) for v in np.unique(of)], dtype=float
            )
            ratios.append(greedy_ratio(impurity, branches, int(prices[column])))
        offered = [ratio for ratio in ratios if ratio is not None]
        if core.column[node] < 0:
            assert impurity.value(counts[node]) == 0 or not offered
        else:
            assert float(ratios[core.column[node]]) == pytest.approx(float(min(offered)), rel=1e-9)


def objects_and_counts(model, table):
    """The objects of a fitted model's rows, and how many of each class reach each node."""
    scratch = WorstCaseTreeClassifier(**model.get_params())
    rows = scratch._read(table.X, table.y, table.sample_weight, Limits.of(1, None, None))
    objects = objects_of(rows, scratch._plan(rows), UNLIMITED)
    grown = Grown(model.tree_.core, model.tree_.columns, None)
    return objects, objects.per_node(grown)


def test_objects_are_distinct_rows_with_their_heaviest_class():
    X = np.array([[0, 1], [0, 1], [0, 1], [2, 2], [2, 2], [3, np.nan], [3, np.nan]])
    y = np.array([1, 0, 0, 1, 0, 1, 1])
    model = WorstCaseTreeClassifier().fit(X, y)
    assert model.n_objects_ == 3
    rows = model._read(X, y, [5, 1, 1, 1, 1, 1, 1], Limits.of(1, None, None))
    objects = objects_of(rows, model._plan(rows), UNLIMITED)
    # Of the first object class 1 is the heaviest, of the second both weigh the same.
    assert objects.labels.tolist() == [1, 0, 1]
    assert objects.counts.tolist() == [1, 2]


@settings(max_examples=tries(60, 25), deadline=None)
@given(table=small_tables(max_rows=60, max_columns=3))
def test_objects_are_counted_as_the_core_counts_them(table):
    model = WorstCaseTreeClassifier(categorical_features=list(table.categorical))
    model.fit(table.X, table.y, table.sample_weight)
    objects, counts = objects_and_counts(model, table)
    assert len(objects) == model.n_objects_ == len(np.unique(np.nan_to_num(table.X, nan=-99), axis=0))
    np.testing.assert_array_equal(counts.sum(axis=1), model.tree_.core.objects)


def test_many_columns_of_many_codes_do_not_run_out_of_numbers():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, (300, 30)).astype(float)
    X[150:] = X[:150]
    rows_of = WorstCaseTreeClassifier()
    rows = rows_of._read(X, np.arange(300) % 2, None, Limits.of(1, None, None))
    assert len(objects_of(rows, rows_of._plan(rows), UNLIMITED)) == 150


def test_with_two_classes_a_leaf_is_pure_unless_told_otherwise():
    table = small_table(3, n_rows=80, n_columns=5, n_values=12)
    model = WorstCaseTreeClassifier().fit(table.X, table.y)
    _, counts = objects_and_counts(model, table)
    assert Pairs().value(counts[model.tree_.core.column < 0]).max() == 0


@pytest.mark.parametrize("multiway", [True, False, "all"])
def test_multiway_says_what_is_tested_with_a_branch_for_each_value(multiway):
    rng = np.random.default_rng(1)
    X = rng.integers(0, 5, (200, 2)).astype(float)
    y = (X[:, 0] * 2 + X[:, 1]).astype(int) % 3
    model = WorstCaseTreeClassifier(multiway=multiway, categorical_features=[0]).fit(X, y)
    core = model.tree_.core
    n_branches = np.diff(core.child_begin)
    widest = [n_branches[core.column == column].max(initial=0) for column in (0, 1)]
    assert (widest[0] > 2) == (multiway in (True, "all"))
    assert (widest[1] > 2) == (multiway == "all")


@settings(max_examples=tries(40, 20), deadline=None)
@given(table=small_tables(max_rows=50), which=st.integers(0, 3), share=st.floats(0, 1))
def test_the_tree_of_a_tolerance_is_a_top_part_of_the_whole_tree(table, which, share):
    parameters = {"impurity": IMPURITIES[which], "categorical_features": list(table.categorical)}
    whole = WorstCaseTreeClassifier(**parameters).fit(table.X, table.y, table.sample_weight)
    _, counts = objects_and_counts(whole, table)
    of_node = values(whole.impurity_, counts)
    tolerance = float(share * of_node[0])
    early = WorstCaseTreeClassifier(**parameters, tolerance=tolerance).fit(
        table.X, table.y, table.sample_weight
    )
    cut = by_tolerance(Grown(whole.tree_.core, whole.tree_.columns, None), of_node).tree_at(tolerance)
    assert early.tree_.core == cut.core
    assert early.tolerance_ == tolerance


@settings(max_examples=tries(60, 25), deadline=None)
@given(table=small_tables(max_rows=60), seed=st.integers(0, 2**32 - 1))
def test_the_worst_case_of_every_tolerance_is_that_of_its_tree(table, seed):
    costs = random_costs(np.random.default_rng(seed), table)
    model = WorstCaseTreeClassifier(costs=costs, categorical_features=list(table.categorical))
    model.fit(table.X, table.y, table.sample_weight)
    _, counts = objects_and_counts(model, table)
    trees = by_tolerance(Grown(model.tree_.core, model.tree_.columns, None), Pairs().value(counts))
    bound = costs.bind(model.tree_.columns)
    slowly = [price(trees.tree_at(tolerance).core, bound).worst_case for tolerance in trees.alphas]
    np.testing.assert_allclose(worst_cases(trees, bound), slowly)
    assert slowly[0] == pytest.approx(model.worst_case_cost_)
    depths = [trees.tree_at(tolerance).core.depths.max() for tolerance in trees.alphas]
    np.testing.assert_array_equal(worst_cases(trees, None), depths)


@pytest.mark.parametrize("seed", range(10))
def test_powers_of_two_make_the_tree_of_pairs(seed):
    table = small_table(seed, n_rows=70, n_classes=4, n_columns=4, categories=True)
    parameters = {"categorical_features": list(table.categorical)}
    pairs = WorstCaseTreeClassifier(**parameters).fit(table.X, table.y)
    assert (
        WorstCaseTreeClassifier(**parameters, impurity=Powers(2)).fit(table.X, table.y).tree_ == pairs.tree_
    )
    hinged = WorstCaseTreeClassifier(**parameters, impurity=HingedPairs(0)).fit(table.X, table.y)
    assert hinged.tree_ == pairs.tree_


def pairs_of_ones_own(counts):
    total = counts.sum(axis=1)
    return (total**2 - (counts**2).sum(axis=1)) / 2


@pytest.mark.parametrize("seed", range(5))
def test_a_function_of_ones_own_makes_the_tree_of_its_twin(seed):
    table = small_table(seed, n_rows=70, n_classes=3, n_columns=4)
    own = WorstCaseTreeClassifier(impurity=pairs_of_ones_own).fit(table.X, table.y)
    assert own.tree_ == WorstCaseTreeClassifier().fit(table.X, table.y).tree_
    assert own.impurity_ is pairs_of_ones_own


def test_a_function_that_is_not_admissible_is_refused():
    table = small_table(0)
    with pytest.raises(ValueError, match="is not supermodular"):
        WorstCaseTreeClassifier(impurity=lambda n: n.sum(axis=1) - n.max(axis=1)).fit(table.X, table.y)


def test_a_polynomial_of_other_classes_is_refused():
    table = small_table(0, n_classes=3)
    with pytest.raises(ValueError, match="Polynomial of 2 classes, but y has 3"):
        WorstCaseTreeClassifier(impurity=Polynomial([(1, (1, 1))])).fit(table.X, table.y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"impurity": "gini"}, "impurity"),
        ({"tolerance": -1.0}, "tolerance"),
        ({"tolerance": float("nan")}, "tolerance"),
        ({"budget": -1.0}, "budget"),
        ({"budget": float("nan")}, "budget"),
        ({"multiway": "none"}, "multiway"),
        ({"impurity": "search", "tolerance": 3.0}, "tolerance=3.0 counts in the unit of one impurity"),
    ],
)
def test_a_bad_parameter_is_named(parameters, message):
    table = small_table(0)
    with pytest.raises(ValueError, match=message):
        WorstCaseTreeClassifier(**parameters).fit(table.X, table.y)


def test_a_share_of_objects_counts_objects_and_not_rows():
    table = small_table(5, n_rows=40, n_columns=2)
    X, y = np.repeat(table.X, 3, axis=0), np.repeat(table.y, 3)
    model = WorstCaseTreeClassifier(impurity=HingedPairs(epsilon=0.2)).fit(X, y)
    assert model.impurity_ == HingedPairs(0.2 * len(np.unique(table.X, axis=0)))


def test_a_fit_without_time_claims_no_small_error():
    table = small_table(5, n_rows=40, n_columns=2)
    model = WorstCaseTreeClassifier(impurity=HingedPairs(epsilon=0.01), time_limit_s=1e-9)
    with pytest.warns(LimitReachedWarning):
        model.fit(table.X, table.y)
    n_classes = len(model.classes_)
    assert model.training_error_ <= model.error_bound_ == pytest.approx((n_classes - 1) / n_classes)


@settings(max_examples=tries(40, 20), deadline=None)
@given(table=small_tables(max_rows=40), weigh_classes=st.booleans())
def test_the_training_error_is_that_of_the_predictions(table, weigh_classes):
    model = WorstCaseTreeClassifier(
        impurity=HingedPairs(epsilon=0.15),
        class_weight="balanced" if weigh_classes else None,
        categorical_features=list(table.categorical),
    ).fit(table.X, table.y, table.sample_weight)
    score = model.score(table.X, table.y, table.sample_weight)
    assert model.training_error_ == pytest.approx(1 - score, abs=1e-12)


def test_prices_of_outcomes_are_what_a_test_is_weighed_by():
    """Both columns separate the classes equally. The expensive outcome of the second leaves no impurity,
    which only prices by outcome can tell: 3 / (26 - 3) against the larger of 1 / (26 - 3) and 3 / 26."""
    X = np.array([[a, b] for a in "xyz" for b in "xyz"], dtype=object)
    y = [1, 2, 0, 3, 4, 0, 0, 0, 0]
    flat = TestCosts({0: 3.0, 1: 3.0}, pay="each")
    by_outcome = TestCosts({0: 3.0, 1: {"x": 1.0, "y": 1.0, "z": 3.0}}, pay="each")
    roots = [
        WorstCaseTreeClassifier(costs=costs, max_depth=1).fit(X, y).tree_.core.column[0]
        for costs in (flat, by_outcome)
    ]
    assert roots == [0, 1]


def test_nested_tolerances_cost_ever_less():
    table = small_table(8, n_rows=120, n_columns=5, n_classes=3, n_values=12)
    worst = [
        WorstCaseTreeClassifier(tolerance=tolerance).fit(table.X, table.y).worst_case_cost_
        for tolerance in (0, 5, 50, 500, 5000)
    ]
    assert all(a >= b for a, b in pairwise(worst))
    assert worst[-1] == 0


def test_a_certificate_is_made_where_it_is_asked_for():
    X, y = load_heart()
    model = WorstCaseTreeClassifier(costs=heart_prices(), certificate=True).fit(X, y)
    certificate = model.certificate_
    assert certificate.reached == model.worst_case_cost_
    assert 0 < certificate.lower_bound <= certificate.reached
    assert certificate.trees == "pure"
    assert certificate.factor > certificate.ratio >= 1
    assert WorstCaseTreeClassifier(costs=heart_prices()).fit(X, y).certificate_ is None
