"""Random soft trees over random rows, for the core and for the oracle."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from oracles import soft_trees

from thriftree import _core


@dataclass
class SoftProblem:
    """One of them. Column j of `rows` is column j of the core."""

    shape: _core.SoftShape
    rows: np.ndarray
    parameters: np.ndarray
    targets: np.ndarray
    weights: np.ndarray
    left: list
    right: list
    first: list
    count: list
    n_classes: int
    linear: bool = False

    @property
    def core_rows(self):
        m = self.rows.shape[1]
        return _core.SoftRows(np.ascontiguousarray(self.rows.T), np.zeros(m), np.ones(m))

    def core(self, parameters=None, **options):
        """Value and gradient."""
        given = self.parameters if parameters is None else parameters
        return _core.soft_objective(
            self.shape, self.core_rows, given, weights=self.weights, **self.target, **options
        )

    @property
    def target(self):
        """By the name of the core's parameter."""
        kind = "labels" if self.n_classes else "numbers"
        return {kind: self.targets.astype(np.int32 if self.n_classes else float)}

    def gates(self, parameters=None):
        """Weights and offset of each; of other numbers for these parameters, if given."""
        given = self.parameters if parameters is None else parameters
        found, at = [], 0
        for first, count in zip(self.first, self.count, strict=True):
            weights = np.zeros(self.rows.shape[1])
            weights[first : first + count] = given[at : at + count]
            found.append((weights, given[at + count]))
            at += count + 1
        return found

    def leaves(self, parameters=None):
        """The same of the outputs of each."""
        given = self.parameters if parameters is None else parameters
        m = self.rows.shape[1]
        outputs, width = self.n_classes or 1, m + 1 if self.linear else 1
        of_leaves = given[-self.shape.n_leaves * outputs * width :].reshape(-1, outputs, width)
        nothing = np.zeros(m)
        return [
            [(one[:-1] if self.linear else nothing, float(one[-1])) for one in leaf] for leaf in of_leaves
        ]

    def slow(self, sharpness, shares=None, **penalties):
        if shares is not None:
            penalties["shares"] = self.gates(shares), self.leaves(shares)
        return soft_trees.objective(
            self.left,
            self.right,
            self.gates(),
            self.leaves(),
            self.rows,
            self.targets,
            self.weights,
            sharpness,
            bool(self.n_classes),
            **penalties,
        )


def check_gradient(problem, **options):
    """It is the central difference of the value."""
    n = problem.shape.n_parameters
    _, gradient = problem.core(**options)
    for i, step in enumerate(1e-5 * np.eye(n)):
        above, _ = problem.core(problem.parameters + step, **options)
        below, _ = problem.core(problem.parameters - step, **options)
        assert gradient[i] == pytest.approx((above - below) / 2e-5, rel=1e-6, abs=1e-9)


def random_structure(rng, n_gates):
    """Children of gates in preorder: the leaves are numbered as they are met."""
    left, right, leaves = [0] * n_gates, [0] * n_gates, [0]

    def leaf():
        leaves[0] += 1
        return ~(leaves[0] - 1)

    def grow(first, n):
        if n == 0:
            return leaf()
        n_left = int(rng.integers(0, n))
        left[first] = grow(first + 1, n_left)
        right[first] = grow(first + 1 + n_left, n - 1 - n_left)
        return first

    grow(0, n_gates)
    return left, right


def random_problem(seed, *, gates, n_classes, n_rows=None, linear=False, n_gates=None, m=None):
    rng = np.random.default_rng(seed)
    drawn = int(rng.integers(0, 10)), int(rng.integers(1, 7))
    n_gates, m = drawn[0] if n_gates is None else n_gates, m or drawn[1]
    n_rows = n_rows or int(rng.integers(1, 600))
    left, right = random_structure(rng, n_gates)
    if gates == "oblique":
        first, count = [0] * n_gates, [m] * n_gates
    else:
        first = [int(rng.integers(0, m)) for _ in range(n_gates)]
        count = [int(rng.integers(1, m - f + 1)) for f in first]
    shape = _core.SoftShape(left, right, first, count, m, n_classes, linear)
    targets = rng.integers(0, n_classes, n_rows) if n_classes else rng.normal(size=n_rows)
    return SoftProblem(
        shape,
        rng.normal(size=(n_rows, m)),
        rng.normal(size=shape.n_parameters),
        targets,
        rng.uniform(0.1, 2, n_rows),
        left,
        right,
        first,
        count,
        n_classes,
        linear,
    )
