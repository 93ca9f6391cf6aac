"""The small corpus of tools/same_trees.py against its records, and the tool itself."""

import ast
import json
from dataclasses import replace
from pathlib import Path

import pytest
import same_trees
from corpus import all_recipes, small_recipes

from thriftree.testing.checks import all_estimators

REFERENCE = same_trees.Reference.read(same_trees.REFERENCE)
CORPUS = Path(same_trees.__file__).parent / "corpus"
PUBLIC = {"thriftree", "thriftree.comparison", "thriftree.costs", "thriftree.datasets"}
FIT, OTHER = "CARTClassifier/ties", "C45Classifier/ties"


@pytest.mark.parametrize("name", small_recipes())
def test_the_small_corpus_gives_the_recorded_trees(name):
    recipe = all_recipes()[name]
    if same_trees.comparable(recipe, REFERENCE):
        assert same_trees.difference(name, REFERENCE.fits[name], same_trees.entry_of(name)) is None
    else:  # another release of the compressor may make another tree; a tree it must make
        assert same_trees.entry_of(name)["nodes"] >= 1


def test_every_recipe_is_recorded_and_every_record_has_a_recipe():
    assert list(REFERENCE.fits) == list(all_recipes())


def test_recipes_that_must_give_the_same_are_recorded_as_the_same():
    pairs = [(name, recipe.same_as) for name, recipe in all_recipes().items() if recipe.same_as]
    assert len(pairs) > 20
    assert [name for name, same in pairs if REFERENCE.fits[name] != REFERENCE.fits[same]] == []


def test_every_learner_of_hard_trees_is_in_the_small_corpus():
    learners = [cls.__name__ for cls in all_estimators()]
    fitted = {argument for recipe in small_recipes().values() for argument in recipe.make.args[:1]}
    assert [name for name in learners if name not in fitted] == []


def test_the_corpus_keeps_to_the_public_interface():
    used = set()
    for path in CORPUS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [node.module] if isinstance(node, ast.ImportFrom) else []
            modules += [name.name for name in node.names] if isinstance(node, ast.Import) else []
            used |= {module for module in modules if module and module.split(".")[0] == "thriftree"}
    assert used <= PUBLIC


@pytest.fixture
def recorded(tmp_path):
    """A reference file of one fit."""
    path = tmp_path / "same_trees.json"
    same_trees.Reference({FIT: REFERENCE.fits[FIT]}).write(path)
    return path


@pytest.fixture
def other_tree(monkeypatch):
    """The recipe makes another tree than the recorded one."""
    changed = replace(all_recipes()[FIT], make=all_recipes()[OTHER].make)
    monkeypatch.setitem(all_recipes(), FIT, changed)


def run(command, path, *more):
    return same_trees.main([command, "--only", FIT, "--reference", str(path), *more])


def test_a_file_that_was_written_is_read_as_it_was(tmp_path):
    path = tmp_path / "copy.json"
    REFERENCE.write(path)
    assert path.read_bytes() == same_trees.REFERENCE.read_bytes()


def test_no_difference_is_said_so(recorded, capsys):
    assert run("check", recorded) == 0
    assert capsys.readouterr().out == "1 fits, 0 differences\n"


@pytest.mark.usefixtures("other_tree")
def test_a_changed_tree_is_reported_by_name_with_its_figures(recorded, capsys):
    assert run("check", recorded) == 1
    first, was, now, last = capsys.readouterr().out.splitlines()
    assert first.startswith(f"{FIT}: differs in sha256, ")
    assert f"nodes {REFERENCE.fits[FIT]['nodes']}," in was
    assert f"nodes {REFERENCE.fits[OTHER]['nodes']}," in now
    assert last == "1 fits, 1 differences"


def test_a_fit_that_fails_is_a_difference(recorded, capsys, monkeypatch):
    monkeypatch.setitem(all_recipes(), FIT, replace(all_recipes()[FIT], make=lambda: 1 / 0))
    assert run("check", recorded) == 1
    assert f"{FIT}: fails now, ZeroDivisionError" in capsys.readouterr().out
    assert run("record", recorded, "--because", "no reason is good enough for an error") == 1
    assert same_trees.Reference.read(recorded).fits == {FIT: REFERENCE.fits[FIT]}


@pytest.mark.usefixtures("other_tree")
def test_record_refuses_another_tree_without_a_reason(recorded, capsys):
    before = recorded.read_bytes()
    assert run("record", recorded) == 1
    assert run("record", recorded, "--because", "  ") == 1
    assert recorded.read_bytes() == before
    assert "say why" in capsys.readouterr().out


@pytest.mark.usefixtures("other_tree")
def test_record_keeps_the_reason_of_another_tree(recorded):
    assert run("record", recorded, "--because", "ties go to the last column") == 0
    found = same_trees.Reference.read(recorded)
    assert found.fits[FIT] == REFERENCE.fits[OTHER]
    assert found.changes == [{"ids": [FIT], "reason": "ties go to the last column"}]
    assert run("check", recorded) == 0


def test_record_adds_what_is_new_without_a_reason(tmp_path):
    path = tmp_path / "new.json"
    assert run("check", path) == 1
    assert run("record", path) == 0
    assert json.loads(path.read_text()) == {"changes": [], "fits": {FIT: REFERENCE.fits[FIT]}}


def test_another_release_of_a_compressor_leaves_its_recipes_out(tmp_path, capsys):
    path, name = tmp_path / "other.json", "MSI/bz2"
    entry = {**REFERENCE.fits[name], "compressor": "bz2 of another release", "sha256": "0" * 64}
    same_trees.Reference({name: entry}).write(path)
    words = ["--only", name, "--reference", str(path)]
    assert same_trees.main(["check", *words]) == 0
    assert same_trees.main(["record", *words]) == 0
    assert same_trees.Reference.read(path).fits == {name: entry}
    out = capsys.readouterr().out
    assert f"other releases here: {name}" in out
    assert "0 fits, 0 differences" in out


def test_processes_give_what_one_gives(recorded, capsys):
    assert run("check", recorded, "--jobs", "2") == 0
    assert "1 fits, 0 differences" in capsys.readouterr().out
