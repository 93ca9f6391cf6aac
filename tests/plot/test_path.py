"""The path of one row."""

from __future__ import annotations

import math

import pytest
from matplotlib import pyplot

from thriftree import C45Classifier, CARTClassifier, CARTRegressor, Tree
from thriftree.datasets import heart_prices, load_heart
from thriftree.document.follow import path_of
from thriftree.plot import path_scene as path_scene_module
from thriftree.plot import plot_path
from thriftree.plot.documents import named_row
from thriftree.plot.path_scene import path_scene
from thriftree.plot.scene import Rect, Words
from thriftree.plot.text_metrics import text_width
from thriftree.testing.random_documents import random_document, random_rows


@pytest.fixture(scope="module")
def heart():
    X, y = load_heart()
    return CARTClassifier(max_leaves=8, costs=heart_prices()).fit(X, y), X


def texts(group):
    return [shape.text for shape in group.shapes if isinstance(shape, Words)]


def steps(scene):
    """The steps of a path: all rows, each question, the answer."""
    return [group for group in scene.groups if group.kind == "step"]


def test_each_question_is_a_step_with_the_value_its_answer_and_the_prices(heart):
    model, X = heart
    document = model.tree_.to_dict()
    row = X.iloc[0].to_dict()
    start, *asked, end = steps(path_scene(document, row))
    passed = path_of(document, row)
    assert [group.number for group in asked] == passed[:-1]
    assert "303" in texts(start)
    assert end.number == passed[-1]
    for group, below in zip(asked, passed[1:], strict=True):
        assert f"{document['nodes'][below]['rows']:,}" in texts(group)
    cost = float(model.predict_cost(X.iloc[:1])[0])
    assert any(f"pays {cost:.2f}" in text for text in texts(end))
    assert f"{cost:.2f}" in texts(asked[-1])
    assert str(model.predict(X.iloc[:1])[0]) in texts(end)


@pytest.mark.parametrize("seed", range(15))
def test_any_row_of_any_tree_can_be_drawn_and_its_words_stay_in_the_picture(seed):
    document = random_document(seed, prices=seed % 2 == 0, n_tests=12)
    rows = random_rows(document, seed, 5)
    for i in range(5):
        row = {name: values[i] for name, values in rows.items()}
        scene = path_scene(document, row)
        assert [g.number for g in steps(scene)[1:]] == path_of(document, row)
        for shape in scene.shapes():
            if isinstance(shape, Rect):
                assert math.isfinite(shape.x)
                assert shape.x >= 0
                assert shape.x + shape.width <= scene.width
    ax = plot_path(Tree.from_dict(document), row)
    ax.figure.canvas.draw()


def number_steps(value):
    """The marks of the one question of a small tree, "x <= 10?", for a value."""
    X = [[float(v)] for v in range(21)]
    tree = CARTClassifier(max_leaves=2).fit(X, [v > 10 for v in range(21)]).tree_
    document = tree.to_dict()
    (name,) = [column["name"] for column in document["columns"]]
    _, asked, _ = steps(path_scene(document, {name: value}))
    return asked


def test_a_number_lies_on_its_side_of_the_cut():
    def place(value):
        circles = [s for s in number_steps(value).shapes if isinstance(s, Rect) and s.radius == 4.5]
        ticks = [s for s in number_steps(value).shapes if isinstance(s, Rect) and s.width == 1.5]
        (dot,), (cut,) = circles, ticks
        return dot.x + 4.5 - (cut.x + 0.75)

    assert place(3.0) < 0 < place(17.0)
    assert place(-math.inf) < 0 < place(math.inf)


def test_a_value_beside_the_cut_is_told_with_the_digits_that_tell():
    assert any("10.5 → yes" in text for text in texts(number_steps(10.5)))
    assert any("10.500000000000002 → no" in text for text in texts(number_steps(math.nextafter(10.5, 11))))


def test_missing_and_unseen_values_are_said_to_be_so():
    assert any(text.startswith("here: missing") for text in texts(number_steps(None)))
    X, y = load_heart()
    document = C45Classifier(max_depth=2).fit(X[["chest_pain"]], y).tree_.to_dict()
    said = [text for group in steps(path_scene(document, {"chest_pain": "new\n"})) for text in texts(group)]
    assert any("new\\n (never seen)" in text for text in said)


def test_rows_come_as_dicts_series_and_values_in_order(heart):
    model, X = heart
    document = model.tree_.to_dict()
    series = X.iloc[3]
    expected = path_of(document, series.to_dict())
    for row in (series, series.to_dict(), series.tolist()):
        assert path_of(document, named_row(document, row)) == expected
    with pytest.raises(ValueError, match="the row has 2 values, but the tree has 13 columns"):
        plot_path(model, [1, 2])
    with pytest.raises(ValueError, match="none of the tree's columns, which are: age, sex"):
        plot_path(model, {"Age": 50})


def test_a_path_to_a_number_ends_with_its_mean():
    X, _ = load_heart()
    model = CARTRegressor(max_leaves=5).fit(X.drop(columns="age"), X["age"])
    row = X.drop(columns="age").iloc[0]
    ax = plot_path(model, row)
    mean = model.predict(X.drop(columns="age").iloc[:1])[0]
    assert any(text.get_text().startswith(f"{mean:.4g} ±") for text in ax.texts)


@pytest.mark.parametrize("priced", [True, False])
def test_in_narrow_axes_words_stay_readable_and_prices_stand_below_the_answers(heart, priced):
    model, X = heart
    ax = pyplot.subplots()[1]
    assert plot_path(model, X.iloc[17], ax=ax, prices=priced) is ax
    ax.figure.canvas.draw()
    assert min(text.get_fontsize() for text in ax.texts) > 6
    scene = path_scene(model.tree_.to_dict(), X.iloc[17].to_dict(), prices=priced, width=560)
    assert scene.width <= 560
    said = [text for group in steps(scene) for text in texts(group)]
    assert any(text.endswith("→ 292.10") for text in said) == priced
    for shape in scene.shapes():
        if isinstance(shape, Words) and shape.anchor == "start":
            assert shape.x + text_width(shape.text, shape.size, bold=shape.bold) <= scene.width


@pytest.mark.parametrize("width", [560, 800, 1087, 1088, 2000])
def test_columns_of_a_path_do_not_run_into_each_other(width):
    columns = path_scene_module._columns(width, 303, True)
    ends = [
        *(path_scene_module._QUESTION, path_scene_module._QUESTION + columns.question_width),
        *(columns.marks, columns.marks + columns.marks_width),
        *(columns.bar, columns.bar + columns.bar_width, columns.rows),
        *(end for end in (columns.adds, columns.paid) if end is not None),
    ]
    assert ends == sorted(ends)
    assert (columns.paid is None) == (width < 1088)
