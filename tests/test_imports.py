"""What using the package loads: nothing that a table of numbers does not need."""

import json
import subprocess
import sys

import pytest

#: Packages that only some functions need.
OPTIONAL = {
    *("pandas", "polars", "pyarrow", "narwhals", "matplotlib", "typer", "click", "rich", "jinja2", "onnx"),
    *(
        "onnxruntime",
        "openpyxl",
        "duckdb",
        "lightgbm",
        "xgboost",
        "IPython",
        "dask",
        "distributed",
        "pyspark",
    ),
}
#: Our own parts that nobody has asked for.
UNASKED = ("cli", "plot", "report", "certificates", "search", "tuning", "testing", "datasets")

PROGRAM = """
import json, os, sys, tempfile
import sklearn.tree
stages = [sorted(sys.modules)]
import thriftree
stages.append(sorted(sys.modules))
import numpy as np
from thriftree import CARTClassifier
X, y = np.random.default_rng(0).random((50, 3)), np.arange(50) % 2
model = CARTClassifier(max_depth=2, costs=[1, 2, 3]).fit(X, y)
model.predict_proba(X), model.predict_cost(X), model.tree_.decision_path(X)
stages.append(sorted(sys.modules))
with tempfile.TemporaryDirectory() as folder:
    model.save(os.path.join(folder, "model.json"))
    thriftree.load(os.path.join(folder, "model.json"))
stages.append(sorted(sys.modules))
print(json.dumps(stages))
"""


@pytest.fixture(scope="module")
def stages():
    """The modules loaded after scikit-learn's trees, the package, a fit and predictions, a file."""
    child = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    return dict(zip(("sklearn", "package", "fit", "file"), map(set, json.loads(child.stdout)), strict=True))


@pytest.mark.parametrize("stage", ["package", "fit", "file"])
def test_no_package_is_loaded_that_scikit_learn_does_not_load(stages, stage):
    loaded = {name.partition(".")[0] for name in stages[stage] - stages["sklearn"]}
    assert loaded & OPTIONAL == set()


@pytest.mark.parametrize("stage", ["package", "fit", "file"])
def test_no_part_of_ours_is_loaded_that_nobody_asked_for(stages, stage):
    unasked = {
        name for name in stages[stage] if name.startswith(tuple(f"thriftree.{part}" for part in UNASKED))
    }
    assert unasked == set()


def test_the_package_alone_loads_only_itself(stages):
    assert stages["package"] - stages["sklearn"] == {"thriftree", "thriftree.registry"}


def test_all_stages_load_something(stages):
    assert "thriftree._core" in stages["fit"]
    assert "thriftree.model_files.read" in stages["file"] - stages["fit"]
