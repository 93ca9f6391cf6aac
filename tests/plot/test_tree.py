"""Trees drawn with matplotlib."""

from __future__ import annotations

import pytest
from matplotlib import pyplot
from sklearn.tree import DecisionTreeClassifier

from thriftree import CARTClassifier, Tree
from thriftree.datasets import heart_prices, load_heart
from thriftree.plot import plot_tree
from thriftree.plot.text_metrics import text_width
from thriftree.plot.tree_words import words_of
from thriftree.testing.random_documents import random_document


@pytest.fixture(scope="module")
def model():
    X, y = load_heart()
    return CARTClassifier(max_leaves=6, costs=heart_prices()).fit(X, y)


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_the_picture_says_what_the_tree_says(model):
    ax = plot_tree(model)
    said = " ".join(texts(ax))
    for told in words_of(model.tree_.to_dict()):
        for fact in told.facts:
            assert fact in said
    assert texts(ax).count("yes") == 5
    assert {"present", "absent"} <= set(texts(ax))


def test_a_tree_an_estimator_and_a_document_give_the_same_picture(model):
    pictures = [texts(plot_tree(what)) for what in (model, model.tree_, model.tree_.to_dict())]
    assert pictures[0] == pictures[1] == pictures[2]


def test_a_new_figure_has_the_size_of_the_tree(model):
    small, large = plot_tree(model, max_depth=1).figure, plot_tree(model).figure
    assert small.get_size_inches()[0] < large.get_size_inches()[0]


@pytest.mark.parametrize("dpi", [50, 100, 233])
def test_words_are_no_wider_than_they_were_measured_at_any_resolution(model, dpi):
    ax = plot_tree(model)
    ax.figure.set_dpi(dpi)
    ax.figure.canvas.draw()
    unit = ax.transData.transform([(1, 0)])[0, 0] - ax.transData.transform([(0, 0)])[0, 0]
    for text in ax.texts:
        size = text.get_fontsize() * dpi / 72 / unit
        assert size <= 13.01
        drawn = text.get_window_extent().width / unit
        bold = text.get_fontweight() == "bold"
        assert drawn <= text_width(text.get_text(), 13.0 if size > 12 else 12.0, bold=bold) * 1.02 + 2 / unit


def test_words_scale_with_axes_that_are_given(model):
    figure = pyplot.figure(figsize=(12, 10))
    ax = figure.add_axes((0, 0, 1, 1))
    assert plot_tree(model, ax) is ax
    figure.canvas.draw()
    large = ax.texts[3].get_fontsize()
    figure.set_size_inches(6, 5)
    figure.canvas.draw()
    assert ax.texts[3].get_fontsize() == pytest.approx(large / 2, rel=0.01)


@pytest.mark.parametrize("seed", range(4))
def test_hostile_names_are_drawn_without_a_warning(seed):
    document = random_document(seed, n_tests=6, prices=True)
    ax = plot_tree(Tree.from_dict(document))
    ax.figure.canvas.draw()


def test_dollars_are_dollars_and_a_glyph_that_the_font_lacks_is_a_box():
    from thriftree.plot.artists import drawable

    assert drawable("🌳 tree $x$") == "□ tree $x$"
    document = random_document(1, n_columns=6, n_tests=6, hostile=False)
    hard = ("%s %d {0} ${x} {{ y }}", "🌳 tree", "עברית", "\u202eright to left", "$\\frac$", "e\u0301")
    for column, name in zip(document["columns"], hard, strict=True):
        column["name"] = f"{name}$1"
    ax = plot_tree(document)
    ax.figure.canvas.draw()
    assert any("$" in text.get_text() for text in ax.texts)
    assert not any(text.get_parse_math() for text in ax.texts)


def test_what_is_no_tree_of_ours_is_refused():
    with pytest.raises(
        TypeError, match="a thriftree Tree or a fitted estimator of thriftree, not DecisionTreeClass"
    ):
        plot_tree(DecisionTreeClassifier().fit([[0], [1]], [0, 1]))
    with pytest.raises(TypeError, match="not CARTClassifier"):
        plot_tree(CARTClassifier())


@pytest.mark.usefixtures("without_matplotlib")
def test_without_matplotlib_the_remedy_is_named(model):
    with pytest.raises(ImportError, match=r"thriftree\[plot\]"):
        plot_tree(model)
