"""Mini-batches of Adam, with rows kept aside that say when to stop."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thriftree.learning.limits import Limits
from thriftree.methods.neural.backbones import Backbone, HiddenLayer, Module, design_of_units, dtype_on
from thriftree.methods.neural.torch_flow import TorchFlow
from thriftree.methods.soft.design import Design, Floats
from thriftree.methods.soft.soft_tree import SoftTree

Rows = NDArray[np.intp]


@dataclass(frozen=True)
class Training:
    """How it is trained."""

    l2: float
    balance: float
    batch_size: int
    learning_rate: float
    max_epochs: int
    patience: int
    validation_fraction: float
    device: str


@dataclass(frozen=True, eq=False)
class NeuralRows:
    """Standardised rows, what is to be learned of them, and how much each counts."""

    terms: Floats
    target: NDArray[Any]  # numbers of classes, or numbers in deviations from the centre
    weights: Floats


@dataclass(eq=False)
class Trained:
    """The best network and tree that were met, and how it went."""

    tree: SoftTree
    backbone: Backbone | None  # None: the gates weigh the terms of the table
    losses: list[float] = field(default_factory=list)  # by epoch: of the rows trained on, penalised
    validation_losses: list[float] = field(default_factory=list)  # of the rows kept aside, if there are
    best_epoch: int = 0  # 0: the start
    stopped_early: bool = False  # because `patience` epochs made nothing better


def divided(rows: NeuralRows, fraction: float, rng: np.random.RandomState) -> tuple[Rows, Rows]:
    """The rows to train on and those kept aside: of each class, as nearly as can be, the same share."""
    n = len(rows.target)
    order = rng.permutation(n)
    if rows.target.dtype.kind != "f":
        order = order[np.argsort(rows.target[order], kind="stable")]
    n_aside = int(fraction * n)
    if not n_aside:
        return np.sort(order), order[:0]
    aside = np.zeros(n, bool)
    aside[((np.arange(n_aside) + 0.5) * n / n_aside).astype(np.intp)] = True
    return np.sort(order[~aside]), np.sort(order[aside])


class Trainer:
    """One fit: what is in front of the tree, and how both are trained."""

    def __init__(self, training: Training, n_terms: int, backbone: Any, hidden: int, rng: Any) -> None:
        import torch

        self._torch = torch
        self._training = training
        self._rng = rng
        self._dtype = dtype_on(training.device)
        self._n_terms = n_terms
        self._hidden: list[Any] = []  # weights and offsets of the layer, if there is one
        self._module: Any = None  # somebody's, if there is one
        if backbone is not None:
            self._module = copy.deepcopy(backbone).to(training.device, self._dtype)
        elif hidden:
            weights = rng.standard_normal((hidden, n_terms)) / math.sqrt(max(n_terms, 1))
            self._hidden = [self._tensor(weights), self._tensor(np.zeros(hidden))]
            for one in self._hidden:
                one.requires_grad_(True)

    def design(self, of_table: Design) -> Design:
        """Of what the gates weigh: units or, with nothing in front, the terms of the table."""
        if self._module is not None:
            return design_of_units(self._n_units())
        return design_of_units(len(self._hidden[1])) if self._hidden else of_table

    def fit(self, tree: SoftTree, rows: NeuralRows, limits: Limits) -> Trained:
        """Trains until it gets no better, and keeps the best; a limit or Ctrl-C ends it sooner."""
        flow = TorchFlow(tree, self._training.device, self._dtype)
        trained = Trained(tree, None)
        best = [self._state(flow)]
        try:
            with self._seeded():
                self._train(flow, rows, limits, trained, best)
        except KeyboardInterrupt as interrupt:
            limits.note(interrupt)
        self._restore(flow, best[0])
        trained.tree, trained.backbone = flow.learned(tree), self._backbone()
        return trained

    def _train(
        self, flow: TorchFlow, rows: NeuralRows, limits: Limits, trained: Trained, best: list[Any]
    ) -> None:
        """Epoch by epoch; `best` holds the state of the best one."""
        torch, training = self._torch, self._training
        used, aside = divided(rows, training.validation_fraction, self._rng)
        terms, weights = self._tensor(rows.terms), self._tensor(rows.weights / rows.weights[used].mean())
        target = torch.as_tensor(rows.target, device=training.device)
        target = target.to(self._dtype if rows.target.dtype.kind == "f" else torch.int64)
        learned = [*flow.parameters, *self._hidden]
        learned += [] if self._module is None else list(self._module.parameters())
        adam = torch.optim.Adam(learned, lr=training.learning_rate)

        def loss_of(some: Any) -> Any:
            lost = flow.losses(self._units(terms[some]), target[some])
            return (weights[some] * lost).sum() / weights[some].sum()

        def penalised(some: Any) -> Any:
            units = self._units(terms[some])
            lost = (weights[some] * flow.losses(units, target[some])).mean()
            if training.balance:
                lost = lost + training.balance * flow.imbalance(units, weights[some])
            return lost + training.l2 / 2 * self._penalty(flow)

        least, since = math.inf, 0
        for epoch in range(1, training.max_epochs + 1):
            self._training_mode(True)
            order = self._rng.permutation(used)
            total, finished = 0.0, True
            for begin in range(0, len(order), training.batch_size):
                if limits.stopped_by is not None:
                    finished = False
                    break
                batch = torch.from_numpy(order[begin : begin + training.batch_size]).to(training.device)
                adam.zero_grad()
                loss = penalised(batch)
                loss.backward()
                adam.step()
                total += float(loss.detach()) * len(batch)
            measured = total / len(order)
            if finished:
                trained.losses.append(measured)
            if len(aside):
                self._training_mode(False)
                with torch.no_grad():
                    measured = float(loss_of(torch.from_numpy(aside).to(training.device)))
                if finished:
                    trained.validation_losses.append(measured)
            elif not finished:
                return
            if measured < least:
                least, since = measured, 0
                trained.best_epoch = epoch
                best[0] = self._state(flow)
            else:
                since += 1
            if not finished:
                return
            if since >= training.patience:
                trained.stopped_early = True
                return

    def _units(self, terms: Any) -> Any:
        if self._module is not None:
            return self._module(terms)
        if not self._hidden:
            return terms
        weights, offsets = self._hidden
        return self._torch.tanh(terms @ weights.T + offsets)

    def _n_units(self) -> int:
        """Of somebody's module."""
        self._training_mode(False)
        with self._torch.no_grad():
            found = self._module(self._tensor(np.zeros((2, self._n_terms))))
        if found.ndim != 2 or len(found) != 2:
            raise ValueError(
                f"backbone made {tuple(found.shape)} of a batch of (2, {self._n_terms}): it must make a row "
                "of units of each row"
            )
        return int(found.shape[1])

    def _penalty(self, flow: TorchFlow) -> Any:
        squares = flow.penalty()
        return squares + (self._hidden[0] ** 2).sum() if self._hidden else squares

    def _backbone(self) -> Backbone | None:
        if self._module is not None:
            self._training_mode(False)
            return Module(self._module, self._training.device)
        if not self._hidden:
            return None
        weights, offsets = (one.detach().cpu().numpy().astype(np.float64) for one in self._hidden)
        return HiddenLayer(weights, offsets)

    def _state(self, flow: TorchFlow) -> Any:
        """A copy of all that is learned."""
        tensors = [one.detach().clone() for one in (*flow.parameters, *self._hidden)]
        return tensors, None if self._module is None else copy.deepcopy(self._module.state_dict())

    def _restore(self, flow: TorchFlow, state: Any) -> None:
        tensors, of_module = state
        with self._torch.no_grad():
            for one, value in zip((*flow.parameters, *self._hidden), tensors, strict=True):
                one.copy_(value)
        if self._module is not None:
            self._module.load_state_dict(of_module)

    def _training_mode(self, on: bool) -> None:
        if self._module is not None:
            self._module.train(on)

    def _tensor(self, values: Any) -> Any:
        # A table is not copied where torch can read it as it is.
        return self._torch.as_tensor(values, dtype=self._dtype, device=self._training.device)

    @contextmanager
    def _seeded(self) -> Iterator[None]:
        """What a module draws, such as dropout, is drawn by our seed, and disturbs nobody else's."""
        with self._torch.random.fork_rng(devices=[]):
            self._torch.manual_seed(int(self._rng.randint(2**31 - 1)))
            yield


@contextmanager
def torch_threads(n: int) -> Iterator[None]:
    """Inside, torch computes with so many threads."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(n)
    try:
        yield
    finally:
        torch.set_num_threads(before)
