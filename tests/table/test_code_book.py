"""A code book holds no rows and gives other rows the codes that they would have had among its own."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

from thriftree import CARTClassifier
from thriftree.table.code_book import CodeBook
from thriftree.table.codes import Codes
from thriftree.table.coding import read_codes
from thriftree.table.prediction_inputs import prediction_inputs

CODINGS: dict[str, dict[str, Any]] = {
    "exact": {},
    "bins": {"max_bins": 12},
    "many bins": {"max_bins": 300, "binning": "uniform"},
    "numbers as categories": {"categorical_features": ["few"]},
}


def people(n: int = 900, seed: int = 0) -> pd.DataFrame:
    """Numbers of few and of many values, whole numbers, categories, an order, truth; some are missing."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "few": random.integers(0, 7, n) / 4,
            "many": random.normal(size=n),
            "short": random.normal(size=n).astype(np.float32),
            "whole": random.integers(-500, 500, n),
            "town": random.choice(list("abcdefgh"), n),
            "size": pd.Categorical(random.choice(["S", "M", "L"], n), ["S", "M", "L", "XL"], ordered=True),
            "yes": random.random(n) < 0.5,
        }
    )
    X.loc[random.random(n) < 0.1, "many"] = np.nan
    X.loc[random.random(n) < 0.05, ["town", "size"]] = None
    return X


def codes_of(codes: Codes) -> np.ndarray[Any, Any]:
    return codes.table().all_distinct()


@pytest.mark.parametrize("coding", CODINGS)
def test_every_part_has_the_codes_of_the_whole(coding: str) -> None:
    X = people()
    whole = read_codes(X, **CODINGS[coding])
    parts = [whole.book.code(X.iloc[rows]) for rows in np.array_split(np.arange(len(X)), [3, 400, 640])]
    np.testing.assert_array_equal(np.vstack([codes_of(part) for part in parts]), codes_of(whole))
    for part in parts:
        assert part.table().core.book == list(whole.book.codes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64])
@pytest.mark.parametrize("coding", ["exact", "bins"])
def test_a_matrix_is_coded_in_parts_too(dtype: Any, coding: str) -> None:
    X = (np.random.default_rng(1).normal(size=(700, 5)) * [1, 3, 900, 50, 0]).astype(dtype)
    whole = read_codes(X, **CODINGS[coding])
    parts = [whole.book.code(X[rows]) for rows in (slice(0, 1), slice(1, 650), slice(650, None))]
    np.testing.assert_array_equal(np.vstack([codes_of(part) for part in parts]), codes_of(whole))


def test_codes_by_a_book_are_the_places_among_its_values_and_edges() -> None:
    """Against numpy's own search, on rows that the book has not seen."""
    random = np.random.default_rng(2)
    seen, other = random.integers(0, 2000, (1500, 2)) / 8, random.integers(0, 2000, (90, 2)) / 8
    book = read_codes(seen, max_bins=40).book
    for j in range(2):
        wanted = np.searchsorted(book.codes[j].edges, other[:, j], side="left")
        np.testing.assert_array_equal(book.code(other).table().distinct(j), wanted)
    exact = read_codes(seen).book
    known = other[np.isin(other[:, 0], seen[:, 0]) & np.isin(other[:, 1], seen[:, 1])]
    assert len(known) > 5
    for j in range(2):
        wanted = np.searchsorted(np.unique(seen[:, j]), known[:, j])
        np.testing.assert_array_equal(exact.code(known).table().distinct(j), wanted)


@pytest.mark.parametrize("coding", CODINGS)
def test_a_book_survives_json_and_pickle(coding: str) -> None:
    X = people()
    book = read_codes(X, **CODINGS[coding]).book
    copies = CodeBook.from_dict(json.loads(json.dumps(book.to_dict()))), pickle.loads(pickle.dumps(book))
    for copy in copies:
        assert copy == book
        np.testing.assert_array_equal(codes_of(copy.code(X)), codes_of(book.code(X)))
    assert book != read_codes(X[:100], **CODINGS[coding]).book
    assert book != "another kind of thing"


def test_a_book_lasts_without_its_rows() -> None:
    import gc
    import weakref

    codes = read_codes(people())
    book, table = codes.book, weakref.ref(codes.coded)
    del codes
    gc.collect()
    assert table() is None
    assert book.codes[1].n_codes > 500


def test_the_books_of_different_targets_are_the_same() -> None:
    X, random = people(), np.random.default_rng(3)
    books = []
    for _ in range(2):
        model = CARTClassifier(proportion_encode=3, max_bins=10)
        from thriftree.learning.limits import Limits

        books.append(model._read(X, random.integers(0, 3, len(X)), None, Limits.of(1, None, None)).codes.book)
    assert books[0] == books[1]


def test_missing_values_that_the_book_has_not_seen_come_last() -> None:
    book = read_codes([[1.0, "a"], [2.0, "b"]]).book
    table = book.code([[None, None], [1.0, "b"]]).table()
    assert table.all_distinct().tolist() == [[2, 2], [0, 1]]
    assert [table.missing(j) for j in range(2)] == [2, 2]


@pytest.mark.parametrize("n_values", [255, 256, 257])
@pytest.mark.parametrize("n_missing", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_codes_that_just_fill_a_byte_are_the_same_in_a_part(
    n_values: int, n_missing: int, dtype: Any
) -> None:
    X = np.append(np.arange(n_values), [np.nan] * n_missing).astype(dtype)[:, None]
    whole = read_codes(X)
    for part in (X, X[:n_values], X[-3:], X[[0]]):
        places = np.nan_to_num(part[:, 0], nan=n_values).astype(int)
        np.testing.assert_array_equal(whole.book.code(part).table().distinct(0), places)
        assert whole.book.code(part).table().core.book == list(whole.book.codes)


class TestRowsWithWhatTheBookLacks:
    def test_they_are_measured(self) -> None:
        X = people()
        model = CARTClassifier(max_depth=4).fit(X, X["few"] > 0.8)
        strange = X.copy()
        strange.loc[5, "town"] = "nowhere"
        strange.loc[6, "many"] = 77.25
        held_out = read_codes(X).book.code(strange)
        np.testing.assert_array_equal(model.predict(held_out), model.predict(strange))
        for mine, theirs in zip(
            held_out.inputs(model.tree_.columns), prediction_inputs(strange, model.tree_.columns), strict=True
        ):
            np.testing.assert_array_equal(mine, theirs)

    @pytest.mark.parametrize("column", ["few", "many", "whole"])
    def test_a_number_is_named_when_a_tree_is_to_be_grown(self, column: str) -> None:
        X = people()
        strange = X.copy()
        strange.loc[6, column] = 7777
        codes = read_codes(X).book.code(strange)
        with pytest.raises(
            ValueError, match=rf"column '{column}', row 6 holds 7777, which the code book does"
        ):
            codes.table()

    @pytest.mark.parametrize("column", ["town", "size"])
    def test_a_category_is_named_when_a_tree_is_to_be_grown(self, column: str) -> None:
        X = people()
        strange = X.astype({"size": str})
        strange.loc[6, column] = "nowhere"
        codes = read_codes(X).book.code(strange)
        with pytest.raises(
            ValueError, match=rf"column '{column}', row \d+ holds a category that the code book"
        ):
            codes.table()

    def test_short_floats_are_not_taken_for_the_numbers_that_they_round(self) -> None:
        book = read_codes(np.array([[0.1], [0.5]])).book
        with pytest.raises(ValueError, match=r"column 'x0', row 0 holds 0\.1000000014"):
            book.code(np.array([[0.1]], np.float32)).table()
        assert book.code(np.array([[0.5]], np.float32)).table().distinct(0).tolist() == [1]


def test_rows_of_other_columns_are_refused() -> None:
    book = read_codes(people()).book
    with pytest.raises(ValueError, match="X has 6 features, but the code book is expecting 7"):
        book.code(people().drop(columns="few"))
    with pytest.raises(ValueError, match=r"does not know: \['city'\]; and lacks: \['town'\]"):
        book.code(people().rename(columns={"town": "city"}))
    with pytest.raises(ValueError, match="column 'many' was a number in training; now it holds 'x'"):
        book.code(people().assign(many="x"))


def test_a_table_that_was_not_coded_in_time_has_one_code_a_column() -> None:
    codes = read_codes(people(), time_limit_s=0.0)
    assert (codes_of(codes) == codes_of(codes)[0]).all()
    assert read_codes(people()).table().core.n_rows == len(codes)


def test_codes_are_ranked_within_the_time_that_a_learner_of_values_has() -> None:
    values = np.random.default_rng(0).normal(size=(9000, 3))
    codes = read_codes(values)
    assert codes.coded.core.n_spans == 3
    cut_short = read_codes(codes, by_value=True, time_limit_s=0)
    assert cut_short.book.columns == codes.book.columns
    assert [column.n_codes for column in cut_short.book.codes] == [1, 1, 1]
    assert read_codes(codes, by_value=True) is codes
    at_once = read_codes(values, by_value=True)
    assert at_once.coded.core.n_spans == 0
    assert at_once.book == codes.book
