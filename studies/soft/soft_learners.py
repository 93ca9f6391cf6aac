"""The learners of the study: soft, neural and hard trees, linear models, boosting, and a peer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from studies.which_tree.fitted import Encoded, Ours, StudyModel
from studies.which_tree.learners import CLASSIFIERS as HARD_CLASSIFIERS
from studies.which_tree.learners import REGRESSORS as HARD_REGRESSORS
from studies.which_tree.learners import TreeLearner

OBLIQUE, AXIS, LINEAR_LEAVES = "Soft, oblique", "Soft, axis", "Soft, linear leaves"
NEURAL = "Neural"
CART, PEER = "CART, depth 4", "neural-trees"
LINEAR, PRUNED = "Linear model", "CART, pruned"


class OurSoftTree(Ours):
    """One of this library's estimators of soft trees."""

    def leaves(self) -> int:
        """Of its tree."""
        return int(self.estimator.get_n_leaves())

    def questions(self, X: Any) -> float:
        """Gates of the tree: a row visits all."""
        return float(self.leaves() - 1)


def _ours(settings: Mapping[str, Any], seed: int) -> StudyModel:
    import thriftree

    parameters = dict(settings)
    learner = getattr(thriftree, parameters.pop("estimator"))
    if "random_state" in learner._get_param_names():
        parameters["random_state"] = seed
    made = learner(**parameters)
    return Ours(made) if hasattr(learner, "tree_") or "CART" in learner.__name__ else OurSoftTree(made)


def _ridge(settings: Mapping[str, Any], seed: int) -> StudyModel:
    from sklearn.linear_model import RidgeCV

    return Encoded(RidgeCV(**settings), None, impute=True, scale=True)


def _peer_classifier(settings: Mapping[str, Any], seed: int) -> StudyModel:
    """İrsoy and Alpaydın's soft tree of the package neural-trees."""
    from neural_trees import SoftDecisionTree

    return Encoded(
        _one_thread(SoftDecisionTree(random_state=seed, **settings)), _size, impute=True, scale=True
    )


def _peer_regressor(settings: Mapping[str, Any], seed: int) -> StudyModel:
    """The same for numbers."""
    from neural_trees import SoftDecisionTreeRegressor

    model = SoftDecisionTreeRegressor(random_state=seed, **settings)
    return Encoded(_one_thread(model), _size, impute=True, scale=True)


def _one_thread(model: Any) -> Any:
    import torch

    torch.set_num_threads(1)
    return model


def _size(model: Any, X: Any) -> tuple[int, float]:
    """Leaves and gates of a complete tree."""
    return 2**model.depth, float(2**model.depth - 1)


def _of_both(name: str, summary: str, estimator: str, *packages: str, **parameters: Any) -> list[TreeLearner]:
    """The classifier and the regressor of this library."""
    return [
        TreeLearner(
            name,
            summary,
            "ours",
            _ours,
            {"estimator": f"{estimator}{kind}", **parameters},
            ("thriftree", *packages),
        )
        for kind in ("Classifier", "Regressor")
    ]


_PAIRS = [
    _of_both(OBLIQUE, "SoftTree as it comes: gates weigh all columns", "SoftTree"),
    _of_both(AXIS, "the same with one column a gate", "SoftTree", gates="axis"),
    _of_both(LINEAR_LEAVES, "the same with linear leaves", "SoftTree", leaves="linear"),
    _of_both(NEURAL, "NeuralTree as it comes: 16 hidden units", "NeuralTree", "torch"),
    _of_both(CART, "CART as it comes, at most 16 leaves", "CART", max_depth=4),
]

CLASSIFIERS: Mapping[str, TreeLearner] = {
    **{pair[0].name: pair[0] for pair in _PAIRS},
    PRUNED: replace(HARD_CLASSIFIERS["CART"], name=PRUNED),
    "ThriftTree": HARD_CLASSIFIERS["ThriftTree"],
    LINEAR: replace(HARD_CLASSIFIERS["Logistic regression"], name=LINEAR),
    "LightGBM": HARD_CLASSIFIERS["LightGBM"],
    PEER: TreeLearner(
        PEER,
        "SoftDecisionTree of neural-trees as it comes, 32 leaves",
        "peer",
        _peer_classifier,
        {},
        ("neural-trees", "torch", "scikit-learn"),
    ),
}
REGRESSORS: Mapping[str, TreeLearner] = {
    **{pair[1].name: pair[1] for pair in _PAIRS},
    PRUNED: replace(HARD_REGRESSORS["CART"], name=PRUNED),
    "ThriftTree": HARD_REGRESSORS["ThriftTree"],
    LINEAR: TreeLearner(LINEAR, "scikit-learn's RidgeCV, scaled", "ceiling", _ridge, {}),
    "LightGBM": HARD_REGRESSORS["LightGBM"],
    PEER: TreeLearner(
        PEER,
        "SoftDecisionTreeRegressor of neural-trees as it comes",
        "peer",
        _peer_regressor,
        {},
        ("neural-trees", "torch", "scikit-learn"),
    ),
}
