"""JavaScript: text that runs nothing, and the forms in which it is loaded."""

import json
import subprocess

import pytest
from agreement import check_agreement, one_leaf, oracle, random_case
from programs import run_node

from thriftree.export.javascript import literal
from thriftree.testing.random_documents import HOSTILE_TEXTS, random_document, random_rows
from thriftree.tree import Tree


def node_prints(require, folder, name, source):
    (folder / name).write_text(source, encoding="utf-8")
    done = subprocess.run(
        [str(require("node")), str(folder / name)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_a_text_is_an_ascii_literal_that_ends_no_script(text):
    written = literal(text)
    assert written.isascii()
    assert json.loads(written) == text
    assert "<" not in written
    assert ">" not in written


@pytest.mark.parametrize("seed", range(6))
def test_no_line_holds_markup_even_in_comments(seed):
    document, _ = random_case(seed, 1)
    source = Tree.from_dict(document).to_javascript()
    for mark in ("</", "<script", "<img", "<!--", "\r", "\u2028", "\u202e"):
        assert mark not in source


def test_options_that_make_no_sense_are_refused():
    tree = Tree.from_dict(one_leaf(None))
    with pytest.raises(ValueError, match="form must be one of 'module', 'commonjs', 'script', not 'amd'"):
        tree.to_javascript(form="amd")
    for name in ("class", "a-b", "", "let"):
        with pytest.raises(ValueError, match="name must be an identifier of JavaScript"):
            tree.to_javascript(name=name)


@pytest.mark.full
def test_every_form_can_be_loaded(require, tmp_path):
    tree = Tree.from_dict(one_leaf(["yes"]))
    (tmp_path / "module.mjs").write_text(tree.to_javascript(name="ask"), encoding="utf-8")
    (tmp_path / "common.cjs").write_text(tree.to_javascript(name="ask", form="commonjs"), encoding="utf-8")
    use = "console.log(ask({}), askLeaf({}), askCost({}), askProbabilities({}), askClasses);"
    wanted = "yes 0 0 [ 1 ] [ 'yes' ]\n"
    names = "{ ask, askLeaf, askCost, askProbabilities, askClasses }"
    assert node_prints(require, tmp_path, "a.mjs", f'import {names} from "./module.mjs";\n{use}') == wanted
    assert (
        node_prints(require, tmp_path, "b.cjs", f'const {names} = require("./common.cjs");\n{use}') == wanted
    )
    assert (
        node_prints(require, tmp_path, "c.cjs", tree.to_javascript(name="ask", form="script") + use) == wanted
    )


@pytest.mark.full
def test_columns_named_like_what_objects_inherit_are_missing_where_absent(require, tmp_path):
    document = random_document(1, n_columns=3, n_classes=2, hostile=False)
    names = ["__proto__", "constructor", "toString"]
    for column, name in zip(document["columns"], names, strict=True):
        column["name"] = name
    rows = random_rows(document, 0, 300)
    check_agreement(document, rows, run_node(document, rows, tmp_path, require("node")))
    source = Tree.from_dict(document).to_javascript(form="script") + "\nconsole.log(predictLeaf({}));"
    (leaf,) = oracle(document, {name: [None] for name in names}).leaf
    assert node_prints(require, tmp_path, "absent.cjs", source) == f"{leaf}\n"


@pytest.mark.full
def test_a_text_where_a_number_belongs_is_refused(require, tmp_path):
    document = random_document(0, n_columns=1, n_tests=1, n_classes=2, hostile=False, kinds=("number",))
    source = Tree.from_dict(document).to_javascript(form="script")
    source += '\ntry { predict({ "column 0": "1" }); } catch (error) { console.log(error.message); }'
    assert (
        node_prints(require, tmp_path, "text.cjs", source)
        == 'column "column 0" takes numbers, not a string\n'
    )


@pytest.mark.parametrize("name", ["JSON", "Number", "class", "2x"])
def test_a_function_cannot_have_a_name_that_its_source_needs(name):
    with pytest.raises(ValueError, match="name must be an identifier of JavaScript"):
        Tree.from_dict(one_leaf(None)).to_javascript(name=name)
