"""However rows are divided into parts, these agree on the code book, classes and units of one table."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tables_in_parts import divided, people
from thoroughness import tries

from thriftree import _core
from thriftree.distributed.agreement import agree
from thriftree.distributed.coded_part import TargetSpec
from thriftree.distributed.local import LocalParts
from thriftree.distributed.part_rows import PartReading
from thriftree.distributed.parts import TablePart
from thriftree.distributed.reading import read_parts
from thriftree.distributed.target_agreement import settled
from thriftree.learning import targets
from thriftree.table.code_book import Coding
from thriftree.table.coding import read_codes

CLASSES = PartReading("CARTClassifier", True, "auto")
NUMBERS = PartReading("CARTRegressor", False, "auto")
HEADER = (
    *("n_rows", "n_classes", "growth_unit", "sample_unit", "unit_samples", "center", "moment_unit"),
    *("square_unit", "weighted", "samples", "total", "lightest", "heaviest", "class_factors"),
)

begins = st.lists(st.integers(0, 150), max_size=6).map(sorted)


def agreed(X, y, weight, cuts, **coding):
    return agree(LocalParts(divided(X, y, weight, cuts)), CLASSES, Coding(**coding))


@settings(max_examples=tries(100, 8))
@given(
    begins=begins,
    max_bins=st.sampled_from([None, 3, 8, 40]),
    binning=st.sampled_from(["quantile", "uniform", "kmeans"]),
    weighted=st.booleans(),
)
def test_any_division_gives_the_code_book_of_one_table(begins, max_bins, binning, weighted):
    X, y, _ = people()
    weight = np.random.default_rng(3).random(len(y)) + 0.1 if weighted else None
    here = read_codes(X, max_bins=max_bins, binning=binning, sample_weight=weight).book
    assert agreed(X, y, weight, begins, max_bins=max_bins, binning=binning).book == here


@pytest.mark.parametrize("binning", ["quantile", "uniform"])
def test_a_large_table_is_sampled_in_the_same_rows(binning):
    random, n = np.random.default_rng(1), 70_000
    rare = np.where(random.random(n) < 0.999, 0.0, random.random(n))  # few values in the sample, many in all
    X = pd.DataFrame({"x": random.normal(size=n), "rare": rare, "f": random.random(n).astype(np.float32)})
    y = np.zeros(n)
    here = read_codes(X, max_bins=16, binning=binning).book
    assert agreed(X, y, None, [1, 30_000, 30_000], max_bins=16, binning=binning).book == here


@settings(max_examples=tries(100, 8))
@given(begins=begins, kind=st.sampled_from(["equal", "ratios", "far apart", "balanced"]))
def test_any_division_gives_the_header_of_one_table(begins, kind):
    X, y, numbers = people()
    random = np.random.default_rng(4)
    weights = {
        "equal": None,
        "ratios": random.integers(1, 50, len(y)) / 7,
        "far apart": 10.0 ** random.integers(-20, 3, len(y)),
        "balanced": random.random(len(y)) + 0.01,
    }
    weight = weights[kind]
    for reading, target in ((CLASSES, y), (NUMBERS, numbers)):
        if reading is NUMBERS and kind == "far apart":
            continue  # refused, as a local fit does
        parts = LocalParts(divided(X, target, weight, begins))
        rows, classes = read_parts(parts, reading, max_bins=None, binning="quantile")
        if classes is None:
            spec, here = TargetSpec(0), _core.Target.numbers(target, weight)
        else:
            labels, own = targets.class_labels(target)
            assert own.tolist() == classes.tolist()
            factors = None
            if kind == "balanced":
                of_table = targets.class_weights(
                    "balanced",
                    own,
                    lambda: targets.class_totals(labels, weight, 3),  # noqa: B023
                )
                factors = targets.class_weights("balanced", classes, lambda: rows.class_totals(3))  # noqa: B023
                assert factors.tolist() == of_table.tolist()
            spec = TargetSpec(3, factors)
            here = _core.Target.classes(labels, 3, weight, factors)
        header = settled(rows._coded, spec, len(rows), weight is None)[1]
        assert {name: getattr(header, name) for name in HEADER} == {
            name: getattr(here.header, name) for name in HEADER
        }


def test_a_column_that_a_part_does_not_know_takes_the_kind_of_the_others():
    X, y, _ = people()
    X.loc[:39, "c"] = None
    X.loc[40:79, "a"] = np.nan
    parts = divided(X, y, None, [40, 80])
    parts[0] = TablePart(parts[0].X.assign(c=np.nan), parts[0].y)  # numbers, all of them missing
    book = agree(LocalParts(parts), CLASSES, Coding()).book
    assert book == read_codes(X).book
