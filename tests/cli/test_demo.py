"""`thriftree demo` and `make demo`: the heart example with its real prices."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command import run

import thriftree
from thriftree import Tree, comparison
from thriftree.cli import frontier
from thriftree.datasets import heart_prices

SHOWN = ("accuracy on held-out rows", "worst-case price", "at worst", "cart", "The frontier", "●")


def test_the_demo_shows_the_tree_the_comparison_and_the_frontier_and_writes_the_report(tmp_path, monkeypatch):
    # Fewer methods and no folds: the whole demo runs in the full run.
    monkeypatch.setattr(comparison, "DEFAULT_METHODS", {"classes": ("cart", "c45")})
    monkeypatch.setattr(frontier, "folds_for", lambda _n_rows: None)
    result = run("demo", "-o", tmp_path)
    assert result.code == 0
    assert sorted(os.listdir(tmp_path)) == ["report.html", "tree.json"]
    tree = Tree.load(tmp_path / "tree.json")
    assert tree.to_text() in result.out
    assert tree.prices == heart_prices().to_dict()
    assert all(words in result.out for words in SHOWN)
    assert "<title>" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.full
def test_the_whole_demo_runs_as_make_demo_runs_it(tmp_path):
    command = [sys.executable, "-m", "thriftree", "demo", "--jobs", "2"]
    found = {**os.environ, "PYTHONPATH": str(Path(thriftree.__file__).parents[1])}
    done = subprocess.run(command, cwd=tmp_path, env=found, capture_output=True, text=True, check=True)
    printed = done.stdout
    assert all(words in printed for words in (*SHOWN, "thrift", "quest", "worst-case"))
    assert sorted(file.name for file in Path(tmp_path).iterdir()) == ["report.html", "tree.json"]
