"""Class weights and error costs: what they do to the tree, its labels and its probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thriftree import C45Classifier, CARTClassifier, ID3Classifier
from thriftree.testing.makers import SmallTable, small_table

CLASSIFIERS = [CARTClassifier, ID3Classifier, C45Classifier]


def tables() -> list[SmallTable]:
    return [
        small_table(seed, n_rows=40, n_classes=3, weighted=seed % 2 == 1, categories=True)
        for seed in range(12)
    ]


def fit(cls: Any, table: SmallTable, **params: Any) -> Any:
    model = cls(max_depth=2, categorical_features=list(table.categorical), **params)
    return model.fit(table.X, table.y, sample_weight=table.sample_weight)


def structure(model: Any) -> list[Any]:
    core = model.tree_.core
    return [core.column.tolist(), core.keys.tolist(), core.to.tolist()]


def leaf_weights(model: Any, table: SmallTable) -> Any:
    """Class sums of sample weight in every node that some row ends in, by plain counting."""
    weight = np.ones(table.n_rows) if table.sample_weight is None else table.sample_weight
    sums = np.zeros((model.tree_.n_nodes, table.n_classes))
    np.add.at(sums, (model.apply(table.X), table.y), weight)
    return sums


def random_costs(seed: int) -> Any:
    costs = np.random.default_rng(seed).integers(1, 20, size=(3, 3)).astype(float)
    np.fill_diagonal(costs, 0.0)
    return costs


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_a_leaf_takes_the_label_of_least_expected_cost(cls: Any) -> None:
    for seed, table in enumerate(tables()):
        costs = random_costs(seed)
        model = fit(cls, table, error_costs=costs)
        sums = leaf_weights(model, table)
        expected = sums @ costs
        for leaf in np.flatnonzero(sums.sum(axis=1)):
            label = model.tree_.core.label[leaf]
            assert expected[leaf, label] == pytest.approx(expected[leaf].min(), rel=1e-9)


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_probabilities_are_shares_of_rows_whatever_mistakes_cost(cls: Any) -> None:
    for seed, table in enumerate(tables()):
        model = fit(cls, table, error_costs=random_costs(seed))
        sums = leaf_weights(model, table)[model.apply(table.X)]
        np.testing.assert_allclose(
            model.predict_proba(table.X), sums / sums.sum(axis=1, keepdims=True), rtol=1e-9
        )


@pytest.mark.parametrize("cls", [CARTClassifier, ID3Classifier])
def test_error_costs_grow_the_tree_of_altered_priors(cls: Any) -> None:
    for seed, table in enumerate(tables()):
        costs = random_costs(seed)
        priors = {k: float(total) for k, total in enumerate(costs.sum(axis=1))}
        assert structure(fit(cls, table, error_costs=costs)) == structure(
            fit(cls, table, class_weight=priors)
        )


def test_equal_error_costs_change_nothing() -> None:
    for table in tables():
        same = fit(CARTClassifier, table, error_costs=1.0 - np.eye(3))
        assert structure(same) == structure(fit(CARTClassifier, table))
        assert same.predict(table.X).tolist() == fit(CARTClassifier, table).predict(table.X).tolist()


@pytest.mark.parametrize("cls", [CARTClassifier, ID3Classifier])
def test_a_class_weight_multiplies_the_weights_of_its_rows(cls: Any) -> None:
    for table in tables():
        factor = np.array([1.0, 2.5, 0.5])
        weight = np.ones(table.n_rows) if table.sample_weight is None else table.sample_weight
        multiplied = SmallTable(table.X, table.y, weight * factor[table.y], table.categorical, 3)
        a, b = fit(cls, table, class_weight=dict(enumerate(factor))), fit(cls, multiplied)
        assert structure(a) == structure(b)
        np.testing.assert_allclose(a.predict_proba(table.X), b.predict_proba(table.X), rtol=1e-12)


def test_balanced_classes_weigh_the_same_at_the_root() -> None:
    for table in tables():
        value = fit(CARTClassifier, table, class_weight="balanced").tree_.core.value.reshape(-1, 3)
        np.testing.assert_allclose(value[0], value[0].mean(), rtol=1e-9)


def test_costs_count_rows_and_not_class_weights() -> None:
    for table in tables():
        model = fit(CARTClassifier, table, class_weight={0: 10.0, 1: 1.0, 2: 1.0})
        assert model.expected_cost_ == pytest.approx(
            np.average(model.predict_cost(table.X), weights=table.sample_weight), rel=1e-12
        )
