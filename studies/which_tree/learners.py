"""The learners of the study, each as a table names it, ready to fit on one thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from studies.which_tree import peers
from studies.which_tree.fitted import Ours, StudyModel
from thriftree.registry import METHODS, estimator_class

OURS = "ThriftTree"
TUNED = "scikit-learn tuned"
OPTIMAL_S = 20.0  # that the search for an optimal tree may take, of each fit

Group = Literal["ours", "peer", "ceiling"]


@dataclass(frozen=True)
class TreeLearner:
    """A learner. `make(settings, seed)` is unfitted; `settings` are all that a result depends on."""

    name: str
    summary: str  # what it is, in one line
    group: Group  # ceilings are no single trees: what one gives up for a tree
    make: Callable[[Mapping[str, Any], int], StudyModel]
    settings: Mapping[str, Any] = field(default_factory=dict)
    packages: tuple[str, ...] = ("scikit-learn",)


def _of_registry(
    method: str, kind: Literal["classes", "numbers"], name: str, **parameters: Any
) -> TreeLearner:
    """One of this library's, as `thriftree.compare` makes it, with some parameters of its own."""
    entry = METHODS[method]
    estimator = entry.classifier if kind == "classes" else entry.regressor
    assert estimator is not None, f"{method} has no learner of {kind}"
    return TreeLearner(
        name,
        "; ".join([entry.summary, *(f"{parameter}={value!r}" for parameter, value in parameters.items())]),
        "ours",
        _make_ours,
        {"estimator": estimator, **entry.parameters, **parameters},
        ("thriftree",),
    )


def _make_ours(settings: Mapping[str, Any], seed: int) -> StudyModel:
    parameters = dict(settings)
    learner = estimator_class(parameters.pop("estimator"))
    if "random_state" in learner._get_param_names():
        parameters["random_state"] = seed
    return Ours(learner(**parameters))


_OUR_CLASSIFIERS = (
    _of_registry("thrift", "classes", OURS),
    _of_registry("cart", "classes", "CART"),
    _of_registry("cart", "classes", "CART, entropy", impurity="entropy"),
    _of_registry("c45", "classes", "C4.5"),
    _of_registry("id3", "classes", "ID3"),
    _of_registry("enhanced", "classes", "Enhanced"),
    _of_registry("optimal", "classes", "Optimal, depth 4", max_depth=4, time_limit_s=OPTIMAL_S),
    _of_registry("worst-case", "classes", "Worst case"),
    _of_registry("chaid", "classes", "CHAID"),
    _of_registry("quest", "classes", "QUEST"),
    _of_registry("public", "classes", "PUBLIC"),
    _of_registry("msi", "classes", "MSI"),
    _of_registry("impure-pairs", "classes", "Impure pairs"),
    _of_registry("balanced", "classes", "Balanced"),
)

_PEER_CLASSIFIERS = (
    TreeLearner("scikit-learn", "DecisionTreeClassifier as it comes", "peer", peers.scikit_classifier),
    TreeLearner(
        TUNED,
        "the same, ccp_alpha and min_samples_leaf by 5-fold GridSearchCV",
        "peer",
        peers.tuned_classifier,
        peers.GRID,
    ),
    TreeLearner("C5.0", "c50py's C5Classifier as it comes", "peer", peers.c50, packages=("c50py",)),
    TreeLearner(
        "HSTree",
        "imodels: 20 leaves, shrunk along the path, λ = 1",
        "peer",
        peers.shrunk,
        packages=("imodels", "scikit-learn"),
    ),
    TreeLearner(
        "HSTreeCV",
        "imodels: the same, λ by 3 folds",
        "peer",
        peers.shrunk_cv,
        packages=("imodels", "scikit-learn"),
    ),
    TreeLearner(
        "FIGS",
        "imodels: a sum of trees with 12 tests",
        "peer",
        peers.figs,
        packages=("imodels", "scikit-learn"),
    ),
    TreeLearner(
        "LightGBM, one tree",
        "one round, learning rate 1; several classes are a tree each",
        "peer",
        peers.lightgbm_classifier,
        {"n_estimators": 1, "learning_rate": 1.0},
        ("lightgbm",),
    ),
)

_CEILINGS = (
    TreeLearner(
        "LightGBM",
        "100 rounds as they come",
        "ceiling",
        peers.lightgbm_classifier,
        {"n_estimators": 100},
        ("lightgbm",),
    ),
    TreeLearner(
        "Logistic regression", "scikit-learn's, scaled", "ceiling", peers.logistic, {"max_iter": 1000}
    ),
)

_REGRESSORS = (
    _of_registry("thrift", "numbers", OURS),
    _of_registry("cart", "numbers", "CART"),
    _of_registry("enhanced", "numbers", "Enhanced"),
    _of_registry("optimal", "numbers", "Optimal, depth 4", max_depth=4, time_limit_s=OPTIMAL_S),
    TreeLearner("scikit-learn", "DecisionTreeRegressor as it comes", "peer", peers.scikit_regressor),
    TreeLearner(
        TUNED,
        "the same, ccp_alpha (in variances of the target) and min_samples_leaf by 5-fold GridSearchCV",
        "peer",
        peers.tuned_regressor,
        peers.GRID,
    ),
    TreeLearner(
        "LightGBM, one tree",
        "one round, learning rate 1",
        "peer",
        peers.lightgbm_regressor,
        {"n_estimators": 1, "learning_rate": 1.0},
        ("lightgbm",),
    ),
    TreeLearner(
        "LightGBM",
        "100 rounds as they come",
        "ceiling",
        peers.lightgbm_regressor,
        {"n_estimators": 100},
        ("lightgbm",),
    ),
)

CLASSIFIERS: Mapping[str, TreeLearner] = {
    one.name: one for one in (*_OUR_CLASSIFIERS, *_PEER_CLASSIFIERS, *_CEILINGS)
}
REGRESSORS: Mapping[str, TreeLearner] = {one.name: one for one in _REGRESSORS}
