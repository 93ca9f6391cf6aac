"""The picture of a search."""

import numpy as np
import pytest

from thriftree import CARTClassifier, OptimalTreeClassifier
from thriftree.datasets import load_heart
from thriftree.plot import plot_search_history

pyplot = pytest.importorskip("matplotlib.pyplot")
pyplot.switch_backend("Agg")
X, Y = load_heart()


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


def test_the_lines_are_the_history():
    model = OptimalTreeClassifier(leaf_penalty=0.02, max_depth=2).fit(X, Y)
    ax = plot_search_history(model)
    best, bound = ax.lines
    np.testing.assert_array_equal(best.get_ydata(), model.history_["incumbent"])
    np.testing.assert_array_equal(bound.get_ydata(), model.history_["bound"])
    assert (best.get_xdata() > 0).all(), "a logarithmic axis has no 0"
    assert ax.get_ylabel() == "Errors + 0.02 for each leaf"


def test_it_draws_where_it_is_told_to_and_refuses_other_models():
    _, ax = pyplot.subplots()
    model = OptimalTreeClassifier(leaf_penalty=0.02, max_depth=1).fit(X, Y)
    assert plot_search_history(model, ax) is ax
    with pytest.raises(ValueError, match="has no history of a search to plot"):
        plot_search_history(CARTClassifier(max_depth=1).fit(X, Y))
