"""The estimators of paper 000's scores, fitted on random tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from slow_and_fast import Rows

from thriftree import BalancedClassifier, EnhancedTreeClassifier, ImpurePairsClassifier
from thriftree.estimators.category_tests import FREE_SETS


def estimator(name: str, **parameters: Any) -> Any:
    """The estimator whose score `SCORES[name]` defines; it divides by prices."""
    if name == "balance":
        return BalancedClassifier(cost_benefit=True, **parameters)
    if name in ("impure_pairs", "weighted_pairs"):
        return ImpurePairsClassifier(weighted=name == "weighted_pairs", cost_benefit=True, **parameters)
    impurity, trade_off = name.split("@")
    return EnhancedTreeClassifier(impurity=impurity, trade_off=float(trade_off), **FREE_SETS, **parameters)


def fitted(name: str, rows: Rows, **parameters: Any) -> Any:
    model = estimator(name, **rows.parameters(), **parameters)
    return model.fit(rows.X(), np.array(rows.labels), sample_weight=rows.weights)


def as_learnt(rows: Rows) -> Rows:
    """Classes are numbered anew, without those that no row has; a group without members is no group."""
    names = sorted(set(rows.labels))
    labels = [names.index(label) for label in rows.labels]
    used = sorted({g for g in rows.prices.group if g is not None})
    group = tuple(None if g is None else used.index(g) for g in rows.prices.group)
    prices = replace(rows.prices, group=group, setup=tuple(rows.prices.setup[g] for g in used))
    return replace(rows, labels=labels, n_classes=len(names), prices=prices)
