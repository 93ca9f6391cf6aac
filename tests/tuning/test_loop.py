"""The one loop of tuning, by a clock that the tests wind: what is measured, and what counts at a limit."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial

import pytest
from clocks import Clock

from thriftree.learning.limits import Limits
from thriftree.tuning.loop import Meter, TuningLoop

UNLIMITED = Limits.of(1, None, None)
WHOLE = None


def name_of_both(part, candidate):
    return part + candidate, WHOLE


def test_every_candidate_is_measured_on_every_part_in_order():
    loop = TuningLoop(UNLIMITED)
    assert loop.by_part("12", ["a", "b"], name_of_both) == [["1a", "1b"], ["2a", "2b"]]
    assert loop.stopped_by is None


@pytest.mark.parametrize("n_processes", [None, 1, 2])
def test_each_candidate_gives_one_result_in_any_number_of_processes(n_processes):
    found = TuningLoop(UNLIMITED).one_by_one([3, 1, 2], divided, n_processes=n_processes)
    assert list(found) == [1.0, 3.0, 1.5]


def divided(number):
    return 3 / number, WHOLE


def test_without_time_the_first_candidate_is_tried_and_no_other():
    loop = TuningLoop(Limits.of(1, 0.0, None))
    assert loop.each("abc", lambda one: (one, WHOLE)) == ["a"]
    assert loop.stopped_by == "time_limit"


def test_a_tree_that_was_cut_short_is_the_last_of_its_row():
    loop = TuningLoop(UNLIMITED)
    assert loop.each("abc", lambda one: (one, "time_limit" if one == "b" else WHOLE)) == ["a", "b"]
    assert loop.stopped_by == "time_limit"


@pytest.mark.parametrize(("looks", "rows"), [(3, 1), (4, 1), (5, 1), (6, 2), (9, 3)])
def test_a_later_part_counts_whole_or_not_at_all(looks, rows):
    """Of three candidates, each part looks at the clock three times."""
    loop = TuningLoop(Clock(looks))
    measured = loop.by_part("123", "abc", name_of_both)
    assert [len(row) for row in measured] == [3] * rows
    assert (loop.stopped_by is None) == (looks >= 9)


@pytest.mark.parametrize(("looks", "measured"), [(0, []), (1, ["1a"]), (2, ["1a", "1b"])])
def test_of_the_first_part_that_counts_which_was_grown_to_its_end(looks, measured):
    found = TuningLoop(Clock(looks)).by_part("12", "abc", name_of_both)
    assert found == ([measured] if measured else [])


def test_a_tree_that_was_cut_short_does_not_count_as_a_measurement():
    def measure(part, candidate):
        return part + candidate, "time_limit" if part + candidate in ("1b", "2a") else WHOLE

    assert TuningLoop(UNLIMITED).by_part("12", "abc", measure) == [["1a"]]
    assert TuningLoop(UNLIMITED).by_part("2", "abc", measure) == []


def test_one_by_one_none_must_be_done():
    loop = TuningLoop(Limits.of(1, 0.0, None))
    assert list(loop.one_by_one("abc", lambda one: (one, WHOLE))) == []
    assert loop.stopped_by == "time_limit"


@pytest.mark.parametrize(("moment", "done"), [("a", []), ("b", ["a"]), ("c", ["a", "b"])])
def test_ctrl_c_ends_what_is_done_one_by_one(moment, done):
    limits = Limits.of(1, None, None)
    loop = TuningLoop(limits)
    work = interrupted_at(moment)
    assert until_interrupted(limits, lambda: list(loop.one_by_one("abc", work))) == done
    assert list(loop.one_by_one("abc", work)) == []  # no time is left


def test_no_part_makes_no_row():
    assert TuningLoop(UNLIMITED).by_part("", "abc", name_of_both) == []


def test_steps_are_around_parts_and_candidates():
    told = []

    @contextmanager
    def step(name):
        told.append(f"{name} begins")
        yield
        told.append(f"{name} ends")

    TuningLoop(UNLIMITED, candidate_step=lambda: step("tree"), part_step=lambda: step("fold")).by_part(
        "1", "a", name_of_both
    )
    assert told == ["fold begins", "tree begins", "tree ends", "fold ends"]


def test_a_meter_counts_the_steps_that_are_done():
    said = []
    meter = Meter(lambda done, total: said.append((done, total)), 2)
    TuningLoop(UNLIMITED, candidate_step=meter.step).each("ab", lambda one: (len(said), WHOLE))
    assert said == [(1, 2), (2, 2)]


def interrupted_at(moment, name=lambda *names: "".join(names)):
    """Work that Ctrl-C ends at one moment, the first time it comes to it."""
    moments = [moment]

    def work(*names):
        if name(*names) in moments:
            moments.remove(name(*names))
            raise KeyboardInterrupt
        return name(*names), WHOLE

    return work


def until_interrupted(limits, work):
    """What the work gives inside an any-time call, at whose end Ctrl-C must be raised again."""
    found = []
    with pytest.raises(KeyboardInterrupt), limits.any_time():
        found.append(work())
    return found[0]


@pytest.mark.parametrize(
    ("moment", "measured"), [("1a", []), ("1c", [["1a", "1b"]]), ("2b", [["1a", "1b", "1c"]])]
)
def test_ctrl_c_ends_the_loop_and_what_was_measured_counts(moment, measured):
    limits = Limits.of(1, None, None)
    loop = TuningLoop(limits)
    assert until_interrupted(limits, lambda: loop.by_part("123", "abc", interrupted_at(moment))) == measured
    assert loop.stopped_by == limits.stopped_by == "interrupt"
    assert loop.by_part("123", "abc", name_of_both) == []


def test_ctrl_c_in_the_first_candidate_makes_it_again_without_time():
    limits = Limits.of(1, None, None)
    seen = []

    def work(one):
        seen.append((one, limits.seconds_left))
        if len(seen) == 1:
            raise KeyboardInterrupt
        return one, WHOLE

    assert until_interrupted(limits, lambda: TuningLoop(limits).each("ab", work)) == ["a"]
    assert seen == [("a", None), ("a", 0.0)]


@pytest.mark.parametrize("step", ["candidate_step", "part_step"])
def test_what_is_done_when_ctrl_c_comes_at_the_end_of_a_step_is_done(step):
    limits = Limits.of(1, None, None)

    @contextmanager
    def interrupted():
        yield
        raise KeyboardInterrupt

    loop = TuningLoop(limits, **{step: interrupted})
    found = until_interrupted(limits, lambda: loop.by_part("12", "ab", name_of_both))
    assert found == ([["1a", "1b"]] if step == "part_step" else [["1a"]])


def test_ctrl_c_while_parts_are_made_ends_the_loop():
    limits = Limits.of(1, None, None)

    def parts():
        yield "1"
        raise KeyboardInterrupt

    measure = partial(TuningLoop(limits).by_part, parts(), "ab", name_of_both)
    assert until_interrupted(limits, measure) == [["1a", "1b"]]


def test_outside_of_an_any_time_call_ctrl_c_is_raised_at_once():
    with pytest.raises(KeyboardInterrupt):
        TuningLoop(UNLIMITED).each("ab", interrupted_at("a"))
    assert UNLIMITED.interrupt is None


def test_what_is_handed_over_is_on_the_exception():
    limits = Limits.of(1, None, None)
    limits.hand_over("nothing yet")
    with pytest.raises(KeyboardInterrupt) as caught, limits.any_time():
        limits.hand_over(TuningLoop(limits).each("ab", interrupted_at("b")))
    assert caught.value.partial == ["a"]
