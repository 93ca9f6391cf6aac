"""Soft trees: a fit against the same model in torch, scikit-learn's network and the trees of neural-trees, an
evaluation against NumPy, and time by rows.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler

from benchmarks.answers import AnswerDiffersError
from benchmarks.clock import cpu_time
from benchmarks.data import Array
from benchmarks.measurement import Lines, Measurement, RatioTarget, faster
from benchmarks.soft_peers import HAS_NEURAL_TREES, HAS_TORCH, neural_tree, torch_descent
from thriftree import SoftTreeClassifier, _core
from thriftree.methods.soft.soft_tree import SoftTree

TITLE = "soft trees of depth 4 with default parameters, up to {rows:,} rows, one thread"
ROWS = 100_000
SHAPES = ((850, 18), (1000, 60), (6000, 20))
SAME = 1e-9  # relative, of losses and slopes
SAME_START = 1e-6  # relative, of the losses of both libraries


def run(rows: int) -> Lines:
    for n, m in (*SHAPES, (rows, 50)):
        X, y = _table(n, m)
        ours = cpu_time(lambda X=X, y=y: SoftTreeClassifier(n_jobs=1).fit(X, y))
        yield _evaluation(ours.result.soft_tree_, X, y)
        scaled = StandardScaler().fit_transform(X)
        network = MLPClassifier(random_state=0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            theirs = cpu_time(lambda network=network, X=scaled, y=y: network.fit(X, y), repeats=1)
        yield faster(f"fit, {n:,} × {m}", "MLPClassifier", ours.seconds, theirs.seconds, 3)
        yield _against_torch(ours.result, X, y)
        yield _against_neural_trees(ours.seconds, scaled, y)
    few, many = (_seconds_a_row(n) for n in (rows // 10, rows * 10))
    against = f"itself, {rows // 10:,} rows"
    target = RatioTarget(1.15, "at_most")
    work = f"evaluation a row, {rows * 10:,} × 20"
    yield Measurement(work, against, many * 1e9, few * 1e9, "ns", many / few, target)


def _against_torch(model: SoftTreeClassifier, X: Array, y: Array) -> Measurement:
    """Until both have the loss that the worse of them ends with. Both start with the same parameters."""
    work, against = f"fit, {X.shape[0]:,} × {X.shape[1]}, to the same loss", "torch, L-BFGS"
    if not HAS_TORCH:
        return Measurement(work, against, remark="torch is not installed")
    start = SoftTreeClassifier(n_jobs=1, max_iter=0).fit(X, y)
    theirs = torch_descent(start.soft_tree_, X, y, model.l2, model.max_iter)
    if abs(theirs.losses[0] - start.loss_curve_[0]) > SAME_START * start.loss_curve_[0]:
        raise AnswerDiffersError(f"at the start {start.loss_curve_[0]} against {theirs.losses[0]}")
    loss = max(model.loss_curve_[-1], min(theirs.losses)) * (1 + SAME_START)
    n_iterations = int(np.flatnonzero(model.loss_curve_ <= loss)[0])
    ours = cpu_time(lambda: SoftTreeClassifier(n_jobs=1, max_iter=n_iterations).fit(X, y))
    return faster(work, against, ours.seconds, theirs.until(loss), 5)


def _against_neural_trees(seconds: float, scaled: Array, y: Array) -> Measurement:
    work, against = f"fit, {scaled.shape[0]:,} × {scaled.shape[1]}", "neural-trees"
    if not HAS_NEURAL_TREES:
        return Measurement(work, against, remark="neural-trees is not installed")
    theirs = cpu_time(lambda: neural_tree(scaled, y), repeats=1)
    return faster(work, against, seconds, theirs.seconds, 30)


def _table(n: int, m: int) -> tuple[Array, Array]:
    """Three classes by a product of columns."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n, m))
    score = X[:, 0] - X[:, 1] * X[:, 2] + 0.5 * random.normal(size=n)
    return X, np.digitize(score, [-0.5, 0.7])


def _evaluation(tree: SoftTree, X: Array, y: Array) -> Measurement:
    """Loss and slopes at the same parameters."""
    shape, rows = tree.shape(), tree.design.rows(X)
    labels = y.astype(np.int32)
    scaled = np.ascontiguousarray((X - tree.design.centres) * tree.design.scales)
    ours = cpu_time(lambda: _core.soft_objective(shape, rows, tree.parameters, labels=labels))
    theirs = cpu_time(lambda: numpy_objective(tree, scaled, labels))
    loss, slopes = theirs.result
    if abs(ours.result[0] - loss) > SAME * loss or np.abs(ours.result[1] - slopes).max() > SAME:
        raise AnswerDiffersError(f"loss {ours.result[0]} against {loss}")
    work = f"loss and slopes, {X.shape[0]:,} × {X.shape[1]}"
    return Measurement(work, "NumPy", ours.seconds, theirs.seconds, ratio=theirs.seconds / ours.seconds)


def numpy_objective(tree: SoftTree, X: Array, y: Array) -> tuple[float, Array]:
    """The mean loss of rows that are standardised, and its slopes, with whole arrays; oblique gates."""
    n, n_gates, width = len(X), tree.n_gates, len(tree.classes or ())
    gates = tree.parameters[: n_gates * (X.shape[1] + 1)].reshape(n_gates, -1)
    left = 1 / (1 + np.exp(-(X @ gates[:, :-1].T + gates[:, -1])))
    reach, answer = np.ones((2 * n_gates + 1, n)), np.empty((2 * n_gates + 1, n))
    node = [[c if c >= 0 else n_gates + ~c for c in side.tolist()] for side in (tree.left, tree.right)]
    for g in range(n_gates):
        reach[node[0][g]] = reach[g] * left[:, g]
        reach[node[1][g]] = reach[g] * (1 - left[:, g])
    shares = tree.leaf_answers
    answer[n_gates:] = shares[:, y]
    for g in reversed(range(n_gates)):
        answer[g] = left[:, g] * answer[node[0][g]] + (1 - left[:, g]) * answer[node[1][g]]
    root = -1 / answer[0] / n
    sides = answer[node[0]] - answer[node[1]]
    slopes = root * reach[:n_gates] * (left * (1 - left)).T * sides
    of_gates = np.column_stack([slopes @ X, slopes.sum(axis=1)])
    by_class = (root * reach[n_gates:]) @ np.eye(width)[y]
    of_leaves = shares * (by_class - (shares * by_class).sum(axis=1, keepdims=True))
    return float(-np.log(answer[0]).mean()), np.concatenate([of_gates.ravel(), of_leaves.ravel()])


def _seconds_a_row(n: int) -> float:
    X, y = _table(n, 20)
    tree = SoftTreeClassifier(n_jobs=1, max_iter=0).fit(X[:5000], y[:5000]).soft_tree_
    shape, rows, labels = tree.shape(), tree.design.rows(X), y.astype(np.int32)
    evaluated = cpu_time(lambda: _core.soft_objective(shape, rows, tree.parameters, labels=labels), repeats=9)
    return evaluated.seconds / n
