"""A scikit-learn tree as C code by treelite and tl2cgen, compiled by gcc: both are optional peers."""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from benchmarks.data import Array


def is_installed() -> bool:
    return find_spec("treelite") is not None and find_spec("tl2cgen") is not None


def compiled_predictor(model: DecisionTreeClassifier, X: Array) -> Callable[[], Array]:
    """A call that gives the class shares of the rows of X, which lie ready in the library's own matrix."""
    import tl2cgen
    import treelite

    forest = RandomForestClassifier(n_estimators=1)  # treelite takes no single tree
    forest.estimators_, forest.classes_, forest.n_classes_ = [model], model.classes_, model.n_classes_
    forest.n_outputs_, forest.n_features_in_ = 1, model.n_features_in_
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # source files may be long
        library = Path(folder) / "tree.so"
        tl2cgen.export_lib(treelite.sklearn.import_model(forest), toolchain="gcc", libpath=library)
        predictor = tl2cgen.Predictor(library, nthread=1)
    matrix = tl2cgen.DMatrix(X, dtype="float32")
    return lambda: np.asarray(predictor.predict(matrix, pred_margin=True)).reshape(len(X), -1)
