"""What an edit changed: the two trees measured on the same rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from thriftree.scores import r_squared

if TYPE_CHECKING:
    from thriftree.tree import Tree

_METRICS = {"accuracy": "accuracy", "r2": "R²"}


@dataclass(frozen=True)
class Measures:
    """A tree on some rows.

    `score` is the share of the weight that gets its right class (`metric` "accuracy") or the share of the
    target's variance that is explained ("r2"; NaN where the target does not vary). `expected_cost` is the
    mean price of a row's tests, `worst_case_cost` the largest of any path.
    """

    metric: str
    score: float
    expected_cost: float
    worst_case_cost: float
    n_leaves: int
    depth: int


@dataclass(frozen=True)
class Edit:
    """An edit of a tree, and its measured change in accuracy and price.

    Printing it gives a small table, `summary` one line.

    Attributes
    ----------
    action : what was done, such as "collapse node 5".
    tree : the new tree.
    before, after : `Measures` of the two trees on the same rows.
    n_rows : how many rows measured them.
    changed_rows : how many of these get another answer.
    estimator : a copy of the estimator with the new tree; None if a tree was edited and not an estimator.

    Examples
    --------
    >>> from thriftree import CARTClassifier
    >>> X, y = [[0], [1], [2]], ["no", "yes", "yes"]
    >>> edit = CARTClassifier().fit(X, y).collapse(0, X, y)
    >>> print(edit.summary)
    collapse node 0: accuracy 100.0 % → 66.7 % (−33.3), expected price 1.00 → 0.00 (−1.00), leaves 2 → 1
    """

    action: str
    tree: Tree
    before: Measures
    after: Measures
    n_rows: int
    changed_rows: int
    estimator: Any = None

    @property
    def summary(self) -> str:
        """The change in one line."""
        old, new = self.before, self.after
        score = f"{_METRICS[old.metric]} {_score(old)} → {_score(new)} ({_score_change(old, new)})"
        price = f"expected price {old.expected_cost:.2f} → {new.expected_cost:.2f}"
        change = _signed(new.expected_cost - old.expected_cost, ".2f")
        return f"{self.action}: {score}, {price} ({change}), leaves {old.n_leaves} → {new.n_leaves}"

    def __str__(self) -> str:
        old, new = self.before, self.after
        lines = [
            ("", "before", "after", "change"),
            (_METRICS[old.metric], _score(old), _score(new), _score_change(old, new)),
        ]
        for name, word in (("expected price", "expected_cost"), ("worst-case price", "worst_case_cost")):
            lines.append((name, *_figures(getattr(old, word), getattr(new, word), ".2f")))
        for name, word in (("leaves", "n_leaves"), ("depth", "depth")):
            lines.append((name, *_figures(getattr(old, word), getattr(new, word), "d")))
        widths = [max(len(line[i]) for line in lines) for i in range(4)]
        rows = f"{self.n_rows} row{'' if self.n_rows == 1 else 's'}"
        title = f"{self.action}: {self.changed_rows} of {rows} get another answer"
        table = [
            "  ".join([line[0].ljust(widths[0]), *(line[i].rjust(widths[i]) for i in (1, 2, 3))])
            for line in lines
        ]
        return "\n".join([title, *table])


def compared(
    action: str, before: Tree, after: Tree, X: Any, y: Any, sample_weight: Any, estimator: Any = None
) -> Edit:
    """The edit that made `after` of `before`, measured on these rows."""
    truth = np.asarray(y)
    if truth.ndim != 1:
        raise ValueError(f"y has shape {truth.shape}: give one target a row, in one dimension")
    weight = _weights(sample_weight, len(truth))
    if (before.classes is None) != (after.classes is None):
        raise ValueError("one of the trees predicts classes, the other numbers: compare trees of one target")
    old, new = before.predict(X), after.predict(X)
    if len(old) != len(truth):
        raise ValueError(f"X has {len(old)} rows and y {len(truth)}: give a target for each row")
    if before.classes is not None and not {*before.classes} & {*truth.tolist()}:
        raise ValueError(
            f"y holds no class of the tree, which has {list(before.classes)[:10]}: give the labels as in fit"
        )
    return Edit(
        action=action,
        tree=after,
        before=_measured(before, X, truth, weight, old),
        after=_measured(after, X, truth, weight, new),
        n_rows=len(truth),
        changed_rows=int(np.count_nonzero(old != new if before.classes else _differ(old, new))),
        estimator=estimator,
    )


def _differ(old: NDArray[Any], new: NDArray[Any]) -> NDArray[np.bool_]:
    """Which numbers differ by more than the rounding of a mean."""
    alike = np.isclose(old, new, rtol=1e-9, atol=1e-12 * float(np.abs(old).max(initial=0.0)))
    return np.asarray(~alike, dtype=np.bool_)


def _measured(
    tree: Tree, X: Any, y: NDArray[Any], weight: NDArray[np.float64], answers: NDArray[Any]
) -> Measures:
    if tree.classes is None:
        metric, score = "r2", r_squared(np.asarray(y, dtype=np.float64), answers, weight)
    else:
        metric, score = "accuracy", float(np.average(answers == y, weights=weight))
    return Measures(
        metric, score, tree.expected_cost(X, weight), tree.worst_case_cost(), tree.n_leaves, tree.depth
    )


def _weights(sample_weight: Any, n_rows: int) -> NDArray[np.float64]:
    if sample_weight is None:
        return np.ones(n_rows)
    weight = np.asarray(sample_weight, dtype=np.float64)
    good = weight.shape == (n_rows,) and np.isfinite(weight).all() and (weight >= 0).all() and weight.any()
    if not good:
        raise ValueError(
            f"sample_weight must hold {n_rows} finite numbers, one a row, none negative and not all 0"
        )
    return weight


def _score(one: Measures) -> str:
    return f"{100 * one.score:.1f} %" if one.metric == "accuracy" else f"{one.score:.3f}"


def _score_change(old: Measures, new: Measures) -> str:
    if old.metric == "accuracy":
        return _signed(100 * (new.score - old.score), ".1f")
    return _signed(new.score - old.score, ".3f")


def _figures(old: float, new: float, form: str) -> tuple[str, str, str]:
    return f"{old:{form}}", f"{new:{form}}", _signed(new - old, form)


def _signed(change: float, form: str) -> str:
    """With a sign, a real minus; what rounds to 0 has neither."""
    text = f"{abs(change):{form}}"
    if not any(digit in text for digit in "123456789"):
        return text
    return ("+" if change > 0 else "−") + text
