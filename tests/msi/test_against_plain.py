"""The estimator, which remembers and skips, learns the tree of the algorithm that does neither."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from same_as_plain import assert_same_as_plain
from sklearn.datasets import load_digits, load_iris, load_wine
from thoroughness import tries

from thriftree.methods.msi.cost import COMBINATIONS, SHORT_MODELS
from thriftree.methods.msi.growth import SurfeitGrowth
from thriftree.testing.makers import small_table, small_tables


@settings(max_examples=tries(300, 100), deadline=None)
@given(
    table=small_tables(max_rows=50),
    compressor=st.sampled_from(["bz2", "zlib"]),
    combine=st.sampled_from(sorted(COMBINATIONS)),
    short_models=st.sampled_from(sorted(SHORT_MODELS)),
)
def test_small_tables_with_ties_categories_and_missing_values(table, compressor, combine, short_models):
    words = {"compressor": compressor, "combine": combine, "short_models": short_models}
    assert_same_as_plain(table.X, table.y, table.categorical, **words)


def test_many_categories_are_divided_in_the_order_of_a_class():
    for seed in range(6):
        table = small_table(seed, n_rows=80, n_values=12, n_classes=2 + seed % 2, missing=seed > 3)
        assert_same_as_plain(table.X, table.y, (0, 1), compressor="zlib", combine="product")


@pytest.mark.parametrize("short_models", sorted(SHORT_MODELS))
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_iris_and_wine(load, short_models):
    assert_same_as_plain(*load(return_X_y=True), short_models=short_models)


def test_lzma():
    X, y = load_iris(return_X_y=True)
    assert_same_as_plain(X[::4], y[::4], compressor="lzma")


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_digits_on_any_number_of_threads(n_jobs):
    X, y = load_digits(return_X_y=True)
    model = assert_same_as_plain(X[:80], y[:80], n_jobs=n_jobs)
    assert model.tree_.n_nodes > 15


def test_a_candidate_is_skipped_only_where_its_surfeit_alone_costs_too_much(monkeypatch):
    skipped = []
    evaluate = SurfeitGrowth._if_tested

    def counted(self, leaf):
        cost = evaluate(self, leaf)
        skipped.append(cost is None)
        return cost

    monkeypatch.setattr(SurfeitGrowth, "_if_tested", counted)
    for load in (load_iris, load_wine):
        for combine in ("sum", "arithmetic", "euclidean"):
            assert_same_as_plain(*load(return_X_y=True), combine=combine)
    assert any(skipped)
    assert not all(skipped)
