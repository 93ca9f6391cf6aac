"""Ctrl-C while a command works: what there is is written, the command says so and exits with 130."""

import json
import signal

import pytest
from command import HEART_DATA, run

from thriftree import Tree
from thriftree.estimators.base import TreeEstimator
from thriftree.learning import pruning
from thriftree.tuning.loop import Meter
from thriftree.tuning.trials import Trials


def interrupt(*_, **__):
    signal.raise_signal(signal.SIGINT)


def interrupted_at(function, at):
    """The function, with Ctrl-C before its `at`-th call."""
    calls = []

    def called(*arguments):
        calls.append(arguments)
        if len(calls) == at:
            interrupt()
        return function(*arguments)

    return called


@pytest.mark.parametrize(("method", "at", "leaves"), [("cart", 1, "1 leaves"), ("thrift", 30, "leaves")])
def test_fit_writes_the_tree_so_far(monkeypatch, tmp_path, method, at, leaves):
    path = tmp_path / "tree.json"
    monkeypatch.setattr(pruning, "grow", interrupted_at(pruning.grow, at))
    result = run("fit", *HEART_DATA, "--method", method, "-o", path)
    assert (result.code, result.out) == (130, "")
    assert result.err.startswith("interrupted: wrote the tree so far, of ")
    assert result.err.endswith(f"{leaves}, to {path}\n")
    tree = Tree.load(path)
    assert f"of {tree.n_leaves} leaves" in result.err
    assert tree.settings["method"] == method


def test_an_optimal_tree_so_far_is_written_with_what_is_proved_of_it(monkeypatch, tmp_path):
    path = tmp_path / "tree.json"
    monkeypatch.setattr("thriftree.methods.optimal.rounds.search", interrupt)
    words = ("--method", "optimal", "--set", "leaf_penalty=0.01")
    result = run("fit", *HEART_DATA, *words, "-o", path)
    assert (result.code, result.out) == (130, "")
    wrote, proved = result.err.splitlines()
    tree = Tree.load(path)
    assert tree.n_leaves > 1, "the greedy trees were there"
    assert wrote == f"interrupted: wrote the tree so far, of {tree.n_leaves} leaves, to {path}"
    assert proved.startswith("objective 0.")
    assert "none below 0.0100 for the " in proved


def test_fit_that_was_to_write_nothing_says_so(monkeypatch):
    monkeypatch.setattr(pruning, "grow", interrupted_at(pruning.grow, 1))
    result = run("fit", *HEART_DATA, "--method", "cart")
    assert (result.code, result.out) == (130, "")
    assert result.err == "interrupted: the tree so far, of 1 leaves, is lost; give -o to keep it\n"


def test_a_tree_that_was_learnt_but_not_measured_is_written_whole(monkeypatch, tmp_path):
    path = tmp_path / "tree.json"
    whole = run("fit", *HEART_DATA, "--method", "cart", "--test-share", "0", "--json").json
    monkeypatch.setattr("thriftree.comparison.compare", interrupt)
    result = run("fit", *HEART_DATA, "--method", "cart", "--cv", "3", "-o", path)
    assert (result.code, result.out) == (130, "")
    assert result.err == f"interrupted: wrote the tree, of {whole['leaves']} leaves, to {path}\n"
    assert Tree.load(path).to_text() == whole["text"]


def test_an_interrupt_before_there_is_a_tree_leaves_nothing(monkeypatch, tmp_path):
    monkeypatch.setattr(TreeEstimator, "_read", interrupt)
    result = run("fit", *HEART_DATA, "--method", "cart", "-o", tmp_path / "tree.json")
    assert (result.code, result.out, result.err) == (130, "", "")
    assert not list(tmp_path.iterdir())


def test_frontier_writes_and_shows_the_trees_measured_so_far(monkeypatch, tmp_path):
    path, tree = tmp_path / "front.json", tmp_path / "tree.json"
    step = Meter.step
    monkeypatch.setattr(Meter, "step", interrupted_at(step, 5))
    result = run("frontier", *HEART_DATA, "--cv", "0", "-o", path, "--tree", tree)
    assert result.code == 130
    said = "interrupted: these are the trees that were measured so far"
    assert result.err.splitlines() == [f"wrote {path}", f"wrote {tree}", said]
    front = json.loads(path.read_text(encoding="utf-8"))
    assert front["stopped_by"] == "interrupt"
    assert len(front["points"]) > 1
    assert Tree.load(tree).to_text() in result.out


def test_frontier_says_where_no_tree_was_measured(monkeypatch, tmp_path):
    tree = tmp_path / "tree.json"
    monkeypatch.setattr(Trials, "measure", interrupted_at(Trials.measure, 1))
    result = run("frontier", *HEART_DATA, "--cv", "2", "--tree", tree)
    assert result.code == 130
    assert "No tree was measured: this is the first, as far as it was grown." in result.out
    assert result.err.splitlines() == [f"wrote {tree}", "interrupted: no tree was measured yet"]
    assert Tree.load(tree).n_leaves > 1


@pytest.mark.parametrize(
    ("at", "methods", "said"),
    [
        (2, [], "there is no method that all folds have measured so far"),
        (4, ["c45"], "these are the methods that all folds have measured so far"),
    ],
)
def test_compare_shows_the_methods_measured_so_far(monkeypatch, at, methods, said):
    words = ("compare", *HEART_DATA, "--methods", "c45,id3", "--cv", "2")
    for as_json in ([], ["--json"]):
        with monkeypatch.context() as patched:
            patched.setattr(Meter, "step", interrupted_at(Meter.step, at))
            result = run(*words, *as_json)
        assert (result.code, result.err) == (130, f"interrupted: {said}\n")
        if as_json:
            assert result.json["stopped_by"] == "interrupt"
            assert [row["method"] for row in result.json["methods"]] == methods
        else:
            assert [name in result.out for name in ("c45", "id3")] == [
                name in methods for name in ("c45", "id3")
            ]
