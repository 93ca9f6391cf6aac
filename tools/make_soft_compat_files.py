"""Write the files of tests/compat/soft that are not there yet: soft trees, and their answers.

    python tools/make_soft_compat_files.py

A file that exists is never written again: it stands for the release that made it.
"""

import json
import sys
from pathlib import Path
from typing import Any

import pandas as pd  # type: ignore[import-untyped]

from thriftree import SoftTree

FILES = Path(__file__).resolve().parent.parent / "tests" / "compat" / "soft"
ROWS: dict[str, list[Any]] = {
    "age": [63.0, 41.5, None, 70.25, 18.0],
    "pain": ["mild", "none", "strong", None, "mild"],
    "place": ["ward", "home", "street", None, "home"],
}
COLUMNS = [
    {"name": "age", "kind": "number"},
    {"name": "pain", "kind": "ordered", "categories": ["none", "mild", "strong"]},
    {"name": "place", "kind": "category", "categories": ["home", "ward"]},
]
DESIGN = [
    {"missing": True, "centre": 50.5, "scale": 0.0625},
    {"missing": False, "centre": 1.0, "scale": 1.25},
    {"missing": True},
]
PRICES = {
    "prices": [{"feature": "age", "price": 1.0}, {"feature": "pain", "price": 2.5}],
    "groups": [],
    "known": ["place"],
    "pay": "once",
}


def of_classes() -> dict[str, Any]:
    """Oblique and axis gates, three classes of different types, no prices."""
    gates = [
        {"left": 1, "right": -3, "first": 0, "weights": [0.75, -0.5, 1.5, 2.0, -1.0, 0.25], "offset": 0.125},
        {"left": -1, "right": -2, "first": 2, "weights": [-2.25], "offset": -0.5},
    ]
    return _document(
        classes=["no", 3, True],
        target=None,
        prices=None,
        sharpness=1.5,
        gates=gates,
        leaves=[[2.0, -1.0, 0.0], [0.5, 0.5, -0.25], [-3.0, 1.0, 1.0]],
        leaf_weights=None,
    )


def of_numbers() -> dict[str, Any]:
    """Linear leaves that hold numbers, prices, and a gate that is a step."""
    gate = {"left": -1, "right": -2, "first": 0, "weights": [-1.0, 0.5], "offset": 0.25}
    weights = [[[0.5, 0.0, -0.75, 0.125, 0.25, 0.0]], [[0.0, 0.0, 0.0625, 1.0, -1.0, 0.5]]]
    return _document(
        classes=None,
        target={"centre": 12.5, "deviation": 3.25},
        prices=PRICES,
        sharpness=None,
        gates=[gate],
        leaves=[[1.5], [-0.375]],
        leaf_weights=weights,
    )


def _document(**parts: Any) -> dict[str, Any]:
    return {
        "format": "thriftree-soft-tree",
        "version": 1,
        "columns": COLUMNS,
        "design": DESIGN,
        **parts,
    }


def table() -> Any:
    """The rows that answers are for."""
    return pd.DataFrame(ROWS)


def main() -> int:
    """Write what is missing, and say of each file whether it was written or kept."""
    for name, make in {"classes_v1": of_classes, "linear_numbers_v1": of_numbers}.items():
        file = FILES / f"{name}.json"
        if file.exists():
            print(f"{file.name}: kept")
            continue
        tree = SoftTree.from_dict(make())
        methods = ["predict", "path_probabilities", "predict_cost"]
        methods += [] if tree.classes is None else ["predict_proba"]
        answers = {method: getattr(tree, method)(table()).tolist() for method in methods}
        file.with_suffix(".answers").write_text(json.dumps(answers, indent=1) + "\n", encoding="ascii")
        tree.save(file)
        print(f"{file.name}: written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
