"""Print what a fit takes on the instructions that are used, and its tree.

Called as ``python -m benchmarks.cpu_probe KIND ROWS``, KIND a number of classes and an impurity ("7 gini"),
or "numbers". The environment variable THRIFTREE_CPU says which instructions.
"""

from __future__ import annotations

import hashlib
import json
import sys

from benchmarks.clock import cpu_time
from benchmarks.data import floats, numeric_target
from benchmarks.settings import MIN_LEAF
from thriftree import CARTClassifier, CARTRegressor, _core


def measured(kind: str, rows: int) -> dict[str, object]:
    """The level, seconds of CPU, and a digest of the tree."""
    model: CARTClassifier | CARTRegressor
    if kind == "numbers":
        data, model = numeric_target(rows, 50), CARTRegressor(min_leaf=MIN_LEAF, n_jobs=1)
    else:
        classes, impurity = kind.split()
        data = floats(rows, 50, int(classes))
        model = CARTClassifier(impurity=impurity, min_leaf=MIN_LEAF, n_jobs=1)
    seconds = cpu_time(lambda: model.fit(data.X, data.y), repeats=5).seconds
    tree = json.dumps(model.tree_.to_dict(), sort_keys=True).encode()
    return {"level": _core.cpu_level, "seconds": seconds, "tree": hashlib.sha256(tree).hexdigest()}


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1], int(sys.argv[2]))))
