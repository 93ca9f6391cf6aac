"""Codes are made once: a tree of a sample is that of its rows alone, and nothing is read or coded again."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import thriftree.learning.sample as sample_module
import thriftree.table.coding as coding_module
from thriftree import (
    C45Classifier,
    CARTClassifier,
    CARTRegressor,
    CHAIDClassifier,
    EnhancedTreeClassifier,
    EnhancedTreeRegressor,
    ID3Classifier,
    QUESTClassifier,
    ThriftTreeClassifier,
    WorstCaseTreeClassifier,
    compare,
    frontier,
)
from thriftree.learning import growth
from thriftree.learning.limits import Limits
from thriftree.learning.progress import Steps
from thriftree.learning.sample import Sample
from thriftree.table.codes import Codes
from thriftree.tree import Tree

LIMITS = Limits.of(1, None, None)


def people(seed: int, n: int = 260) -> tuple[pd.DataFrame, Any]:
    """Numbers of few and of many values, categories of which one is rare, an order; values are missing."""
    random = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "few": random.integers(0, 5, n).astype(float),
            "many": random.random(n),
            "town": random.choice(list("abcdefghijkl"), n),
            "size": pd.Categorical(random.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
            "yes": random.random(n) < 0.5,
        }
    )
    X.loc[random.random(n) < 0.1, "many"] = np.nan
    X.loc[random.random(n) < 0.05, "town"] = None
    X.loc[:2, "town"] = "rare"
    score = X["few"] + 3 * X["many"].fillna(0.4) + X["town"].isin(list("aeh")) + random.normal(size=n)
    return X, np.digitize(score, [3.0, 5.0])


def shape_of(tree: Tree) -> list[Any]:
    """What decides a tree, without the categories that only other rows have."""
    document = tree.to_dict()
    labels = [column.get("categories") for column in document["columns"]]
    found = []
    for node in document["nodes"]:
        test = node.get("test")
        if test is not None and test["kind"] == "category":
            seen = {
                str(labels[test["column"]][key]): to for key, to in zip(test["keys"], test["to"], strict=True)
            }
            asked: Any = (
                test["column"],
                {k: v for k, v in seen.items() if k != "rare"},
                test["missing"],
                test["other"],
            )
        else:
            asked = (
                None
                if test is None
                else (test["column"], test["keys"], test["to"], test["missing"], test["other"])
            )
        found.append((node["rows"], node["objects"], node["weight"], node["value"], node["impurity"], asked))
    return found


@pytest.mark.parametrize(
    "model",
    [
        CARTClassifier(max_depth=5),
        CARTClassifier(max_depth=5, impurity="entropy", proportion_encode=3),
        CARTClassifier(max_leaves=9, class_weight="balanced"),
        CARTRegressor(max_depth=4, proportion_encode=["town"]),
        ID3Classifier(max_depth=3),
        C45Classifier(max_depth=4, pruning=None),
        EnhancedTreeClassifier(max_depth=4),
        WorstCaseTreeClassifier(max_depth=4),
        QUESTClassifier(max_depth=4, pruning=None),
    ],
    ids=[
        *("cart", "order of the target", "best first", "numbers", "id3", "c45", "enhanced", "worst case"),
        "quest",
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_a_tree_of_a_sample_is_that_of_its_rows_coded_alone(model: Any, seed: int) -> None:
    X, y = people(seed)
    weight = None if seed % 2 else np.random.default_rng(seed).integers(1, 4, len(y)).astype(float)
    index = np.flatnonzero(np.random.default_rng(seed + 50).random(len(y)) < 0.6)
    index = index[index > 2] if seed % 3 else index  # without the rare town
    whole = model._read(X, y, weight, LIMITS)
    part = whole.take(index)
    alone = model._read(X.iloc[index], y[index], None if weight is None else weight[index], LIMITS)
    trees = []
    for sample in (part, alone):
        plan, _ = model._settled(sample, model._plan(sample), LIMITS, Steps())
        grown = growth.grow(sample, plan, LIMITS)
        trees.append(Tree(grown.core, grown.columns, None if isinstance(model, CARTRegressor) else (0, 1, 2)))
    assert shape_of(trees[0]) == shape_of(trees[1])
    others = np.setdiff1d(np.arange(len(y)), index)
    np.testing.assert_array_equal(trees[0].apply(whole.take(others).codes), trees[1].apply(X.iloc[others]))


@pytest.mark.parametrize("proportion_encode", [None, 3])
def test_held_out_targets_do_not_change_the_tree_of_a_fold(proportion_encode: Any) -> None:
    X, y = people(1)
    other = y.copy()
    other[::3] = 2 - other[::3]
    index = np.setdiff1d(np.arange(len(y)), np.arange(0, len(y), 3))
    trees = []
    for target in (y, other):
        model = CARTClassifier(proportion_encode=proportion_encode, class_weight="balanced")
        sample = model._read(X, target, None, LIMITS).take(index)
        trees.append(growth.grow(sample, model._plan(sample), LIMITS).core)
    assert trees[0] == trees[1]


def test_taking_rows_copies_no_codes_and_no_values() -> None:
    X, y = people(2)
    sample = CARTClassifier()._read(X, y, None, LIMITS)
    part = sample.take(np.arange(0, 200, 2)).take(np.arange(5, 50))
    assert part.codes.coded is sample.codes.coded
    assert part.codes.values is sample.codes.values
    np.testing.assert_array_equal(part.codes.rows, np.arange(0, 200, 2)[5:50])
    np.testing.assert_array_equal(part.y, y[part.codes.rows])


def test_codes_survive_a_pickle() -> None:
    X, _ = people(3)
    codes = coding_module.read_codes(X, max_bins=7).take(np.arange(100))
    again = pickle.loads(pickle.dumps(codes))
    np.testing.assert_array_equal(again.table().all_distinct(), codes.table().all_distinct())
    assert again.columns == codes.columns


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a frame is read, a column turned into codes, and a table coded."""
    counts: Counter[str] = Counter()

    def counting(owner: Any, name: str, word: str) -> None:
        real = getattr(owner, name)

        def call(*arguments: Any, **named: Any) -> Any:
            counts[word] += 1
            return real(*arguments, **named)

        monkeypatch.setattr(owner, name, call)

    counting(coding_module, "read_frame", "frames")
    counting(coding_module, "described", "columns")
    counting(coding_module._core, "encode_columns", "tables")
    counting(coding_module._core, "encode_matrix", "tables")
    return counts


@pytest.mark.parametrize(
    "model",
    [
        CARTClassifier(pruning="cost_complexity", random_state=0),
        CARTClassifier(pruning="reduced_error", random_state=0),
        C45Classifier(),
        CHAIDClassifier(),
        QUESTClassifier(random_state=0),
        EnhancedTreeClassifier(trade_off="cv", random_state=0),
        WorstCaseTreeClassifier(impurity="search"),
        ThriftTreeClassifier(random_state=0),
    ],
    ids=lambda model: type(model).__name__ + str(getattr(model, "pruning", "")),
)
def test_a_fit_reads_its_frame_once_and_codes_every_column_once(model: Any, counted: Counter[str]) -> None:
    X, y = people(4)
    model.fit(X, y)
    assert counted == {"frames": 1, "columns": X.shape[1], "tables": 1}


def test_comparisons_and_the_frontier_read_their_frame_once(counted: Counter[str]) -> None:
    X, y = people(5)
    compare(X, y, methods=["cart", "c45", "thrift"], cv=3)
    assert counted == {"frames": 1, "columns": X.shape[1], "tables": 1}
    counted.clear()
    frontier(X, y, random_state=0)
    assert counted == {"frames": 1, "columns": X.shape[1], "tables": 1}


def test_an_edit_reads_its_rows_once(counted: Counter[str]) -> None:
    X, y = people(6)
    model = CARTClassifier(max_depth=4).fit(X, y)
    counted.clear()
    model.refit_below(1, X, y, max_depth=3)
    assert counted["frames"] == counted["tables"] == 1


def gatherings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of rows of every table that is gathered from a part of the rows."""
    found: list[int] = []
    real = Codes.table

    def table(self: Codes, **named: Any) -> Any:
        if self.rows is not None:
            found.append(len(self.rows))
        return real(self, **named)

    monkeypatch.setattr(Codes, "table", table)
    return found


@pytest.mark.parametrize("proportion_encode", [None, 3])
def test_all_trees_of_a_fold_are_grown_from_codes_gathered_once(
    monkeypatch: pytest.MonkeyPatch, proportion_encode: Any
) -> None:
    X, y = people(7)
    model = ThriftTreeClassifier(cv=5, repeats=1, random_state=0, proportion_encode=proportion_encode)
    gathered, asked = gatherings(monkeypatch), []
    real = Sample.table
    monkeypatch.setattr(Sample, "table", lambda *words: asked.append(1) or real(*words))
    model.fit(X, y)
    assert len(asked) >= 3 * 6  # of three methods at least, for each fold and for all rows
    assert sorted(gathered) == [len(y) * 4 // 5] * 5


def test_a_kept_table_is_that_of_its_plan_and_ends_with_its_sample() -> None:
    X, y = people(8)
    model = CARTClassifier()
    sample = model._read(X, y, None, LIMITS).take(np.arange(0, 200, 2)).for_many_trees()
    plain, ranked = sample.table(None, 3), sample.table(["town"], 3)
    assert sample.table(["town"], 3) is ranked
    assert ranked.columns != plain.columns
    again = sample.table(None, 3)
    assert again is not plain  # one at a time is kept
    np.testing.assert_array_equal(again.all_distinct(), plain.all_distinct())
    assert sample.take(np.arange(10)).kept is None
    assert sample.exact().kept is None


def test_bins_of_a_target_are_made_once_and_for_trees_of_objects_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[int] = []
    bins = sample_module.quantile_bins

    def counted(y: Any, weight: Any, n_bins: int) -> Any:
        made.append(n_bins)
        return bins(y, weight, n_bins)

    monkeypatch.setattr(sample_module, "quantile_bins", counted)
    X = np.random.default_rng(0).normal(size=(40, 3))
    rows = CARTRegressor()._read(X, X[:, 0], None, Limits.of(1, None, None))
    plan = EnhancedTreeRegressor(trade_off=1.0)._plan(rows)
    for _ in range(2):
        growth.grow(rows, plan, Limits.of(1, None, None))
    assert made == [20]
    growth.grow(rows.take(np.arange(30)), replace(plan, scoring={}), Limits.of(1, None, None))
    assert made == [20]
