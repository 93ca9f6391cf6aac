"""Parts that do not fit together are refused in one sentence that names the part."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tables_in_parts import divided, people

import thriftree as tt
from thriftree.distributed.local import LocalParts
from thriftree.distributed.parts import TablePart


def three(change=None, y=None, weight=None):
    X, labels, _ = people()
    parts = divided(X, labels, weight, [50, 100])
    if change is not None:
        parts[1] = TablePart(change(parts[1].X), parts[1].y if y is None else y, parts[1].weight)
    return parts


REFUSED = {
    "another kind": (
        lambda X: X.assign(a=X["a"].astype(str)),
        r"column 'a' holds numbers in part 0, but categories in part 1",
    ),
    "another order": (
        lambda X: X.assign(d=X["d"].cat.reorder_categories(["XL", "L", "M", "S"])),
        r"column 'd' has the order \['S', .*\] in part 0, but \['XL', .*\] in part 1",
    ),
    "a column less": (lambda X: X.drop(columns="b"), r"part 1 lacks \['b'\]"),
    "a column more": (lambda X: X.assign(z=1.0), r"part 1 has \['z'\] beside them"),
    "columns in another order": (lambda X: X[list("ebcda")], "part 1 has them in another order"),
    "infinity": (lambda X: X.assign(a=np.inf), r"part 1: column 'a', row 0"),
    "fewer rows": (lambda X: X.iloc[:-1], "part 1: X has 49 rows and y has 50"),
    "dates": (
        lambda X: X.assign(e=pd.Timestamp("2020-01-01")),
        "column 'e' holds numbers in part 0, but .* in part 1",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_parts_that_do_not_fit_are_refused_by_name(engine_of_unlike_parts, what):
    change, words = REFUSED[what]
    with pytest.raises((ValueError, TypeError), match=words):
        tt.CARTClassifier().fit(engine_of_unlike_parts(three(change)))


def test_labels_of_two_kinds_are_refused(engine_of_unlike_parts):
    parts = three(lambda X: X, y=np.arange(50) % 2)
    with pytest.raises(TypeError, match="y holds strings in part 0, but numbers in part 1"):
        tt.CARTClassifier().fit(engine_of_unlike_parts(parts))


def test_parts_hold_their_targets_themselves(engine):
    with pytest.raises(ValueError, match="give fit the parts alone"):
        tt.CARTClassifier().fit(engine(three()), people()[1])


def test_no_rows_and_no_weights_are_refused(engine):
    X, y, _ = people()
    with pytest.raises(ValueError, match="0 sample"):
        tt.CARTClassifier().fit(engine([TablePart(X[:0], y[:0])]))
    with pytest.raises(ValueError, match="sample_weight is zero for every row"):
        tt.CARTClassifier().fit(engine(divided(X, y, np.zeros(len(y)), [10])))


@pytest.mark.parametrize(
    "model", [tt.OptimalTreeClassifier(), tt.MSIClassifier(), tt.SoftTreeClassifier(), tt.PUBLICClassifier()]
)
def test_what_looks_at_single_rows_names_the_way_out(engine, model):
    with pytest.raises(TypeError, match=f"{type(model).__name__} .*fit it on a sample of the rows in memory"):
        model.fit(engine(three()), None)


@pytest.mark.parametrize("model", [tt.C45Classifier(), tt.EnhancedTreeClassifier(), tt.QUESTClassifier()])
def test_very_many_numbers_that_are_looked_at_one_by_one_need_bins(engine, model):
    random = np.random.default_rng(0)
    X, y = pd.DataFrame({"x0": random.random(70_000)}), random.integers(0, 2, 70_000)
    with pytest.raises(ValueError, match=r"column 'x0' has more than 65535 distinct numbers .* max_bins=255"):
        model.fit(engine(divided(X, y, None, [100, 50_000])))


@pytest.mark.parametrize("method", ["optimal"])
def test_a_frontier_of_parts_refuses_methods_that_look_at_single_rows(method):
    with pytest.raises(TypeError, match="cannot take a table in parts: fit it on a sample"):
        tt.frontier(LocalParts(three()), methods=[method])
