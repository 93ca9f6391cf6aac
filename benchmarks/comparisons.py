"""Our tree against one of another library: answers first, then the times."""

from __future__ import annotations

from benchmarks import answers, sklearn_trees
from benchmarks.clock import Timed, cpu_time
from benchmarks.data import Array, Data
from benchmarks.measurement import Measurement, faster
from benchmarks.settings import MIN_LEAF
from thriftree import CARTClassifier


def fit_ours(
    data: Data, *, impurity: str = "gini", max_bins: int | None = None, min_leaf: float = MIN_LEAF
) -> Timed[CARTClassifier]:
    """Our fit on one thread, encoding included."""
    model = CARTClassifier(impurity=impurity, min_leaf=min_leaf, max_bins=max_bins, n_jobs=1)
    return cpu_time(lambda: model.fit(data.X, data.y, sample_weight=data.sample_weight))


def same_tree(work: str, ours: Timed[CARTClassifier], data: Data, at_least: float) -> Measurement:
    """Against scikit-learn where both see every value: the two trees must be the same, up to ties."""
    impurity = ours.result.impurity
    theirs = sklearn_trees.classifier(data, impurity, MIN_LEAF)
    p_ours, p_theirs = ours.result.predict_proba(data.X), theirs.result.predict_proba(data.X)
    y, weight = data.y, data.sample_weight
    answers.check_same_leaves(ours.result.tree_.n_leaves, sklearn_trees.n_leaves(theirs.result))
    answers.check_same_fit("accuracy", *(answers.accuracy(p, y, weight) for p in (p_ours, p_theirs)))
    if impurity == "gini":
        answers.check_same_fit("gini", *(answers.gini(p, weight) for p in (p_ours, p_theirs)))
    else:
        answers.check_same_fit("entropy", *(answers.log_loss(p, y, weight) for p in (p_ours, p_theirs)))
    return faster(work, "scikit-learn", ours.seconds, theirs.seconds, at_least)


def binned_against_exact(work: str, ours: Timed[CARTClassifier], data: Data, at_least: float) -> Measurement:
    """Against scikit-learn, which sees every value: our tree on bins may lose at most 1 % of log-loss."""
    theirs = sklearn_trees.classifier(data, ours.result.impurity, MIN_LEAF)
    check_log_loss(ours.result, theirs.result.predict_proba(data.X), data)
    return faster(work, "scikit-learn", ours.seconds, theirs.seconds, at_least)


def check_log_loss(ours: CARTClassifier, their_probabilities: Array, data: Data) -> None:
    """Our training log-loss is at most 1 % worse than that of these probabilities."""
    answers.check_log_loss(
        answers.log_loss(ours.predict_proba(data.X), data.y), answers.log_loss(their_probabilities, data.y)
    )
