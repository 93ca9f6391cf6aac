"""One tree by each boosting library, as close to our tree as its parameters allow.

Same number of leaves at most, grown best first; the same least rows in a leaf; learning rate 1, no penalty on
leaf values, no early stopping; histograms of 255 bins, whose making is a part of the fit; one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import lightgbm
import numpy as np
import xgboost
from sklearn.ensemble import HistGradientBoostingClassifier

from benchmarks.answers import shares_within
from benchmarks.data import Array, Data
from benchmarks.settings import BINS


@dataclass(frozen=True)
class Boosted:
    """A booster after one round. ``margins`` are its raw scores of the training rows, computed when asked."""

    n_trees: int
    margins: Callable[[], Array]

    def probabilities(self, y: Array) -> Array:
        """Training probabilities.

        The first step of boosting gives a leaf scores that depend on its class shares alone, so the rows of
        one tree with equal scores are its leaves, up to leaves of equal shares. The class shares in them are
        the best that the tree can say: better than its own probabilities, which are those of a single step.
        With a tree for each class there are no such leaves, and the booster's own probabilities count.
        """
        margins, n_classes = self.margins(), int(y.max()) + 1
        if self.n_trees == 1:
            # A random direction tells score vectors apart by one number.
            direction = np.random.default_rng(0).standard_normal(margins.reshape(len(y), -1).shape[1])
            return shares_within(margins.reshape(len(y), -1).astype(float) @ direction, y, n_classes)
        exponentials = np.exp(margins - margins.max(axis=1, keepdims=True))
        return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))


def fit_lightgbm(data: Data, leaves: int, least_rows: int) -> Boosted:
    several = data.n_classes > 2
    params = {
        "objective": "multiclass" if several else "binary",
        "num_class": data.n_classes if several else 1,
        "learning_rate": 1.0,
        "num_leaves": leaves,
        "min_data_in_leaf": least_rows,
        "min_sum_hessian_in_leaf": 0.0,
        "max_bin": BINS,
        "num_threads": 1,
        "force_col_wise": True,  # else it first tries both layouts, at its own cost
        "verbose": -1,
    }
    booster = lightgbm.train(params, lightgbm.Dataset(data.X, data.y, params=params), num_boost_round=1)
    return Boosted(booster.num_trees(), lambda: np.asarray(booster.predict(data.X, raw_score=True)))


def fit_xgboost(data: Data, leaves: int, least_rows: int) -> Boosted:
    several = data.n_classes > 2
    share = 1 / data.n_classes
    # Its least size of a leaf is a sum of second derivatives: p(1 - p) a row for two classes, twice that for
    # more.
    curvature = share * (1 - share) * (2 if several else 1)
    params = {
        "objective": "multi:softprob" if several else "binary:logistic",
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_leaves": leaves,
        "max_depth": 0,
        "min_child_weight": least_rows * curvature,
        "learning_rate": 1.0,
        "reg_lambda": 0.0,
        "max_bin": BINS,
        "nthread": 1,
    }
    if several:
        params |= {"num_class": data.n_classes, "multi_strategy": "multi_output_tree", "base_score": share}
    table = xgboost.QuantileDMatrix(data.X, data.y, max_bin=BINS, nthread=1)
    booster = xgboost.train(params, table, num_boost_round=1)
    return Boosted(1, lambda: np.asarray(booster.predict(table, output_margin=True)))


def fit_hist_gradient_boosting(data: Data, leaves: int, least_rows: int) -> Boosted:
    model = HistGradientBoostingClassifier(
        max_iter=1,
        learning_rate=1.0,
        max_leaf_nodes=leaves,
        max_depth=None,
        min_samples_leaf=least_rows,
        l2_regularization=0.0,
        max_bins=BINS,
        early_stopping=False,
    ).fit(data.X, data.y)
    return Boosted(model.n_trees_per_iteration_, lambda: np.asarray(model.decision_function(data.X)))


Fit = Callable[[Data, int, int], Boosted]

LIGHTGBM: Mapping[str, Fit] = {"LightGBM": fit_lightgbm}
XGBOOST: Mapping[str, Fit] = {"XGBoost": fit_xgboost}
HIST_GRADIENT_BOOSTING: Mapping[str, Fit] = {"HistGradientBoosting": fit_hist_gradient_boosting}
ALL: Mapping[str, Fit] = {**LIGHTGBM, **XGBOOST, **HIST_GRADIENT_BOOSTING}
