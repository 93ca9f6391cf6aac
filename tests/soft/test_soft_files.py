"""Soft trees as files: what is written is read back, and what is not as the spec says is refused."""

from __future__ import annotations

import copy
import json
import math

import numpy as np
import pytest
from soft_tables import mixed, spread

from thriftree import SoftTree, SoftTreeClassifier, SoftTreeRegressor


@pytest.fixture(scope="module")
def written():
    X, y = mixed(0)
    return json.loads(json.dumps(SoftTreeClassifier(max_iter=5, max_depth=2).fit(X, y).soft_tree_.to_dict()))


@pytest.mark.parametrize("gates", ["oblique", "axis"])
@pytest.mark.parametrize("sharpness", [1.0, math.inf])
def test_a_file_gives_the_same_answers(tmp_path, gates, sharpness):
    for model, (X, y) in (
        (SoftTreeClassifier(gates=gates, max_iter=10, sharpness=sharpness), mixed(1)),
        (SoftTreeRegressor(gates=gates, max_iter=10, sharpness=sharpness), spread(1, numbers=True)),
        (SoftTreeRegressor(max_depth=0), spread(1, numbers=True)),
        (SoftTreeClassifier(gates=gates, max_iter=10, leaves="linear"), mixed(1)),
        (SoftTreeRegressor(gates=gates, max_iter=10, leaves="linear"), spread(1, numbers=True)),
    ):
        tree = model.fit(X, y).soft_tree_
        tree.save(tmp_path / "tree.json")
        again = SoftTree.load(tmp_path / "tree.json")
        np.testing.assert_array_equal(again.predict(X), tree.predict(X))
        np.testing.assert_array_equal(again.path_probabilities(X), tree.path_probabilities(X))
        assert again.to_dict() == tree.to_dict()


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (["format"], "thriftree-tree", r"^\$: not a soft tree"),
        (["version"], 2, r"^\$\.version: this release reads version 1"),
        (["sharpness"], 0, r"^\$\.sharpness: must be greater than 0"),
        (["sharpness"], "1", r"^\$\.sharpness"),
        (["target"], {}, r"^\$\.target: must be null"),
        (["design"], [], r"^\$\.design: must have an entry"),
        (["design", 0, "missing"], 1, r"^\$\.design\[0\]\.missing: must be true or false"),
        (["design", 1, "scale"], None, r"^\$\.design\[1\]\.scale"),
        (["gates", 0, "left"], 0, r"^\$\.gates: gate 0 of the soft tree has a child"),
        (["gates", 0, "left"], 2**40, r"^\$\.gates\[0\]\.left"),
        (["gates", 0, "first"], 3, r"^\$\.gates\[0\]\.weights: has 7 entries; at most 4"),
        (["gates", 0, "offset"], True, r"^\$\.gates\[0\]\.offset"),
        (["leaves"], [], r"^\$\.leaves: must be"),
        (["leaves", 1], [0.5], r"^\$\.leaves\[1\]: must have 2 numbers"),
        (["classes"], None, r"^\$\.target: must be an object"),
        (["prices"], 1, r"^\$\.prices: must be an object or null"),
        (["prices"], {"prices": []}, r"^\$\.prices: prices cover 0 of"),
        (["leaf_weights"], [], r"^\$\.leaf_weights: must be"),
        (["leaf_weights"], [[[0.0]]] * 4, r"^\$\.leaf_weights\[0\]: must have 2 lists of weights, not 1"),
        (["leaf_weights"], [[[0.0], [0.0]]] * 4, r"^\$\.leaf_weights\[0\]\[0\]: must have 7 numbers, not 1"),
        (["learnt_from"], {"target": "y"}, r"^\$\.learnt_from"),
        (["learnt_from"], {"target": "y", "fingerprints": 1}, r"^\$\.learnt_from\.fingerprints"),
        (["more"], 1, r"the key 'more' is not known"),
    ],
)
def test_a_document_that_is_not_as_the_spec_says_is_refused_with_the_place(written, path, value, message):
    document = copy.deepcopy(written)
    SoftTree.from_dict(document)
    part = document
    for step in path[:-1]:
        part = part[step]
    part[path[-1]] = value
    with pytest.raises(ValueError, match=message):
        SoftTree.from_dict(document)


def test_a_file_that_was_cut_is_refused(tmp_path, written):
    path = tmp_path / "cut.json"
    path.write_text(json.dumps(written)[:-20])
    with pytest.raises(ValueError, match="was the file cut"):
        SoftTree.load(path)
