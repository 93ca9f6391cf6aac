"""The same soft tree in torch with L-BFGS, from the same start, and the trees of neural-trees."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.data import Array
from thriftree.methods.soft.soft_tree import SoftTree
from thriftree.methods.soft.start import STEEPNESS

HAS_TORCH = find_spec("torch") is not None
HAS_NEURAL_TREES = find_spec("neural_trees") is not None


@dataclass
class TorchDescent:
    """Losses by evaluation, and the CPU seconds at which each was known."""

    losses: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def until(self, loss: float) -> float:
        """Seconds to a loss that is at most this one."""
        place = next(i for i, reached in enumerate(self.losses) if reached <= loss)
        return self.seconds[place]


def neural_tree(X: Array, y: Array) -> Any:
    """A soft tree of neural-trees as it comes, fitted in one thread."""
    import torch
    from neural_trees import SoftDecisionTree

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return SoftDecisionTree(random_state=0).fit(X, y)
    finally:
        torch.set_num_threads(before)


def torch_descent(tree: SoftTree, X: Array, y: Array, l2: float, max_iter: int) -> TorchDescent:
    """From the parameters of a start whose gates weigh all columns, each a number, in 64-bit floats and one
    thread.
    """
    import torch

    from thriftree.methods.neural.torch_flow import TorchFlow

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        flow = TorchFlow(tree, "cpu", torch.float64)
        units = torch.from_numpy(np.ascontiguousarray((X - tree.design.centres) * tree.design.scales))
        target = torch.from_numpy(y.astype(np.int64))
        # The weight of a threshold's column is paid for in the unit in which it started as STEEPNESS.
        first = tree.gate_weights
        started = first != 0
        unpaid = torch.from_numpy(np.where(started, 1 - (STEEPNESS / np.where(started, first, 1)) ** 2, 0))
        optimizer = torch.optim.LBFGS(
            flow.parameters,
            max_iter=max_iter,
            max_eval=10 * max_iter,
            history_size=10,
            line_search_fn="strong_wolfe",
        )
        found = TorchDescent()
        start = time.process_time()

        def evaluate() -> Any:
            optimizer.zero_grad()
            squares = flow.penalty() - (unpaid * flow.weights**2).sum()
            loss = flow.losses(units, target).mean() + l2 / 2 * squares
            loss.backward()
            found.losses.append(float(loss.detach()))
            found.seconds.append(time.process_time() - start)
            return loss

        optimizer.step(evaluate)
        return found
    finally:
        torch.set_num_threads(before)
