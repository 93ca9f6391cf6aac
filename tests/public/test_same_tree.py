"""PUBLIC with any bound, and without, gives the full tree pruned to fewest bits, by a slow definition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from oracles import plain_mdl
from public_tables import noisy_table, noisy_tables
from thoroughness import tries

from thriftree import CARTClassifier, PUBLICClassifier
from thriftree.estimators.category_tests import FREE_SETS

BOUNDS = ["V", "S", "1", None]


@dataclass
class Fits:
    """A table's tree for each bound, and the slow one."""

    models: dict
    slow: plain_mdl.GrownNode
    slow_bits: float
    n_full: int


def fits(table, **words):
    words = {"categorical_features": list(table.categorical), **words}
    full = CARTClassifier(impurity="entropy", **words, **FREE_SETS).fit(table.X, table.y, table.sample_weight)
    plain = plain_mdl.PlainTable.of(table)
    slow = plain_mdl.pruned(plain, plain_mdl.grown_nodes(full.tree_.core, full.apply(table.X).tolist()))
    models = {
        b: PUBLICClassifier(bound=b, **words).fit(table.X, table.y, table.sample_weight) for b in BOUNDS
    }
    n_tests = full.tree_.n_nodes - full.tree_.n_leaves
    return Fits(models, slow, plain_mdl.bits(plain, slow), n_tests)


def as_grown(model, table):
    return plain_mdl.grown_nodes(model.tree_.core, model.apply(table.X).tolist())


@pytest.mark.parametrize("part", range(tries(4, 1)))
def test_every_bound_gives_the_full_tree_pruned_afterwards_bit_by_bit(part):
    n_pruned = n_kept = 0
    for seed in range(75 * part, 75 * (part + 1)):
        table = noisy_table(seed)
        found = fits(table)
        for model in found.models.values():
            assert as_grown(model, table) == found.slow
            assert model.mdl_cost_ == pytest.approx(found.slow_bits, rel=1e-12)
        n_tests = found.models["V"].tree_.n_leaves - 1
        n_kept += n_tests > 0
        n_pruned += n_tests < found.n_full
    assert min(n_pruned, n_kept) > 20


def test_stronger_bounds_split_no_more_nodes():
    totals = np.zeros(4, dtype=int)
    for table in noisy_tables(tries(100, 30)):
        words = {"categorical_features": list(table.categorical)}
        models = [PUBLICClassifier(bound=b, **words) for b in ("V", "S", "1")]
        split = [m.fit(table.X, table.y, table.sample_weight).n_expanded_ for m in models]
        full = CARTClassifier(impurity="entropy", **words, **FREE_SETS)
        full = full.fit(table.X, table.y, table.sample_weight).tree_
        split = [models[0].tree_.n_leaves - 1, *split, full.n_nodes - full.n_leaves]
        assert split == sorted(split)
        totals += np.diff(split)
    assert (totals > 0).all()  # each step saves nodes somewhere, and no bound is perfect


@pytest.mark.parametrize(
    "words",
    [
        {"min_leaf": 4},
        {"max_depth": 3},
        {"min_mass": 0.1},
        {"min_decrease": 0.02},
        {"max_bins": 3},
        {"impurity": "gini"},
        {"class_weight": "balanced"},
        {"costs": [5.0, 1.0, 1.0, 2.0], "cost_benefit": True},
        {"n_jobs": 2},
    ],
    ids=str,
)
def test_the_tree_is_that_of_pruning_afterwards_under_every_rule(words):
    for table in noisy_tables(tries(30, 10)):
        if "costs" in words and table.X.shape[1] != 4:
            continue
        common = {"categorical_features": list(table.categorical), **words}
        models = [PUBLICClassifier(bound=b, **common) for b in BOUNDS]
        trees = [m.fit(table.X, table.y, table.sample_weight).tree_.to_json() for m in models]
        assert len(set(trees)) == 1
        assert len({round(m.mdl_cost_, 6) for m in models}) == 1


def test_the_bits_count_rows_and_not_class_weights_or_the_costs_of_mistakes():
    table = noisy_table(5)
    plain = plain_mdl.PlainTable.of(table)
    uneven = 1.0 - np.eye(table.n_classes)
    uneven[0] *= 7
    for words in ({"class_weight": "balanced"}, {"error_costs": uneven}):
        model = PUBLICClassifier(categorical_features=list(table.categorical), **words)
        model.fit(table.X, table.y, table.sample_weight)
        assert model.mdl_cost_ == pytest.approx(plain_mdl.bits(plain, as_grown(model, table)), rel=1e-12)
