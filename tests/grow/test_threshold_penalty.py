"""C4.5's penalty of thresholds, log2(N) / |D|: N counts every threshold that the limits allow with missing
values on one side or on the other, once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from thriftree import _core

MIN_LEAF = 12


def column_and_labels(seed: int, n_values: int) -> tuple[Any, Any]:
    """A number of which some are missing, and classes that lean on it."""
    random = np.random.default_rng(seed)
    x = random.choice(np.sort(random.normal(size=n_values)), 420)
    labels = (x + random.normal(scale=0.8, size=420) > 0.3).astype(np.int32)
    x[random.random(420) < 0.04 + 0.04 * (seed % 4)] = np.nan
    return x, labels


def entropy(labels: Any) -> float:
    share = np.bincount(labels) / len(labels)
    share = share[share > 0]
    return float(-(share * np.log2(share)).sum())


def best_by_force(x: Any, labels: Any, min_leaf: int) -> float:
    """The largest gain, less the penalty of all thresholds that may be."""
    known, missing = ~np.isnan(x), np.isnan(x)
    gains, on_offer = [], set()
    for cut in np.unique(x[known])[:-1]:
        for left in ((x <= cut) | missing, x <= cut):
            sizes = left.sum(), (~left).sum()
            if min(sizes) < min_leaf:
                continue
            after = sum(len(part) * entropy(part) for part in (labels[left], labels[~left])) / len(x)
            gains.append(entropy(labels) - after)
            on_offer.add(cut)
    return max(gains) - float(np.log2(len(on_offer))) / len(x)


def stump(x: Any, labels: Any, *, wide: bool, weight: Any = None, **parameters: Any) -> _core.Tree:
    """The tree of one threshold. A wide column has codes that only other rows use."""
    others = np.linspace(-9, 9, 1000) if wide else []
    table = _core.encode_columns([np.append(x, others)], [None]).sample(np.arange(len(x), dtype=np.uint32))
    target = _core.Target.classes(labels, 2, sample_weight=weight)
    options = _core.GrowOptions(
        candidates=[_core.THRESHOLD], max_depth=1, threshold_penalty=True, **parameters
    )
    return _core.grow(table, target, options).tree


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    ("n_values", "wide"), [(40, False), (40, True), (5000, True)], ids=["narrow", "few values", "wide"]
)
def test_the_score_is_the_gain_less_the_penalty_of_every_threshold_on_offer(
    seed: int, n_values: int, wide: bool
) -> None:
    x, labels = column_and_labels(seed, n_values)
    tree = stump(x, labels, wide=wide, criterion="entropy", min_leaf_rows=MIN_LEAF)
    assert tree.score[0] == pytest.approx(best_by_force(x, labels, MIN_LEAF), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(
    "parameters",
    [
        {"criterion": "entropy", "min_leaf_share": 0.03},
        {"criterion": "entropy", "score": "gain_ratio", "min_leaf_rows": MIN_LEAF},
        {"score": "enhanced", "min_leaf_rows": MIN_LEAF},
    ],
    ids=["weight", "gain ratio", "enhanced"],
)
def test_a_narrow_and_a_wide_column_of_the_same_values_have_the_same_penalty(
    seed: int, parameters: dict[str, Any]
) -> None:
    x, labels = column_and_labels(seed, 60)
    weight = np.random.default_rng(seed).uniform(0.2, 3.0, len(x)) if seed % 2 else None
    narrow, wide = (stump(x, labels, wide=w, weight=weight, **parameters) for w in (False, True))
    assert narrow.score[0] == pytest.approx(wide.score[0], rel=1e-12)
    assert narrow.n_nodes == wide.n_nodes == 3
    assert narrow.rows.tolist() == wide.rows.tolist()
    assert narrow.missing.tolist() == wide.missing.tolist()
