"""One tree of another library from the same Parquet files, in its own process: CPU by role.

Called as ``python -m benchmarks.distributed_peers PEER FOLDER DEPTH``, PEER one of `PEERS`; prints JSON.
Reading the files counts, since ours read them, too; the start of workers and of Java does not.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.distributed import LEAVES, NAMES, cpu_by_role, given_by_dask, given_by_spark

BINS = 255


def measured(work: Callable[[], Any]) -> dict[str, Any]:
    before, start = cpu_by_role(), time.perf_counter()
    work()
    seconds, after = time.perf_counter() - start, cpu_by_role()
    return {"cpu": {role: after[role] - before[role] for role in after}, "seconds": seconds}


def xgboost_on_dask(folder: Path, depth: int) -> dict[str, Any]:
    """As many leaves, by their gain. Features and target are read together: Dask may read a small column of
    several files into one partition, which xgboost refuses.
    """
    from distributed import default_client
    from xgboost import dask as on_dask

    settings = {
        "tree_method": "hist",
        "max_bin": BINS,
        "grow_policy": "lossguide",
        "max_leaves": LEAVES,
        "max_depth": 0,
        "objective": "binary:logistic",
    }
    with given_by_dask(folder) as given:

        def work() -> None:
            client = default_client()
            X, y = given()
            rows = X.assign(label=y).persist()
            table = on_dask.DaskQuantileDMatrix(client, rows[NAMES], rows["label"], max_bin=BINS)
            on_dask.train(client, settings, table, 1)

        return measured(work)


def tree_of_mllib(folder: Path, depth: int) -> dict[str, Any]:
    """As deep a tree; its leaves cannot be counted out in advance."""
    with given_by_spark(folder) as given:
        from pyspark.ml.classification import DecisionTreeClassifier
        from pyspark.ml.feature import VectorAssembler

        def work() -> None:
            frame, label = given()
            vectors = VectorAssembler(inputCols=NAMES, outputCol="vector").transform(frame)
            vectors = vectors.selectExpr("vector", f"double({label}) as {label}").cache()
            learner = DecisionTreeClassifier(
                featuresCol="vector", labelCol=label, maxDepth=min(depth, 30), maxBins=BINS
            )
            learner.fit(vectors)

        return measured(work)


PEERS: dict[str, Callable[[Path, int], dict[str, Any]]] = {
    "xgboost.dask": xgboost_on_dask,
    "Spark MLlib": tree_of_mllib,
}


if __name__ == "__main__":
    print(json.dumps(PEERS[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))))
