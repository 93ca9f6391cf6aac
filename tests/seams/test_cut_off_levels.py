"""A tree that is cut off is not lopsided: all of its levels but the deepest are those of the whole tree."""

from __future__ import annotations

import numpy as np
import pytest
from cut_off import interrupting, moments, table_for
from thoroughness import tries

from thriftree import _core
from thriftree.testing.checks import all_estimators, estimators_with

OWN_ORDER = {
    "MSIClassifier": "takes the tests of its whole tree in the order of their costs",
    "OptimalTreeClassifier": "takes the best tree that its search has found",
    "OptimalTreeRegressor": "takes the best tree that its search has found",
    "ThriftTreeClassifier": "takes a tree that was measured",
    "ThriftTreeRegressor": "takes a tree that was measured",
}
BY_LEVEL = [cls for cls in all_estimators() if cls.__name__ not in OWN_ORDER]


def check_levels(cut, whole):
    """`cut` is the beginning of `whole`, and no node waits while one two levels below it has been split."""
    waiting, split = [], []
    pairs = [(0, 0, 0)]
    while pairs:
        here, there, depth = pairs.pop()
        assert cut.rows[here] == whole.rows[there]
        if whole.column[there] < 0:  # a leaf for good, or a part that PUBLIC gave up later
            continue
        if cut.column[here] < 0:
            waiting.append(depth)
            continue
        split.append(depth)
        assert cut.column[here] == whole.column[there]
        below = zip(children(cut, here), children(whole, there), strict=True)
        pairs += [(one, other, depth + 1) for one, other in below]
    assert not waiting or not split or min(waiting) >= max(split)
    return len(waiting)


def children(core, node):
    return core.children[core.child_begin[node] : core.child_begin[node + 1]].tolist()


def unpruned(cls):
    prunes = {"pruning": None} if cls in estimators_with("pruning") else {}
    seeded = {"random_state": 0} if cls in estimators_with("random_state") else {}
    return cls(**prunes, **seeded)


@pytest.mark.parametrize("cls", BY_LEVEL)
def test_an_estimator_that_is_cut_off_has_all_levels_but_the_deepest(cls):
    X, y = table_for(cls())
    with interrupting(None) as counts:
        whole = unpruned(cls).fit(X, y)
    waiting = 0
    for at in moments(len(counts), tries(60, 8)):
        model = unpruned(cls)
        with interrupting(at), pytest.raises(KeyboardInterrupt):
            model.fit(X, y)
        waiting += check_levels(model.tree_.core, whole.tree_.core)
    assert waiting > 0 or whole.tree_.n_leaves < 3


@pytest.mark.parametrize("cls", all_estimators())
def test_a_time_limit_that_is_not_reached_changes_no_byte(cls):
    X, y = table_for(cls())
    seeded = {"random_state": 0} if cls in estimators_with("random_state") else {}
    limited = cls(**seeded, time_limit_s=1e9).fit(X, y)
    assert limited.tree_.to_json() == cls(**seeded).fit(X, y).tree_.to_json()
    assert limited.stopped_by_ is None


class CutOff:
    """Gini, until Ctrl-C at the `at`-th look."""

    def __init__(self, at=None):
        self.at, self.looks = at, 0

    def __call__(self, parent, branches, price):
        self.looks += 1
        if self.looks == self.at:
            raise KeyboardInterrupt
        pure = (branches**2).sum(axis=2) / branches.sum(axis=2)
        return pure.sum(axis=1) - (parent**2).sum() / parent.sum()


def test_rows_of_many_batches_are_cut_off_level_by_level():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 40, (150_000, 3)).astype(np.float32)
    table = _core.encode_matrix(x)
    labels = ((x[:, 0] + x[:, 1] * x[:, 2] / 40 + rng.normal(0, 9, len(x))) > 30).astype(np.int32)
    target = _core.Target.classes(labels, 2)

    def grown(look):
        options = _core.GrowOptions(
            candidates=[_core.THRESHOLD] * 3, criterion=look, max_depth=7, keep_interrupted=True
        )
        return _core.grow(table, target, options)

    look = CutOff()
    whole = grown(look)
    assert whole.stopped_by is None
    for at in moments(look.looks, 10):
        cut = grown(CutOff(at))
        assert cut.stopped_by == "interrupt"
        assert check_levels(cut.tree, whole.tree) > 0 or at == look.looks


def test_a_memory_limit_that_leaves_no_sums_of_waiting_nodes_changes_no_tree():
    rng = np.random.default_rng(4)
    x = rng.integers(0, 250, (100_000, 8)).astype(np.float32)
    table = _core.encode_matrix(x)
    target = _core.Target.classes((x[:, 0] + x[:, 1] + rng.normal(0, 90, len(x)) > 250).astype(np.int32), 2)

    def tree(**limits):
        options = _core.GrowOptions(candidates=[_core.THRESHOLD] * 8, max_depth=7, **limits)
        return _core.grow(table, target, options).tree

    whole = tree()
    for megabytes in (2.3, 2.5, 3.0, 4.0):
        assert tree(memory_limit_mb=megabytes) == whole
