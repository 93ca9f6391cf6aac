"""MSIClassifier as an estimator: words, limits, interrupts, progress, and inputs of every type."""

import inspect

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_digits, load_iris, load_wine

from thriftree import LimitReachedWarning, MSIClassifier
from thriftree.datasets import heart_prices, load_heart
from thriftree.estimators.msi_cost import CostFunction
from thriftree.estimators.msi_growth import SurfeitGrowth
from thriftree.plot import plot_growth_history

X, Y = load_wine(return_X_y=True)


def test_fit_takes_no_weights():
    assert list(inspect.signature(MSIClassifier.fit).parameters) == ["self", "X", "y"]
    assert not hasattr(MSIClassifier(), "set_fit_request")


@pytest.mark.parametrize("word", ["compressor", "combine", "short_models"])
def test_an_unknown_choice_is_refused_with_those_there_are(word):
    with pytest.raises(ValueError, match=f"'{word}' parameter of MSIClassifier must be a str among"):
        MSIClassifier(**{word: "other"}).fit(X, Y)


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


def test_of_equally_good_leaves_the_older_is_tested():
    """Mirrored halves: both children of the root promise the same, and the first was made first."""
    rows = np.array([[a, b] for a in (0, 1) for b in (0, 1)] * 20, dtype=float)
    model = MSIClassifier()
    seen = []
    step = SurfeitGrowth._step

    def watched(self, costs):
        costs = list(costs)
        seen.append([cost and cost.cost for cost in costs])
        return step(self, costs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SurfeitGrowth, "_step", watched)
        patch.setattr(CostFunction, "surfeit", lambda self, text: 1 / (1 + text.count("if")))
        patch.setattr(CostFunction, "inaccuracy", lambda self, wrong: (1 + wrong.sum()) / 100)
        model.set_params(short_models="literal").fit(rows, (rows[:, 0] != rows[:, 1]).astype(int))
    assert seen[1][0] == seen[1][1]
    assert model.tree_.n_nodes == 7
    second = model.history_["nodes"].tolist()
    assert second == [1, 3, 5, 7]


def test_a_fit_out_of_time_keeps_the_tree_of_the_last_whole_step(monkeypatch):
    whole = MSIClassifier().fit(X, Y)
    calls = []
    seconds_left = iter([1.0] * 6 + [0.0] * 100)
    monkeypatch.setattr(
        "thriftree.estimators.limits.Limits.seconds_left",
        property(lambda self: calls.append(1) or next(seconds_left)),
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


def test_bins_and_ranked_categories_are_ways_of_coding_only():
    model = MSIClassifier(max_bins=4).fit(X, Y)
    assert model.score(X, Y) > 0.8
    rows, y = load_heart()
    ranked = MSIClassifier(proportion_encode=2).fit(rows, y)
    assert ranked.tree_.n_nodes == ranked.history_["nodes"][-1]


class TestPicture:
    """`plot_growth_history`."""

    @pytest.fixture(autouse=True)
    def _pyplot(self):
        pyplot = pytest.importorskip("matplotlib.pyplot")
        pyplot.switch_backend("Agg")
        yield
        pyplot.close("all")

    def test_the_lines_are_the_history(self):
        model = MSIClassifier().fit(X, Y)
        ax = plot_growth_history(model)
        assert [line.get_label() for line in ax.lines] == ["cost", "inaccuracy", "surfeit"]
        for line in ax.lines:
            np.testing.assert_array_equal(line.get_xdata(), model.history_["nodes"])
            np.testing.assert_array_equal(line.get_ydata(), model.history_[line.get_label()])
        assert "bz2" in ax.get_ylabel()

    def test_it_draws_a_root_and_where_it_is_told_to(self):
        from matplotlib import pyplot

        _, ax = pyplot.subplots()
        assert plot_growth_history(MSIClassifier().fit(X[:9], Y[:9]), ax) is ax

    def test_a_model_without_history_is_refused(self):
        with pytest.raises(ValueError, match="MSIClassifier has no history_ to plot: fit"):
            plot_growth_history(MSIClassifier())


def test_iris_needs_two_questions():
    assert MSIClassifier().fit(*load_iris(return_X_y=True)).tree_.depth == 2
