"""Trees that learners made of the heart table, in every engine."""

import io

import openpyxl
import pytest
from engine_documents import columns_asked
from onnx_runs import run
from pmml_reader import PmmlTree
from spreadsheet import Spreadsheet

from thriftree import C45Classifier, CARTClassifier, CHAIDClassifier, ID3Classifier
from thriftree.datasets import heart_prices, load_heart


@pytest.fixture(scope="module")
def heart():
    return load_heart()


@pytest.fixture(
    params=[
        CARTClassifier(max_leaves=12),
        C45Classifier(),
        ID3Classifier(max_depth=3),
        CHAIDClassifier(costs=heart_prices()),
        CARTClassifier(max_leaves=12, shrinkage=300),
    ],
    ids=lambda learner: type(learner).__name__ + " shrunk" * (learner.shrinkage is not None),
    scope="module",
)
def tree(request, heart):
    return request.param.fit(*heart).tree_


@pytest.fixture
def rows(heart):
    X, _ = heart
    return {name: [None if value != value else value for value in X[name].tolist()] for name in X.columns}


def test_onnx_decides_as_the_tree(tree, heart, rows):
    outputs = run(tree.to_onnx(), rows)
    assert outputs["label"].tolist() == tree.predict(heart[0]).tolist()
    assert (outputs["probabilities"] == tree.predict_proba(heart[0])).all()


def test_pmml_decides_as_the_tree(tree, heart, rows):
    pmml = PmmlTree(tree.to_pmml())
    leaves = [pmml.leaf({name: rows[name][i] for name in pmml.inputs}) for i in range(len(heart[0]))]
    assert [int(leaf.get("id")) for leaf in leaves] == tree.apply(heart[0]).tolist()
    assert [pmml.shares(leaf) for leaf in leaves] == tree.predict_proba(heart[0]).tolist()


def test_a_workbook_decides_as_the_tree(tree, heart, rows):
    book = openpyxl.load_workbook(io.BytesIO(tree.to_excel(rows=40)))
    names = [column["name"] for column in columns_asked(tree.to_dict())]
    for k, name in enumerate(names):
        for i in range(40):
            book["Many rows"].cell(i + 2, k + 1).value = rows[name][i]
    content = io.BytesIO()
    book.save(content)
    sheets = Spreadsheet(content.getvalue())
    answers = [sheets.value("Many rows", i + 2, len(names) + 1) for i in range(40)]
    assert answers == tree.predict(heart[0])[:40].tolist()
