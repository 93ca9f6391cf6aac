"""C: literals, comments and names from any text, and the lookup of categories."""

import re
import subprocess

import pytest
from agreement import one_leaf, random_case
from hypothesis import given
from hypothesis import strategies as st
from programs import C_FLAGS

from thriftree.export.c_literals import RESERVED, comment, exact, text
from thriftree.messages import printable
from thriftree.testing.random_documents import HOSTILE_TEXTS, random_document
from thriftree.tree import Tree

NASTY = [
    *HOSTILE_TEXTS,
    "??/",
    "what??!",
    "a\\",
    "*/ int main(void) { return 1; } /*",
    "//",
    "???)",
]


def compile_and_run(folder, source):
    (folder / "main.c").write_text(source, encoding="utf-8")
    command = ["cc", *C_FLAGS, str(folder / "main.c"), "-o", str(folder / "main")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return subprocess.run([str(folder / "main")], stdout=subprocess.PIPE, check=True).stdout


def test_texts_are_themselves_in_c_and_comments_stay_comments(tmp_path):
    lines = "\n".join(f"    puts({text(word)}); /* {comment(printable(word))} */" for word in NASTY)
    source = f"#include <stdio.h>\nint main(void) {{\n{lines}\n    return 0;\n}}\n"
    wanted = "".join(f"{word}\n" for word in NASTY).encode()
    assert compile_and_run(tmp_path, source) == wanted


@given(st.text(alphabet="*/?\\\n ab"))
def test_no_text_ends_a_comment(words):
    inside = comment(printable(words))
    assert "*/" not in f"{inside} "
    assert "/*" not in inside
    assert "??" not in inside
    assert "\n" not in inside


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_to_compare_with_are_exact(value):
    written = exact(value)
    read = float.fromhex(written) if "0x" in written else float(written)
    assert read.hex() == value.hex()


@pytest.mark.parametrize("broken", ["a\0b", "\ud800"])
def test_texts_that_c_cannot_hold_are_refused(broken):
    with pytest.raises(ValueError, match="rename it before training"):
        Tree.from_dict(one_leaf([broken])).to_c()


@pytest.mark.parametrize("seed", range(3))
def test_identifiers_are_ours_and_every_field_says_its_column(seed):
    document, _ = random_case(seed, 1)
    source = Tree.from_dict(document).to_c(name="heart")
    code = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', "", source)
    assert code.isascii()
    assert set(re.findall(r"\b(?:system|DROP|alert|CMD|script)\b", code)) == set()
    used = {node["test"]["column"] for node in document["nodes"] if "test" in node}
    for column in used:
        assert f'/* "{comment(printable(document["columns"][column]["name"]))}"' in source


def test_categories_of_any_number_type_are_looked_up(tmp_path):
    columns = {
        "flag": [False, True],
        "big": [2**53 + 1, -(2**63), 5],
        "unsigned": [2**64 - 1, 7],
        "mixed": ["text", 2, {"float": 0.5}],
    }
    document = random_document(0, n_classes=2, hostile=False, n_tests=1, n_columns=1)
    document["columns"] = [{"name": n, "kind": "category", "categories": c} for n, c in columns.items()]
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0, "value": [1.0, 0.0], "label": 0}
    document["nodes"] = []
    for column in range(len(columns)):
        test = {"column": column, "kind": "category", "keys": [0], "to": [0], "missing": 1, "other": 1}
        document["nodes"] += [{**leaf, "test": test, "children": [2 * column + 1, 2 * column + 2]}, leaf]
    document["nodes"].append(leaf)
    checks = {
        "flag_from_number(1.0)": 1,
        "flag_from_number(0.5)": -2,
        "flag_from_number(NAN)": -1,
        "big_from_number(9007199254740993LL)": 0,
        "big_from_number(9007199254740992LL)": -2,
        "big_from_number(-9223372036854775807LL - 1)": 1,
        "unsigned_2_from_number(18446744073709551615ULL)": 0,
        'mixed_from_text("text")': 0,
        'mixed_from_text("2")': -2,
        "mixed_from_text(NULL)": -1,
        "mixed_from_number(2)": 1,
        "mixed_from_number(0.5)": 2,
    }
    asserts = "\n".join(
        f'    if (predict_{call} != {code}) puts("{i}");' for i, (call, code) in enumerate(checks.items())
    )
    source = (
        Tree.from_dict(document).to_c()
        + f"#include <stdio.h>\nint main(void) {{\n{asserts}\n    return 0;\n}}\n"
    )
    assert compile_and_run(tmp_path, source) == b""


def test_labels_keep_their_type_where_they_share_one():
    def labels(*classes):
        return next(
            line for line in Tree.from_dict(one_leaf(list(classes))).to_c().split("\n") if "_labels" in line
        )

    assert labels("a", "it's") == 'const char *const predict_labels[2] = {"a", "it\'s"};'
    assert labels(0, 1) == "const long long predict_labels[2] = {0LL, 1LL};"
    assert labels(False, True) == "const long long predict_labels[2] = {0LL, 1LL};"
    assert labels({"float": 0.5}, 1) == "const double predict_labels[2] = {0.5, 1.0};"
    assert labels(2**53 + 1, 0) == "const long long predict_labels[2] = {9007199254740993LL, 0LL};"
    assert labels("a", 1) == 'const char *const predict_labels[2] = {"a", "1"};'
    assert labels(-1, 2**64 - 1) == 'const char *const predict_labels[2] = {"-1", "18446744073709551615"};'


def test_categories_without_a_common_number_type_are_refused():
    document = random_document(0, n_classes=2, hostile=False, n_tests=1, n_columns=1, kinds=("category",))
    document["columns"][0]["categories"] = [
        -1,
        2**64 - 1,
        *range(len(document["columns"][0]["categories"]) - 2),
    ]
    with pytest.raises(ValueError, match="no number type of C holds together"):
        Tree.from_dict(document).to_c()


@pytest.mark.parametrize("name", ["int", "2x", "a b", "isnan", "NULL"])
def test_a_function_cannot_be_called_what_c_forbids(name):
    with pytest.raises(ValueError, match="name must be an identifier of C"):
        Tree.from_dict(one_leaf(None)).to_c(name=name)


@pytest.mark.parametrize("flag", ["-ffast-math", "-ffinite-math-only"])
def test_a_compiler_that_was_told_that_nothing_is_nan_refuses(tmp_path, flag):
    (tmp_path / "tree.c").write_text(Tree.from_dict(one_leaf(None)).to_c(), encoding="utf-8")
    command = ["cc", "-O2", "-c", str(tmp_path / "tree.c"), "-o", str(tmp_path / "tree.o")]
    subprocess.run(command, check=True)
    done = subprocess.run([*command, flag], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "Missing values are NaN" in done.stderr


def test_no_field_has_the_name_of_a_macro_of_the_headers_that_the_source_includes(tmp_path):
    headers = "#include <math.h>\n#include <stddef.h>\n#include <string.h>\n#include <complex.h>\n"
    listing = subprocess.run(
        ["cc", "-std=gnu17", "-dM", "-E", "-xc", "-"],
        input=headers,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    macros = re.findall(r"^#define ([a-z][a-z0-9_]*) ", listing, re.MULTILINE)
    assert "math_errhandling" in macros
    assert set(macros) <= RESERVED
