"""Corrected scores are those of the slow definition: every choice made again, row by row."""

from __future__ import annotations

import pickle
from copy import copy

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score
from thoroughness import tries

from thriftree import Frontier, TestCosts, Tree, frontier
from thriftree.tuning import resamples, trials
from thriftree.tuning.auc import macro_auc, macro_aucs, parts_of_classes, shares_of_classes
from thriftree.tuning.frontier import search
from thriftree.tuning.frontier.correction import never_falling
from thriftree.tuning.frontier.points import unbeaten

FEW = {"methods": ["cart", "ecart"], "trade_offs": [1.0], "min_masses": [0.0], "askings": [3.0]}
PRICES = {0: 5.0, 1: 2.0, 2: 1.0, 3: 1.0}
CASES = {
    "held out": {},
    "folds": {"cv": 3},
    "weights": {"cv": 2, "weighted": True},
    "balanced": {"class_weight": "balanced"},
    "error costs": {"cv": 2, "error_costs": [[0, 3], [1, 0]], "weighted": True},
    "auc": {"metric": "auc"},
    "auc of folds": {"metric": "auc", "cv": 2, "weighted": True},
    "r2": {"target": "numbers"},
    "r2 of folds": {"target": "numbers", "cv": 3, "weighted": True},
}


def table(seed, target="classes", weighted=False, **parameters):
    """Rows with ties, and what `frontier` is called with."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 6, (44, 4)).astype(float)
    y = (X[:, 0] + X[:, 1] + rng.normal(0, 2.5, 44) > 5).astype(int)
    if target == "numbers":
        y = X[:, 0] + X[:, 1] / 2 + rng.normal(0, 1.5, 44)
    weight = rng.integers(1, 4, 44) / 2 if weighted else None
    words = {"costs": PRICES, "target": target, "sample_weight": weight, "random_state": seed, **FEW}
    return X, y, {**words, **parameters}


@pytest.fixture
def searched(monkeypatch):
    """Gives the frontier of few samples, and the slow definition of the same trees and samples."""
    seen = {}

    def pool(*arguments):
        seen["pool"] = made(*arguments)
        return seen["pool"]

    def drawn(held, *others):
        seen["rows"] = [rows.given[1] for rows in held]
        seen["times"] = draw(held, *others)
        return seen["times"]

    made, draw = search._pool, resamples.Resamples.of
    monkeypatch.setattr(search, "_pool", pool)
    monkeypatch.setattr(resamples.Resamples, "of", drawn)
    monkeypatch.setattr(resamples, "SAMPLES", tries(6, 3))
    return lambda X, y, words: (frontier(X, y, **words), Slow(X, y, words, **seen))


class Slow:
    """The trees that compete, scored by what they say of rows, one by one."""

    def __init__(self, X, y, words, pool, rows, times):
        self.y, self.rows, self.times, self.words = y, rows, times.times, words
        self.weight = np.ones(len(y)) if words["sample_weight"] is None else words["sample_weight"].copy()
        self.costs = words.get("error_costs", [[0, 1], [1, 0]])
        self.metrics = ["accuracy", "auc"] if words["target"] == "classes" else ["r2"]
        self.deciding = words.get("metric", self.metrics[0])
        if words.get("class_weight") == "balanced":
            self.weight *= pool.trials[0].recipe.plan.class_weight[y]
        priced = np.arange(len(y)) if words.get("cv") else rows[0]
        self.prices, self.said = [], []
        for trial in pool.trials:
            for number, alpha in enumerate(trial.prunings.alphas):
                tree = self.tree(trial.prunings, alpha)
                plain = np.ones(len(y)) if words["sample_weight"] is None else words["sample_weight"]
                paid = np.average(tree.predict_cost(X[priced]), weights=plain[priced])
                self.prices.append((paid, tree.worst_case_cost(), tree.n_leaves))
                parts = (one.kept for one in trial.resampled)
                trees = [self.tree(part.tree, part.alphas[number]) for part in parts]
                self.said.append([self.answers(one, X[r]) for one, r in zip(trees, rows, strict=True)])
        self.prices = np.array(self.prices)

    def tree(self, prunings, alpha):
        classes = (0, 1) if "accuracy" in self.metrics else None
        core = prunings.tree_at(float(alpha)).core
        return Tree(core, prunings.grown.columns, classes, TestCosts(PRICES).to_dict())

    def answers(self, tree, X):
        """What the tree says of each row, and the probability of class 1."""
        said = tree.predict(X)
        return said, tree.predict_proba(X)[:, 1] if "accuracy" in self.metrics else said

    def score(self, metric, candidate, times, *, weights=False):
        """On rows that count so often: mean over the parts, each by its share of all rows' weight. With
        `weights` also what the parts weigh.
        """
        total = mass = 0.0
        for part, rows in enumerate(self.rows):
            said, share = self.said[candidate][part]
            count = times[rows] * self.weight[rows]
            whole = self.weight[rows].sum()
            if metric == "auc":
                if len({self.y[r] for r, c in zip(rows, count, strict=True) if c > 0}) < 2:
                    continue
                total += roc_auc_score(self.y[rows], share, sample_weight=count)
                mass += 1
                continue
            for i, row in enumerate(rows):
                lost = self.lost(metric, self.y[row], said[i])
                total += count[i] * (1 - lost) / whole
                mass += count[i] / whole
        return (total, mass) if weights else (total / mass if mass else 0.0)

    def lost(self, metric, truth, said):
        if metric == "accuracy":
            return self.costs[truth][said]
        held = np.arange(len(self.y)) if self.words.get("cv") else self.rows[0]
        mean = np.average(self.y[held], weights=self.weight[held])
        return (truth - said) ** 2 / np.average((self.y[held] - mean) ** 2, weights=self.weight[held])

    def corrected(self, metric, prices):
        """The definition: choose by each sample, score on the rows left out; against the tree itself."""
        box = [j for j, own in enumerate(self.prices) if all(own <= np.array(prices) + 1e-9)]
        box.sort(key=lambda j: tuple(np.round(self.prices[j], 9)))
        everything = np.ones(len(self.times))

        def best(times):
            return max(
                box, key=lambda j: round(self.score(self.deciding, j, times), 9)
            )  # the first of equals

        own, lost, mass = best(everything), 0.0, 0.0
        n_sets = [0] * len(self.rows)
        for sample in self.times.T:
            for part, rows in enumerate(self.rows):
                n_sets[part] += len({self.y[r] for r in rows if sample[r] == 0}) == 2
        for sample in self.times.T:
            left = (sample == 0).astype(float)
            taken = best(sample.astype(float))
            for part, _ in enumerate(self.rows):
                alone = self.of_part(part)
                of_own, weight = alone.score(metric, own, left, weights=True)
                of_taken, _ = alone.score(metric, taken, left, weights=True)
                each = n_sets[part] if metric == "auc" else 1  # every part counts as much as another
                if each:
                    lost, mass = lost + (of_own - of_taken) / each, mass + weight / each
        return self.score(metric, own, everything) - lost / mass

    def of_part(self, part):
        alone = copy(self)
        alone.rows, alone.said = [self.rows[part]], [[said[part]] for said in self.said]
        return alone


@pytest.mark.parametrize("case", CASES)
def test_corrected_scores_are_those_of_the_slow_definition(case, searched):
    for seed in range(tries(12, 1)):
        X, y, words = table(seed, **CASES[case])
        found, slow = searched(X, y, words)
        assert found.corrected == tuple(slow.metrics)
        measured = [[slow.score(slow.deciding, j, np.ones(len(slow.times)))] for j in range(len(slow.prices))]
        figures = np.hstack([measured, slow.prices])
        front = figures[unbeaten(np.round(figures, 9))]
        for metric in slow.metrics:
            each = np.array([slow.corrected(metric, prices) for prices in front[:, 1:]])
            even = [
                (
                    max(each[i] for i, other in enumerate(front) if all(other[1:] <= one[1:] + 1e-9))
                    + min(each[i] for i, other in enumerate(front) if all(other[1:] >= one[1:] - 1e-9))
                )
                / 2
                for one in front
            ]
            for point in found:
                (at,) = [i for i, one in enumerate(front) if np.allclose(one[1:], point.figures("r2")[1:])]
                assert getattr(point, metric) == pytest.approx(even[at], abs=1e-9)
                assert point.measured[slow.deciding] == pytest.approx(front[at, 0], abs=1e-9)


def test_scores_never_fall_where_prices_rise():
    for seed in range(tries(300, 40)):
        rng = np.random.default_rng(seed)
        scores, prices = rng.integers(0, 9, 8) / 8, rng.integers(0, 4, (8, 3)).astype(float)
        found = never_falling(scores, prices)
        most = 0.0  # any such scores change one of a pair that falls by at least half of the fall
        for i in range(8):
            above = [j for j in range(8) if (prices[j] >= prices[i]).all()]
            below = [j for j in range(8) if (prices[j] <= prices[i]).all()]
            assert found[i] == (max(scores[below]) + min(scores[above])) / 2
            assert all(found[j] >= found[i] for j in above)
            most = max(most, (scores[i] - min(scores[above])) / 2)
        assert max(abs(found - scores)) == pytest.approx(most)


def test_areas_of_many_sets_are_those_of_each():
    for seed in range(tries(200, 30)):
        rng = np.random.default_rng(seed)
        n_classes = int(rng.integers(2, 5))
        share = rng.dirichlet(np.ones(n_classes), 6).round(1)
        rows = rng.integers(0, 2, (6, n_classes, 7))
        part = shares_of_classes(rows.sum(axis=0))
        found = macro_aucs(share, rows.astype(float), part)
        for s in range(7):
            expected = macro_auc(share, rows[:, :, s].astype(float))
            if np.isnan(expected):
                assert part[:, s].sum() == found[s] == 0
            elif n_classes > 2 or np.allclose(share.sum(axis=1), 1):
                assert found[s] == pytest.approx(expected)


def test_over_small_sets_every_class_counts_alike():
    rows = np.array([[3, 2, 4, 1], [1, 1, 1, 1], [0, 1, 0, 0]])  # classes x sets
    part = parts_of_classes(rows, rows.sum(axis=1, keepdims=True))
    assert part.sum(axis=1) == pytest.approx([1 / 3] * 3)
    assert (part[2] > 0).tolist() == [False, True, False, False]


def test_a_tree_without_rivals_keeps_its_measured_score():
    X, y, words = table(0)
    found = frontier(X, y, **words)
    assert found[0].compared == 1
    assert found[0].accuracy <= found[0].measured["accuracy"]
    assert all(one.compared > 1 for one in found[1:])


def test_two_rows_to_measure_on_are_enough_and_one_is_not():
    X, y, words = table(0)
    words.pop("sample_weight")
    some = frontier(X[:8], y[:8], **{**words, "validation_fraction": 0.25})
    assert "accuracy" in some.corrected
    one = frontier(X[:8], y[:8], **{**words, "validation_fraction": 0.125})
    assert one.corrected == ()
    assert "not corrected" in str(one)


def test_rows_of_one_class_leave_the_area_uncorrected():
    X = np.arange(30.0).reshape(-1, 1)
    y = (X[:, 0] > 0).astype(int)  # the one row of class 0 grows the trees
    found = frontier(X, y, methods=["cart"], min_masses=[0.0], validation_fraction=0.1, random_state=0)
    assert found.corrected == ("accuracy",)
    assert all(point.auc == point.measured["auc"] for point in found)


def test_where_memory_does_not_suffice_scores_are_as_measured(monkeypatch):
    X, y, words = table(0, cv=2)
    whole = frontier(X, y, **words)
    monkeypatch.setattr(trials, "KEPT_BYTES", 0)
    without_trees = frontier(X, y, **words)
    assert without_trees.corrected == ("accuracy",)
    assert [p.accuracy for p in without_trees] == [p.accuracy for p in whole]
    assert [p.auc for p in without_trees] == [p.measured["auc"] for p in without_trees]
    monkeypatch.setattr(trials, "SHARE", 1e-6)
    none = frontier(X, y, memory_limit_mb=1000, **words)
    assert none.corrected == ()
    assert [p.accuracy for p in none] == [p.measured["accuracy"] for p in none]


def test_where_time_does_not_suffice_scores_are_as_measured(monkeypatch):
    monkeypatch.setattr(search, "SHARE_TO_CHOOSE", 0.0)
    X, y, words = table(0)
    found = frontier(X, y, time_limit_s=1000, **words)
    assert (found.stopped_by, found.corrected) == (None, ())


def test_ctrl_c_while_scores_are_corrected_leaves_them_as_measured(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(search, "_pool", interrupted)
    X, y, words = table(0)
    with pytest.raises(KeyboardInterrupt) as caught:
        frontier(X, y, **words)
    assert caught.value.partial.corrected == ()
    assert caught.value.partial.best().measured["accuracy"] == caught.value.partial.best().accuracy


def test_a_pickle_of_a_time_before_the_correction_loads():
    X, y, words = table(0)
    point = frontier(X, y, **words)[-1]
    state = {name: value for name, value in vars(point).items() if name not in ("measured", "compared")}
    old = type(point).__new__(type(point))
    old.__setstate__(state)
    assert old.measured == {"accuracy": point.accuracy, "auc": point.auc}
    assert old.compared is None
    assert pickle.loads(pickle.dumps(Frontier((old,), "accuracy")))[0].row()["accuracy"] == point.accuracy
