"""The picture of a frontier."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from matplotlib import pyplot
from matplotlib.collections import PathCollection

from thriftree import Frontier, frontier
from thriftree.datasets import heart_prices, load_heart
from thriftree.plot import plot_frontier


@pytest.fixture(scope="module")
def heart():
    X, y = load_heart()
    return frontier(X, y, heart_prices(), trade_offs=[1.0], min_masses=[0.0], random_state=0)


def dots(ax):
    """Positions of the dots with this label."""
    return {
        g.get_label(): np.asarray(g.get_offsets()) for g in ax.collections if isinstance(g, PathCollection)
    }


def test_every_tree_is_a_dot_and_beaten_ones_are_faint(heart):
    ax = heart.plot()
    corrected = [(point.expected_cost, point.accuracy) for point in heart]
    np.testing.assert_allclose(dots(ax)["on the frontier, corrected for the choice"], corrected)
    measured = [(point.expected_cost, point.measured["accuracy"]) for point in heart]
    np.testing.assert_allclose(dots(ax)["as measured"], measured)
    right = ax.get_xlim()[1]
    faint = dots(ax)["beaten by another, as measured"]
    assert len(faint) == sum(figures[1] <= right for figures in heart.dominated)
    assert any("best of" in text.get_text() for text in ax.texts)
    assert ax.get_xlabel() == "Expected price of a row"
    assert ax.get_ylabel() == "Accuracy on held-out rows"


def test_the_line_is_the_best_score_that_a_price_buys(heart):
    (line,) = heart.plot().lines
    prices, scores = line.get_data()
    for price, score in zip(prices, scores, strict=True):
        assert score == max(point.accuracy for point in heart if point.expected_cost <= price)


def test_more_leaves_make_a_larger_dot(heart):
    words = "on the frontier, corrected for the choice"
    areas = next(g for g in heart.plot().collections if g.get_label() == words).get_sizes()
    leaves = [point.leaves for point in heart]
    assert np.all(np.diff(areas[np.argsort(leaves, kind="stable")]) >= 0)


def test_words_do_not_overlap(heart):
    ax = heart.plot()
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    assert len(boxes) >= 3
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_it_draws_where_it_is_told_to(heart):
    _, ax = pyplot.subplots()
    assert plot_frontier(heart, ax) is ax


def test_a_single_tree_without_tests_can_be_drawn(heart):
    alone = Frontier.among([heart[0]], "accuracy")
    assert len(dots(alone.plot())["on the frontier"]) == 1


def test_without_prices_the_axis_counts_questions():
    X, y = load_heart()
    found = frontier(X, y, methods=["cart"], min_masses=[0.0], random_state=0)
    assert found.plot().get_xlabel() == "Expected number of questions"


def test_an_empty_frontier_cannot_be_drawn(heart):
    with pytest.raises(ValueError, match="no trees to plot"):
        replace(heart, points=()).plot()


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib_the_remedy_is_named(heart):
    with pytest.raises(ImportError, match=r"thriftree\[plot\]"):
        heart.plot()
