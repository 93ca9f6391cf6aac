"""The comparison with other solvers: what is compared, and what is said of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from benchmarks.optimal import one_fit, report
from benchmarks.optimal.cells import BINARY, FIRST_TREE, WORK
from benchmarks.optimal.comparing import Cell
from benchmarks.optimal.running import Outcome
from benchmarks.optimal.tables import NUMERIC, TABLES, write


def outcome(cpu_s, errors=10, *, finished=True, leaves=4):
    measured = {"cpu_s": cpu_s, "wall_s": cpu_s, "memory_mb": 3.0}
    return Outcome({"errors": errors, "leaves": leaves, "finished": finished, **measured})


def cell(ours, **peers):
    return Cell(WORK[0], "heart", 100, 8, ours, peers)


def test_ten_tables_have_two_values_and_four_have_numbers():
    assert len(BINARY) == 10
    assert len(NUMERIC) == 4
    assert {name for work in (*WORK, *FIRST_TREE) for name in work.tables} == set(TABLES)


@pytest.mark.parametrize("name", ["correlated", "random"])
def test_made_tables_are_the_same_every_time(name, tmp_path):
    X, y = TABLES[name].recipe(tmp_path)
    again = np.load(write(name, tmp_path, tmp_path))
    assert np.array_equal(again["X"], X)
    assert np.array_equal(again["y"], y)
    assert set(np.unique(X)) == {0, 1}


def test_only_peers_that_finish_count_and_the_fastest_of_them_does():
    found = cell(outcome(0.01), pystreed=outcome(0.5), pydl85=outcome(0.1, finished=False))
    assert found.fastest == ("pystreed", 0.5)
    assert found.ratio == pytest.approx(50)
    assert not found.differs
    assert "ok" in report.line(found)


def test_another_objective_of_a_peer_that_finished_is_said():
    found = cell(outcome(0.01, errors=11), pystreed=outcome(0.5, errors=10))
    assert found.differs == "pystreed has 0.100000"
    assert "OBJECTIVE DIFFERS" in report.line(found)
    unfinished = cell(outcome(0.01, errors=11), pystreed=outcome(0.5, errors=12, finished=False))
    assert not unfinished.differs
    assert "no peer: pystreed: not finished" in report.line(unfinished)


def test_a_ratio_below_the_target_is_missed_and_a_quick_peer_leaves_five_milliseconds():
    assert "below 10x" in report.line(cell(outcome(0.1), pystreed=outcome(0.5)))
    assert "above 5 ms" in report.line(cell(outcome(0.02), pystreed=outcome(0.04)))
    assert report.line(cell(outcome(0.004), pystreed=outcome(0.001))).endswith("ok")
    text = report.summary(WORK[0], [cell(outcome(0.01), pystreed=outcome(s)) for s in (0.1, 1.6)])
    assert "geometric mean of 2: 40.0x, least 10.0x" in text
    assert text.endswith("ok")


def test_a_peer_that_is_not_there_is_named():
    text = report.line(cell(outcome(0.01), pystreed=Outcome(None, "failed (1): No module named 'pystreed'")))
    assert "No module named 'pystreed'" in text


def test_one_fit_counts_errors_itself(tmp_path):
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10, dtype=np.uint8)
    np.savez(tmp_path / "xor.npz", X=X, y=(X[:, 0] ^ X[:, 1]).astype(np.int32))
    task = json.dumps({"max_depth": 1, "leaf_penalty": 0.0, "cap_s": 10})
    command = [sys.executable, one_fit.__file__, "thriftree", str(tmp_path / "xor.npz"), task]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2])
    answer = json.loads(done.stdout)
    assert answer["errors"] == 20
    assert answer["finished"]
