"""Jobs of Spark that end for Ctrl-C: a thread waits for Spark, and the caller for the thread."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Final, TypeVar
from uuid import uuid4

T = TypeVar("T")
_LOOK_S: Final = 0.05  # between looks for Ctrl-C


def run_job(session: Any, work: Callable[[], T]) -> T:
    """What the work gives, which runs jobs of this session. An error or Ctrl-C takes them off the cluster."""
    from pyspark import InheritableThread

    context, tag, answer = session.sparkContext, f"thriftree-{uuid4().hex}", Future[T]()

    def run() -> None:
        context.addJobTag(tag)
        try:
            answer.set_result(work())
        except BaseException as error:
            answer.set_exception(error)
        finally:
            context.removeJobTag(tag)

    thread = InheritableThread(target=run, name=tag, daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_LOOK_S)
    except BaseException:
        context.setInterruptOnCancel(True)
        context.cancelJobsWithTag(tag)
        raise
    return answer.result()
