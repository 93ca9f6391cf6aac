"""Partitions that are read and coded by themselves, by one code book, give the tree of one table."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from partitioned_store import PartitionedStore, counted_rows

import thriftree as tt
from thriftree.learning.counting import counted_by
from thriftree.table.code_book import CodeBook
from thriftree.table.coding import read_codes

CODINGS = {"exact": None, "bins": 9}


class Partitions:
    """Tables of different rows under one code book, seen as one: what a store asks a table for."""

    def __init__(self, tables):
        self.tables = tables
        self.n_columns = tables[0].n_columns
        assert all(table.book == tables[0].book for table in tables)

    def column(self, j):
        return self.tables[0].column(j)

    def codes(self, j):
        return np.concatenate([table.codes(j) for table in self.tables])


def people(n=600):
    random = np.random.default_rng(8)
    X = pd.DataFrame(
        {
            "age": random.integers(18, 90, n).astype(float),
            "dose": random.normal(size=n),
            "town": random.choice(list("abcdef"), n),
            "size": pd.Categorical(random.choice(["S", "M", "L"], n), ["S", "M", "L"], ordered=True),
        }
    )
    X.loc[random.random(n) < 0.1, "dose"] = np.nan
    X.loc[random.random(n) < 0.1, "town"] = None
    y = (X["age"] > 50).astype(int) + X["town"].isin(["a", "f"]) + (random.random(n) < 0.2)
    return X, y.to_numpy()


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize(
    "learner",
    [
        tt.CARTClassifier(max_depth=6),
        tt.CARTClassifier(impurity="entropy", max_leaves=20),
        tt.C45Classifier(pruning=None, max_depth=5),
        tt.CHAIDClassifier(),
        tt.QUESTClassifier(max_depth=4, pruning=None),
        tt.CARTRegressor(max_depth=5),
    ],
    ids=["cart", "best first", "c45", "chaid", "quest", "numbers"],
)
def test_partitions_coded_apart_give_the_tree_of_one_table(learner, coding):
    X, y = people()
    learner.set_params(max_bins=CODINGS[coding])
    here = learner.fit(X, y).tree_
    assert here.n_leaves >= 4
    # What travels to a worker is the book, as text; each worker reads and codes its own rows.
    book = json.dumps(read_codes(X, max_bins=CODINGS[coding]).book.to_dict())
    parts = [X.iloc[rows] for rows in np.array_split(np.arange(len(X)), [10, 11, 300])]
    tables = [CodeBook.from_dict(json.loads(book)).code(part).table().core for part in parts]
    asked = []

    def elsewhere(table, target, options):
        asked.append(table.n_rows)
        return counted_rows(PartitionedStore(Partitions(tables), target, options, 3))

    with counted_by(elsewhere):
        apart = learner.fit(X, y).tree_
    assert asked == [len(X)]
    assert apart.to_dict() == here.to_dict()
