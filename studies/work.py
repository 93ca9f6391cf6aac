"""Many independent pieces of work on several processes, with a line of progress on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TextIO, TypeVar

from studies.harness.processes import finished
from studies.harness.progress import TimeLeft, bar

Task = TypeVar("Task")
Result = TypeVar("Result")


def run_all(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    jobs: int,
    screen: TextIO | None = None,
    keep: Callable[[Task, Result], None] | None = None,
) -> list[Result]:
    """The results in the order of the tasks, which are distinct; the first error of any ends them all.

    `work` must be a module's own function: processes import it. `keep` is called with each result as soon as
    there is one, here and not in its process.
    """
    results: dict[Task, Result] = {}
    left = TimeLeft((work for _ in tasks), jobs)
    shown = bar(len(tasks), screen)
    try:
        for task, result in finished(work, tasks, jobs):
            if result.error is not None or result.value is None:
                raise RuntimeError(f"{task}: {result.error or 'no result'}\n{result.traceback}")
            results[task] = result.value
            if keep is not None:
                keep(task, result.value)
            left.done(work, result.seconds)
            shown.show(len(results), str(task), left.seconds)
    finally:
        shown.clear()
    return [results[task] for task in tasks]
