"""The one loop of tuning, by a clock that the tests wind: what is measured, and what counts at a limit."""

from __future__ import annotations

from contextlib import contextmanager

import pytest

from thriftree.learning.limits import Limits
from thriftree.tuning.loop import Loop, Meter


class Clock(Limits):
    """Limits whose time passes at so many looks at the clock."""

    @classmethod
    def of_looks(cls, looks):
        clock = cls.of(1, 1e9, None)
        object.__setattr__(clock, "looks", looks)
        return clock

    @property
    def seconds_left(self):
        left = self.looks
        object.__setattr__(self, "looks", max(0, left - 1))
        return float(left)


UNLIMITED = Limits.of(1, None, None)
WHOLE = None


def name_of_both(part, candidate):
    return part + candidate, WHOLE


def test_every_candidate_is_measured_on_every_part_in_order():
    loop = Loop(UNLIMITED)
    assert loop.by_part("12", ["a", "b"], name_of_both) == [["1a", "1b"], ["2a", "2b"]]
    assert loop.stopped_by is None


@pytest.mark.parametrize("n_processes", [None, 1, 2])
def test_each_candidate_gives_one_result_in_any_number_of_processes(n_processes):
    assert Loop(UNLIMITED).each([3, 1, 2], divided, n_processes=n_processes) == [1.0, 3.0, 1.5]


def divided(number):
    return 3 / number, WHOLE


def test_without_time_the_first_candidate_is_tried_and_no_other():
    loop = Loop(Limits.of(1, 0.0, None))
    assert loop.each("abc", lambda one: (one, WHOLE)) == ["a"]
    assert loop.stopped_by == "time_limit"


def test_a_tree_that_was_cut_short_is_the_last_of_its_row():
    loop = Loop(UNLIMITED)
    assert loop.each("abc", lambda one: (one, "time_limit" if one == "b" else WHOLE)) == ["a", "b"]
    assert loop.stopped_by == "time_limit"


@pytest.mark.parametrize(("looks", "rows"), [(3, 1), (4, 1), (5, 1), (6, 2), (9, 3)])
def test_a_later_part_counts_whole_or_not_at_all(looks, rows):
    """Of three candidates, each part looks at the clock three times."""
    loop = Loop(Clock.of_looks(looks))
    measured = loop.by_part("123", "abc", name_of_both)
    assert [len(row) for row in measured] == [3] * rows
    assert (loop.stopped_by is None) == (looks >= 9)


@pytest.mark.parametrize(("looks", "measured"), [(0, []), (1, ["1a"]), (2, ["1a", "1b"])])
def test_of_the_first_part_that_counts_which_was_grown_to_its_end(looks, measured):
    found = Loop(Clock.of_looks(looks)).by_part("12", "abc", name_of_both)
    assert found == ([measured] if measured else [])


def test_a_tree_that_was_cut_short_does_not_count_as_a_measurement():
    def measure(part, candidate):
        return part + candidate, "time_limit" if part + candidate in ("1b", "2a") else WHOLE

    assert Loop(UNLIMITED).by_part("12", "abc", measure) == [["1a"]]
    assert Loop(UNLIMITED).by_part("2", "abc", measure) == []


def test_where_something_must_be_measured_one_candidate_is_in_any_case():
    loop = Loop(Limits.of(1, 0.0, None))
    assert loop.by_part("12", "abc", lambda part, one: (part + one, "time_limit"), begins=True) == [["1a"]]


def test_no_part_makes_no_row():
    assert Loop(UNLIMITED).by_part("", "abc", name_of_both) == []


def test_steps_are_around_parts_and_candidates():
    told = []

    @contextmanager
    def step(name):
        told.append(f"{name} begins")
        yield
        told.append(f"{name} ends")

    Loop(UNLIMITED, candidate_step=lambda: step("tree"), part_step=lambda: step("fold")).by_part(
        "1", "a", name_of_both
    )
    assert told == ["fold begins", "tree begins", "tree ends", "fold ends"]


def test_a_meter_counts_the_steps_that_are_done():
    said = []
    meter = Meter(lambda done, total: said.append((done, total)), 2)
    Loop(UNLIMITED, candidate_step=meter.step).each("ab", lambda one: (len(said), WHOLE))
    assert said == [(1, 2), (2, 2)]
