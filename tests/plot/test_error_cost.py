"""The picture of an error-cost curve."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot

from thriftree import error_cost_curve
from thriftree.datasets import heart_prices, load_heart
from thriftree.plot import plot_error_cost


@pytest.fixture(scope="module")
def heart():
    X, y = load_heart()
    return error_cost_curve(X[:200], y[:200], heart_prices(), max_bins=10, test=(X[200:], y[200:]))


@pytest.mark.parametrize("error", ["training", "test"])
def test_every_impurity_has_a_step_line_through_its_trees(heart, error):
    ax = heart.plot(error=error)
    assert [line.get_label() for line in ax.lines] == list(heart.curves)
    for line, points in zip(ax.lines, heart.curves.values(), strict=True):
        expected = [(point.worst_case_cost, getattr(point, f"{error}_error")) for point in points]
        assert line.get_drawstyle() == "steps-post"
        np.testing.assert_allclose(line.get_xydata()[:-1], expected)
        assert line.get_xydata()[-1, 1] == expected[-1][1]
        assert line.get_markevery() == list(range(len(points)))
    assert ax.get_ylabel() == f"{error.capitalize()} error"
    assert ax.get_xlabel() == "Price of the most expensive path"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == list(heart.curves)


def test_equal_lines_show_beneath_each_other(heart):
    widths = [line.get_linewidth() for line in heart.plot().lines]
    assert widths == sorted(widths, reverse=True)
    assert len(set(widths)) == len(widths)


def test_the_legend_hides_no_tree(heart):
    ax = heart.plot()
    ax.figure.canvas.draw()
    box = ax.get_legend().get_window_extent()
    marks = ax.transData.transform([(p.worst_case_cost, p.training_error) for p in heart.points])
    assert not any(box.contains(*mark) for mark in marks)


def test_it_draws_where_it_is_told_to(heart):
    _, ax = pyplot.subplots()
    assert plot_error_cost(heart, ax) is ax


def test_without_prices_the_axis_counts_questions():
    X, y = load_heart()
    ax = error_cost_curve(X, y, impurities=["pairs"], max_bins=4).plot()
    assert ax.get_xlabel() == "Questions on the longest path"


def test_a_test_error_that_was_not_measured_cannot_be_drawn():
    X, y = load_heart()
    curve = error_cost_curve(X, y, impurities=["pairs"], max_bins=4)
    with pytest.raises(ValueError, match=r"give error_cost_curve test=\(X, y\)"):
        curve.plot(error="test")


def test_an_empty_curve_cannot_be_drawn(heart):
    with pytest.raises(ValueError, match="no trees to plot"):
        replace(heart, points=()).plot()


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib_the_remedy_is_named(heart):
    with pytest.raises(ImportError, match=r"thriftree\[plot\]"):
        heart.plot()
