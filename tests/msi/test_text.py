"""The text of a tree: the template of section IV, with words for categories and missing values."""

import math

import numpy as np
import pandas as pd
import pytest

from thriftree import CARTClassifier, MSIClassifier
from thriftree.methods.msi.text import TreeText
from thriftree.testing.makers import small_table

NAN = float("nan")  # one object, so that `nan in {0, nan}` holds


def run(text, row):
    """What the text returns for a row: it is Python but for the braces of its first line."""
    names = [f"X{j + 1}" for j in range(len(row))]
    _, body = text.split("\n", 1)
    scope = {"nan": NAN, "inf": math.inf}
    exec(f"def tree({', '.join(names)}):\n{body}", scope)
    return scope["tree"](*[NAN if np.isnan(value) else value for value in row])


@pytest.mark.parametrize("seed", range(12))
def test_the_text_decides_every_row_as_the_tree_does(seed):
    table = small_table(seed, n_rows=60, n_classes=3, missing=seed % 2 == 0, categories=seed % 3 > 0)
    model = CARTClassifier(impurity="entropy", categorical_features=list(table.categorical))
    core = model.fit(table.X, table.y).tree_.core
    text = TreeText(core, np.isnan(table.X).any(axis=0).tolist())
    tests = np.flatnonzero(core.column >= 0)
    assert len(tests) > 10
    for node in tests:
        foreseen = text.with_test(node)
        text.add_test(node)
        assert str(text) == foreseen
    coded = table.X.copy()
    for j in table.categorical:
        known = ~np.isnan(coded[:, j])
        coded[known, j] = np.unique(coded[known, j], return_inverse=True)[1]
    assert [run(str(text), row) for row in coded] == model.predict(table.X).tolist()


def test_only_columns_that_are_used_are_named_in_their_order():
    rows = np.random.default_rng(0).integers(0, 2, size=(80, 12)).astype(float)
    text = MSIClassifier().fit(rows, 2 * rows[:, 10] + rows[:, 1]).tree_text_
    assert text.startswith("def tree{X2, X11}:\n    if X")


def test_classes_are_numbers_in_the_order_of_their_names():
    text = MSIClassifier().fit([[0.0], [1.0], [2.0], [3.0]] * 9, ["b", "b", "a", "a"] * 9).tree_text_
    assert text == "def tree{X1}:\n    if X1 <= 1.500:\n        return 1\n    else:\n        return 0\n"


def test_a_set_of_categories_is_written_by_codes():
    colours = pd.DataFrame({"colour": ["red", "blue", "green", "red"] * 20})
    text = MSIClassifier().fit(colours, ["warm", "cold", "cold", "warm"] * 20).tree_text_
    assert "    if X1 in {0, 1}:\n        return 0\n    else:\n        return 1\n" in text


def test_missing_among_categories_is_nan_in_the_set():
    colours = pd.DataFrame({"colour": ["red", "blue", None, "red"] * 20})
    text = MSIClassifier().fit(colours, [1, 0, 0, 1] * 20).tree_text_
    assert "    if X1 in {0, nan}:\n        return 0\n" in text


def test_missing_on_the_left_of_a_threshold_turns_the_comparison_round():
    text = MSIClassifier().fit([[1.0], [np.nan], [3.0], [4.0]] * 20, [0, 0, 1, 1] * 20).tree_text_
    assert "    if not X1 > 2.000:\n        return 0\n" in text
    text = MSIClassifier().fit([[1.0], [np.nan], [3.0], [4.0]] * 20, [0, 1, 1, 1] * 20).tree_text_
    assert "    if X1 <= 2.000:\n        return 0\n" in text


def test_known_against_missing_is_a_threshold_at_infinity():
    text = MSIClassifier().fit([[1.0], [np.nan], [3.0], [4.0]] * 20, [0, 1, 0, 0] * 20).tree_text_
    assert "    if X1 <= inf:\n        return 0\n    else:\n        return 1\n" in text
