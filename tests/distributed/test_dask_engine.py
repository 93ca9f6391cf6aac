"""What is special about Dask: clients and workers, lazy answers, partitions that do not fit together."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from engine_tables import CUTS, FEATURES, as_dask, content, fit_here, fit_in_parts, table, write_files
from thoroughness import tries

from thriftree import CARTClassifier, CARTRegressor, EnhancedTreeClassifier
from thriftree.distributed import dask_workers
from thriftree.distributed.agreement import agree
from thriftree.distributed.coded_part import encode_with
from thriftree.distributed.dask import DaskParts
from thriftree.distributed.dask_workers import held_on_workers, run_on_workers
from thriftree.distributed.engines import parts_of
from thriftree.distributed.part_rows import PartReading
from thriftree.table.code_book import Coding

pytestmark = pytest.mark.filterwarnings("ignore")  # what Dask's own threads and sockets complain of


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """Two workers within this process: quick to start."""
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0") as client:
        yield client


@pytest.fixture(scope="module")
def processes() -> Iterator[Any]:
    """Two workers in processes of their own, that come back when they are killed."""
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, dashboard_address=":0") as client:
        yield client


def model() -> Any:
    return CARTClassifier(max_bins=16, max_leaves=12)


def divided(frame: pd.DataFrame, cuts: str = "seven") -> Any:
    return as_dask(frame, CUTS[cuts], Path(), "label", "weight")


def test_workers_of_a_client_grow_the_local_tree(client: Any) -> None:
    frame = table()
    assert isinstance(parts_of(*divided(frame)), DaskParts)
    there = fit_in_parts(model(), divided(frame))
    assert content(there) == content(fit_here(model(), frame, "label", "weight"))


def test_objects_of_several_workers_are_brought_together(client: Any) -> None:
    frame = table()
    make = EnhancedTreeClassifier
    there = fit_in_parts(make(max_bins=4, max_depth=4), divided(frame))
    assert content(there) == content(fit_here(make(max_bins=4, max_depth=4), frame, "label", "weight"))


def test_nothing_of_ours_stays_on_the_cluster(client: Any) -> None:
    fit_in_parts(model(), divided(table()))
    assert wait_until(lambda: not any("thriftree" in key or "_applied" in key for key in tasks_of(client)))


def held_parts(client: Any, n_parts: int = 4) -> tuple[list[Any], int]:
    """Parts of float columns that are not computed yet, and the bytes of all their numbers."""
    numbers = np.arange(8000 * 11, dtype=float).reshape(8000, 11)
    rows = da.from_array(numbers, chunks=(8000 // n_parts, 11))
    parts = parts_of(rows[:, 1:], rows[:, 0] % 2)
    assert isinstance(parts, DaskParts)
    return parts._contents, numbers.nbytes


@pytest.mark.parametrize("roomy", [True, False])
def test_rows_stay_on_workers_that_have_the_memory(
    client: Any, monkeypatch: pytest.MonkeyPatch, roomy: bool
) -> None:
    contents, n_bytes = held_parts(client)
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    memory = sum(worker["memory_limit"] for worker in workers)
    monkeypatch.setattr(dask_workers, "_SHARE", n_bytes * (1.5 if roomy else 0.9) / memory)
    held = held_on_workers(client, contents)
    assert (held is not None) == roomy


def test_dask_knows_what_parts_take(client: Any) -> None:
    """Of a class that it does not know it counts the object alone, however much is inside."""
    from distributed import wait

    contents, n_bytes = held_parts(client)
    held = held_on_workers(client, contents)
    assert held is not None
    wait(held)
    assert n_bytes <= known_bytes(client, held) < 1.1 * n_bytes
    reading = PartReading("CARTClassifier", True, "auto")
    book = agree(DaskParts(client, held), reading, Coding(16)).book
    classes = np.array([0.0, 1.0])
    coded = run_on_workers(client, held, encode_with, (reading, book, classes), gather=False)
    here = [encode_with(one, reading, book, classes) for one in client.gather(held)]
    least = sum(one.table.nbytes + one.y.nbytes for one in here if one.table is not None)
    assert least <= known_bytes(client, coded) < 2 * least + 20_000


def known_bytes(client: Any, futures: list[Any]) -> int:
    return sum(client.nbytes([one.key for one in futures], summary=False).values())


def test_arrays_are_taken_with_columns_in_several_chunks(client: Any) -> None:
    frame = table()
    numbers = frame[["a", "b"]].to_numpy()
    X = da.from_array(numbers, chunks=(90, 1))
    y = da.from_array(frame["label"].to_numpy(), chunks=90)
    there = model().fit(X, y)
    assert content(there) == content(model().fit(numbers, frame["label"]))
    labels, shares = there.predict(X), there.predict_proba(X)
    assert isinstance(labels, da.Array)
    assert isinstance(shares, da.Array)
    assert shares.shape == (len(frame), 2)
    assert labels.compute().tolist() == there.predict(numbers).tolist()
    assert shares.compute().tolist() == there.predict_proba(numbers).tolist()


def test_answers_about_a_frame_are_lazy_and_have_its_index() -> None:
    frame = table().set_index(np.arange(1000, 1400))
    X = as_dask(frame, CUTS["seven"], Path(), "label", None)[0]
    fitted = fit_here(model(), frame, "label", None)
    labels, shares = fitted.predict(X), fitted.predict_proba(X)
    assert isinstance(labels, dd.Series)
    assert isinstance(shares, dd.DataFrame)
    assert labels.compute().index.tolist() == frame.index.tolist()
    assert list(shares.columns) == ["high", "low"]
    joined = X.assign(said=labels, price=fitted.predict_cost(X)).compute()
    assert joined["said"].tolist() == fitted.predict(frame[FEATURES]).tolist()


def test_answers_are_those_of_the_tree_that_was_asked() -> None:
    frame = table()
    X = as_dask(frame, CUTS["two"], Path(), "label", None)[0]
    fitted = fit_here(model(), frame, "label", None)
    before = fitted.predict(frame[FEATURES]).tolist()
    later = fitted.predict(X)
    fit_here(fitted.set_params(max_leaves=2), frame, "label", None)
    assert later.compute().tolist() == before
    assert fitted.predict(frame[FEATURES]).tolist() != before


def test_a_name_for_the_target_takes_it_from_the_frame() -> None:
    frame = table()[[*FEATURES, "label"]]
    there = model().fit(dd.from_pandas(frame, npartitions=3), "label")
    assert content(there) == content(fit_here(model(), frame, "label", None))


def test_frames_of_files_stay_together_whatever_dask_reads_at_once(tmp_path: Path) -> None:
    """A target alone is a few bytes of each file: Dask would read several files into one partition."""
    frame = table()[[*FEATURES, "label"]]
    whole = dd.read_parquet(write_files(frame, [100, 200, 300], tmp_path))
    assert whole["label"].optimize().npartitions < whole[FEATURES].npartitions
    there = model().fit(whole[FEATURES], whole["label"])
    assert content(there) == content(fit_here(model(), frame, "label", None))
    chunks = da.from_array(frame["label"].to_numpy(), chunks=100)
    assert content(model().fit(whole[FEATURES], chunks)) == content(there)


def test_collections_of_other_partitions_are_refused() -> None:
    frame = table()
    X, y = dd.from_pandas(frame[FEATURES], npartitions=3), dd.from_pandas(frame["label"], npartitions=2)
    with pytest.raises(ValueError, match="X has 3 partitions and y 2"):
        model().fit(X, y)


def test_partitions_of_other_lengths_are_refused_by_their_number(client: Any) -> None:
    frame = table()
    X = as_dask(frame, [100, 250], Path(), "label", None)[0]
    y = as_dask(frame, [100, 240], Path(), "label", None)[1]
    with pytest.raises(ValueError, match=r"part [12] \(from 0\) has 150 rows of X and 1[46]0 of y"):
        model().fit(X, y)


def test_a_target_in_memory_is_refused_beside_a_dask_table() -> None:
    frame = table()
    with pytest.raises(TypeError, match="y is of the type ndarray"):
        model().fit(dd.from_pandas(frame[FEATURES], npartitions=2), frame["label"].to_numpy())


def test_mixed_types_between_partitions_name_the_parts() -> None:
    def piece(number: int) -> pd.DataFrame:
        return pd.DataFrame({"a": [1.0, 2.0] if number < 2 else ["one", "two"]})

    X = dd.from_map(piece, range(3), meta=pd.DataFrame({"a": [1.0]}))
    y = dd.from_pandas(pd.Series([0, 1] * 3), npartitions=3)
    with pytest.raises(TypeError, match=r"column 'a' holds numbers in part 0, but categories in part 2"):
        model().fit(X, y)


def test_two_fits_at_once_on_one_client_do_not_meet(client: Any) -> None:
    frame, other = table(), table(1)
    given = [divided(rows) for rows in (frame, other)]
    with ThreadPoolExecutor(2) as threads:
        fits = [threads.submit(fit_in_parts, model(), one) for one in given]
        trees = [content(one.result()) for one in fits]
    assert trees == [content(fit_here(model(), rows, "label", "weight")) for rows in (frame, other)]


def test_a_fitted_model_travels_without_a_client(client: Any) -> None:
    import pickle

    from sklearn.base import clone

    there = fit_in_parts(model(), divided(table()))
    assert pickle.loads(pickle.dumps(there)).tree_ == there.tree_
    assert clone(there).get_params() == there.get_params()


def slow(content: Any) -> int:
    time.sleep(0.4)
    return 1


def test_ctrl_c_ends_the_call_and_takes_its_tasks_off_the_cluster(client: Any) -> None:
    X = da.ones((60, 2), chunks=(1, 2))
    parts = parts_of(X, da.ones(60, chunks=1))
    assert parts is not None
    kept = parts.keep(len_of)
    timer = threading.Timer(0.5, signal.raise_signal, [signal.SIGINT])
    timer.start()
    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        kept.reduce(slow, plus)
    assert time.monotonic() - start < 8  # all parts would take 12 s
    timer.join()
    assert wait_until(lambda: not any("_sum_of" in key for key in tasks_of(client)))


def len_of(part: Any) -> int:
    return len(part.y)


def plus(a: int, b: int) -> int:
    return a + b


def tasks_of(client: Any) -> list[str]:
    """The keys of all tasks that the scheduler and the workers know."""
    scheduler = client.run_on_scheduler(lambda dask_scheduler: list(map(str, dask_scheduler.tasks)))
    workers = client.run(lambda dask_worker: list(map(str, dask_worker.state.tasks)))
    return [*scheduler, *(key for keys in workers.values() for key in keys)]


def wait_until(true: Any, at_most_s: float = 20) -> bool:
    """Whether it comes true: how soon depends on the machine."""
    end = time.monotonic() + at_most_s
    while time.monotonic() < end:
        if true():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.full
@pytest.mark.parametrize("target", ["label", "number"])
def test_processes_grow_the_local_tree(processes: Any, target: str) -> None:
    frame = table()
    make = CARTClassifier if target == "label" else CARTRegressor
    for cuts in CUTS:
        given = as_dask(frame, CUTS[cuts], Path(), target, "weight")
        there = fit_in_parts(make(max_bins=16, max_depth=5), given)
        assert content(there) == content(fit_here(make(max_bins=16, max_depth=5), frame, target, "weight"))


@pytest.mark.full
@pytest.mark.parametrize("at", range(tries(10, 1)))
def test_a_worker_that_is_killed_at_any_round_changes_nothing(
    processes: Any, monkeypatch: pytest.MonkeyPatch, at: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """The worker is killed when the parts are asked for the n-th time, whatever for."""
    frame = table()
    expected = content(fit_here(model(), frame, "label", "weight"))
    asked = []
    real = dask_workers.sum_on_workers

    def killing(client: Any, *arguments: Any) -> Any:
        if len(asked) == at:
            nannies = client.cluster.workers.values()  # a worker that is coming back has no process yet
            os.kill(next(nanny.pid for nanny in nannies if nanny.pid is not None), signal.SIGKILL)
        asked.append(at)
        return real(client, *arguments)

    monkeypatch.setattr("thriftree.distributed.dask.sum_on_workers", killing)
    there = fit_in_parts(model(), divided(frame))
    with capsys.disabled():
        sys.stdout.write(f"\na worker killed at question {at} of {len(asked)}: ")
    assert content(there) == expected
