"""Every exporter is a method of `Tree` with the signature of its function, known to type checkers."""

from __future__ import annotations

import inspect
import subprocess
import sys

import numpy as np
import pytest

from thriftree import CARTClassifier, Tree
from thriftree.export import EXPORTERS


@pytest.mark.parametrize("name", sorted(EXPORTERS))
def test_a_method_has_the_signature_of_its_exporter(name):
    method = inspect.signature(getattr(Tree, f"to_{name}"))
    function = inspect.signature(EXPORTERS[name].load())
    assert list(method.parameters.values())[1:] == list(function.parameters.values())[1:]
    assert method.return_annotation == function.return_annotation
    assert EXPORTERS[name].summary.rstrip(".") in getattr(Tree, f"to_{name}").__doc__


def test_every_method_that_exports_is_registered():
    known = {"dict", "json"}
    assert {name[3:] for name in vars(Tree) | vars(Tree.__mro__[1]) if name.startswith("to_")} - known == set(
        EXPORTERS
    )


@pytest.mark.full
def test_a_type_checker_refuses_a_method_that_does_not_exist(tmp_path):
    program = tmp_path / "program.py"
    wrong = "    tree.predcit([[1]])\n    tree.to_sql(tabel='x')\n"
    program.write_text(f"from thriftree import Tree\n\ndef f(tree: Tree) -> None:\n{wrong}", "utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(program)]
    said = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stdout
    assert '"Tree" has no attribute "predcit"' in said
    assert 'Unexpected keyword argument "tabel"' in said


def test_what_a_tree_hands_out_can_be_changed_without_changing_the_tree():
    tree = CARTClassifier(max_depth=2).fit(np.arange(20.0)[:, None], np.arange(20) // 5 % 2).tree_
    text = tree.to_text()
    document = tree.to_dict()
    document["nodes"][0]["test"]["keys"][0] = -1.0
    document["nodes"].clear()
    for name in EXPORTERS:
        getattr(tree, f"to_{name}")()
    tree.explain([3.0])
    tree.rules()
    assert tree.to_text() == text
    assert tree.to_dict() == Tree.from_json(tree.to_json()).to_dict()
