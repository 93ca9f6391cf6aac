"""Fitted estimators that the tests of growing anew share."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

import thriftree as tt
from thriftree.testing.makers import SmallTable, small_table

PRICES = tt.TestCosts({0: 1.0, 1: 2.0, 2: 3.0, 3: 4.0}, groups={"draw": {"setup": 2.0, "members": [0, 1]}})

#: Settings under which a part is grown as it was grown in the whole tree.
SAME: list[tuple[Any, dict[str, Any]]] = [
    (tt.CARTClassifier, {}),
    (tt.CARTClassifier, {"min_leaf": 0.1, "impurity": "entropy"}),
    (tt.CARTClassifier, {"min_mass": 0.2}),
    (tt.CARTClassifier, {"max_depth": 3}),
    (tt.CARTClassifier, {"class_weight": "balanced", "min_leaf": 0.08, "min_decrease": 0.01}),
    (tt.CARTClassifier, {"pruning": "cost_complexity", "alpha": 0.02}),
    (tt.CARTClassifier, {"pruning": "cost_complexity", "cv": 3, "random_state": 0}),
    (tt.CARTClassifier, {"costs": PRICES, "cost_benefit": True}),
    (tt.C45Classifier, {"pruning": None, "min_leaf": 1}),
    (tt.C45Classifier, {"raising": False}),
    (tt.ID3Classifier, {}),
    (tt.EnhancedTreeClassifier, {"costs": PRICES, "min_mass": 0.1}),
    (tt.EnhancedTreeClassifier, {"trade_off": "auto", "random_state": 0}),
    (tt.ImpurePairsClassifier, {"costs": PRICES, "cost_benefit": True}),
    (tt.BalancedClassifier, {"min_mass": 0.15}),
    (tt.WorstCaseTreeClassifier, {"costs": PRICES, "min_mass": 0.05}),
    (tt.WorstCaseTreeClassifier, {"impurity": tt.HingedPairs(epsilon=0.1)}),
    (tt.WorstCaseTreeClassifier, {"costs": PRICES, "impurity": "search", "budget": 6}),
    (tt.CHAIDClassifier, {"alpha_split": 0.5, "alpha_merge": 0.5, "max_bins": None}),
    (tt.QUESTClassifier, {"min_leaf": 0.1, "class_weight": "balanced", "random_state": 0}),
    (tt.QUESTClassifier, {"min_leaf": 0.1, "class_weight": "balanced", "random_state": 2}),  # alpha is 0
    (tt.PUBLICClassifier, {}),
    (tt.ThriftTreeClassifier, {"costs": PRICES, "cv": 2, "random_state": 0}),
    (tt.ThriftTreeClassifier, {"costs": PRICES, "cv": 2, "random_state": 0, "budget": 5}),
    (tt.CARTRegressor, {"min_decrease": 0.05}),
    (tt.EnhancedTreeRegressor, {"costs": PRICES, "target_bins": 4}),
    (tt.ThriftTreeRegressor, {"costs": PRICES, "cv": 2, "random_state": 0}),
]


def a_table(seed: int, cls: Any) -> SmallTable:
    """Forty rows with everything: weights, missing values, categories; the target follows two columns."""
    table = small_table(
        seed,
        n_rows=40,
        n_columns=4,
        n_classes=0 if cls.__name__.endswith("Regressor") else 2 + seed % 2,
        n_values=(3, 5, 12)[seed % 3],
        weighted=seed % 2 == 0,
        missing=seed % 3 == 0,
        categories=True,
    )
    known = np.nan_to_num(table.X)
    if table.n_classes:
        table.y[5:] = np.where(known[5:, 0] > 0, known[5:, 1] > 0, table.y[5:])
        return table
    y = np.round(4 * known[:, 0] + 8 * (known[:, 1] > 0)) + table.y / 4
    return SmallTable(table.X, y, table.sample_weight, table.categorical, 0)


def a_model(seed: int, cls: Any, parameters: dict[str, Any]) -> tuple[Any, tuple[Any, ...]]:
    table = a_table(seed, cls)
    rows = (table.X, table.y) if table.sample_weight is None else (table.X, table.y, table.sample_weight)
    model = cls(**parameters, categorical_features=list(table.categorical))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small tables: some budgets buy nothing
        return model.fit(*rows), rows
