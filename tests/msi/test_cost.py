"""Inaccuracy, surfeit, their means, and the bytes that are compressed."""

import bz2
import lzma
import math
import zlib
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles.plain_msi import Coding, Table, build_tree, cost_of
from scipy.sparse import csr_array
from sklearn.datasets import load_iris

from thriftree import MSIClassifier
from thriftree.learning.limits import Limits
from thriftree.methods.msi.cost import (
    COMBINATIONS,
    COMPRESSORS,
    SHORT_MODELS,
    CostFunction,
    affordable_threads,
)
from thriftree.methods.msi.features import FeatureRows
from thriftree.table.coding import encode
from thriftree.table.prediction_inputs import prediction_inputs
from thriftree.table.tested_columns import TestedColumns

X, Y = load_iris(return_X_y=True)


def bytes_of(frame, **coding):
    columns = encode(frame, **coding).columns
    inputs = prediction_inputs(frame, columns)
    inputs = inputs.all() if isinstance(inputs, TestedColumns) else inputs
    features = FeatureRows(inputs, frame.shape[0], frame.shape[1])
    return b"".join(piece.tobytes() for piece in features.pieces())


def test_the_means_are_those_of_section_five():
    a, b = 0.3, 0.6
    expected = {
        "harmonic": 0.4,
        "arithmetic": 0.45,
        "geometric": math.sqrt(0.18),
        "euclidean": math.sqrt(0.45),
        "sum": 0.9,
        "product": 0.18,
    }
    assert {name: combine(a, b) for name, combine in COMBINATIONS.items()} == pytest.approx(expected)


def test_a_mean_that_does_not_exist_is_never_the_least():
    assert COMBINATIONS["geometric"](0.3, -0.1) == math.inf
    assert COMBINATIONS["harmonic"](0.25, -0.25) == math.inf
    assert COMBINATIONS["harmonic"](0.25, 0.0) == 0.0


def test_short_models_are_clipped_rejected_or_taken_literally():
    treated = {name: (treat(0.4, 0.1), treat(0.4, 0.7)) for name, treat in SHORT_MODELS.items()}
    assert treated == {"clip": (0.4, 0.7), "reject": (1.0, 0.7), "literal": (0.1, 0.7)}


@given(
    combine=st.sampled_from(sorted(COMBINATIONS)),
    short_models=st.sampled_from(sorted(SHORT_MODELS)),
    surfeit=st.floats(-2, 1),
    more=st.floats(0, 1),
)
def test_no_tree_costs_less_than_its_surfeit_says(combine, short_models, surfeit, more):
    costs = CostFunction(FeatureRows(X, *X.shape), "bz2", combine, short_models)
    least = costs.inaccuracy(np.zeros(len(X), dtype=bool))
    assert costs.combined(least + more, surfeit).cost >= costs.at_least(surfeit)


@pytest.mark.parametrize("compressor", sorted(COMPRESSORS))
def test_no_bytes_are_compressed_to_the_least_length(compressor):
    costs = CostFunction(FeatureRows(X[:20], 20, X.shape[1]), compressor, "harmonic", "clip")
    random = np.random.default_rng(0)
    lengths = [costs.length([random.bytes(n)]) for n in range(1, 9)] + [
        costs.length([bytes(n)]) for n in (1, 8, 999)
    ]
    assert costs.length([]) <= min(lengths)


@pytest.mark.parametrize("combine", sorted(COMBINATIONS))
def test_the_cost_of_any_tree_is_the_one_worked_out_from_its_definition(combine):
    """Not only of the tree that is learnt: of every tree on the way of other treatments."""
    coding = Coding("bz2", combine, "clip")
    table = Table(X, Y, 3)
    for short_models in SHORT_MODELS:
        tree = build_tree(table, Coding("bz2", "product", short_models))
        cost, inaccuracy, surfeit = cost_of(table, tree.root, coding)
        model = MSIClassifier(combine="product", short_models=short_models).fit(X, Y)
        costs = CostFunction(FeatureRows(X, *X.shape), "bz2", combine, "clip")
        again = costs.combined(costs.inaccuracy(model.predict(X) != Y), costs.surfeit(model.tree_text_))
        assert (again.cost, again.inaccuracy, again.surfeit) == (cost, inaccuracy, surfeit)


def test_what_is_compressed_is_row_after_row_of_float64():
    assert bytes_of(X) == X.astype("<f8").tobytes()
    costs = CostFunction(FeatureRows(X, *X.shape), "bz2", "harmonic", "literal")
    wrong = Y == 1
    assert costs.inaccuracy(wrong) == len(bz2.compress(X[50:100].tobytes())) / len(bz2.compress(X.tobytes()))


def test_equal_tables_have_equal_bytes_whatever_they_are_made_of():
    numbers = np.array([[1, 0], [2, 5], [-3, 0]])
    expected = numbers.astype("<f8").tobytes()
    frame = pd.DataFrame(numbers, columns=["a", "b"])
    for same in (
        numbers,
        numbers.astype(np.int8),
        numbers.astype(np.float32),
        np.asfortranarray(numbers.astype(np.float64)),
        np.array([[1.0, -0.0], [2.0, 5.0], [-3.0, -0.0]]),
        frame,
        frame.astype({"a": np.float32}),
        pl.from_pandas(frame),
        csr_array(numbers),
    ):
        assert bytes_of(same) == expected


def test_every_missing_value_is_the_same_nan():
    odd = np.frombuffer(np.uint64(0xFFF8000000000123).tobytes(), dtype="<f8")[0]
    expected = np.array([[1.0], [np.nan], [np.nan]], dtype="<f8").tobytes()
    assert bytes_of(np.array([[1.0], [odd], [np.nan]])) == expected
    assert bytes_of(pd.DataFrame({"a": [1.0, None, odd]})) == expected


def test_categories_are_compressed_as_their_codes():
    frame = pd.DataFrame({"colour": ["red", None, "blue", "red"], "n": [1, 2, 3, 4]})
    assert bytes_of(frame) == np.array([[1, 1], [np.nan, 2], [0, 3], [1, 4]], dtype="<f8").tobytes()


def test_memory_bounds_the_threads_and_one_must_fit():
    assert affordable_threads("bz2", Limits(4, None, None)) == 4
    assert affordable_threads("bz2", Limits(4, None, 20.0)) == 2  # of 8 MB each
    with pytest.raises(MemoryError, match=r"lzma needs 675 MB, but memory_limit_mb allows 600 MB"):
        affordable_threads("lzma", Limits(1, None, 600.0))


@pytest.mark.parametrize(
    "compressor",
    [name if name == "bz2" else pytest.param(name, marks=pytest.mark.full) for name in sorted(COMPRESSORS)],
)
def test_compressing_in_pieces_gives_the_bytes_of_compressing_at_once(compressor):
    rows = np.random.default_rng(0).normal(size=(20_000, 20)).round(1) + 0.0  # without -0
    at_once = {
        "bz2": bz2.compress,
        "zlib": partial(zlib.compress, level=9),
        "lzma": partial(lzma.compress, preset=9),
    }
    costs = CostFunction(FeatureRows(rows, *rows.shape), compressor, "harmonic", "clip")
    wrong = rows[:, 0] > 0
    assert len(list(FeatureRows(rows, *rows.shape).pieces(wrong))) > 5
    lengths = [len(at_once[compressor](part.tobytes())) for part in (rows[wrong], rows)]
    assert costs.inaccuracy(wrong) == lengths[0] / lengths[1]
