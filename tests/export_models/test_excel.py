"""Workbooks: computed by a small spreadsheet of our own, and in the full run by LibreOffice."""

import io
import re
import subprocess
import zipfile
from decimal import Context, Decimal
from xml.etree import ElementTree

import numpy as np
import openpyxl
import pytest
from engine_documents import columns_asked
from hypothesis import given
from hypothesis import strategies as st
from spreadsheet import NotAvailableError, Spreadsheet

from thriftree.export.excel_cells import cut_in_15_digits, letters, write_text
from thriftree.testing.random_documents import HOSTILE_TEXTS, frame_of, random_document, random_rows
from thriftree.tree import Tree

FIFTEEN = Context(prec=15)
FUNCTIONS = {"IF", "INDEX", "SUMPRODUCT", "FREQUENCY", "EXACT", "ISNUMBER", "NA", "COUNTA", "COUNTIF"}


def typeable_rows(document, seed, n_rows):
    """Rows that cells can hold: numbers of 15 digits, many next to a cut; an empty text is missing."""
    rng = np.random.default_rng(seed)
    rows = random_rows(document, seed, n_rows, infinite=False)
    for j, column in enumerate(document["columns"]):
        values = rows[column["name"]]
        if column["kind"] != "number":
            rows[column["name"]] = [None if value == "" else value for value in values]
            continue
        tests = [node["test"] for node in document["nodes"] if "test" in node]
        cuts = [cut for test in tests if test["column"] == j for cut in test["keys"]] or [1.0]
        near = [_steps(float(rng.choice(cuts)), int(rng.integers(-2, 3))) for _ in values]
        rows[column["name"]] = [
            None if value is None else float(f"{value:.15g}") if rng.random() < 0.5 else close
            for value, close in zip(values, near, strict=True)
        ]
    return rows


def _steps(number, n):
    """The number, rounded to 15 digits, and n of its neighbours of 15 digits further."""
    decimal = FIFTEEN.create_decimal(Decimal(number))
    for _ in range(abs(n)):
        decimal = FIFTEEN.next_plus(decimal) if n > 0 else FIFTEEN.next_minus(decimal)
    return 0.0 if abs(decimal) < Decimal("1e-300") else float(decimal)


def filled(document, rows, n_rows):
    """The workbook with the rows in its sheet for many rows."""
    book = openpyxl.load_workbook(io.BytesIO(Tree.from_dict(document).to_excel(rows=n_rows)))
    sheet = book["Many rows"]
    for k, column in enumerate(columns_asked(document)):
        for i, value in enumerate(rows[column["name"]]):
            if isinstance(value, str):
                write_text(sheet.cell(i + 2, k + 1), value)
            elif value is not None:
                sheet.cell(i + 2, k + 1).value = value
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def assert_agreement(document, rows, n_rows, value):
    """`value(sheet, row, column)` must show each row's leaf, and its answer where the row has any value."""
    tree, frame = Tree.from_dict(document), frame_of(document, rows)
    asked = columns_asked(document)
    n_shares = len(document["classes"] or ())
    leaf_column = 2 * len(asked) + 1 + n_shares + (document["prices"] is not None) + 1 + tree.depth
    leaves = [value("Many rows", i + 2, leaf_column) for i in range(n_rows)]
    assert leaves == tree.apply(frame).tolist()
    shares = tree.predict_proba(frame) if n_shares else np.empty((n_rows, 0))
    for i, answer in enumerate(tree.predict(frame).tolist()):
        shown = value("Many rows", i + 2, len(asked) + 1)
        if asked and all(rows[column["name"]][i] is None for column in asked):
            assert shown in (None, "")
            continue
        if isinstance(answer, str):
            # LibreOffice writes a carriage return in a file as it is, which reads as the end of a line.
            assert (shown or "").replace("\r", "") == answer.replace("\r", "")
        else:
            assert shown == pytest.approx(answer, rel=1e-14)
        for k in range(n_shares):
            assert value("Many rows", i + 2, len(asked) + 2 + k) == pytest.approx(shares[i, k], abs=1e-14)


@pytest.mark.parametrize("digits", [15, 17])
@pytest.mark.parametrize("seed", range(12))
def test_the_formulas_decide_every_row_as_the_tree_does(seed, digits):
    document = random_document(seed, n_tests=seed % 11, prices=seed % 2 == 0)
    rows = typeable_rows(document, seed, 40)
    assert_agreement(document, rows, 40, Spreadsheet(filled(document, rows, 40), digits).value)


@pytest.mark.full
def test_libreoffice_decides_every_row_as_the_tree_does(tmp_path, require):
    n_rows = 10_000
    documents = {
        seed: random_document(seed, n_tests=12, n_classes=n_classes, prices=True)
        for seed, n_classes in ((301, 0), (303, 2), (305, 5))
    }
    rows = {seed: typeable_rows(document, seed, n_rows) for seed, document in documents.items()}
    for seed, document in documents.items():
        (tmp_path / f"{seed}.xlsx").write_bytes(filled(document, rows[seed], n_rows))
    out = tmp_path / "computed"
    files = [str(tmp_path / f"{seed}.xlsx") for seed in documents]
    profile = f"-env:UserInstallation=file://{tmp_path / 'profile'}"
    command = [
        str(require("office")),
        profile,
        "--headless",
        "--convert-to",
        "xlsx",
        "--outdir",
        str(out),
        *files,
    ]
    subprocess.run(command, check=True, capture_output=True)
    for seed, document in documents.items():
        book = openpyxl.load_workbook(out / f"{seed}.xlsx", data_only=True)
        assert_agreement(document, rows[seed], n_rows, lambda s, r, c, b=book: b[s].cell(r, c).value)


@given(st.floats(-1e250, 1e250).filter(lambda cut: cut == 0 or abs(cut) > 1e-250), st.integers(-3, 3))
def test_a_cut_in_15_digits_divides_numbers_of_15_digits_as_the_cut_does(cut, n):
    x = _steps(cut, n)
    assert (x <= cut) == (x <= cut_in_15_digits(cut))
    assert float(f"{cut_in_15_digits(cut):.15g}") == cut_in_15_digits(cut)


@pytest.mark.parametrize("cut", [0.3, 0.1 + 0.2, 1 / 3, 54.5, -0.1, 123456.789, 16777217.0, 0.0])
def test_a_cut_that_can_be_typed_stays_as_it_is_or_is_the_next_below(cut):
    assert cut_in_15_digits(cut) <= cut
    assert cut_in_15_digits(cut) == pytest.approx(cut, rel=1e-14)
    if cut == float(f"{cut:.15g}"):
        assert cut_in_15_digits(cut) == cut


@pytest.mark.parametrize("seed", range(8))
def test_no_text_of_the_data_is_a_live_formula(seed):
    document = random_document(seed, n_tests=9, n_classes=5)
    with zipfile.ZipFile(io.BytesIO(Tree.from_dict(document).to_excel(rows=3))) as archive:
        sheets = [
            ElementTree.fromstring(archive.read(n)) for n in archive.namelist() if "worksheets/sheet" in n
        ]
        styles = ElementTree.fromstring(archive.read("xl/styles.xml"))
    space = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
    assert len(sheets) == 5
    formulas = [f.text for sheet in sheets for f in sheet.iter(f"{space}f")]
    assert formulas
    for formula in formulas:
        assert len(formula) < 8192
        assert set(re.findall(r"([A-Z]+)\(", formula)) <= FUNCTIONS
        assert set(re.findall('"([^"]*)"', formula)) <= {
            "",
            "yes",
            "no",
            " is missing",
            *(f"step {k}" for k in range(30)),
        }
    for sheet in sheets:
        for rule in sheet.iter(f"{space}formula1"):
            assert re.fullmatch(r"Lists!\$[A-Z]+\$\d+:\$[A-Z]+\$\d+|-9E\+307", rule.text)
    quoted = [xf.get("quotePrefix") == "1" for xf in styles.find(f"{space}cellXfs")]
    texts = [c for sheet in sheets for c in sheet.iter(f"{space}c") if c.get("t") == "inlineStr"]
    assert texts
    assert all(quoted[int(cell.get("s"))] for cell in texts)


@pytest.mark.parametrize("text", [*HOSTILE_TEXTS, "_x0041_", "#N/A", "_x000D_\r", "TRUE", "2024-01-01"])
def test_names_and_labels_come_back_as_they_are(text):
    document = _stump()
    document["columns"][0] = {"name": text, "kind": "category", "categories": [text, "plain"]}
    document["nodes"][0]["test"] = {
        "column": 0, "kind": "category", "keys": [0], "to": [0], "missing": 1, "other": 1,
    }  # fmt: skip
    document["classes"] = [text, "another"]
    rows = {text: [text or None, "plain", text.upper() + "!", None]}
    sheets = Spreadsheet(filled(document, rows, 4))
    expected = Tree.from_dict(document).predict(frame_of(document, rows)).tolist()
    given = [i for i, value in enumerate(rows[text]) if value is not None]
    assert [sheets.value("Many rows", i + 2, 2) for i in given] == [expected[i] for i in given]
    assert (sheets.value("Many rows", 1, 1) or "") == text
    assert (sheets.value("Questionnaire", 4, 1) or "") == text


def test_the_questionnaire_answers_and_says_why_and_what_is_needed():
    document = random_document(8, n_tests=7, n_classes=2, hostile=False, prices=True)
    tree = Tree.from_dict(document)
    rows = typeable_rows(document, 8, 12)
    frame = frame_of(document, rows)
    paths = tree.decision_path(frame)
    asked = columns_asked(document)
    content = tree.to_excel(rows=1)
    for i in range(12):
        book = openpyxl.load_workbook(io.BytesIO(content))
        for k, column in enumerate(asked):
            if rows[column["name"]][i] is not None:
                book["Questionnaire"].cell(4 + k, 2).value = rows[column["name"]][i]
        buffer = io.BytesIO()
        book.save(buffer)
        sheets = Spreadsheet(buffer.getvalue())
        assert sheets.value("Questionnaire", 4, 7) == tree.predict(frame)[i]
        assert sheets.value("Questionnaire", 8, 7) == tree.predict_cost(frame)[i]
        passed = paths[i].indices.tolist()
        tested = {document["nodes"][n]["test"]["column"] for n in passed[:-1]}
        needed = [sheets.value("Questionnaire", 4 + k, 3) for k in range(len(asked))]
        assert needed == ["yes" if document["columns"].index(c) in tested else "no" for c in asked]
        reasons = [sheets.value("Questionnaire", 12 + step, 7) for step in range(tree.depth)]
        names = [document["columns"][document["nodes"][n]["test"]["column"]]["name"] for n in passed[:-1]]
        for name, reason in zip(names, reasons, strict=False):
            assert name in reason
            assert (reason == f"{name} is missing") == (rows[name][i] is None)
        assert [bool(reason) for reason in reasons] == [step < len(passed) - 1 for step in range(tree.depth)]


def test_a_text_in_a_number_column_has_no_answer():
    sheets = Spreadsheet(filled(_stump(), {"x": ["twelve", 0.25]}, 2))
    with pytest.raises(NotAvailableError):
        sheets.value("Many rows", 2, 2)
    assert sheets.value("Many rows", 3, 2) == "low"


def test_text_cells_and_lists_make_typing_safe():
    document = _stump()
    document["columns"].append({"name": "colour", "kind": "category", "categories": ["1", "2"]})
    document["nodes"][0]["test"] = {
        "column": 1, "kind": "category", "keys": [0], "to": [0], "missing": 1, "other": 1,
    }  # fmt: skip
    sheet = openpyxl.load_workbook(io.BytesIO(Tree.from_dict(document).to_excel()))["Questionnaire"]
    assert sheet["B4"].number_format == "@"  # so that 1 stays the text "1"
    (rule,) = sheet.data_validations.dataValidation
    assert (rule.type, rule.formula1, rule.errorStyle) == ("list", "Lists!$A$3:$A$4", "information")
    sheet = openpyxl.load_workbook(io.BytesIO(Tree.from_dict(_stump()).to_excel()))["Questionnaire"]
    (rule,) = sheet.data_validations.dataValidation
    assert (rule.type, rule.operator, rule.errorStyle) == ("decimal", "between", None)  # "stop"
    assert (rule.formula1, rule.formula2, str(rule.sqref)) == ("-9E+307", "9E+307", "B4")


def test_the_file_is_written_where_asked(tmp_path):
    path = tmp_path / "tree.xlsx"
    content = Tree.from_dict(_stump()).to_excel(path=path)
    assert path.read_bytes() == content
    assert openpyxl.load_workbook(path).sheetnames == ["Questionnaire", "Many rows", "Tree", "Lists", "Nodes"]


def test_what_a_spreadsheet_cannot_hold_is_refused_with_the_place():
    document = _stump()
    document["columns"][0] = {"name": "x", "kind": "ordered", "categories": [{"float": 0.1 + 0.2}, 1]}
    with pytest.raises(ValueError, match=r"column 'x' has the label 0.30000000000000004.*15 digits"):
        Tree.from_dict(document).to_excel()
    document["columns"][0]["categories"] = ["a", 1]
    with pytest.raises(ValueError, match=r"column 'x' has labels of several types"):
        Tree.from_dict(document).to_excel()
    document["columns"][0]["categories"] = ["a" * 40_000, "b"]
    with pytest.raises(ValueError, match=r"a text of 40000 characters"):
        Tree.from_dict(document).to_excel()
    for wrong in (0, 2.5, True, "ten"):
        with pytest.raises(ValueError, match=f"rows must be an integer from 1 to 1048575, not {wrong!r}"):
            Tree.from_dict(_stump()).to_excel(rows=wrong)


def test_a_tree_too_large_for_a_spreadsheet_is_refused(monkeypatch):
    monkeypatch.setattr("thriftree.export.excel_nodes.MOST_CELLS", 10)
    with pytest.raises(ValueError, match=r"3 nodes with up to 3 different answers is too large"):
        Tree.from_dict(_stump()).to_excel()
    monkeypatch.undo()
    monkeypatch.setattr("thriftree.export.excel_rows.MAX_COLUMNS", 5)
    with pytest.raises(ValueError, match=r"depth 1 is too deep"):
        Tree.from_dict(_stump()).to_excel()


def test_letters_name_columns_as_spreadsheets_do():
    assert [letters(n) for n in (1, 26, 27, 52, 703, 16384)] == ["A", "Z", "AA", "AZ", "AAA", "XFD"]


def _stump():
    seen = {"rows": 2, "objects": 2, "weight": 2.0, "impurity": 0.5}
    test = {"column": 0, "kind": "ordered", "keys": [0.5], "to": [0, 1], "missing": 1, "other": 0}
    return {
        "format": "thriftree-tree",
        "version": 1,
        "columns": [{"name": "x", "kind": "number"}],
        "classes": ["low", "high"],
        "nodes": [
            {**seen, "value": [1.0, 1.0], "label": 0, "test": test, "children": [1, 2]},
            {**seen, "value": [1.0, 0.0], "label": 0},
            {**seen, "value": [0.0, 1.0], "label": 1},
        ],
    }
