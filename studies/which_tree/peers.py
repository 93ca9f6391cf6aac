"""Learners of other libraries, made for this study. A library that is not installed is missed when its
learner is made, not before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from studies.lightgbm_tree import ONE_THREAD, NumberedColumns, import_lightgbm
from studies.which_tree import sizes
from studies.which_tree.fitted import Encoded, Floats, StudyModel

GRID: Mapping[str, Any] = {
    "ccp_alpha": [0.0, 0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03],
    "min_samples_leaf": [1, 5, 20],
    "cv": 5,
}

Settings = Mapping[str, Any]


def scikit_classifier(settings: Settings, seed: int) -> StudyModel:
    """scikit-learn's tree with these parameters."""
    from sklearn.tree import DecisionTreeClassifier

    return Encoded(DecisionTreeClassifier(random_state=seed, **settings), sizes.of_scikit)


def scikit_regressor(settings: Settings, seed: int) -> StudyModel:
    """The same for numbers."""
    from sklearn.tree import DecisionTreeRegressor

    return Encoded(DecisionTreeRegressor(random_state=seed, **settings), sizes.of_scikit)


def tuned_classifier(settings: Settings, seed: int) -> StudyModel:
    """scikit-learn's tree, tuned over the grid of `settings`."""
    from sklearn.model_selection import GridSearchCV, KFold
    from sklearn.tree import DecisionTreeClassifier

    grid = {name: values for name, values in settings.items() if name != "cv"}
    # Folds by chance, not by class: some classes have fewer rows than there are folds.
    folds = KFold(settings["cv"], shuffle=True, random_state=seed)
    return Encoded(GridSearchCV(DecisionTreeClassifier(random_state=seed), grid, cv=folds), sizes.of_scikit)


def tuned_regressor(settings: Settings, seed: int) -> StudyModel:
    """The same for numbers."""
    return Encoded(_TunedRegressor(settings, seed), sizes.of_scikit)


class _TunedRegressor:
    """scikit-learn's tree, tuned; the alphas of the grid are in variances of the target."""

    def __init__(self, settings: Settings, seed: int) -> None:
        self._settings = settings
        self._seed = seed

    def fit(self, X: Floats, y: NDArray[Any]) -> Any:
        from sklearn.model_selection import GridSearchCV, KFold
        from sklearn.tree import DecisionTreeRegressor

        grid = {
            "ccp_alpha": [alpha * float(np.var(y)) for alpha in self._settings["ccp_alpha"]],
            "min_samples_leaf": self._settings["min_samples_leaf"],
        }
        folds = KFold(self._settings["cv"], shuffle=True, random_state=self._seed)
        return GridSearchCV(DecisionTreeRegressor(random_state=self._seed), grid, cv=folds).fit(X, y)


def shrunk(settings: Settings, seed: int) -> StudyModel:
    """Hierarchical shrinkage."""
    from imodels import HSTreeClassifier
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_leaf_nodes=20, random_state=seed)  # its own default, with a seed
    return Encoded(HSTreeClassifier(estimator_=tree, **settings), sizes.of_shrunk, impute=True, codes=True)


def shrunk_cv(settings: Settings, seed: int) -> StudyModel:
    """The same with λ by folds."""
    from imodels import HSTreeClassifierCV
    from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(max_leaf_nodes=20, random_state=seed)
    return Encoded(HSTreeClassifierCV(estimator_=tree, **settings), sizes.of_shrunk, impute=True, codes=True)


def figs(settings: Settings, seed: int) -> StudyModel:
    """Sums of trees."""
    from imodels import FIGSClassifier

    return Encoded(FIGSClassifier(random_state=seed, **settings), sizes.of_figs, impute=True, codes=True)


def logistic(settings: Settings, seed: int) -> StudyModel:
    """Logistic regression, which is no tree."""
    from sklearn.linear_model import LogisticRegression

    return Encoded(LogisticRegression(**settings), None, impute=True, scale=True)


def c50(settings: Settings, seed: int) -> StudyModel:
    """c50py takes frames as they are."""
    return _C50(settings)


class _C50:
    classes_: NDArray[Any]

    def __init__(self, settings: Settings) -> None:
        from c50py import C5Classifier

        self._estimator = C5Classifier(**settings)

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        self._estimator.fit(X, y)
        self.classes_ = np.asarray(self._estimator.classes_)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        return np.asarray(self._estimator.predict(X))

    def predict_proba(self, X: Any) -> Floats:
        return np.asarray(self._estimator.predict_proba(X), dtype=np.float64)

    def leaves(self) -> int:
        return sizes.of_c50(self._estimator, np.empty((0, self._estimator.n_features_), dtype=object))[0]

    def questions(self, X: Any) -> float:
        return sizes.of_c50(self._estimator, X.to_numpy(dtype=object))[1]


def lightgbm_classifier(settings: Settings, seed: int) -> StudyModel:
    """LightGBM; categories are its own."""
    return _LightGBM(settings, seed, classes=True)


def lightgbm_regressor(settings: Settings, seed: int) -> StudyModel:
    """The same for numbers."""
    return _LightGBM(settings, seed, classes=False)


class _LightGBM:
    classes_: NDArray[Any]

    def __init__(self, settings: Settings, seed: int, *, classes: bool) -> None:
        library = import_lightgbm()
        parameters = {"n_jobs": 1, "random_state": seed, "verbose": -1, "deterministic": True, **settings}
        parameters["force_col_wise"] = True  # else it measures which way is quicker, and may choose either
        self._classes = classes
        self._model = (library.LGBMClassifier if classes else library.LGBMRegressor)(**parameters)

    def fit(self, X: Any, y: NDArray[Any]) -> Self:
        self._columns = NumberedColumns(X)
        labels = y
        if self._classes:
            self.classes_, labels = np.unique(y, return_inverse=True)
        self._model.fit(
            self._columns.numbers(X), labels, categorical_feature=self._columns.categorical or "auto"
        )
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        if self._classes:
            return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
        return np.asarray(self._predicted(X))

    def predict_proba(self, X: Any) -> Floats:
        shares = self._predicted(X)
        return np.column_stack([1 - shares, shares]) if shares.ndim == 1 else shares

    def leaves(self) -> int:
        return sum(int(info["num_leaves"]) for info in self._trees())

    def questions(self, X: Any) -> float:
        leaf = self._model.booster_.predict(self._columns.numbers(X), pred_leaf=True, **ONE_THREAD)
        return sizes.of_lightgbm(self._trees(), np.asarray(leaf).reshape(len(X), -1))[1]

    def _predicted(self, X: Any) -> Floats:
        found = self._model.booster_.predict(self._columns.numbers(X), **ONE_THREAD)
        return np.asarray(found, dtype=np.float64)

    def _trees(self) -> list[dict[str, Any]]:
        return list(self._model.booster_.dump_model()["tree_info"])
