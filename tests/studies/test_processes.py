"""Work on processes: what fails, hangs or dies says so and stops nothing else."""

from __future__ import annotations

import os
import time
from io import StringIO

import pytest

from studies.harness.processes import attempt, finished
from studies.harness.progress import TimeLeft, bar, in_words


def half(number):
    """The work of these tests, which other processes import."""
    if number == 13:
        raise ValueError("13 brings bad luck")
    if number == 77:
        time.sleep(600)
    if number == 99:
        os._exit(3)
    return number / 2


def results(tasks, **how):
    return dict(finished(half, tasks, **how))


def test_an_error_is_said_with_its_message_and_its_place():
    found = attempt(half, 13)
    assert (found.value, found.error) == (None, "ValueError: 13 brings bad luck")
    assert "in half" in found.traceback
    assert attempt(half, 4).value == 2.0


def test_one_process_without_a_limit_is_this_one():
    here = []
    assert [t for t, _ in finished(lambda t: here.append(t), [3, 1, 2], jobs=1)] == here == [3, 1, 2]


def test_what_hangs_fails_or_dies_stops_no_other_work():
    found = results([2, 13, 77, 99, 4, 6], jobs=2, limit_s=5.0)
    assert {task: result.value for task, result in found.items()} == {
        **{2: 1.0, 4: 2.0, 6: 3.0},
        **{13: None, 77: None, 99: None},
    }
    assert found[13].error == "ValueError: 13 brings bad luck"
    assert (found[77].error, found[77].timed_out) == ("more than 5 s", True)
    assert (found[99].error, found[99].timed_out) == ("the process ended with code 3", False)


def test_tasks_are_taken_when_a_process_is_free():
    taken = []

    def tasks():
        for number in range(6):
            taken.append(number)
            yield number

    seen = []
    for task, result in finished(half, tasks(), jobs=2, limit_s=60.0):
        assert result.value == task / 2
        seen.append(task)
        assert len(taken) <= len(seen) + 2  # those that run, and no others
    assert sorted(seen) == list(range(6))


def test_who_stops_listening_leaves_no_process_behind():
    import multiprocessing

    before = set(multiprocessing.active_children())
    for _ in finished(half, [77, 2, 77], jobs=2, limit_s=60.0):
        break
    assert set(multiprocessing.active_children()) == before


def test_the_time_left_goes_by_the_kind_of_work():
    left = TimeLeft(["slow", "slow", "quick", "quick", "new"], jobs=2)
    assert left.seconds is None
    left.done("slow", 100.0)
    left.done("quick", 2.0)
    assert left.seconds == pytest.approx((100 + 2 + 51) / 2)  # what was not yet seen takes the mean
    left.skip("slow")
    left.done("new", 4.0)
    assert left.seconds == pytest.approx(2 / 2)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(None, "?"), (0, "0 s"), (59, "59 s"), (60, "1 min"), (3599, "1 h 0 min"), (7260, "2 h 1 min")],
)
def test_durations_are_said_as_people_do(seconds, words):
    assert in_words(seconds) == words


@pytest.mark.parametrize("with_rich", [True, False])
def test_a_terminal_has_a_bar_with_the_time_left(with_rich, monkeypatch):
    import sys

    class Screen(StringIO):
        def isatty(self):
            return True

    if with_rich:
        pytest.importorskip("rich")
    else:
        monkeypatch.setitem(sys.modules, "rich.progress", None)
    screen = Screen()
    shown = bar(4, screen)
    shown.show(3, "iris, CART", 90.0)
    shown.clear()
    assert "3/4" in screen.getvalue()
    assert "2 min left · iris, CART" in screen.getvalue()


def test_a_file_has_a_line_a_minute(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    file = StringIO()
    shown = bar(4, file)
    for done, at in enumerate([1.0, 61.0, 70.0, 122.0], start=1):
        now[0] = at
        shown.show(done, "x", 5.0)
    shown.clear()
    assert file.getvalue() == "2/4, 5 s left · x\n4/4, 5 s left · x\n"
