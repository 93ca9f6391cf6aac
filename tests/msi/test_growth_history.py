"""The picture of a tree's growth."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from thriftree import MSIClassifier
from thriftree.plot import plot_growth_history

pyplot = pytest.importorskip("matplotlib.pyplot")
pyplot.switch_backend("Agg")


@pytest.fixture(scope="module")
def model():
    return MSIClassifier().fit(*load_wine(return_X_y=True))


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")


def test_the_lines_are_the_history(model):
    ax = plot_growth_history(model)
    assert [line.get_label() for line in ax.lines] == ["cost", "inaccuracy", "surfeit"]
    for line in ax.lines:
        np.testing.assert_array_equal(line.get_xdata(), model.history_["nodes"])
        np.testing.assert_array_equal(line.get_ydata(), model.history_[line.get_label()])


def test_the_axes_say_what_is_drawn(model):
    ax = plot_growth_history(model)
    assert ax.get_xlabel() == "Nodes of the tree"
    assert ax.get_ylabel() == "Cost and its parts (bz2, harmonic)"
    assert all(float(tick).is_integer() for tick in ax.get_xticks())


def test_a_surfeit_below_zero_is_not_cut_off():
    X, y = load_wine(return_X_y=True)
    literal = MSIClassifier(short_models="literal").fit(X, y)
    assert plot_growth_history(literal).get_ylim()[0] < literal.history_["surfeit"].min() < 0


def test_it_draws_a_root_alone_and_where_it_is_told_to():
    _, ax = pyplot.subplots()
    assert plot_growth_history(MSIClassifier().fit([[1.0], [2.0]], [0, 0]), ax) is ax
    assert ax.lines[0].get_marker() == "o"


def test_a_model_without_history_is_refused():
    with pytest.raises(ValueError, match="MSIClassifier has no history_ to plot: fit"):
        plot_growth_history(MSIClassifier())


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib_the_remedy_is_named(model):
    with pytest.raises(ImportError, match=r"thriftree\[plot\]"):
        plot_growth_history(model)
