"""Functions run on the workers of a Dask client, beside the contents of parts: short tasks, nothing else."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from typing import Any, Final, TypeAlias

from thriftree import _core
from thriftree.distributed.coded_part import CodedPart
from thriftree.distributed.objects import ObjectPart, SumsOfObjects
from thriftree.distributed.parts import TablePart
from thriftree.distributed.rounds import OpenedEntries, RoundAnswer

Contents: TypeAlias = Sequence[Any]  # of each part: a future, or what is delayed
Function: TypeAlias = Callable[..., Any]
_TREE: Final = 8  # sums that are added by one task
_SHARE: Final = 0.3  # of the workers' memory that rows may take until they are coded
_LOOK_S: Final = 0.05  # between looks for Ctrl-C
_LARGE: Final = 1 << 16  # bytes of arguments that are sent to the scheduler once, and not with every task


def _bytes_of(content: Any) -> int:
    from dask.sizeof import sizeof

    n_bytes = object.__sizeof__(content)
    for value in vars(content).values():
        n_bytes += value.nbytes if isinstance(value, _core.Table) else sizeof(value)
    return n_bytes


def _tell_sizes() -> None:
    """So that Dask knows what it has and what it would cost to move: of a class that it does not know it
    believes that there is nothing inside.
    """
    from dask.sizeof import sizeof

    ours = (CodedPart, ObjectPart, OpenedEntries, RoundAnswer, SumsOfObjects, TablePart)
    sizeof.register(ours, _bytes_of)


_tell_sizes()  # in every process that imports this, as workers do for the functions below


def held_on_workers(client: Any, contents: Contents) -> list[Any] | None:
    """Futures of what is delayed, computed once, if all of it is likely to fit into a share of the workers'
    memory: by the size of the first. None: it would not, or is there already.
    """
    if _are_futures(contents):
        return None
    first = client.compute(contents[0])
    with _cancelled_if_left(client, [first]):
        _await([first])
        sizes = client.nbytes([first.key], summary=False)
    known = client.scheduler_info(n_workers=-1)["workers"].values()
    memory = sum(worker["memory_limit"] or 0 for worker in known)
    if sum(sizes.values()) * len(contents) > _SHARE * memory:
        return None
    return [first, *client.compute(list(contents[1:]))]


def run_on_workers(
    client: Any, contents: Contents, function: Function, arguments: tuple[Any, ...], *, gather: bool
) -> list[Any]:
    """function(content, *arguments) of every part: the answers or, if they stay there, their futures."""
    futures = _submitted(client, contents, function, _sent(client, arguments))
    with _cancelled_if_left(client, futures):
        _await(futures)
        return list(client.gather(futures)) if gather else futures


def sum_on_workers(
    client: Any, contents: Contents, function: Function, add: Function, arguments: tuple[Any, ...]
) -> Any:
    """The answers of all parts, brought together. Those of one worker are added where they are, by as many
    tasks as it has threads; the sums of tasks are added in a tree.
    """
    sent = _sent(client, arguments)
    if _are_futures(contents):
        sums = [
            client.submit(_sum_of_group, function, add, sent, *group, pure=False)
            for group in _groups(client, contents)
        ]
    else:
        sums = _submitted(client, contents, function, sent)
    every = list(sums)
    while len(sums) > 1:
        sums = [
            client.submit(_sum_of_answers, add, *sums[first : first + _TREE], pure=False)
            for first in range(0, len(sums), _TREE)
        ]
        every += sums
    with _cancelled_if_left(client, every):
        _await(sums)
        return client.gather(sums[0])


def _await(futures: Sequence[Any]) -> None:
    """Until all are there; raises what a task has raised. Awake often enough for Ctrl-C."""
    finished, waiting = Event(), {future.key for future in futures}

    def note(future: Any) -> None:
        waiting.discard(future.key)
        if not waiting or future.status != "finished":
            finished.set()

    for future in futures:
        future.add_done_callback(note)
    while not finished.wait(_LOOK_S):
        pass
    for future in futures:
        if future.status == "error":
            future.result()


@contextmanager
def _cancelled_if_left(client: Any, futures: list[Any]) -> Iterator[None]:
    """Inside, an error or Ctrl-C takes all of these tasks off the cluster."""
    try:
        yield
    except BaseException:
        client.cancel(futures, force=True)
        raise


def _sent(client: Any, arguments: tuple[Any, ...]) -> Any:
    """The arguments, or the future of a task that gives them: one that is lost is made again."""
    if len(pickle.dumps(arguments, protocol=5)) < _LARGE:
        return arguments
    return client.submit(_same, arguments, pure=False)


def _submitted(client: Any, contents: Contents, function: Function, sent: Any) -> list[Any]:
    """Futures of the function's answers."""
    if _are_futures(contents):
        return [client.submit(_applied, function, sent, content, pure=False) for content in contents]
    from dask import delayed

    apply = delayed(_applied, pure=False)
    return list(client.compute([apply(function, sent, content) for content in contents]))


def _are_futures(contents: Contents) -> bool:
    from distributed import Future

    return all(isinstance(content, Future) for content in contents)


def _groups(client: Any, contents: Contents) -> list[list[Any]]:
    """The contents by the worker that has them, as many groups as the workers have threads. Where something
    has moved or gone meanwhile, it is fetched or made again.
    """
    threads: dict[str, int] = client.nthreads()
    has = client.who_has(list(contents))
    by_thread: dict[tuple[str, int], list[Any]] = {}
    seen: dict[str, int] = {}
    for number, content in enumerate(contents):
        where = [worker for worker in has.get(content.key, ()) if worker in threads]
        known = sorted(threads)
        worker = min(where) if where else known[number % len(known)] if known else ""
        turn = seen.get(worker, 0)
        seen[worker] = turn + 1
        by_thread.setdefault((worker, turn % threads.get(worker, 1)), []).append(content)
    return list(by_thread.values())


def _same(arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    return arguments


def _applied(function: Function, arguments: tuple[Any, ...], content: Any) -> Any:
    return function(content, *arguments)


def _sum_of_group(function: Function, add: Function, arguments: tuple[Any, ...], *contents: Any) -> Any:
    total = function(contents[0], *arguments)
    for content in contents[1:]:
        _stop_if_cancelled()
        total = add(total, function(content, *arguments))
    return total


def _sum_of_answers(add: Function, *answers: Any) -> Any:
    total = answers[0] if len(answers) == 1 else add(_own(answers[0]), answers[1])
    for answer in answers[2:]:
        total = add(total, answer)
    return total


def _own(answer: Any) -> Any:
    """A copy that may be changed: what a worker has of another task is not ours to change."""
    return pickle.loads(pickle.dumps(answer, protocol=5))


def _stop_if_cancelled() -> None:
    """Ends a task that nobody waits for any more: Dask ends none that runs."""
    from distributed import get_worker

    worker = get_worker()
    task = worker.state.tasks.get(worker.get_current_task())
    if task is None or task.state == "cancelled":
        raise RuntimeError("the fit that asked was interrupted")
