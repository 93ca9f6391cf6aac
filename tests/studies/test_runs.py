"""Records of runs: nothing is measured twice, nothing is lost, and no order of lines matters."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.harness.record import RunKey, RunRecord, StudyRun
from studies.harness.runs import PlannedRun, is_done, run_study


def key(number=0, learner="CART", **changed):
    known = {"settings": {"max_leaves": 4}, "versions": {"thriftree": "1"}}
    return RunKey("a study", f"set {number}", 0, learner, **{**known, **changed})


def run(number=0, accuracy=0.5, when="2026-01-01T00:00:00", error=None, limit_s=None, **changed):
    measures = None if error else {"accuracy": accuracy}
    return StudyRun(key(number, **changed), measures, error, limit_s, 0.1, when)


def planned(numbers, **changed):
    return [PlannedRun(key(number, **changed), number) for number in numbers]


class Measured:
    """A measure that counts what it is asked, and fails or is interrupted where it is told to."""

    def __init__(self, fails=(), interrupted_at=None):
        self.asked = []
        self._fails = fails
        self._interrupted_at = interrupted_at

    def __call__(self, number):
        if len(self.asked) == self._interrupted_at:
            raise KeyboardInterrupt
        self.asked.append(number)
        if number in self._fails:
            raise ValueError(f"{number} cannot be learned")
        return {"accuracy": number / 10, "leaves": None}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "folder" / "runs.jsonl"


def test_a_study_that_was_interrupted_goes_on_where_it_was(path):
    first = Measured(interrupted_at=3)
    with pytest.raises(KeyboardInterrupt):
        run_study(first, planned(range(5)), RunRecord(path))
    second = Measured()
    runs = run_study(second, planned(range(5)), RunRecord(path))
    assert (first.asked, second.asked) == ([0, 1, 2], [3, 4])
    assert [one.measures["accuracy"] for one in runs] == [0.0, 0.1, 0.2, 0.3, 0.4]


def test_a_torn_last_line_is_done_again_and_torn_no_further(path):
    run_study(Measured(), planned(range(3)), RunRecord(path))
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    for cut in (1, len(lines[-1]) // 2, len(lines[-1]) - 1):
        path.write_bytes(whole[: len(whole) - cut])
        again = Measured()
        record = RunRecord(path)
        runs = run_study(again, planned(range(4)), record)
        # Without its line break alone the line may still be being written.
        assert again.asked == [2, 3]
        assert [one.measures["accuracy"] for one in runs] == [0.0, 0.1, 0.2, 0.3]
        assert len(RunRecord(path)) == 4
        assert path.read_bytes().startswith(whole[: len(whole) - cut] + b"\n")


def test_a_torn_line_in_the_middle_is_passed_over(path):
    path.parent.mkdir()
    path.write_text(run(0).line() + run(1).line()[:40] + "\n" + run(2).line())
    record = RunRecord(path)
    assert (len(record), record.torn) == (2, 1)
    assert record.find(key(1)) is None


@pytest.mark.parametrize("text", ["set,accuracy\niris,0.9\n", '{"some": "json"}\n', "[1, 2]\n"])
def test_a_file_of_something_else_is_refused_and_left_alone(path, text):
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ValueError, match="none is a run of a study"):
        RunRecord(path)
    assert path.read_text() == text


@pytest.mark.parametrize(
    "changed",
    [{"versions": {"thriftree": "2"}}, {"settings": {"max_leaves": 5}}, {"learner": "C4.5"}],
    ids=["version", "settings", "learner"],
)
def test_another_version_setting_or_learner_is_measured_anew(path, changed):
    run_study(Measured(), planned(range(2)), RunRecord(path))
    again = Measured()
    run_study(again, planned(range(2), **changed), RunRecord(path))
    assert again.asked == [0, 1]
    assert len(RunRecord(path)) == 4


def test_an_error_is_kept_with_its_message_and_done_again_when_asked(path):
    runs = run_study(Measured(fails={1}), planned(range(3)), RunRecord(path))
    assert [one.error for one in runs] == [None, "ValueError: 1 cannot be learned", None]
    assert runs[1].measures is None
    kept = Measured()
    run_study(kept, planned(range(3)), RunRecord(path))
    assert kept.asked == []
    again = Measured()
    runs = run_study(again, planned(range(3)), RunRecord(path), retry_errors=True)
    assert again.asked == [1]
    assert runs[1].measures == {"accuracy": 0.1, "leaves": None}


@pytest.mark.parametrize("value", [float("nan"), [1.0, float("inf")], {"deep": [float("-inf")]}])
def test_a_number_that_is_none_is_an_error_not_a_result(path, value):
    (found,) = run_study(lambda _: {"auc": value}, planned([0]), RunRecord(path))
    assert found.failed
    assert found.error.startswith("ValueError: auc")


def test_what_took_too_long_is_done_again_if_it_may_take_longer():
    late = run(error="more than 3 s", limit_s=3.0)
    assert is_done(late, 3.0, retry_errors=False)
    assert is_done(late, 2.0, retry_errors=True)
    assert not is_done(late, 4.0, retry_errors=False)
    assert not is_done(late, None, retry_errors=False)
    assert is_done(run(), 1.0, retry_errors=True)
    assert not is_done(None, 1.0, retry_errors=False)


def test_later_splits_of_what_took_too_long_are_not_tried(path):
    late = run(0, error="more than 3 s", limit_s=3.0)
    record = RunRecord(path)
    record.add(late)
    splits = [PlannedRun(replace(key(0), split=split), split) for split in range(3)]
    found = run_study(sleepless, splits, record, jobs=1, limit_s=2.0)
    assert [one.error for one in found] == [
        "more than 3 s",
        "not tried: split 1 took more than 3 s",
        "not tried: split 1 took more than 3 s",
    ]
    other = PlannedRun(replace(key(0), split=1, learner="C4.5"), 1)
    found = run_study(
        sleepless, [*splits, other], record, jobs=1, limit_s=60.0
    )  # more time: all are tried again
    assert [one.measures for one in found] == [{"accuracy": split} for split in (0, 1, 2, 1)]


def sleepless(number):
    """A measure that other processes import."""
    return {"accuracy": number}


def test_what_another_process_adds_meanwhile_is_not_measured(path):
    record, other = RunRecord(path), RunRecord(path)

    def measure(number):
        if number == 0:
            other.add(run(1, accuracy=0.9))
        assert number != 1
        return {"accuracy": 0.0}

    runs = run_study(measure, planned(range(3)), record)
    assert [one.measures["accuracy"] for one in runs] == [0.0, 0.9, 0.0]


@given(st.permutations(range(6)))
def test_the_order_of_lines_does_not_matter(tmp_path_factory, order):
    lines = [
        run(0, 0.1, "2026-01-01").line(),
        run(0, 0.2, "2026-01-03").line(),
        run(0, error="ValueError: no", when="2026-01-05").line(),  # what was measured counts, not what failed
        run(1, error="more than 3 s", limit_s=3.0, when="2026-01-02").line(),
        run(1, error="more than 9 s", limit_s=9.0, when="2026-01-04").line(),
        run(2, 0.3).line(),
    ]
    path = tmp_path_factory.mktemp("runs") / "runs.jsonl"
    path.write_text("".join(lines[i] for i in order))
    found = list(RunRecord(path))
    assert [(one.key.data, one.measures, one.limit_s) for one in found] == [
        ("set 0", {"accuracy": 0.2}, None),
        ("set 1", None, 9.0),
        ("set 2", {"accuracy": 0.3}, None),
    ]


def test_a_line_holds_a_run_whole():
    every = [run(), run(3, error="OSError: é\nnew line", limit_s=2.5), run(settings={"b": [1, 2], "a": None})]
    for one in every:
        assert one.line().count("\n") == 1
        assert StudyRun.of_line(one.line()) == one
    assert str(key(settings={"b": 1, "a": (2, 3)})) == str(key(settings={"a": [2, 3], "b": 1}))
    with pytest.raises(ValueError, match="either measures or an error"):
        StudyRun.of_line(json.dumps({**json.loads(run().line()), "error": "both"}))


ADDING = """
import sys
from studies.harness.record import RunKey, RunRecord, StudyRun
record = RunRecord(__import__("pathlib").Path(sys.argv[1]))
for number in range(int(sys.argv[3])):
    key = RunKey("a study", sys.argv[2], number, "CART", {}, {})
    record.add(StudyRun(key, {"text": sys.argv[2] * 3000}, None, None, 0.1, "2026"))
"""


def test_processes_that_write_at_once_do_not_mix_their_lines(path):
    writers = [subprocess.Popen([sys.executable, "-c", ADDING, str(path), who, "40"]) for who in "ab"]
    assert [writer.wait() for writer in writers] == [0, 0]
    record = RunRecord(path)
    assert (len(record), record.torn) == (80, 0)
    assert all(one.measures == {"text": one.key.data * 3000} for one in record)


def test_runs_come_back_in_the_order_of_the_plan_whatever_the_record_s(path):
    numbers = list(range(8))
    shuffled = random.Random(0).sample(numbers, 8)
    run_study(Measured(), planned(shuffled), RunRecord(path))
    again = Measured()
    runs = run_study(again, planned(numbers), RunRecord(path))
    assert again.asked == []
    assert [one.measures["accuracy"] for one in runs] == [n / 10 for n in numbers]
    assert replace(runs[0], when="") == replace(
        run(0), measures=runs[0].measures, when="", seconds=runs[0].seconds
    )
