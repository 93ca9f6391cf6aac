"""Whatever the user gives that is wrong: one line with the place and the remedy, exit code 2, no file."""

import gzip
import os
import re

import pytest
from command import HEART, HEART_DATA, PRICES, refused, run

GOOD = "x,y\n1,a\n2,b\n3,a\n4,b\n"
QUICK = ("-m", "cart", "-s", "pruning=none", "--test-share", "0")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "rows.csv: the file is empty"),
        ("x,y\n", "there is a header but no row below it"),
        ("x,y\n1,a\n2\n", "rows.csv, line 3: 1 cell where the header has 2"),
        ("x,x,y\n1,2,a\n", "the columns 1 and 2 have the same name 'x': rename one"),
        ("x,y\n1,é\n".encode("latin-1"), "line 2: not UTF-8 text: save the file as UTF-8, or say --encoding"),
        ("x,z\n1,a\n", "--target names the column 'y', which is not there; its columns are 'x', 'z'"),
        ("x,y\n1,\n2,\n", "the target 'y' is empty in every row: name another column"),
        ("x,y\n1,a\n2,a\n", "the target 'y' is 'a' in every row: nothing to learn; name another column"),
        ("y\na\nb\n", "no column is left to learn from: it has 'y'"),
        ("x,y", "there is a header but no row below it"),
        (
            "x,y\n1,2020-01-01\n2,2020-01-02\n",
            "rows.csv: the target 'y' holds dates, which a tree cannot answer: make it a number",
        ),
        (
            "x,y\n2,a\ninf,b\n",
            "rows.csv: row 1 \\(from 0\\) of the column 'x' is inf, .*: leave the cell empty",
        ),
        (
            "x,y\n2,\n1,a\n9007199254740993,b\n",
            "row 2 \\(from 0\\) of the column 'x' is 9007199254740993, .*--categorical",
        ),
        ('x,y\n2,a\n"1,b\n', "a quote opened after line 2 is never closed"),
        (gzip.compress(GOOD.encode(), mtime=0), "rows.csv: compressed: end the file.s name with .gz"),
    ],
)
def test_a_bad_table_is_refused_and_nothing_is_written(file, tmp_path, content, said):
    line = refused("fit", file(content), "--target", "y", *QUICK, "-o", str(tmp_path / "tree.json"))
    assert re.search(said, line), line
    assert os.listdir(tmp_path) == ["rows.csv"]


@pytest.mark.parametrize(
    ("prices", "said"),
    [
        (
            "[prices]\nx = -1\n",
            "prices.toml: the price of 'x' is -1.0: a price must be finite and not below 0",
        ),
        (
            "[prices]\nx = nan\n",
            "prices.toml: the price of 'x' is nan: a price must be finite and not below 0",
        ),
        ("[prices]\nx = 1\nz = 2\n", "prices.toml: prices name 'z', which is no column of"),
        ("[prices]\nxx = 1\n", "which is no column of .*did you mean 'x'"),
        ("[prices]\n", "prices.toml: no price for the column 'x': give one, list it under known"),
        ("x = 1\n", "there is no \\[prices\\] table"),
        ("[prices\n", "prices.toml: "),
    ],
)
def test_bad_prices_are_refused_before_anything_is_learnt(file, prices, said):
    line = refused("fit", file(GOOD), "--target", "y", "--costs", file(prices, "prices.toml"), *QUICK)
    assert re.search(said, line), line


def test_prices_in_json_are_an_object(file):
    line = refused("fit", file(GOOD), "-t", "y", "-c", file("[]", "prices.json"), *QUICK)
    assert line.endswith("not prices: write what TestCosts.to_dict gives, or a .toml or .csv file")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("fit", "absent.csv", "-t", "y"),
            "absent.csv: there is no such file: check the name and the folder",
        ),
        (
            ("fit", ".", "-t", "y"),
            ".: the folder has no file that ends in .parquet, .pq, .parq: name another",
        ),
        (("fit", HEART, "-t", "heart_diseas"), "which is not there; did you mean 'heart_disease'?"),
        (("fit", *HEART_DATA, "-m", "carl"), "no method 'carl' .*; did you mean 'cart'"),
        (
            ("fit", *HEART_DATA, "-m", "cart", "--budget", "5"),
            "keeps to no budget: take one of thrift, optimal, worst-case",
        ),
        (
            ("fit", *HEART_DATA, "-m", "worst-case", "--max-expected", "5"),
            "keeps to no bound on the expected price: take one of thrift",
        ),
        (
            ("fit", *HEART_DATA, "-s", "max_leafs=3"),
            "has no parameter 'max_leafs'; did you mean 'max_leaves'",
        ),
        (("fit", *HEART_DATA, "-s", "max_leaf_nodes=3"), "no parameter 'max_leaf_nodes': use max_leaves"),
        (("fit", *HEART_DATA, "-s", "max_leaves"), "--set 'max_leaves': write name=value"),
        (("fit", *HEART_DATA, "-s", "max_leaves=0"), "max_leaves"),
        (("fit", *HEART_DATA, "--test-share", "1"), "--test-share is 1: write a share from 0 to below 1"),
        (("fit", *HEART_DATA, "--test-share", "0.2", "--cv", "3"), "two ways to measure: take one"),
        (("fit", *HEART_DATA, "--jobs", "0"), "--jobs is 0: write how many cores to use, or -1 for all"),
        (("fit", *HEART_DATA, "--seed", "-1"), "--seed is -1: write a whole number from 0 to 4294967295"),
        (("fit", *HEART_DATA, "--budget", "nan"), "--budget is nan: write a number that is not below 0"),
        (("fit", *HEART_DATA, "--max-expected", "-1"), "--max-expected is -1: write a number"),
        (("fit", *HEART_DATA, "--time-limit", "-1"), "--time-limit is -1: write a number"),
        (("predict", ".", HEART), ".: a folder, not a file: name a file in it"),
        (("fit", *HEART_DATA, "--cv", "1", "-m", "c45"), "1 folds of 303 rows: take at least 2"),
        (("fit", *HEART_DATA, "--task", "ranks"), "--task is 'ranks': write classes or number"),
        (("fit", *HEART_DATA, "--task", "number"), "holds 'absent', not numbers"),
        (("fit", *HEART_DATA, "--weight", "sex"), "the weights 'sex' are not numbers"),
        (("fit", *HEART_DATA, "--weight", "heart_disease"), "--weight names the target"),
        (
            ("fit", *HEART_DATA, "--drop", "agee"),
            "--drop names the column 'agee', which is not there; did you",
        ),
        (("fit", *HEART_DATA, "--delimiter", "||"), "the delimiter '||' is not one character"),
        (("fit", *HEART_DATA, "--encoding", "klingon"), "the encoding 'klingon' is not known"),
        (
            ("fit", HEART, "-t", "heart_disease", "-c", "prices.txt"),
            "prices.txt: prices are in a .toml, .csv or",
        ),
        (("fit", HEART, "-t", "heart_disease", "-c", "no.toml"), "no.toml: there is no such file"),
        (
            ("fit", *HEART_DATA, "-o", "no/such/folder/tree.json"),
            "there is no folder no/such/folder: make it",
        ),
        (("fit", *HEART_DATA, "-o", "."), ".: a folder: name a file in it"),
        (("fit", *HEART_DATA, "-o", "/dev/null"), "/dev/null: not an ordinary file"),
        (("fit",), "Missing argument"),
        (("fit", HEART), "Missing option '--target'"),
        (("fit", *HEART_DATA, "--bugdet", "5"), "No such option: --bugdet"),
        (("fitt",), "No such command 'fitt'"),
        (("compare", *HEART_DATA, "-m", "cart,carl"), "no method 'carl'"),
        (("compare", *HEART_DATA, "--cv", "1000"), "1000 folds of 303 rows"),
        (("frontier", *HEART_DATA, "-o", "front.docx"), "end the name with one of .png"),
        (
            ("predict", "absent.json", HEART),
            "absent.json: there is no such file: make one with thriftree fit",
        ),
        (("predict", PRICES, HEART), "heart_prices.toml: "),
        (("explain", "absent.json"), "absent.json: there is no such file"),
    ],
)
def test_a_bad_word_is_refused_with_the_remedy(arguments, said):
    line = refused(*arguments)
    assert re.search(said if ".*" in said else re.escape(said), line), line


def test_words_about_a_tree_are_checked(heart_tree, tmp_path):
    for arguments, said in (
        (("export", heart_tree, "--to", "sqll"), "--to is 'sqll'; did you mean 'sql'"),
        (("export", heart_tree, "--to", "sql", "-s", "tabel=t"), "no option 'tabel'; did you mean 'table'"),
        (("export", heart_tree, "--to", "sql", "-s", "dialect=bigq"), "dialect must be one of 'ansi',"),
        (("export", heart_tree, "--to", "json", "-s", "indent=2"), "--to json has no option 'indent'"),
        (("export", heart_tree, "--to", "sklearn"), "scikit-learn's trees take numbers only"),
        (("explain", heart_tree), "nothing to explain: give a table and --row, or --set"),
        (("explain", heart_tree, HEART), "a table and --row belong together"),
        (
            ("explain", heart_tree, HEART, "--row", "303"),
            "heart.csv: there is no row 303: it has 303, from 0 on",
        ),
        (("explain", heart_tree, HEART, "--row", "-1"), "--row is -1: rows count from 0"),
        (
            ("explain", heart_tree, "-s", "agee=3"),
            "'agee', which is no column of the tree; did you mean 'age'",
        ),
        (("explain", heart_tree, "-s", "age=old"), "--set age=old: not a number; write one, or unknown"),
        (("ask", heart_tree, "--order", "random"), "--order is 'random': write cheapest or tree"),
        (
            ("predict", heart_tree, HEART, "--keep", "idd"),
            "--keep names the column 'idd', which is not there",
        ),
        (("predict", heart_tree, HEART, "-o", "out.xlsx"), "no form of table has the ending '.xlsx'"),
        (("report", heart_tree, HEART, "-t", "age", "-o", "/no/report.html"), "there is no folder /no"),
    ):
        assert said in refused(*arguments)


def test_a_folder_that_cannot_be_written_to_is_named_before_the_work(file, tmp_path):
    if os.geteuid() == 0:  # root may write anywhere but in the kernel's folders
        folder = "/proc/self"
    else:
        folder = str(tmp_path / "locked")
        os.mkdir(folder, 0o500)
    line = refused("fit", file(GOOD), "-t", "y", *QUICK, "-o", f"{folder}/tree.json")
    assert line.startswith(f"{folder}/tree.json: ")


def test_hostile_names_are_shown_as_text_and_break_no_line(file):
    from thriftree.testing.random_documents import HOSTILE_TEXTS

    names = [name for name in HOSTILE_TEXTS if name]
    header = ",".join('"' + name.replace('"', '""') + '"' for name in names)
    rows = "\n".join(",".join(str((i * k) % 7) for k in range(len(names))) for i in range(40))
    path = file(f"{header}\n{rows}\n")
    for name in ("[red]x[/red]", "\x1b[31mred?", "line\nbroken"):
        line = refused("fit", path, "--target", name)
        assert "\x1b" not in line
    result = run("fit", path, "--target", names[5], *QUICK)
    assert result.code == 0
    assert "\x1b" not in result.out


def test_an_unexpected_error_says_how_to_see_more(monkeypatch, heart_tree):
    from thriftree.cli import trees

    monkeypatch.setattr(trees, "tested_columns", lambda _document: 1 / 0)
    result = run("predict", heart_tree, HEART)
    assert result.code == 1
    first, second = result.err.splitlines()
    assert first == "thriftree: unexpected ZeroDivisionError: division by zero"
    assert second.startswith("for the traceback: thriftree --debug predict ")
    with pytest.raises(ZeroDivisionError):
        run("--debug", "predict", heart_tree, HEART)


def test_without_a_command_the_help_is_shown():
    result = run()
    assert (result.code, result.err) == (2, "")
    assert "Usage: thriftree" in result.out


def test_prices_nested_beyond_reason_are_bad_input(file):
    prices = file("[prices]\nage = " + "[" * 20_000 + "]" * 20_000, "prices.toml")
    message = refused("fit", HEART, "--target", "heart_disease", "--costs", prices)
    assert message == f"{prices}: nested deeper than any description of prices: is this the right file?"


def test_a_link_that_leads_to_itself_is_no_place_for_a_tree(tmp_path):
    link = tmp_path / "tree.json"
    link.symlink_to(link)
    message = refused("fit", HEART, "--target", "heart_disease", "-m", "cart", "-o", link)
    assert "a link that leads back to itself" in message
    assert link.is_symlink()
