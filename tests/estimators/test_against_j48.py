"""C4.5 beside an independent one: J48 of Weka, on data sets without missing values."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from compare_with_j48 import DATA_SETS, ComparedSplit, compare
from weka_j48 import J48Tree, read_output

SMALL = 2000  # rows; below, one test row more or less is much of a point, so more splits are averaged


@pytest.fixture(scope="session")
def splits_of(require: Callable[[str], Path], data_dir: Path) -> Callable[[str], list[ComparedSplit]]:
    require("java")
    require("weka")

    @cache
    def compare_on(name: str) -> list[ComparedSplit]:
        table = pl.read_parquet(data_dir / f"{name}.parquet")
        return compare(table, 10 if table.height < SMALL else 4)

    return compare_on


@pytest.mark.full
@pytest.mark.parametrize("name", DATA_SETS)
def test_the_root_divides_the_rows_as_in_j48(
    splits_of: Callable[[str], list[ComparedSplit]], name: str
) -> None:
    assert all(split.same_root for split in splits_of(name))


@pytest.mark.full
@pytest.mark.parametrize("name", DATA_SETS)
def test_the_accuracy_is_within_a_point_of_j48(
    splits_of: Callable[[str], list[ComparedSplit]], name: str
) -> None:
    differences = [split.accuracy - split.weka.accuracy for split in splits_of(name)]
    assert abs(np.mean(differences)) <= 0.01


@pytest.mark.full
@pytest.mark.parametrize("name", DATA_SETS)
def test_the_tree_has_as_many_leaves_as_that_of_j48(
    splits_of: Callable[[str], list[ComparedSplit]], name: str
) -> None:
    ours, theirs = zip(*((split.n_leaves, split.weka.n_leaves) for split in splits_of(name)), strict=True)
    assert np.mean(ours) == pytest.approx(np.mean(theirs), rel=0.05)


def test_what_j48_prints_is_read_without_branches_that_no_row_takes() -> None:
    text = """
a3 <= -0.25
|   a0 = v0: c0 (12.0/3.0)
|   a0 = v1: c1 (0.0)
|   a0 = v2: c1 (5.0)
a3 > -0.25: c2 (8.0)

Number of Leaves  : \t4

Correctly Classified Instances           7               70      %
"""
    assert read_output(text, n_test=10) == J48Tree(3, 0.7, root_column=3, root_threshold=-0.25)
    categories = text.replace("a3 <= -0.25", "a3 = v0").replace("a3 > -0.25", "a3 = v1")
    assert read_output(categories, n_test=10) == J48Tree(3, 0.7, root_column=3, root_threshold=None)


def test_a_j48_tree_of_one_leaf_has_no_root_test() -> None:
    text = """
: c1 (105.0/35.0)

Correctly Classified Instances           9               90      %
"""
    assert read_output(text, n_test=10) == J48Tree(1, 0.9, root_column=None, root_threshold=None)
    with pytest.raises(ValueError, match="no accuracy"):
        read_output("nothing", n_test=10)
