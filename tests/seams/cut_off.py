"""Fits that are cut off at a chosen count of rows: the same moment in every run."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pandas as pd
from partitioned_store import PartitionedStore, counted_rows
from sklearn.base import is_classifier

from thriftree.learning.counting import counted_by


def table_for(model):
    """Few rows, and a target of the kind that the model learns."""
    random, n = np.random.default_rng(5), 60
    a, b, c = random.normal(size=n).round(1), random.integers(0, 5, n) * 1.0, random.normal(size=n).round(1)
    d = np.array(list("uvwx"))[random.integers(0, 4, n)]
    X = pd.DataFrame({"a": a, "b": b, "c": c, "d": pd.Categorical(d)})
    score = 2 * a + b * (d == "u") + random.normal(size=n).round(2)
    return X, score > 1 if is_classifier(model) else score


@contextmanager
def interrupting(at: int | None) -> Iterator[list[int]]:
    """Inside, rows are counted by stores that raise SIGINT at the `at`-th count of all trees; lent is the
    list of the counts so far.
    """
    counts = []

    class Store(PartitionedStore):
        def count(self, nodes, columns, weights):
            counts.append(len(nodes))
            if len(counts) == at:
                signal.raise_signal(signal.SIGINT)
            return super().count(nodes, columns, weights)

    def make(table, target, options):
        return counted_rows(Store(table, target, options, 1, preferred_batch_rows=1))

    with counted_by(make):
        yield counts


def moments(n, of):
    """Some of 1 .. n, evenly spread, the first and the last among them."""
    return sorted({int(at) for at in np.linspace(1, n, of)})
