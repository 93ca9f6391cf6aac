"""Prices from files: the formats, and errors that name the file and the place in it."""

import re

import pytest

from thriftree.costs import Group, Steps, TestCosts

TOML = """
pay = "once"
known = ["age"]
delayed = ["chol", "fbs"]
asking = 0.05
free_first = true
read = false

[prices]
chol = 5.17
fbs = 3.10
"ST depression" = 1
biopsy = { benign = 120.0, malignant = 300.0 }
dose = { up_to = [10, 20], price = [5, 9, 15] }

[groups.blood]
setup = 2.10
members = ["chol", "fbs"]
"""
CSV = """test,full_cost,discount_cost,group,delay
cp,1.00,,,immediate
chol,7.27,5.17,A,delayed
fbs,5.20,3.10,A,delayed
"""
UCI = {
    "cost": "cp:\t1.00\nchol:\t7.27\nfbs:\t5.20\n\n",
    "expense": "cp:\t1.00,\t1.00\nchol:\t7.27,\t5.17\nfbs:\t5.20,\t3.10\n",
    "delay": "cp:\timmediate.\nchol:\tdelayed.\nfbs:\tdelayed.\n",
    "group": "A.\n\nchol:\tA.\nfbs:\tA.\n",
}
BLOOD = TestCosts(
    {"cp": 1, "chol": 5.17, "fbs": 3.10}, groups={"A": Group(2.10, ("chol", "fbs"))}, delayed=["chol", "fbs"]
)


def write_uci(folder, **changes):
    for kind, text in {**UCI, **changes}.items():
        (folder / f"heart.{kind}").write_text(text)
    return folder / "heart"


def test_a_toml_file_holds_every_rule(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(TOML)
    assert TestCosts.from_toml(path) == TestCosts(
        {
            "chol": 5.17,
            "fbs": 3.10,
            "ST depression": 1,
            "biopsy": {"benign": 120, "malignant": 300},
            "dose": Steps((10, 20), (5, 9, 15)),
        },
        groups={"blood": Group(2.10, ("chol", "fbs"))},
        known=["age"],
        delayed=["chol", "fbs"],
        asking=0.05,
        free_first=True,
        read=False,
    )


def test_a_csv_file_gives_full_and_discount_prices(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text(CSV)
    assert TestCosts.from_csv(path) == BLOOD


def test_a_csv_file_gives_own_and_set_up_prices(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("feature,price,setup,group\ncp,1,,\nchol,5.17,2.10,A\nfbs,3.10,,A\n")
    assert TestCosts.from_csv(path, pay="each") == TestCosts(
        {"cp": 1, "chol": 5.17, "fbs": 3.10}, groups={"A": Group(2.10, ("chol", "fbs"))}, pay="each"
    )


def test_lines_of_a_csv_file_can_be_chosen(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("set,feature,price,note\none,a,1,x\ntwo,a,2,y\n")
    assert TestCosts.from_csv(path, where={"set": "two"}, ignore=["note"]) == TestCosts({"a": 2})


def test_the_four_uci_files_are_read_by_prefix_or_by_name(tmp_path):
    prefix = write_uci(tmp_path)
    assert TestCosts.from_uci(prefix) == BLOOD
    assert TestCosts.from_uci(**{kind: f"{prefix}.{kind}" for kind in UCI}) == BLOOD
    with pytest.raises(TypeError, match=r"the \.delay file is not given"):
        TestCosts.from_uci(cost="a", expense="b", group="c")


@pytest.mark.parametrize("name", ["heart-disease", "ann-thyroid"])
def test_the_real_uci_files_equal_the_csv_of_all_prices(data_dir, name):
    costs = data_dir / "costs"
    dataset = {"heart-disease": "heart-cleveland"}.get(name, name)
    every = TestCosts.from_csv(costs / "test-costs.csv", where={"dataset": dataset}, ignore=["evidence"])
    assert TestCosts.from_uci(costs / name) == every


BAD_TOML = {
    "malformed": ("[prices\n", "line 1"),
    "a key twice": ("[prices]\na = 1\na = 2\n", "line 3"),
    "no prices": ("pay = 'once'\n", r"no \[prices\] table"),
    "misspelt rule": ("delaid = ['a']\n[prices]\na = 1\n", "'delaid'; did you mean 'delayed'"),
    "negative": ("[prices]\na = -1\n", "the price of 'a' is -1"),
    "not a number": ("[prices]\na = nan\n", "the price of 'a' is nan"),
    "text": ("[prices]\na = '1'\n", "the price of 'a' is '1'"),
    "switch": ("read = 1\n[prices]\na = 1\n", "read is 1: write 'auto', True or False"),
    "group as number": ("[prices]\na = 1\n[groups]\ng = 3\n", r"write \[groups.blood\]"),
    "limit as text": (
        "[prices]\na = { up_to = ['x'], price = [1, 2] }\n",
        r"up_to\[0\] is 'x': write a number",
    ),
    "groups as list": ("groups = [1]\n[prices]\na = 1\n", r"write \[groups.blood\]"),
    "unknown member": ("[prices]\na = 1\n[groups.g]\nsetup = 1\nmembers = ['b']\n", "group 'g' names 'b'"),
    "no setup": ("[prices]\na = 1\n[groups.g]\nmembers = ['a']\n", "group 'g' needs both"),
    "half a step": ("[prices]\na = { up_to = [1] }\n", r"\[prices\] a: write"),
    "too few steps": ("[prices]\na = { up_to = [1], price = [1] }\n", r"\[prices\] a: 1 limits"),
}


@pytest.mark.parametrize("case", BAD_TOML)
def test_a_bad_toml_file_is_refused_with_its_place(tmp_path, case):
    text, message = BAD_TOML[case]
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: .*{message}"):
        TestCosts.from_toml(path)


BAD_CSV = {
    "empty": ("", "line 1: the columns are"),
    "no line": ("feature,price\n", "no line with a price"),
    "no price column": ("feature,cost\na,1\n", "price or full_cost"),
    "unknown column": ("feature,price,dealy\na,1,\n", "unknown column 'dealy'; did you mean 'delay'"),
    "column twice": ("feature,price,test\na,1,a\n", "repeat a name"),
    "too few cells": ("feature,price\na,1\nb\n", "line 3: 1 cells under 2 columns"),
    "not a number": ("feature,price\na,1\nb,dear\n", "line 3, price is 'dear'"),
    "negative": ("feature,price\na,-1\n", "line 2, price is -1"),
    "infinite": ("feature,full_cost\na,inf\n", "line 2, full_cost is inf"),
    "feature twice": ("feature,price\na,1\na,2\n", "line 3: 'a' has a price already"),
    "nameless": ("feature,price\n,1\n", "line 2: the feature has no name"),
    "delay": ("feature,price,delay\na,1,late\n", "line 2: delay is 'late'"),
    "group without setup": ("feature,price,group\na,1,A\n", "group 'A' has no set-up price"),
    "setup without group": ("feature,price,group,setup\na,1,,2\n", "line 2: a setup price without a group"),
    "two setups": ("feature,price,group,setup\na,1,A,2\nb,1,A,3\n", "line 3: group 'A' has a setup of 3.0"),
    "unequal": (
        CSV.replace("5.20", "5.30"),
        "group 'A': full minus discount is 2.1 for 'chol' but 2.2 for 'fbs'",
    ),
    "open quote": ('feature,price\n"a,1\n', "unexpected end of data"),
}


@pytest.mark.parametrize("case", BAD_CSV)
def test_a_bad_csv_file_is_refused_with_its_place(tmp_path, case):
    text, message = BAD_CSV[case]
    path = tmp_path / "prices.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=f"^{re.escape(str(path))}: .*{message}"):
        TestCosts.from_csv(path)


BAD_UCI = {
    "one price": ("expense", "cp: 1.00\n", "line 1, 'cp': '1.00' should be the full price"),
    "not a number": ("expense", "cp: 1.00, x\n", "line 1, 'cp', the discount price is 'x'"),
    "empty": ("expense", "\n", "no price in the file"),
    "no value": ("expense", "cp:\n", "line 1: 'cp:' should be"),
    "twice": ("expense", "cp: 1,1\ncp: 1,1\n", "line 2: 'cp' stands in the file twice"),
    "another price": ("cost", UCI["cost"].replace("7.27", "7.28"), "line 2, 'chol': 7.28 here but 7.27"),
    "a test too few": ("delay", "cp: immediate.\n", "no line for 'chol'"),
    "a test too many": ("cost", UCI["cost"] + "thal: 3\n", "line 5, 'thal': no such test"),
    "delay word": ("delay", UCI["delay"].replace("delayed", "late"), "line 2, 'chol': 'late.' should be"),
    "no list": ("group", "chol: A.\n", "list the groups"),
    "unlisted": (
        "group",
        UCI["group"].replace("A.\n\n", "B.\n\n"),
        "line 3, 'chol': group 'A' is not in the list",
    ),
    "memberless": ("group", "A, B.\nchol: A.\nfbs: A.\n", "group 'B' has no test"),
    "unknown member": (
        "group",
        UCI["group"] + "thal: A.\n",
        "'thal': group 'A' names a test without a price",
    ),
    "unequal": (
        "group",
        "A.\ncp: A.\nchol: A.\nfbs: A.\n",
        "group 'A': full minus discount is 0.0 for 'cp' but 2.1 for 'chol'",
    ),
}


@pytest.mark.parametrize("case", BAD_UCI)
def test_bad_uci_files_are_refused_with_their_place(tmp_path, case):
    kind, text, message = BAD_UCI[case]
    prefix = write_uci(tmp_path, **{kind: text})
    with pytest.raises(ValueError, match=f"^{re.escape(f'{prefix}.{kind}')}: .*{message}"):
        TestCosts.from_uci(prefix)


def test_a_file_that_is_not_text_is_refused(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_bytes(b"\xff\xfe[prices]")
    with pytest.raises(ValueError, match="save it as UTF-8"):
        TestCosts.from_toml(path)


def test_a_missing_file_is_reported_as_such(tmp_path):
    with pytest.raises(FileNotFoundError):
        TestCosts.from_toml(tmp_path / "none.toml")
