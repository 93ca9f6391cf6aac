"""One call measured in a process of its own: how far it goes beyond its limits, how soon Ctrl-C ends it.

Linux only: the peak of the memory and the CPU time of another process are read from /proc.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import threading
import time
import traceback
import warnings
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from inspect import signature
from typing import Any

from hard_tables import HardTable, features_in_parts
from sklearn.base import is_regressor

import thriftree
from thriftree.learning.limits import Limits
from thriftree.testing.checks import all_estimators, neural_estimators, soft_estimators

Figures = dict[str, Any]
SEARCHES = ("frontier", "error_cost_curve", "near_optimal")  # no estimators, but with the same limits
SETS = ("near_optimal",)  # searches that have nothing before the best tree is proved, and then say so
IN_PARTS = " in parts"  # behind the name: of `hard_tables.in_parts`, which may not be read in time
CALLS_IN_PARTS = tuple(
    name + IN_PARTS for name in ("CARTClassifier", "CARTRegressor", "ThriftTreeClassifier", "frontier")
)


class Call:
    """A fit of an estimator, or a search, on a table. Limits that it does not have are left out."""

    def __init__(self, name: str, table: HardTable, **limits: float) -> None:
        self._name, public = name.removesuffix(IN_PARTS), _public(name)
        self._is_search = self._name in SEARCHES
        self._may_have_nothing = self._name in SETS or name.endswith(IN_PARTS)
        self.limits = {limit: limits[limit] for limit in limits if limit in signature(public).parameters}
        self.model: Any = None if self._is_search else public(**self.limits)
        of_numbers = not self._is_search and is_regressor(self.model)
        target = table.numbers if of_numbers else table.classes
        X = features_in_parts(table.X, target) if name.endswith(IN_PARTS) else table.X
        call = partial(public, **self.limits) if self.model is None else self.model.fit
        self._work = partial(call, X, target)

    def run(self) -> None:
        """The call itself."""
        try:
            self._work()
        except TimeoutError:
            if not self._may_have_nothing:
                raise

    def left(self, error: BaseException) -> bool:
        """Whether there is a tree, where one must be, after Ctrl-C has been raised."""
        if self._is_search:
            return self._may_have_nothing or getattr(error, "partial", None) is not None
        return any(hasattr(self.model, name) for name in ("tree_", "soft_tree_"))


def _public(name: str) -> Any:
    return getattr(thriftree, name.removesuffix(IN_PARTS))


def has_memory_limit(name: str) -> bool:
    """Whether a call has one: neural trees have none."""
    return "memory_limit_mb" in signature(_public(name)).parameters


def all_calls() -> list[str]:
    """The names of all estimators and searches that have limits; of neural trees, where torch is there."""
    estimators = [*all_estimators(), *soft_estimators()]
    estimators += neural_estimators() if find_spec("torch") else []
    return [*(cls.__name__ for cls in estimators), *SEARCHES]


def overrun(name: str, table: HardTable, time_limit_s: float) -> Figures:
    """Seconds of CPU, of all threads, beyond the limit; or after it, where others had the CPU before."""
    call = Call(name, table, time_limit_s=time_limit_s)
    cpu_at_limit: list[float] = []
    timer = threading.Timer(time_limit_s, lambda: cpu_at_limit.append(time.process_time()))
    timer.daemon = True
    before = time.process_time()
    timer.start()
    call.run()
    after = time.process_time()
    timer.cancel()
    late = after - cpu_at_limit[0] if cpu_at_limit else 0.0
    return {"limit": time_limit_s, "seconds": max(0.0, late, after - before - time_limit_s)}


def memory(name: str, table: HardTable, memory_limit_mb: float) -> Figures:
    """Megabytes at the peak beyond the limit, above what the process had with its table. A table whose codes
    do not fit is refused, and that takes memory, too.
    """
    call = Call(name, table, memory_limit_mb=memory_limit_mb, time_limit_s=5.0)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # the peak is what there is now
    before, refused = _status_mb("VmRSS"), False
    try:
        call.run()
    except MemoryError:
        refused = True
    return {"megabytes": max(0.0, _status_mb("VmHWM") - before - memory_limit_mb), "refused": refused}


def _status_mb(field: str) -> float:
    with open("/proc/self/status") as file:
        line = next(line for line in file if line.startswith(field))
    return int(line.split()[1]) / 1024


def interrupted(name: str, table: HardTable) -> Figures:
    """A call that waits for Ctrl-C: the CPU clock of this thread when it was over, and whether a tree is left
    where one must be, which is after the checks.
    """
    call, checked = Call(name, table), []
    attempt = Limits.attempt

    def noted(self: Limits, *args: Any, **keywords: Any) -> Any:
        checked.append(True)
        return attempt(self, *args, **keywords)

    Limits.attempt = noted  # type: ignore[method-assign]
    try:
        call.run()
    except KeyboardInterrupt as error:
        over = time.thread_time()
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return {"over": over, "tree": call.left(error) or not checked}
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return {"over": None, "tree": True}


def in_child(work: Callable[[], Figures], interrupt_after_s: float | None = None) -> Figures:
    """What `work` gives in a child of this process, which may get Ctrl-C; with `sent`, the CPU time of the
    child's main thread when it was sent; or the `error` that ended it.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _answer(work, writing)
    os.close(writing)
    sent: Figures = {}
    os.read(reading, 1)  # the child begins
    if interrupt_after_s is not None:
        time.sleep(interrupt_after_s)
        sent["sent"] = _cpu_of(child)
        os.kill(child, signal.SIGINT)
    with os.fdopen(reading) as pipe:
        answer = pipe.read()
    _, status = os.waitpid(child, 0)
    measured: Figures = json.loads(answer) if answer else {"error": f"its process ended with {status}"}
    return measured | sent


def _answer(work: Callable[[], Figures], writing: int) -> None:
    """Ends the process."""
    code = 1
    try:
        warnings.simplefilter("ignore")
        gc.freeze()  # what the parent holds is none of the call's,
        gc.callbacks.clear()  # nor who wants to hear of garbage, whose threads are not here
        try:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            os.write(writing, b" ")
            answer = work()
        except KeyboardInterrupt:  # before the call or after it
            answer = {"over": None, "tree": True}
        except Exception as error:
            answer = {"error": "".join(traceback.format_exception(error)[-3:])}
        os.write(writing, json.dumps(answer).encode())
        code = 0
    finally:
        os._exit(code)


def _cpu_of(process: int) -> float:
    """Seconds that its main thread has had."""
    with open(f"/proc/{process}/schedstat") as file:
        return int(file.read().split()[0]) * 1e-9
