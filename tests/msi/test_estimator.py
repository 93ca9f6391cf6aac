"""MSIClassifier as an estimator: parameters, limits, interrupts, progress, and inputs of every type."""

import inspect
import signal
from functools import partial
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_wine

from thriftree import LimitReachedWarning, MSIClassifier
from thriftree.datasets import heart_prices, load_heart
from thriftree.methods.msi.cost import COMPRESSORS, CostFunction
from thriftree.methods.msi.growth import SurfeitGrowth
from thriftree.methods.msi.text import TreeText

X, Y = load_wine(return_X_y=True)


def test_fit_takes_no_weights():
    assert list(inspect.signature(MSIClassifier.fit).parameters) == ["self", "X", "y"]
    assert not hasattr(MSIClassifier(), "set_fit_request")


@pytest.mark.parametrize("parameter", ["compressor", "combine", "short_models"])
def test_an_unknown_choice_is_refused_with_those_there_are(parameter):
    with pytest.raises(ValueError, match=f"'{parameter}' parameter of MSIClassifier must be a str among"):
        MSIClassifier(**{parameter: "other"}).fit(X, Y)


def test_the_tree_does_not_depend_on_how_numbers_are_stored():
    exact = np.round(X * 8) / 8  # in float32 too
    texts = {
        MSIClassifier().fit(same, Y).tree_text_
        for same in (exact, exact.astype(np.float32), np.asfortranarray(exact), pd.DataFrame(exact))
    }
    assert len(texts) == 1
    whole = np.round(X)
    texts = {
        MSIClassifier().fit(same, Y).tree_text_ for same in (whole, whole.astype(int), whole.astype(np.int16))
    }
    assert len(texts) == 1


def test_the_tree_does_not_depend_on_what_classes_are_called():
    names = np.array(["a", "b", "c"])[Y]
    numbered, named = MSIClassifier().fit(X, Y), MSIClassifier().fit(X, names)
    assert named.tree_text_ == numbered.tree_text_
    assert named.predict(X).tolist() == np.array(["a", "b", "c"])[numbered.predict(X)].tolist()


def test_prices_are_reported_and_change_nothing():
    rows, y = load_heart()
    plain, priced = MSIClassifier().fit(rows, y), MSIClassifier(costs=heart_prices()).fit(rows, y)
    assert priced.tree_text_ == plain.tree_text_
    assert priced.worst_case_cost_ > plain.worst_case_cost_ == plain.tree_.depth


def test_history_falls_and_ends_with_the_tree():
    model = MSIClassifier().fit(X, Y)
    history = model.history_
    assert list(history) == ["cost", "inaccuracy", "surfeit", "nodes"]
    assert np.all(np.diff(history["cost"]) < 0)
    assert history["nodes"].tolist() == list(range(1, model.tree_.n_nodes + 1, 2))
    assert model.tree_text_.count("return") == model.tree_.n_leaves


def test_of_equally_good_leaves_the_older_is_tested(monkeypatch):
    """Exclusive or: both branches of the first test promise the same."""
    rows = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 20, dtype=float)
    promised, tested = [], []
    step = SurfeitGrowth._step

    def watched(self, costs):
        costs = list(costs)
        found = step(self, costs)
        promised.append([cost.cost for cost in costs])
        tested.append(np.flatnonzero(~self.kept().is_leaf).tolist())
        return found

    monkeypatch.setattr(SurfeitGrowth, "_step", watched)
    monkeypatch.setattr(CostFunction, "surfeit", lambda self, text: 1 / (1 + text.count("if")))
    monkeypatch.setattr(CostFunction, "inaccuracy", lambda self, wrong: (1 + wrong.sum()) / 100)
    MSIClassifier(short_models="literal").fit(rows, (rows[:, 0] != rows[:, 1]).astype(int))
    assert promised[1][0] == promised[1][1]
    assert tested == [[0], [0, 1], [0, 1, 4]]  # node 1 is the first branch of node 0, node 4 the second


def test_a_fit_out_of_time_keeps_the_tree_of_the_last_whole_step(monkeypatch):
    whole = MSIClassifier().fit(X, Y)
    seconds_left = iter([60.0] * 24 + [0.0] * 100)
    monkeypatch.setattr(
        "thriftree.learning.limits.Limits.seconds_left", property(lambda self: next(seconds_left))
    )
    with pytest.warns(LimitReachedWarning, match=r"time_limit_s.*compressor"):
        model = MSIClassifier(time_limit_s=1.0).fit(X, Y)
    n_stages = len(model.history_["cost"])
    assert model.stopped_by_ == "time_limit"
    assert 1 < n_stages < len(whole.history_["cost"])
    assert model.history_["cost"].tolist() == whole.history_["cost"][:n_stages].tolist()
    assert model.tree_.n_nodes == model.history_["nodes"][-1]
    assert whole.stopped_by_ is None


def test_no_time_at_all_gives_the_root():
    with pytest.warns(LimitReachedWarning):
        model = MSIClassifier(time_limit_s=0.0).fit(X, Y)
    assert model.tree_text_ == "def tree{}:\n    return 1\n"
    assert np.isnan(model.history_["cost"]).tolist() == [True]


def test_too_little_memory_for_a_compressor_gives_the_root():
    with pytest.warns(LimitReachedWarning, match=r"memory_limit_mb.*zlib needs least"):
        model = MSIClassifier(compressor="lzma", memory_limit_mb=600).fit(X, Y)
    assert (model.tree_.n_nodes, model.stopped_by_) == (1, "memory_limit")


class SlowCompressor:
    """Counts pieces; from the given one on the clock has run out, or Ctrl-C comes."""

    def __init__(self, pieces, end_at, end):
        self._pieces, self._end_at, self._end = pieces, end_at, end

    def compress(self, piece):
        self._pieces.append(len(bytes(piece)))
        if len(self._pieces) == self._end_at:
            self._end()
        return b"."

    def flush(self):
        return b"."


@pytest.mark.parametrize("end_at", [1, 5])
def test_time_that_runs_out_within_a_compression_ends_it_at_the_next_piece(end_at, monkeypatch):
    rows = np.random.default_rng(0).normal(size=(20_000, 20))
    clock, pieces = [100.0], []
    monkeypatch.setattr("thriftree.learning.limits.time", SimpleNamespace(monotonic=lambda: clock[0]))
    slow = partial(SlowCompressor, pieces, end_at, lambda: clock.append(clock.pop() + 60))
    monkeypatch.setitem(COMPRESSORS, "bz2", slow)
    with pytest.warns(LimitReachedWarning):
        model = MSIClassifier(time_limit_s=30).fit(rows, rows[:, 0] > 0)
    assert (len(pieces), model.stopped_by_, model.tree_.n_nodes) == (end_at, "time_limit", 1)


def test_an_interrupt_within_the_first_compression_leaves_the_root(monkeypatch):
    rows, pieces = np.random.default_rng(0).normal(size=(20_000, 20)), []
    slow = partial(SlowCompressor, pieces, 3, partial(signal.raise_signal, signal.SIGINT))
    monkeypatch.setitem(COMPRESSORS, "bz2", slow)
    model = MSIClassifier()
    with pytest.raises(KeyboardInterrupt):
        model.fit(rows, rows[:, 0] > 0)
    assert (len(pieces), model.stopped_by_, model.tree_.n_nodes) == (3, "interrupt", 1)
    assert model.predict(rows[:3]).shape == (3,)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_interrupt_is_raised_and_leaves_the_tree_so_far(n_jobs, monkeypatch):
    rows, y = load_digits(return_X_y=True)
    measured = CostFunction.surfeit
    calls = []

    def interrupted(self, text):
        calls.append(text)
        if len(calls) == 12:
            raise KeyboardInterrupt
        return measured(self, text)

    monkeypatch.setattr(CostFunction, "surfeit", interrupted)
    model = MSIClassifier(n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        model.fit(rows[:200], y[:200])
    assert model.stopped_by_ == "interrupt"
    assert model.tree_.n_nodes == model.history_["nodes"][-1] > 1
    assert model.predict(rows[:5]).shape == (5,)


@pytest.mark.parametrize("text_has_changed", [False, True])
def test_an_interrupt_within_a_step_undoes_the_step(text_has_changed, monkeypatch):
    whole = MSIClassifier().fit(X, Y)
    add_test = TreeText.add_test
    calls = []

    def interrupted(self, leaf):
        calls.append(leaf)
        if text_has_changed or len(calls) != 3:
            add_test(self, leaf)
        if len(calls) == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr(TreeText, "add_test", interrupted)
    model = MSIClassifier()
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert model.tree_.n_nodes == 5
    assert model.tree_text_.count("if") == 2
    assert model.history_["cost"].tolist() == whole.history_["cost"][:3].tolist()


def test_every_step_is_told_to_callbacks():
    pytest.importorskip("sklearn.callback", reason="callbacks came with scikit-learn 1.9")
    told = []

    class Listener:
        def setup(self, estimator, context):
            pass

        def teardown(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            told.append(context.task_name)

        def on_fit_task_end(self, estimator, context, *, fitted_estimator):
            told.append(f"end of {context.task_name}")

    model = MSIClassifier().set_callbacks(Listener()).fit(X, Y)
    tests = len(model.history_["cost"]) - 1
    assert told[:3] == ["fit", "grow", "end of grow"]
    assert told.count("test") == told.count("end of test") == tests + 1  # the last finds nothing to gain
    assert told[-1] == "end of fit"


def test_shuttle_gives_a_small_accurate_tree(data_dir):
    """58,000 rows; the paper's tree has 28 nodes."""
    table = pd.read_parquet(data_dir / "shuttle.parquet")
    rows, y = table.drop(columns="target"), table["target"]
    model = MSIClassifier().fit(rows, y)
    assert model.stopped_by_ is None
    assert 15 <= model.tree_.n_nodes <= 41
    assert model.score(rows, y) > 0.99


def test_bins_and_ranked_categories_are_ways_of_coding_only():
    model = MSIClassifier(max_bins=4).fit(X, Y)
    assert model.score(X, Y) > 0.8
    rows, y = load_heart()
    ranked = MSIClassifier(proportion_encode=2).fit(rows, y)
    assert ranked.tree_.n_nodes == ranked.history_["nodes"][-1]
