"""Algorithm 1 of paper 002: test the leaf that lowers the cost of the whole tree most, until none does.

The best split of a leaf does not depend on the rest of the tree, so the splits are those of the tree that
entropy grows to the end, and the algorithm decides how much of that tree to keep. Growing it all takes less
time than compressing the table once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from math import nan
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from thriftree import _core
from thriftree.learning.progress import Steps
from thriftree.methods.msi.cost import CostFunction, TreeCost
from thriftree.methods.msi.stopping import Stopping
from thriftree.methods.msi.text import TreeText
from thriftree.preorder import rows_by_node

Evaluate: TypeAlias = Callable[[int], TreeCost | None]


class Stage(NamedTuple):
    """The tree at one stage of its growth."""

    cost: float
    inaccuracy: float
    surfeit: float
    nodes: int


class Kept(NamedTuple):
    """What a growth has come to."""

    is_leaf: NDArray[np.bool_]  # by node of the whole tree: false where there is a test
    text: str
    history: list[Stage]


def root_alone(full: _core.Tree) -> Kept:
    """What is kept where not even the cost of the root is known."""
    text = str(TreeText(full, [False] * full.n_columns))
    return Kept(np.ones(full.n_nodes, dtype=np.bool_), text, [Stage(nan, nan, nan, 1)])


class SurfeitGrowth:
    """A tree that grows inside `full`, the whole tree of entropy, beginning with its root."""

    def __init__(
        self,
        full: _core.Tree,
        leaf_of_row: NDArray[np.int32],  # in `full`
        labels: NDArray[np.int32],
        costs: CostFunction,
        text: TreeText,
    ) -> None:
        self._children = np.split(full.children, full.child_begin[1:-1])
        self._label = full.label
        self._labels = labels
        self._costs = costs
        self._row_order, self._row_begin, self._row_end = rows_by_node(full.parent.tolist(), leaf_of_row)
        self._wrong = np.asarray(labels != full.label[0])  # the errors of the tree as it is
        # Leaves that can be tested, the oldest first.
        self._candidates = [0] if len(self._children[0]) else []
        self._text = text
        self._now = costs.combined(costs.inaccuracy(self._wrong), costs.surfeit(str(text)))
        self._history = [Stage(self._now.cost, self._now.inaccuracy, self._now.surfeit, 1)]
        # The nodes that are tests, in the order in which they became ones. It is the last thing that a step
        # changes, and all that `kept` goes by: an interrupt can come in the middle of a step.
        self._tests: list[int] = []

    def kept(self) -> Kept:
        """The tree after the last whole step."""
        tests = list(self._tests)
        is_leaf = np.ones(len(self._children), dtype=np.bool_)
        is_leaf[tests] = False
        return Kept(is_leaf, self._text.after(tests), self._history[: len(tests) + 1])

    def run(self, n_threads: int, steps: Steps, stopping: Stopping) -> None:
        """Grows to the end, or to an exception; `kept` has the last whole step in any case."""
        with _mapping(n_threads) as map_in_order, stopping.ends_threads():
            while self._candidates:
                with steps.step("test"):
                    found = self._step(map_in_order(self._if_tested, self._candidates))
                if not found:
                    break

    def _step(self, costs: Iterable[TreeCost | None]) -> bool:
        """Tests the leaf that makes the tree cheapest, the oldest of equals; False if none lowers it."""
        best, best_cost = None, self._now
        for leaf, cost in zip(self._candidates, costs, strict=True):
            if cost is not None and cost.cost < best_cost.cost:
                best, best_cost = leaf, cost
        if best is None:
            return False
        self._wrong = self._wrong_after(best)
        self._text.add_test(best)
        self._candidates.remove(best)
        self._candidates += [int(child) for child in self._children[best] if len(self._children[child])]
        self._now = best_cost
        nodes = self._history[-1].nodes + len(self._children[best])
        self._history.append(Stage(best_cost.cost, best_cost.inaccuracy, best_cost.surfeit, nodes))
        self._tests.append(best)
        return True

    def _if_tested(self, leaf: int) -> TreeCost | None:
        """The cost of the tree with this leaf tested; None if it is certainly not less than now."""
        surfeit = self._costs.surfeit(self._text.with_test(leaf))
        if self._costs.at_least(surfeit) >= self._now.cost:
            return None
        # Errors change only where a child predicts another class than the leaf does. Then they do change, and
        # in this leaf alone: no two candidates have the same errors but those that change none.
        if (self._label[self._children[leaf]] == self._label[leaf]).all():
            inaccuracy = self._now.inaccuracy
        else:
            inaccuracy = self._costs.inaccuracy(self._wrong_after(leaf))
        return self._costs.combined(inaccuracy, surfeit)

    def _wrong_after(self, leaf: int) -> NDArray[np.bool_]:
        wrong: NDArray[np.bool_] = self._wrong.copy()
        for child in self._children[leaf]:
            rows = self._row_order[self._row_begin[child] : self._row_end[child]]
            wrong[rows] = self._labels[rows] != self._label[child]
        return wrong


@contextmanager
def _mapping(n_threads: int) -> Iterator[Callable[[Evaluate, Sequence[int]], Iterable[TreeCost | None]]]:
    """`map`, on threads that end with the block: compressors let go of the interpreter while they work."""
    if n_threads == 1:
        yield map
        return
    with ThreadPoolExecutor(n_threads) as pool:
        yield pool.map
