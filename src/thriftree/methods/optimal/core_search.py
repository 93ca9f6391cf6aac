"""The core's searches over given tests: what they are told, and what comes back as outlines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.learning.limits import Limits
from thriftree.methods.optimal.binary_tests import BinaryTest
from thriftree.methods.optimal.candidates import Candidates
from thriftree.methods.optimal.outline import LEAF, Outline, in_preorder
from thriftree.methods.optimal.problem import Problem

Progress: TypeAlias = Callable[[float, float, float], None]  # seconds, incumbent, bound


@dataclass(frozen=True)
class Found:
    """What a search came to, in the core's units of cost."""

    outline: Outline
    objective: float
    lower_bound: float
    status: str  # "optimal", "time_limit", "memory_limit", "interrupted" or "heuristic"
    history: tuple[tuple[float, float, float], ...] = ()  # seconds, incumbent, bound


@dataclass(frozen=True)
class HowToSearch:
    """A proof (lookahead None), or a look-ahead of so many levels that tries so many tests at each node
    (None: as many as some milliseconds allow).
    """

    lookahead: int | None = None
    beam: int | None = 1


PROOF = HowToSearch()


def search(
    problem: Problem,
    candidates: Candidates,
    limits: Limits,
    how: HowToSearch = PROOF,
    warm: Outline | None = None,
    progress: Progress | None = None,
) -> Found:
    """The best tree of these tests, as far as limits let it be found. It is no worse than `warm`, whose tests
    must be among them.
    """
    if not candidates.tests:
        return _one_leaf(problem)
    found = _core.search_tree(
        **told(problem, candidates, limits),
        **_how(how),
        warm_start=None if warm is None or warm == LEAF else _as_arrays(warm, candidates.tests),
        progress=progress,
    )
    heard(found.status, limits)
    return _by_true_prices(problem, candidates, _found(found, candidates.tests))


def search_path(
    problem: Problem, candidates: Candidates, limits: Limits, penalties: Sequence[float], how: HowToSearch
) -> list[Found]:
    """The best tree for each of the penalties of a leaf."""
    if not candidates.tests:
        return [_one_leaf(problem.at(penalty)) for penalty in penalties]
    asked = {**told(problem, candidates, limits), **_how(how)}
    asked.pop("leaf_penalty")
    scaled = [problem.at(penalty).core_penalty for penalty in penalties]
    found = _core.search_path(**asked, leaf_penalties=scaled)
    for one in found:
        heard(one.status, limits)
    return [
        _by_true_prices(problem.at(penalty), candidates, _found(one, candidates.tests))
        for penalty, one in zip(penalties, found, strict=True)
    ]


def heard(status: str, limits: Limits) -> None:
    """Notes the Ctrl-C that ended a search in the core, which keeps what it has."""
    if status == "interrupted" and limits.interrupt is None:
        limits.note(KeyboardInterrupt())


def core_limits(limits: Limits, taken_bytes: int) -> _core.Limits:
    """What is left of the limits beside an input of so many bytes, as the core takes it: Ctrl-C ends a search
    with what it has. Raises MemoryError where the input itself is too much: ask before it is made.
    """
    left_mb = None
    if limits.memory_limit_mb is not None:
        left_mb = limits.memory_limit_mb - taken_bytes / 2**20
        if left_mb <= 0:
            raise MemoryError(f"the tests of a search take {taken_bytes / 2**20:.0f} MB")
    return _core.Limits(
        n_threads=limits.n_threads,
        time_limit_s=limits.seconds_left,
        memory_limit_mb=left_mb,
        keep_interrupted=limits.is_any_time,
    )


def best_labels(problem: Problem, outline: Outline) -> NDArray[np.int32]:
    """By node, the label of least cost."""
    labels = np.zeros(len(outline.tests), dtype=np.int32)
    for node, rows in problem.walk(outline):
        labels[node] = problem.answer_at(rows)
    return labels


def _looks_at_orders(problem: Problem, candidates: Candidates) -> bool:
    """Whether the core searches by the true prices; else by those without delay, which are no higher."""
    columns = sorted({test.column for test in candidates.tests})
    return problem.prices is None or problem.prices.of_columns(columns)


def _by_true_prices(problem: Problem, candidates: Candidates, found: Found) -> Found:
    """The same where delayed tests were searched as if their results were there at once: the bound holds, and
    the tree is the best if its orders cost nothing more.
    """
    if _looks_at_orders(problem, candidates):
        return found
    objective = problem.objective(found.outline)
    proved = found.status == "optimal" and objective <= found.objective * (1 + 1e-12)
    status = "heuristic" if found.status == "optimal" and not proved else found.status
    return replace(found, objective=objective, status=status, history=())


def _one_leaf(problem: Problem) -> Found:
    """What there is where rows cannot be told apart."""
    only = problem.objective(LEAF)
    return Found(LEAF, only, only, "optimal")


def _how(how: HowToSearch) -> dict[str, Any]:
    return {"lookahead": how.lookahead, "beam": how.beam}


def told(problem: Problem, candidates: Candidates, limits: Limits) -> dict[str, Any]:
    """What the core is told of a search over these tests."""
    tests = candidates.tests
    n_columns = len({test.column for test in tests})
    within = core_limits(limits, (len(tests) + 4 * n_columns) * len(problem.rows))  # answers, and codes
    bits = np.empty((len(tests), len(problem.rows)), dtype=np.uint8)
    for number, test in enumerate(tests):
        bits[number] = problem.seen.bits(test)
    return {
        "tests": bits,
        "features": np.array([test.column for test in tests], dtype=np.int32),
        **problem.arguments(),
        "max_depth": problem.shape.max_depth,
        "max_leaves": problem.shape.max_leaves,
        "n_threads": limits.n_threads,
        "limits": within,
        **_prices(problem, candidates),
    }


def _prices(problem: Problem, candidates: Candidates) -> dict[str, Any]:
    if problem.prices is None:
        return {}
    delay = _looks_at_orders(problem, candidates)
    return problem.prices.arguments(problem.core_price_weight, delay=delay)


def _as_arrays(
    outline: Outline, tests: Sequence[BinaryTest]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    number = {test: n for n, test in enumerate(tests)}
    asked = [-1 if test is None else number[test] for test in outline.tests]
    arrays = (np.array(part, dtype=np.int32) for part in (asked, outline.left, outline.right))
    test, left, right = arrays
    return test, left, right, np.zeros(len(test), dtype=np.int32)  # labels are not read


def _found(result: Any, tests: Sequence[BinaryTest]) -> Found:
    asked = [tests[number] if number >= 0 else None for number in result.test.tolist()]
    outline = in_preorder(asked, result.left.tolist(), result.right.tolist())
    history = tuple((float(s), float(i), float(b)) for s, i, b in result.history)
    return Found(outline, float(result.objective), float(result.lower_bound), str(result.status), history)
