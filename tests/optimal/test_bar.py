"""On its own objective an optimal tree is never worse than the greedy trees under the same limits."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd
import pytest
from thoroughness import tries

from thriftree import CARTClassifier, EnhancedTreeClassifier, OptimalTreeClassifier, regularised_risk

GREEDY = (
    *(CARTClassifier(impurity=name) for name in ("gini", "entropy", "misclassification", "gain_ratio")),
    EnhancedTreeClassifier(),
)


def wide_table(seed):
    """Numbers with many values, categories, missing values and weights, and a class that follows some."""
    random = np.random.default_rng(seed)
    n = int(random.integers(40, 160))
    columns = {f"n{j}": random.normal(size=n).round(int(random.integers(0, 4))) for j in range(3)}
    columns["c"] = random.choice(list("abcdefgh")[: random.integers(3, 9)], n)
    X = pd.DataFrame(columns)
    score = X["n0"] * random.normal() + (X["n1"] > 0) * X["n2"] + X["c"].isin(["a", "d", "f"]) * 1.5
    y = np.digitize(score + random.normal(scale=0.7, size=n), [0.0, 1.5][: 1 + seed % 2])
    if seed % 3:
        X = X.mask(random.random(X.shape) < 0.15)
    return X, y, random.random(n) + 0.05 if seed % 2 else None


def pruned_for(tree, X, y, penalty, weight):
    """The least risk of any tree that collapsing makes of this one, by the definition."""
    core = tree.core
    value = core.value.reshape(core.n_nodes, -1)
    total = value[0].sum()
    best = np.empty(core.n_nodes)
    for node in reversed(range(core.n_nodes)):
        alone = (value[node].sum() - value[node].max()) / total + penalty
        children = core.children[core.child_begin[node] : core.child_begin[node + 1]]
        best[node] = min(alone, best[children].sum()) if len(children) else alone
    return float(best[0])


@pytest.mark.parametrize("lookahead", [None, 1, 3])
def test_never_worse_than_greedy_trees_pruned_for_the_objective(lookahead):
    shapes = list(product((2, 3, 4), (None, 4), (1, 7)))
    for seed in range(tries(60, 6)):
        X, y, weight = wide_table(seed)
        depth, leaves, least = shapes[seed % len(shapes)]
        penalty = (0.0, 0.005, 0.02)[seed % 3]
        shape = {"max_depth": depth, "max_leaves": leaves, "min_leaf": least}
        model = OptimalTreeClassifier(leaf_penalty=penalty, lookahead=lookahead, **shape)
        model.fit(X, y, sample_weight=weight)
        assert model.lower_bound_ <= model.objective_
        assert model.status_ == ("optimal" if lookahead is None else "heuristic")
        for greedy in GREEDY:
            tree = greedy.set_params(**shape).fit(X, y, sample_weight=weight).tree_
            assert model.objective_ <= pruned_for(tree, X, y, penalty, weight) + 1e-9, (seed, greedy)
            risk = regularised_risk(tree, X, y, penalty, sample_weight=weight)
            assert model.objective_ <= risk + 1e-9
