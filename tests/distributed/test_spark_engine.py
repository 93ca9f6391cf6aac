"""Spark for real: the local tree, codes that are lost, lazy answers, Ctrl-C. It has no ordered categories."""

from __future__ import annotations

import os
import signal
import threading
import time
from glob import glob
from typing import Any

import numpy as np
import pytest
from engine_tables import CUTS, FEATURES, content, fit_here, pieces, table
from spark_session import divided_frame

from thriftree import C45Classifier, CARTClassifier, CARTRegressor, EnhancedTreeClassifier
from thriftree.distributed.engines import parts_of

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore")]

LEARNERS: dict[str, tuple[Any, str]] = {
    "bins": (lambda: CARTClassifier(max_bins=16, max_leaves=12), "label"),
    "numbers": (lambda: CARTRegressor(max_bins=32, max_depth=4), "number"),
    "exact": (lambda: CARTClassifier(max_leaves=12), "label"),
    "multiway": (lambda: C45Classifier(max_bins=16), "label"),
    "objects": (lambda: EnhancedTreeClassifier(max_bins=4, max_depth=4), "label"),
}


def frame_of(spark: Any, rows: Any, cuts: str, target: str) -> Any:
    return divided_frame(spark, pieces(rows[[*FEATURES, target, "weight"]], CUTS[cuts]))


# Every division with one learner, every learner with one division.
CASES = [*(("bins", cuts) for cuts in CUTS), *((name, "seven") for name in LEARNERS if name != "bins")]


@pytest.mark.parametrize(("learner", "cuts"), CASES)
def test_the_tree_is_that_of_the_same_rows_in_memory(spark: Any, learner: str, cuts: str) -> None:
    make, target = LEARNERS[learner]
    rows = table()
    there = make().fit(frame_of(spark, rows, cuts, target), target, sample_weight="weight")
    assert content(there) == content(fit_here(make(), rows, target, "weight"))


def test_targets_may_be_columns_that_are_computed(spark: Any) -> None:
    from pyspark.sql import functions

    rows = table()
    frame = frame_of(spark, rows, "two", "label").drop("label")
    there = CARTClassifier(max_bins=16, max_depth=3).fit(
        frame, functions.col("b") > 2, sample_weight=frame["weight"]
    )
    here = CARTClassifier(max_bins=16, max_depth=3)
    here.fit(rows[FEATURES], rows["b"] > 2, sample_weight=rows["weight"])
    assert content(there) == content(here)


def test_answers_are_columns_beside_those_of_the_frame(spark: Any) -> None:
    rows = table()
    frame = frame_of(spark, rows, "seven", "label")
    model = fit_here(CARTClassifier(max_bins=16, max_depth=4), rows, "label", None)
    for method, name in [
        ("predict", "prediction"),
        ("predict_proba", "probability"),
        ("predict_cost", "cost"),
        ("apply", "leaf"),
    ]:
        answered = getattr(model, method)(frame)
        assert answered.columns == [*frame.columns, name]
        found = [row[name] for row in answered.collect()]
        assert np.array(found).tolist() == getattr(model, method)(rows[FEATURES]).tolist()
    assert model.score(frame, "label") == pytest.approx(model.score(rows[FEATURES], rows["label"]))
    with pytest.raises(ValueError, match="has a column 'prediction'"):
        model.predict(model.predict(frame))


def first_code(part: Any) -> Any:
    return np.asarray(part.X.column("b").to_numpy(), np.int64)


def sum_of(codes: Any) -> int:
    return int(codes.sum())


def plus(a: int, b: int) -> int:
    return a + b


def files_of_ours() -> list[str]:
    from pyspark import SparkFiles

    return glob(os.path.join(SparkFiles.getRootDirectory(), "thriftree-*"))


def test_codes_that_are_lost_are_made_again_and_none_are_left(spark: Any) -> None:
    rows = table()
    parts = parts_of(frame_of(spark, rows, "seven", "label"), "label")
    assert parts is not None
    assert parts.order() == [0, *CUTS["seven"]]
    kept = parts.keep(first_code)
    total = int(rows["b"].sum())
    assert kept.reduce(sum_of, plus) == total
    before = files_of_ours()
    assert len(before) == 7
    for path in before[:3]:
        os.unlink(path)
    assert kept.reduce(sum_of, plus) == total
    assert sorted(files_of_ours()) == sorted(before)
    assert sum(kept.map(sum_of)) == total
    doubled = kept.keep(twice)
    assert doubled.reduce(sum_of, plus) == 2 * total
    for path in files_of_ours():
        os.unlink(path)
    assert doubled.reduce(sum_of, plus) == 2 * total
    parts.close()
    assert files_of_ours() == []


def twice(codes: Any) -> Any:
    return 2 * codes


def slow(codes: Any) -> int:
    time.sleep(30)
    return 1


def test_ctrl_c_ends_the_call_and_its_tasks(spark: Any) -> None:
    parts = parts_of(frame_of(spark, table(), "two", "label"), "label")
    assert parts is not None
    kept = parts.keep(first_code)
    timer = threading.Timer(3, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        kept.reduce(slow, plus)
    assert time.monotonic() - start < 20  # two tasks of 30 s
    timer.join()
    status = spark.sparkContext.statusTracker()
    end = time.monotonic() + 20
    while status.getActiveJobsIds() and time.monotonic() < end:
        time.sleep(0.1)
    assert status.getActiveJobsIds() == []
    parts.close()
