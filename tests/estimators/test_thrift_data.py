"""The tuned tree on tables with real prices, against CART with cost-complexity pruning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from thriftree import CARTClassifier, TestCosts, ThriftTreeClassifier

pandas = pytest.importorskip("pandas")


def test_with_real_prices_it_is_as_accurate_as_cart_and_cheaper(data_dir: Path) -> None:
    accuracy, price = [], []
    for name in ("heart-cleveland", "bupa", "pima"):
        table = pandas.read_parquet(data_dir / f"{name}.parquet")
        X, y = table.drop(columns="target"), table["target"].to_numpy()
        costs = TestCosts.from_csv(
            data_dir / "costs" / "test-costs.csv", where={"dataset": name}, ignore=["evidence"]
        )
        found = []
        for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
            for model in (
                CARTClassifier(costs=costs, pruning="cost_complexity", random_state=0),
                ThriftTreeClassifier(costs=costs, random_state=0),
            ):
                model.fit(X.iloc[train], y[train])
                found.append((model.score(X.iloc[test], y[test]), model.predict_cost(X.iloc[test]).mean()))
        cart, thrift = np.mean(found[::2], axis=0), np.mean(found[1::2], axis=0)
        accuracy.append(thrift[0] - cart[0])
        price.append(thrift[1] / cart[1])
    assert np.mean(accuracy) > -0.01
    assert max(price) < 1.0
    assert np.mean(price) < 0.85
