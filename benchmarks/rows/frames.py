"""Labels for the rows of a frame of which the tree tests few columns."""

from __future__ import annotations

import numpy as np
import pandas as pd

from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.measurement import Lines, as_much
from thriftree import CARTClassifier

TITLE = "predict from a pandas frame of {rows:,} rows, one thread"
ROWS = 500_000
TESTED = ["number_0", "text_0"]


def run(rows: int) -> Lines:
    random = np.random.default_rng(0)
    words = ["red", "green", "blue", "black"]
    frame = pd.DataFrame(
        {f"number_{j}": random.normal(size=rows) for j in range(10)}
        | {f"text_{j}": random.choice(words, rows) for j in range(5)}
        | {f"category_{j}": pd.Categorical(random.choice(words, rows)) for j in range(5)}
    )
    y = ((frame["number_0"] > 0) ^ (frame["text_0"] == "red")).to_numpy().astype(int)
    few = slice(0, min(rows, 20_000))
    whole = CARTClassifier(max_leaves=4, n_jobs=1).fit(frame[few], y[few])
    alone = CARTClassifier(max_leaves=4, n_jobs=1).fit(frame.loc[frame.index[few], TESTED], y[few])
    ours = cpu_time(lambda: whole.predict(frame), repeats=5)
    theirs = cpu_time(lambda: alone.predict(frame[TESTED]), repeats=5)
    if not np.array_equal(ours.result, theirs.result):
        raise AnswerDiffersError("the columns that are not tested changed an answer")
    yield as_much("20 columns, 2 of them tested", "the 2 alone", ours.seconds, theirs.seconds, 1.5)
