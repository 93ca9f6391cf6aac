"""The learners of the study of self-tuning trees, each ready to fit on one thread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from thriftree import (
    C45Classifier,
    CARTClassifier,
    CHAIDClassifier,
    MSIClassifier,
    PUBLICClassifier,
    QUESTClassifier,
)
from thriftree.table.frame import Numbers
from thriftree.table.frames import read_frame

OURS = "MSI"
PAPER_CART = "sklearn"
TUNED_CART = "sklearn tuned"
PRUNED_CART = "CART pruned"

# Candidates for the rows of a leaf; 26 is what the paper found for its blobs.
LEAF_ROWS = (1, 2, 3, 5, 8, 12, 18, 26, 40, 60, 100)


@dataclass(frozen=True)
class SelfTuningMethod:
    """A learner as a table names it. `make(seed)` is unfitted."""

    name: str
    summary: str  # what it is, in one line
    make: Callable[[int], Any]


class ScikitTree:
    """scikit-learn's CART; a column of names becomes one of zeros and ones for each name.

    `tuned`: the least rows of a leaf are the ones of `LEAF_ROWS` that are right most often in five folds, as
    the paper tunes it; otherwise a node of fewer than five rows is not divided, as in its Figure 1.
    """

    def __init__(self, seed: int, *, tuned: bool) -> None:
        self._seed = seed
        self._tuned = tuned

    def fit(self, X: Any, y: NDArray[Any]) -> ScikitTree:
        """Learn, with what tuning takes."""
        frame = read_frame(X)
        names = [name for j, name in enumerate(frame.names) if not isinstance(frame.column(j), Numbers)]
        columns = ColumnTransformer(
            [("names", OneHotEncoder(handle_unknown="ignore", sparse_output=False), names)],
            remainder="passthrough",
        )
        tree = DecisionTreeClassifier(random_state=self._seed)
        if self._tuned:
            # Folds by chance, not by class: some classes have fewer rows than there are folds.
            folds = KFold(5, shuffle=True, random_state=self._seed)
            learner: Any = GridSearchCV(tree, {"min_samples_leaf": LEAF_ROWS}, cv=folds)
        else:
            learner = tree.set_params(min_samples_split=5)
        self._pipeline = make_pipeline(columns, learner).fit(X, y)
        fitted = self._pipeline[-1]
        self.tree = fitted.best_estimator_ if self._tuned else fitted
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row."""
        labels: NDArray[Any] = self._pipeline.predict(X)
        return labels


def nodes_and_depth(model: Any) -> tuple[int, int]:
    """Of a fitted learner: all nodes, leaves included, and the tests on the longest path."""
    if isinstance(model, ScikitTree):
        return int(model.tree.tree_.node_count), int(model.tree.get_depth())
    return int(model.tree_.n_nodes), int(model.tree_.depth)


# Ten folds and one standard error are what rpart's manual recommends. The folds of QUEST are its own default.
_ALL = (
    SelfTuningMethod(
        OURS, "minimum surfeit and inaccuracy, short_models='reject'", lambda _: MSIClassifier()
    ),
    SelfTuningMethod(
        PAPER_CART,
        "scikit-learn's CART; nodes of fewer than 5 rows are not divided, as in the paper's Figure 1",
        lambda seed: ScikitTree(seed, tuned=False),
    ),
    SelfTuningMethod(
        TUNED_CART,
        "scikit-learn's CART; rows of a leaf by 5-fold cross-validation, as the paper tunes it",
        lambda seed: ScikitTree(seed, tuned=True),
    ),
    SelfTuningMethod("CART", "ours, grown until leaves are pure", lambda _: CARTClassifier()),
    SelfTuningMethod(
        PRUNED_CART,
        "ours, pruned as rpart does: cost-complexity, 10 folds, one standard error",
        lambda seed: CARTClassifier(pruning="cost_complexity", alpha="cv_1se", cv=10, random_state=seed),
    ),
    SelfTuningMethod("C4.5", "gain ratio, error-based pruning", lambda _: C45Classifier()),
    SelfTuningMethod(
        "CHAID", "chi-squared tests, several branches; numbers in ten bins", lambda _: CHAIDClassifier()
    ),
    SelfTuningMethod(
        "PUBLIC", "fewest bits for tree and classes, pruned while it is built", lambda _: PUBLICClassifier()
    ),
    SelfTuningMethod(
        "QUEST",
        "columns by tests of significance, pruned by 10 folds, one standard error",
        lambda seed: QUESTClassifier(random_state=seed),
    ),
)

METHODS: Mapping[str, SelfTuningMethod] = {method.name: method for method in _ALL}

# For --short-models. MSI itself is the treatment that is its default.
_OTHER_TREATMENTS = (
    SelfTuningMethod(
        "MSI clip",
        "MSI whose surfeit is never below its inaccuracy",
        lambda _: MSIClassifier(short_models="clip"),
    ),
    SelfTuningMethod(
        "MSI literal",
        "MSI by the formula alone, whose surfeit may be negative",
        lambda _: MSIClassifier(short_models="literal"),
    ),
)
TREATMENTS: Mapping[str, SelfTuningMethod] = {OURS: METHODS[OURS]} | {m.name: m for m in _OTHER_TREATMENTS}
EVERY_METHOD: Mapping[str, SelfTuningMethod] = {**METHODS, **TREATMENTS}
