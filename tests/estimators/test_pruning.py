"""Pruning as the estimators offer it, against plain re-computation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from thriftree import C45Classifier, CARTClassifier, CARTRegressor
from thriftree.testing.makers import spread_table

CARTS = [(CARTClassifier, load_breast_cancer), (CARTRegressor, load_diabetes)]


def data(load: Any) -> tuple[Any, Any]:
    X, y = load(return_X_y=True)
    return X[::3, :8], y[::3]


@pytest.mark.parametrize(("cls", "load"), CARTS)
def test_the_path_leads_from_the_whole_tree_to_its_root(cls: Any, load: Any) -> None:
    X, y = data(load)
    path = cls().cost_complexity_pruning_path(X, y)
    assert path.ccp_alphas[0] == 0.0
    assert (np.diff(path.ccp_alphas) > 0).all()
    assert (np.diff(path.impurities) >= 0).all()
    sizes = [cls(pruning="cost_complexity", alpha=float(a)).fit(X, y).tree_.n_leaves for a in path.ccp_alphas]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] == 1
    if len(sizes) > 1:
        assert len(set(sizes)) == len(sizes)


@pytest.mark.parametrize("n_classes", [0, 3])
def test_the_path_is_scikit_learns_where_the_trees_are_the_same(n_classes: int) -> None:
    compared = 0
    for seed in range(20):
        table = spread_table(seed, n_rows=120, n_columns=3, n_classes=n_classes)
        settings: dict[str, Any] = {"max_depth": 3}
        ours = (CARTClassifier if n_classes else CARTRegressor)(**settings)
        theirs = (DecisionTreeClassifier if n_classes else DecisionTreeRegressor)(random_state=0, **settings)
        ours.fit(table.X, table.y)
        theirs.fit(table.X, table.y)
        if ours.tree_.core.column.tolist() != np.maximum(theirs.tree_.feature, -1).tolist():
            continue
        compared += 1
        a = ours.cost_complexity_pruning_path(table.X, table.y)
        b = theirs.cost_complexity_pruning_path(table.X, table.y)
        np.testing.assert_allclose(a.ccp_alphas, b.ccp_alphas, atol=1e-9 * max(1.0, b.impurities.max()))
        np.testing.assert_allclose(a.impurities, b.impurities, atol=1e-9 * max(1.0, b.impurities.max()))
    assert compared >= 8


@pytest.mark.parametrize(("cls", "load"), CARTS)
def test_cross_validation_takes_the_alpha_of_least_loss(cls: Any, load: Any) -> None:
    X, y = data(load)
    folds = KFold(4, shuffle=True, random_state=1)
    chosen = cls(pruning="cost_complexity", alpha="cv", cv=folds).fit(X, y).alpha_
    alphas = cls().cost_complexity_pruning_path(X, y).ccp_alphas
    tried = np.append(np.sqrt(alphas[:-1] * alphas[1:]), alphas[-1])

    def loss(alpha: float) -> float:
        losses = []
        for training, held_out in folds.split(X):
            model = cls(pruning="cost_complexity", alpha=alpha).fit(X[training], y[training])
            answer = model.predict(X[held_out])
            wrong = answer != y[held_out] if cls is CARTClassifier else (answer - y[held_out]) ** 2
            losses.append(wrong.mean())
        return float(np.mean(losses))

    losses = {float(alpha): loss(float(alpha)) for alpha in tried}
    assert losses[chosen] == pytest.approx(min(losses.values()), rel=1e-9)


def test_the_unit_of_weight_does_not_decide_which_equally_weak_link_goes_first() -> None:
    for seed in (19, 55, 69, 75, 87):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 4, (50, 3)).astype(float), rng.integers(0, 2, 50)
        model = CARTClassifier(pruning="cost_complexity", cv=3, random_state=0)
        tests = [model.fit(X, y, np.full(50, unit)).tree_.core.column.tolist() for unit in (1.0, 0.3, 1e-3)]
        assert tests[0] == tests[1] == tests[2]


def test_one_standard_error_gives_a_tree_that_is_no_larger() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    common: dict[str, Any] = {"pruning": "cost_complexity", "random_state": 0}
    best = CARTClassifier(alpha="cv", **common).fit(X, y)
    smaller = CARTClassifier(alpha="cv_1se", **common).fit(X, y)
    assert smaller.alpha_ >= best.alpha_
    assert 1 < smaller.tree_.n_leaves <= best.tree_.n_leaves < CARTClassifier().fit(X, y).tree_.n_leaves


@pytest.mark.parametrize(("cls", "load"), CARTS)
@pytest.mark.parametrize("pruning", ["reduced_error", "validation_gain", "cost_complexity"])
def test_the_same_seed_gives_the_same_smaller_tree(cls: Any, load: Any, pruning: str) -> None:
    X, y = data(load)
    whole = cls().fit(X, y)
    a, b = (cls(pruning=pruning, random_state=7).fit(X, y) for _ in range(2))
    assert a.tree_.to_json() == b.tree_.to_json()
    assert a.tree_.n_leaves < whole.tree_.n_leaves


@pytest.mark.parametrize("pruning", ["reduced_error", "validation_gain", "cost_complexity"])
def test_a_single_row_is_too_few_to_prune_with(pruning: str) -> None:
    model = CARTClassifier(pruning=pruning).fit([[1.0]], ["a"])
    assert model.tree_.n_nodes == 1


def test_a_function_cannot_be_measured_on_validation_rows() -> None:
    X, y = data(load_breast_cancer)
    model = CARTClassifier(
        impurity=lambda parent, branches, price: branches.max(axis=(1, 2)), pruning="validation_gain"
    )
    with pytest.raises(ValueError, match="needs an impurity by name"):
        model.fit(X, y)


def test_a_lower_confidence_prunes_more() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    sizes = [C45Classifier(confidence=c).fit(X, y).tree_.n_leaves for c in (1e-6, 0.25, 1.0)]
    whole = C45Classifier(pruning=None).fit(X, y).tree_.n_leaves
    assert sizes[0] < sizes[1] <= sizes[2] <= whole


@pytest.mark.parametrize("raising", [False, True])
def test_pruned_trees_keep_true_counts(raising: bool) -> None:
    for seed in range(5):
        table = spread_table(seed, n_rows=150)
        model = C45Classifier(raising=raising).fit(table.X, table.y)
        leaf = model.apply(table.X)
        value = model.tree_.core.value.reshape(-1, 3)
        for node in np.unique(leaf):
            assert value[node].tolist() == np.bincount(table.y[leaf == node], minlength=3).tolist()
