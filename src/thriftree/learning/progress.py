"""Progress of a fit, told to scikit-learn's callbacks (`model.set_callbacks`, from scikit-learn 1.9 on)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeAlias, TypeVar

try:
    from sklearn.callback import CallbackSupportMixin as CallbackSupport
except ImportError:

    class CallbackSupport:  # type: ignore[no-redef]
        """Nothing: scikit-learn before 1.9 has no set_callbacks, so nobody can listen.

        A class of its own, because `object` cannot stand before other bases.
        """


__all__ = [
    "CallbackSupport",
    "SearchProgress",
    "Steps",
    "listening",
    "listening_to_rounds",
    "steps_of_fit",
    "told_of_rounds",
    "told_of_search",
]

T = TypeVar("T")
SearchProgress: TypeAlias = Callable[[float, float, float], None]  # seconds, incumbent, bound

_LISTENER: Final[ContextVar[SearchProgress | None]] = ContextVar("thriftree_search_listener", default=None)

RoundProgress: TypeAlias = Callable[[int, int, float], None]  # rounds, rows, seconds
_ROUNDS: Final[ContextVar[RoundProgress | None]] = ContextVar("thriftree_round_listener", default=None)


@contextmanager
def listening(listener: SearchProgress) -> Iterator[None]:
    """Inside, searches with a bound tell `listener(seconds, incumbent, bound)` how far they are. What it
    raises ends the search.
    """
    token = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def told_of_search() -> SearchProgress | None:
    """Whom a search tells how far it is."""
    return _LISTENER.get()


@contextmanager
def listening_to_rounds(listener: RoundProgress) -> Iterator[None]:
    """Inside, whoever counts rows that lie in parts tells `listener(rounds, rows, seconds)` after each round,
    which is a level of a tree or a part of one: how many there were, the rows of the table, and how long the
    last one took.
    """
    token = _ROUNDS.set(listener)
    try:
        yield
    finally:
        _ROUNDS.reset(token)


def told_of_rounds() -> RoundProgress | None:
    """Whom a store of rows in parts tells of its rounds."""
    return _ROUNDS.get()


class Steps:
    """The steps of one fit. Without a context nobody is told of them."""

    def __init__(self, model: Any = None, context: Any = None) -> None:
        self._model = model
        self._context = context

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        """One step, as a task of the fit."""
        if self._context is None:
            yield
            return
        task = self._context.subcontext(task_name=name).call_on_fit_task_begin(estimator=self._model)
        yield
        task.call_on_fit_task_end(estimator=self._model)

    def untold(self, work: Callable[[], T]) -> Callable[[], T]:
        """The same work once more, when some of its steps were told already: of these nobody is told."""

        def again() -> T:
            self._context = None
            return work()

        return again


@contextmanager
def steps_of_fit(model: Any, X: Any, y: Any, sample_weight: Any, max_steps: int | None) -> Iterator[Steps]:
    """The steps of a fit of `model`; None if their number is not known. The model is fitted on leaving."""
    # Nobody listens without callbacks of its own and without a meta-estimator that passes some on.
    if not (hasattr(model, "_skl_callbacks") or hasattr(model, "_parent_callback_ctx")):
        yield Steps()
        return
    metadata = None if sample_weight is None else {"sample_weight": sample_weight}
    task = model._init_callback_context(max_subtasks=max_steps)
    task.call_on_fit_task_begin(estimator=model, X=X, y=y, metadata=metadata)
    yield Steps(model, task)
    task.call_on_fit_task_end(estimator=model, X=X, y=y, metadata=metadata, reconstruction_attributes={})
