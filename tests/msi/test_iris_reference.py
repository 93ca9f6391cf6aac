"""The recorded trees and costs of iris, byte for byte, for every treatment that was recorded."""

import json
from pathlib import Path

import pytest
from sklearn.datasets import load_iris
from sklearn.model_selection import train_test_split

from thriftree import MSIClassifier
from thriftree.methods.msi import cost as msi_cost
from thriftree.methods.msi.cost import CostFunction

RECORDS = json.loads((Path(__file__).parents[1] / "reference" / "msi_iris.json").read_text())
TREATMENT = {"none": "literal", "clipI": "clip", "S<I->1": "reject", "clip0": "clip0"}


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: f"{record['compressor']}-{record['guard']}")
def test_text_history_size_and_accuracy_are_those_recorded(record, monkeypatch):
    treatment = TREATMENT[record["guard"]]
    if treatment == "clip0":  # was tried, and is not offered: a surfeit below 0 is 0, and then so is the cost
        monkeypatch.setitem(msi_cost.SHORT_MODELS, "clip", lambda _, surfeit: max(surfeit, 0.0))
        treatment = "clip"
    texts = []
    surfeit = CostFunction.surfeit
    monkeypatch.setattr(CostFunction, "surfeit", lambda self, text: texts.append(text) or surfeit(self, text))
    X, y = load_iris(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=0.3, random_state=0)
    model = MSIClassifier(compressor=record["compressor"], short_models=treatment).fit(X, y)
    assert model.tree_text_ == record["tree_string"]
    assert [list(stage) for stage in zip(*model.history_.values(), strict=True)] == record["history"]
    assert model.tree_.n_nodes == record["nodes"]
    assert model.tree_.depth == record["depth"]
    assert model.score(X, y) == pytest.approx(record["acc_train"])
    assert model.score(X_test, y_test) == pytest.approx(record["acc_test"])
    assert len(texts) == record["evaluations"] + 1  # the record does not count the root
