"""The soft tree in torch: the forward pass and loss of cpp/soft, with slopes that go on into a network."""

from __future__ import annotations

from typing import Any

import numpy as np

from thriftree.methods.soft.design import Floats
from thriftree.methods.soft.penalties import output_l2
from thriftree.methods.soft.soft_tree import SoftTree
from thriftree.preorder import gate_paths

LEAST = (
    1e-300  # a probability below it counts as it, as in cpp/soft; of 32-bit floats the smallest normal one
)

_LEAST_SHARE = 1e-6  # that goes left or right: so that no slope of a logarithm is infinite


class TorchFlow:
    """A soft tree whose gates weigh all units, as tensors that are learned."""

    def __init__(self, tree: SoftTree, device: str, dtype: Any) -> None:
        import torch

        self._torch = torch
        self._sharpness = tree.sharpness
        self._is_number = tree.classes is None
        self._least = max(LEAST, torch.finfo(dtype).tiny)
        ways = _ways(tree)
        self._ways = torch.tensor(ways, dtype=dtype, device=device)
        below = (
            ways[: tree.n_gates] + ways[tree.n_gates :]
        )  # gates × leaves: 1 where the leaf is below the gate
        self._below = torch.tensor(below, dtype=dtype, device=device)
        depths = np.array([len(path) for path in _paths_to_gates(tree)], dtype=np.float64)
        self._share = torch.tensor(0.5**depths, dtype=dtype, device=device)  # of the rows, in an even tree
        n_outputs = 1 if tree.classes is None else len(tree.classes)
        self._output_share = output_l2(1.0, n_outputs)
        leaves = tree.parameters[len(tree.parameters) - tree.n_leaves * n_outputs :].reshape(-1, n_outputs)

        def learned(values: Any) -> Any:
            return torch.tensor(values, dtype=dtype, device=device, requires_grad=True)

        self.weights = learned(tree.gate_weights)  # gates × units
        self.offsets = learned(tree.gate_offsets)
        self.leaves = learned(leaves)  # leaves × outputs

    @property
    def parameters(self) -> list[Any]:
        """What is learned."""
        return [self.weights, self.offsets, self.leaves]

    def answers(self, units: Any) -> Any:
        """Rows × outputs: probabilities of the classes, or the number in deviations from the centre."""
        torch = self._torch
        outputs = self.leaves if self._is_number else torch.softmax(self.leaves, dim=1)
        return self._reach(units) @ outputs

    def losses(self, units: Any, target: Any) -> Any:
        """Per row: minus the logarithm of its class's probability, or half the squared error."""
        torch = self._torch
        answers = self.answers(units)
        if self._is_number:
            return 0.5 * (answers[:, 0] - target) ** 2
        share = answers.gather(1, target[:, None])[:, 0]
        return -torch.log(torch.clamp(share, min=self._least))

    def imbalance(self, units: Any, weights: Any) -> Any:
        """How unevenly gates divide the rows that reach them: per gate the cross entropy of one half and the
        share that goes left, by the gate's share of the rows of an even tree (Frosst and Hinton 2017).
        Without it gates that send nearly all rows one way early on leave the leaves of the other side nothing
        to learn from, and classes share the leaves that are left.
        """
        torch = self._torch
        if not len(self._share):
            return 0.0
        reach = weights[:, None] * (self._reach(units) @ self._below.T)
        left = torch.sigmoid(self._sharpness * (units @ self.weights.T + self.offsets))
        share = (reach * left).sum(0) / torch.clamp(reach.sum(0), min=self._least)
        share = torch.clamp(share, min=_LEAST_SHARE, max=1 - _LEAST_SHARE)
        return -(self._share * 0.5 * (torch.log(share) + torch.log(1 - share))).sum()

    def penalty(self) -> Any:
        """The squares that `l2` weighs, all but those of offsets; leaves by their share of it."""
        return (self.weights**2).sum() + self._output_share * (self.leaves**2).sum()

    def learned(self, tree: SoftTree) -> SoftTree:
        """The tree with what was learned."""
        weights, offsets, leaves = (one.detach().cpu().numpy().astype(np.float64) for one in self.parameters)
        gates = np.column_stack([weights, offsets]).ravel()
        return tree.with_parameters(np.concatenate([gates, leaves.ravel()]))

    def _reach(self, units: Any) -> Any:
        """Rows × leaves: the product of the ways on each path, as a sum of logarithms, which is one product
        of matrices.
        """
        torch = self._torch
        total = self._sharpness * (units @ self.weights.T + self.offsets)
        open_ = torch.nn.functional.logsigmoid(torch.cat([total, -total], dim=1))
        return torch.exp(open_ @ self._ways)


def _ways(tree: SoftTree) -> Floats:
    """(Left ways, then right ways) × leaves: 1 where the way is on the leaf's path."""
    ways = np.zeros((2 * tree.n_gates, tree.n_leaves))
    for leaf, path in enumerate(gate_paths(tree.left.tolist(), tree.right.tolist())):
        ways[path, leaf] = 1.0
    return ways


def _paths_to_gates(tree: SoftTree) -> list[list[int]]:
    """Per gate the gates above it."""
    paths: list[list[int]] = [[] for _ in range(tree.n_gates)]
    for gate, children in enumerate(zip(tree.left.tolist(), tree.right.tolist(), strict=True)):
        for child in children:
            if child >= 0:
                paths[child] = [*paths[gate], gate]
    return paths
