"""A study as runs: measure what the record does not have, and keep each result as soon as there is one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Generic, TextIO, TypeVar

from studies.harness.processes import WorkResult, finished
from studies.harness.progress import TimeLeft, bar
from studies.harness.record import RunKey, RunRecord, StudyRun

Task = TypeVar("Task")


@dataclass(frozen=True)
class PlannedRun(Generic[Task]):
    """A run that a study wants: by what it is known, and what its process needs to do it."""

    key: RunKey
    task: Task  # can be pickled

    @property
    def kind(self) -> tuple[str, str]:
        """Runs of one kind take about as long."""
        return self.key.data, self.key.learner

    def __str__(self) -> str:
        return f"{self.key.data}, {self.key.learner}, split {self.key.split + 1}"


def is_done(run: StudyRun | None, limit_s: float | None, retry_errors: bool) -> bool:
    """Whether a run need not be done again. One that took too long is, if it may now take longer."""
    if run is None:
        return False
    if not run.failed:
        return True
    if run.limit_s is not None:
        return limit_s is not None and limit_s <= run.limit_s
    return not retry_errors


def run_study(
    measure: Callable[[Task], Mapping[str, Any]],
    planned: Sequence[PlannedRun[Task]],
    record: RunRecord,
    *,
    jobs: int = 1,
    limit_s: float | None = None,
    retry_errors: bool = False,
    screen: TextIO | None = None,
) -> list[StudyRun]:
    """The runs in the order of `planned`. What `record` has, now or by the time a process is free for it, is
    not measured again.

    Where one split took too long, later splits of the same learner and set are not tried: they would cost the
    limit each, and a mean needs them all.

    `measure` must be a module's own function. What it returns is numbers, None, texts, lists and dicts of
    them; an error, or a number that is not finite, is recorded as the run's error.
    """
    todo = [one for one in planned if not is_done(record.find(one.key), limit_s, retry_errors)]
    left = TimeLeft((one.kind for one in todo), jobs)
    shown = bar(len(planned), screen)
    done = len(planned) - len(todo)
    shown.show(done, "starting", None)

    def still_to_do() -> Iterator[PlannedRun[Task]]:
        nonlocal done
        for one in todo:
            record.refresh()
            if not is_done(record.find(one.key), limit_s, retry_errors):
                late = _too_long(one.key, record, limit_s)
                if late is None:
                    yield one
                    continue
                hopeless = WorkResult[dict[str, Any]](None, f"not tried: {late}", timed_out=True)
                record.add(_as_run(one.key, hopeless, limit_s))
            left.skip(one.kind)  # another process did it, or nobody will
            done += 1

    try:
        for one, result in finished(_Measure(measure), still_to_do(), jobs, limit_s):
            record.add(_as_run(one.key, result, limit_s))
            left.done(one.kind, result.seconds)
            done += 1
            shown.show(done, str(one), left.seconds)
    finally:
        shown.clear()
    found = [record.find(one.key) for one in planned]
    return [run for run in found if run is not None]


def _too_long(key: RunKey, record: RunRecord, limit_s: float | None) -> str | None:
    """Which earlier split took longer than this limit, in words; then this one would, too."""
    for split in range(key.split):
        run = record.find(replace(key, split=split))
        if run is not None and run.limit_s is not None and is_done(run, limit_s, retry_errors=False):
            return f"split {split + 1} took more than {run.limit_s:g} s"
    return None


class _Measure(Generic[Task]):
    """What a process does with a planned run."""

    def __init__(self, measure: Callable[[Task], Mapping[str, Any]]) -> None:
        self._measure = measure

    def __call__(self, planned: PlannedRun[Task]) -> dict[str, Any]:
        measures = dict(self._measure(planned.task))
        for name, value in measures.items():
            _check_finite(name, value)
        return measures


def _check_finite(name: str, value: Any) -> None:
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} is {value}")
    if isinstance(value, dict):
        for inner, one in value.items():
            _check_finite(f"{name}.{inner}", one)
    if isinstance(value, (list, tuple)):
        for i, one in enumerate(value):
            _check_finite(f"{name}[{i}]", one)


def _as_run(key: RunKey, result: WorkResult[dict[str, Any]], limit_s: float | None) -> StudyRun:
    return StudyRun(
        key,
        measures=result.value,
        error=result.error,
        limit_s=limit_s if result.timed_out else None,
        seconds=round(result.seconds, 4),
        when=datetime.now(UTC).isoformat(timespec="milliseconds"),
    )
