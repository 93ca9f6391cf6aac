"""The diagram of critical differences."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib import pyplot

from thriftree.plot import plot_critical_difference
from thriftree.plot.critical_difference import critical_difference_scene
from thriftree.plot.rank_comparison import compare_ranks
from thriftree.plot.scene import Curve, Rect, Words
from thriftree.testing.random_documents import HOSTILE_TEXTS


@pytest.fixture(scope="module")
def scores():
    rng = np.random.default_rng(1)
    return rng.normal([0.8, 0.79, 0.77, 0.75, 0.749, 0.72, 0.68], 0.03, size=(30, 7))


def shapes(compared, kind):
    return [shape for shape in critical_difference_scene(compared).shapes() if isinstance(shape, kind)]


def test_dots_and_bars_stand_at_their_ranks(scores):
    compared = compare_ranks(scores)
    circles = {round(s.x + 3, 6) for s in shapes(compared, Rect) if s.width == 6}
    bars = [s for s in shapes(compared, Rect) if s.height == 4.5]
    axis = next(s for s in shapes(compared, Curve) if s.pieces[0][2][1] == s.start[1] and s.width == 1.2)
    left, right = axis.start[0], axis.pieces[0][2][0]

    def place(rank):
        return left + (right - left) * (rank - 1) / 6

    assert circles == {round(place(rank), 6) for rank in compared.ranks}
    rank = dict(zip(compared.names, compared.ranks, strict=True))
    assert len(bars) == len(compared.cliques) >= 2
    for bar, clique in zip(bars, compared.cliques, strict=True):
        assert bar.x + 5 == pytest.approx(place(rank[clique[0]]))
        assert bar.x + bar.width - 5 == pytest.approx(place(rank[clique[-1]]))


def test_the_critical_difference_is_drawn_to_scale(scores):
    compared = compare_ranks(scores)
    (bar,) = [s for s in shapes(compared, Curve) if s.width == 2.0]
    unit = 420 / 6
    assert bar.pieces[0][2][0] - bar.start[0] == pytest.approx(unit * compared.critical_difference)
    assert any(w.text == f"CD = {compared.critical_difference:.2f}" for w in shapes(compared, Words))


def test_every_method_is_named_with_its_rank(scores):
    compared = compare_ranks(scores)
    texts = [w.text for w in shapes(compared, Words)]
    for name, rank in zip(compared.names, compared.ranks, strict=True):
        assert name in texts
        assert f"{rank:.2f}" in texts


def test_without_a_difference_the_note_says_so_and_a_long_one_does_not_leave_the_scale():
    compared = compare_ranks(np.random.default_rng(0).normal(size=(2, 3)))
    texts = [w.text for w in shapes(compared, Words)]
    assert any("no difference shown at 0.05" in text for text in texts)
    assert any("more than the scale" in text for text in texts)


def test_names_of_all_kinds_are_drawn_without_a_warning(scores):
    for start in range(0, len(HOSTILE_TEXTS) - 7, 7):
        ax = plot_critical_difference(scores, HOSTILE_TEXTS[start : start + 7], post_hoc="wilcoxon-holm")
        ax.figure.canvas.draw()
        pyplot.close(ax.figure)


def test_it_draws_where_it_is_told_to_and_takes_a_finished_comparison(scores):
    _, ax = pyplot.subplots()
    assert plot_critical_difference(compare_ranks(scores), ax=ax) is ax
    assert any("CD = " in text.get_text() for text in ax.texts)


def test_in_given_axes_the_axis_gives_way_and_words_stay_readable(scores):
    compared = compare_ranks(scores, [f"method number {i}" for i in range(7)])
    assert critical_difference_scene(compared, 560).width == pytest.approx(560)
    ax = plot_critical_difference(compared, ax=pyplot.subplots()[1])
    ax.figure.canvas.draw()
    assert min(text.get_fontsize() for text in ax.texts) > 6
    assert {f"method number {i}" for i in range(7)} <= {text.get_text() for text in ax.texts}
