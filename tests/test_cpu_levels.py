"""The same trees by the instructions of every CPU, chosen by an environment variable."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from thriftree import _core

PROGRAM = """
import hashlib, json
import numpy as np
from thriftree import CARTClassifier, CARTRegressor, EnhancedTreeClassifier, OptimalTreeClassifier, _core
from thriftree import SoftTreeClassifier, SoftTreeRegressor
random = np.random.default_rng(0)
X = random.normal(size=(9000, 6))
X[random.random(X.shape) < 0.05] = np.nan
X[:, 5] = random.integers(0, 2, 9000)
score = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) * X[:, 5] + random.normal(size=9000)
y = np.digitize(score, [-1, 0, 1])
weight = random.random(9000) + 0.1
found = [
    model.fit(X, score if isinstance(model, CARTRegressor) else y, sample_weight=w).tree_.to_dict()
    for model in (CARTClassifier(min_leaf=3), CARTClassifier(impurity="entropy", min_leaf=20, max_bins=64),
                  CARTRegressor(min_leaf=5), EnhancedTreeClassifier(min_leaf=30))
    for w in (None, weight)
]
binary = (X[:600] > 0).astype(float)
found.append(OptimalTreeClassifier(max_depth=3, leaf_penalty=0.01).fit(binary, y[:600] > 1).tree_.to_dict())
for soft in (SoftTreeClassifier(max_iter=20), SoftTreeClassifier(leaves="linear", max_iter=5),
             SoftTreeRegressor(gates="axis", max_iter=20)):
    target = score if isinstance(soft, SoftTreeRegressor) else y
    found.append(soft.fit(X[:1100], target[:1100], sample_weight=weight[:1100]).soft_tree_.to_dict())
print(json.dumps([_core.cpu_level, hashlib.sha256(json.dumps(found, sort_keys=True).encode()).hexdigest()]))
"""


def run(level: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=os.environ | {"THRIFTREE_CPU": level},
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parents[1],
    )


def test_trees_are_the_same_by_the_instructions_of_every_cpu():
    levels = ("plain", "avx2", "avx512")
    most = levels.index(_core.cpu_level)
    found = {}
    for level in levels:
        child = run(level)
        assert child.returncode == 0, child.stderr
        used, digest = json.loads(child.stdout)
        assert levels.index(used) <= levels.index(level)
        found[used] = digest
    assert len(found) >= most + 1
    assert len(set(found.values())) == 1


@pytest.mark.parametrize("name", ["", "AVX2"])
def test_a_name_of_instructions_that_nobody_knows_is_refused(name):
    child = run(name)
    assert child.returncode != 0
    assert f"THRIFTREE_CPU is '{name}': let it be plain, avx2 or avx512" in child.stderr
