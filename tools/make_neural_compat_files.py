"""Write the files of tests/compat/neural that are not there yet: neural trees, and their answers.

    python tools/make_neural_compat_files.py

A file that exists is never written again: it stands for the release that made it. The networks are put
together here, so that no torch is needed.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from make_soft_compat_files import COLUMNS, DESIGN, table

from thriftree import NeuralTreeClassifier, NeuralTreeRegressor, SoftTree
from thriftree.document.write import column_of
from thriftree.methods.neural.backbones import HiddenLayer, design_of_units
from thriftree.methods.neural.network_document import network_of
from thriftree.methods.soft.soft_document import described_design

FILES = Path(__file__).resolve().parent.parent / "tests" / "compat" / "neural"
GATES = [
    {"left": 1, "right": -3, "first": 0, "weights": [0.75, -0.5], "offset": 0.125},
    {"left": -1, "right": -2, "first": 0, "weights": [-2.25, 1.5], "offset": -0.5},
]
NETWORK = {
    "columns": COLUMNS,
    "design": DESIGN,
    "weights": [[0.5, -0.25, 1.0, 0.125, -1.5, 0.75], [-1.0, 0.5, 0.25, 2.0, 0.0, -0.375]],
    "offsets": [0.25, -0.0625],
}


def classifier(hidden: bool = True) -> Any:
    """Three classes of one type."""
    model = NeuralTreeClassifier(hidden=2 if hidden else 0, max_depth=2)
    model.classes_ = np.array(["high", "low", "middle"])
    model.n_classes_ = 3
    leaves = [[2.0, -1.0, 0.0], [0.5, 0.5, -0.25], [-3.0, 1.0, 1.0]]
    return _fitted(model, hidden, classes=model.classes_.tolist(), target=None, leaves=leaves)


def regressor() -> Any:
    """Numbers."""
    target = {"centre": 12.5, "deviation": 3.25}
    return _fitted(
        NeuralTreeRegressor(hidden=2), True, classes=None, target=target, leaves=[[1.5], [-0.5], [0.0]]
    )


def _fitted(model: Any, hidden: bool, **parts: Any) -> Any:
    """The attributes that `fit` sets."""
    design, layer = network_of(NETWORK)
    assert isinstance(layer, HiddenLayer)
    of_tree = design_of_units(len(layer.offsets)) if hidden else design
    model.soft_tree_ = SoftTree.from_dict(
        {
            "format": "thriftree-soft-tree",
            "version": 1,
            "columns": [column_of(column) for column in of_tree.columns],
            "design": described_design(of_tree),
            "prices": None,
            "sharpness": 1.5,
            "gates": GATES,
            "leaf_weights": None,
            **parts,
        }
    )
    model.backbone_ = layer if hidden else None
    model.design_ = design if hidden else model.soft_tree_.design
    model.n_features_in_ = len(design.columns)
    model.feature_names_in_ = np.array([column.name for column in design.columns], dtype=object)
    model.loss_curve_, model.validation_loss_curve_ = np.array([1.5, 0.75]), np.array([1.25, 1.0])
    model.best_epoch_, model.n_iter_ = 2, 2
    model.stopped_early_, model.stopped_by_ = False, None
    return model


MODELS: dict[str, Callable[[], Any]] = {
    "classifier_v1": classifier,
    "regressor_v1": regressor,
    "no_network_v1": partial(classifier, False),
}


def answers_of(model: Any) -> dict[str, Any]:
    """What it says of the table."""
    methods = ["predict", "path_probabilities", *(["predict_proba"] if hasattr(model, "classes_") else [])]
    return {method: getattr(model, method)(table()).tolist() for method in methods}


def main() -> int:
    """Write what is missing, and say of each file whether it was written or kept."""
    FILES.mkdir(exist_ok=True)
    for name, make in MODELS.items():
        file = FILES / f"{name}.json"
        if file.exists():
            print(f"{file.name}: kept")
            continue
        model = make()
        text = json.dumps(answers_of(model), indent=1) + "\n"
        file.with_suffix(".answers").write_text(text, encoding="ascii")
        model.save(file)
        print(f"{file.name}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
