"""Rows as gates read them, and what they reach on average: in pieces, with a look at the clock before each,
and without a copy of the table.
"""

from __future__ import annotations

import tracemalloc
import warnings

import numpy as np
import pytest
from soft_tables import mixed, spread

from thriftree import SoftTreeClassifier, SoftTreeRegressor, _core
from thriftree.learning.limits import Limits
from thriftree.methods.soft import design as design_module
from thriftree.methods.soft.design import Design
from thriftree.methods.soft.soft_tree import SoftTree


def fitted(pieces, monkeypatch, **options):
    """A model of a table with categories and missing values, whose rows are made in so many pieces."""
    X, y = mixed(3, n_rows=1000)
    monkeypatch.setattr(design_module, "_PIECE", 1 if pieces > 1 else 2**30)
    return SoftTreeClassifier(max_iter=5, **options).fit(X, y), X


def test_rows_in_pieces_are_the_rows_as_a_whole(monkeypatch):
    (in_pieces, X), (whole, _) = fitted(4, monkeypatch), fitted(1, monkeypatch)
    assert in_pieces.soft_tree_.parameters.tolist() == whole.soft_tree_.parameters.tolist()
    tree = whole.soft_tree_
    terms = tree.design.terms(tree._inputs(X))
    rows = _core.SoftRows(terms, np.zeros(len(terms)), np.ones(len(terms)))
    direct = _core.soft_answers(tree.shape(), rows, tree.parameters)
    monkeypatch.setattr(design_module, "_PIECE", 1)
    np.testing.assert_allclose(tree.predict_proba(X), direct, rtol=1e-12)


def test_the_clock_is_looked_at_before_every_piece_of_the_rows(monkeypatch):
    model, X = fitted(1, monkeypatch)
    tree = model.soft_tree_
    monkeypatch.setattr(design_module, "_PIECE", 1)
    looks = []
    tree.design.rows(tree._inputs(X), lambda: looks.append(1))
    assert len(looks) == 4  # of 256 rows

    def look():
        looks.append(1)
        if len(looks) == 7:
            raise TimeoutError

    with pytest.raises(TimeoutError):
        tree.design.rows(tree._inputs(X), look)
    assert len(looks) == 7


def test_a_matrix_in_pieces_is_the_terms_of_all_rows(monkeypatch):
    model, X = fitted(1, monkeypatch)
    tree = model.soft_tree_
    looks = []
    whole = tree.design.terms(tree._inputs(X)).T
    monkeypatch.setattr(design_module, "_PIECE", 1)
    assert (tree.design.matrix(tree._inputs(X), lambda: looks.append(1)) == whole).all()
    assert len(looks) == 4


def test_a_clock_that_runs_out_among_the_rows_leaves_a_leaf(monkeypatch):
    X, y = spread(0, n_rows=2000)
    seen = []

    def late(self, inputs, look):
        seen.append(look)
        look.__self__.ends_at = 0.0
        return rows(self, inputs, look)

    rows = Design.rows
    monkeypatch.setattr(Design, "rows", late)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SoftTreeClassifier(time_limit_s=100.0).fit(X, y)
    assert isinstance(seen[0].__self__, Limits)
    assert model.stopped_by_ == "time_limit"
    assert model.soft_tree_.n_leaves == 1


def test_the_rows_of_a_soft_tree_take_no_second_table(monkeypatch):
    """What Python allocates on the way is a piece, not the table of terms."""
    model = SoftTreeRegressor(max_depth=1, max_iter=1).fit(*spread(0, n_columns=40, numbers=True))
    design = model.soft_tree_.design
    inputs = np.random.default_rng(0).normal(size=(40_000, 40))
    tracemalloc.start()
    try:
        design.rows(inputs)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < inputs.nbytes


def test_rows_are_written_where_they_are_told_to_and_nowhere_else():
    rng = np.random.default_rng(1)
    columns = rng.normal(size=(3, 700))
    rows = _core.SoftRows.blank(700, np.zeros(3), np.ones(3))
    for first, last in ((300, 700), (0, 1), (1, 300)):  # across blocks, and not in order
        rows.write(first, np.ascontiguousarray(columns[:, first:last]))
    shape = _core.SoftShape([-1], [-2], [0], [3], 3, 0)
    given = rng.normal(size=shape.n_parameters)
    whole = _core.SoftRows(columns, np.zeros(3), np.ones(3))
    assert (_core.soft_reaches(shape, rows, given) == _core.soft_reaches(shape, whole, given)).all()
    for first, part in ((699, columns[:, :2]), (701, columns[:, :1]), (0, columns[:2, :5])):
        with pytest.raises(ValueError, match="soft rows"):
            rows.write(first, np.ascontiguousarray(part))


@pytest.mark.parametrize("n_threads", [1, 3])
@pytest.mark.parametrize("weighted", [False, True])
def test_mean_reaches_are_the_means_of_the_rows_reaches(weighted, n_threads, monkeypatch):
    model, X = fitted(1, monkeypatch)
    tree: SoftTree = model.soft_tree_
    weights = np.random.default_rng(0).random(len(X)) if weighted else None
    rows = tree.design.rows(tree._inputs(X))
    found = _core.soft_mean_reaches(tree.shape(), rows, tree.parameters, weights, tree.sharpness, n_threads)
    assert found == pytest.approx(np.average(tree.path_probabilities(X), axis=0, weights=weights), rel=1e-12)
    alone = _core.soft_mean_reaches(tree.shape(), rows, tree.parameters, weights, tree.sharpness, 1)
    assert found.tolist() == alone.tolist()


@pytest.mark.parametrize("costs", [None, {"colour": 1.0, "size": 2.0, "weight": 4.0}], ids=["free", "priced"])
def test_the_expected_cost_of_a_fit_is_that_of_its_rows(costs, monkeypatch):
    model, X = fitted(1, monkeypatch, costs=costs)
    assert model.expected_cost_ == pytest.approx(model.soft_tree_.expected_cost(X), rel=1e-12)
