"""Parts that are lost, answer twice or from scratch change nothing; limits keep the tree so far."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from tables_in_parts import content, divided, people

import thriftree as tt
from thriftree.distributed import sum_store
from thriftree.distributed.local import LocalParts
from thriftree.distributed.rounds import RoundAnswer, add
from thriftree.learning.limits import LimitReachedWarning

LEARNERS = {
    "classes": tt.CARTClassifier(max_leaves=12),
    "numbers": tt.CARTRegressor(max_depth=4),
    "objects": tt.EnhancedTreeClassifier(max_bins=5, min_mass=0.02),
}


class Counting(LocalParts):
    """Parts that count the rounds, of which one may do something else before it answers."""

    def __init__(self, contents, before=lambda parts, number: None, log=None):
        super().__init__(contents, 1)
        self.before, self.log = before, [] if log is None else log

    def keep(self, function, *arguments):
        return type(self)(self.map(function, *arguments), self.before, self.log)

    def reduce(self, function, bring_together, *arguments):
        self.log.append(function.__name__)
        self.before(self, len(self.log))
        return super().reduce(function, bring_together, *arguments)


class Forgetful(Counting):
    """Every call meets parts that were just brought back from a file."""

    def map(self, function, *arguments):
        self._contents = [pickle.loads(pickle.dumps(one)) for one in self._contents]
        return super().map(*pickle.loads(pickle.dumps((function, *arguments))))


class Repeating(Counting):
    """Every part answers twice, and the first answer gets lost."""

    def map(self, function, *arguments):
        super().map(function, *arguments)
        return super().map(function, *arguments)


def table(kind):
    X, y, numbers = people()
    return X, numbers if kind == "numbers" else y


@pytest.mark.parametrize("engine_type", [Forgetful, Repeating])
@pytest.mark.parametrize("kind", LEARNERS)
def test_parts_that_forget_or_repeat_change_nothing(kind, engine_type):
    X, y = table(kind)
    weight = np.random.default_rng(2).integers(1, 9, len(y)) / 3
    here = content(LEARNERS[kind].fit(X, y, sample_weight=weight))
    assert content(LEARNERS[kind].fit(engine_type(divided(X, y, weight, [40, 40, 90])))) == here


def test_a_part_that_is_lost_before_any_round_is_made_again():
    X, y = table("classes")
    model = LEARNERS["classes"]
    here = content(model.fit(X, y))
    whole = Counting(divided(X, y, None, [40, 90]))
    model.fit(whole)
    for lost in range(1, len(whole.log) + 1):

        def lose(parts, number, lost=lost):
            if number == lost:
                parts._contents[1] = pickle.loads(pickle.dumps(parts._contents[1]))

        assert content(model.fit(Counting(divided(X, y, None, [40, 90]), lose))) == here


def test_a_tree_takes_about_a_round_a_level():
    X, y = table("classes")
    for model in (tt.CARTClassifier(max_leaves=12), tt.CARTClassifier(max_depth=5)):
        parts = Counting(divided(X, y, None, [40, 90]))
        depth = int(model.fit(parts).tree_.core.depths.max())
        assert parts.log.count("answer") <= depth + 2
    numbers = Counting(divided(X, table("numbers")[1], None, [40, 90]))
    depth = int(tt.CARTRegressor(max_depth=5).fit(numbers).tree_.core.depths.max())
    assert numbers.log.count("answer") <= depth + 2


def test_a_level_whose_sums_are_small_is_one_message_however_many_its_rows(monkeypatch):
    """Sums of a child are none larger than those of its parent, which came in two bytes each; how many rows
    there are follows from those of the classes.
    """
    random, n = np.random.default_rng(5), 300_000
    X = random.random((n, 2))
    y = (X > 0.5).sum(axis=1) + (random.random(n) < 0.1)
    model = tt.CARTClassifier(max_bins=64, max_depth=3)
    of_node = 2 * 64 * 4 * 2  # columns, codes, classes, bytes
    monkeypatch.setattr(sum_store, "_BYTES", 2.1 * of_node)
    parts = Counting(divided(pd.DataFrame(X), y, None, [100_000]))
    content(model.fit(parts))
    sizes = model.tree_.core.rows.tolist()
    assert sum(n_rows > 2**16 for n_rows in sizes) >= 7  # the first two levels below the root, and more
    assert parts.log.count("answer") == 3


def test_ctrl_c_between_rounds_keeps_the_tree_so_far():
    X, y = table("classes")

    def press(parts, number):
        if number == 3:
            raise KeyboardInterrupt

    model = tt.CARTClassifier(max_depth=6)
    with pytest.raises(KeyboardInterrupt):
        model.fit(Counting(divided(X, y, None, [40, 90]), press))
    assert model.stopped_by_ == "interrupt"
    assert 1 < model.tree_.n_leaves < tt.CARTClassifier(max_depth=6).fit(X, y).tree_.n_leaves


def test_without_time_the_tree_is_a_leaf():
    X, y = table("classes")
    with pytest.warns(LimitReachedWarning):
        model = tt.CARTClassifier(time_limit_s=0.0).fit(LocalParts(divided(X, y, None, [40])))
    assert model.tree_.n_leaves == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tt.CARTClassifier(time_limit_s=100.0).fit(LocalParts(divided(X, y, None, [40])))


class Crowded(Counting):
    """Every row stands for four billion."""

    times = 2**32

    def reduce(self, function, bring_together, *arguments):
        answer = super().reduce(function, bring_together, *arguments)
        if isinstance(answer, RoundAnswer):
            answer.totals = None if answer.totals is None else answer.totals * self.times
            answer.counts = answer.counts and [one.astype(np.int64) * self.times for one in answer.counts]
        return answer


def test_more_rows_than_32_bits_count():
    X, y = table("classes")
    X = X[["a", "b", "e"]]  # small categories go with others, and what is small is a number of rows
    here = tt.CARTClassifier(max_depth=4).fit(X, y).tree_
    many = tt.CARTClassifier(max_depth=4).fit(Crowded(divided(X, y, None, [40, 90]))).tree_
    assert many.core.rows.tolist() == (here.core.rows.astype(np.int64) * 2**32).tolist()
    assert many.core.column.tolist() == here.core.column.tolist()


def test_sums_of_parts_outgrow_their_bytes():
    full = [np.full((2, 1), np.iinfo(kind).max, kind) for kind in (np.uint8, np.uint16, np.uint32)]
    for one in full:
        both = add(RoundAnswer(counts=[one]), RoundAnswer(counts=[one]))
        assert both.counts[0].tolist() == [[2 * int(one[0, 0])]] * 2
