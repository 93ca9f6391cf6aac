"""The demo data: whole, readable in every frame library, and equal to the public files."""

import subprocess
import sys

import narwhals as nw
import numpy as np
import pytest

from thriftree.costs import TestCosts
from thriftree.datasets import HEART_NUMBERS, heart_prices, load_heart

UCI_NAMES = {
    "age": "age",
    "sex": "sex",
    "chest_pain": "cp",
    "resting_blood_pressure": "trestbps",
    "cholesterol": "chol",
    "high_fasting_sugar": "fbs",
    "resting_ecg": "restecg",
    "max_heart_rate": "thalach",
    "exercise_angina": "exang",
    "st_depression": "oldpeak",
    "st_slope": "slope",
    "major_vessels": "ca",
    "thallium_scan": "thal",
}
UCI_CODES = {
    "sex": {"0": "female", "1": "male"},
    "chest_pain": {
        "1": "typical angina",
        "2": "atypical angina",
        "3": "non-anginal pain",
        "4": "asymptomatic",
    },
    "high_fasting_sugar": {"0": "no", "1": "yes"},
    "resting_ecg": {"0": "normal", "1": "ST-T abnormality", "2": "left ventricular hypertrophy"},
    "exercise_angina": {"0": "no", "1": "yes"},
    "st_slope": {"1": "upsloping", "2": "flat", "3": "downsloping"},
    "thallium_scan": {"3": "normal", "6": "fixed defect", "7": "reversible defect"},
}


def test_the_heart_table_has_303_patients_and_six_missing_cells():
    X, y = load_heart(as_frame=False)
    assert list(X) == list(UCI_NAMES)
    assert all(len(column) == 303 for column in X.values())
    missing = {name: sum(v is None or v != v for v in column) for name, column in X.items()}
    assert {name: n for name, n in missing.items() if n} == {"major_vessels": 4, "thallium_scan": 2}
    assert dict(zip(*np.unique(y, return_counts=True), strict=True)) == {"absent": 164, "present": 139}


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_every_frame_library_gets_the_same_table(library):
    pytest.importorskip(library)
    columns, _ = load_heart(as_frame=False)
    frame, _ = load_heart(as_frame=library)
    assert type(frame).__module__.split(".")[0] == library
    as_lists = nw.from_native(frame).to_dict(as_series=False)
    assert list(as_lists) == list(columns)
    for name, column in columns.items():
        if name in HEART_NUMBERS:
            np.testing.assert_array_equal(np.array(as_lists[name], dtype=float), column)
        else:
            assert [v if isinstance(v, str) else None for v in as_lists[name]] == column.tolist()


def test_without_a_frame_library_the_error_says_what_to_do(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="as_frame=False"):
        load_heart()


def test_reading_the_demo_data_imports_no_frame_library():
    code = (
        "import sys; from thriftree.datasets import load_heart; load_heart(as_frame=False); "
        "assert not {'pandas', 'polars', 'pyarrow'} & set(sys.modules), 'imported'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_heart_prices_fit_the_heart_table():
    X, _ = load_heart(as_frame=False)
    bound = heart_prices().bind(list(X))
    full = {
        name: bound.own[i] + (bound.setup[bound.group[i]] if bound.group[i] >= 0 else 0)
        for i, name in enumerate(X)
    }
    assert full["thallium_scan"] == pytest.approx(102.90)
    assert full["cholesterol"] == pytest.approx(7.27)
    assert full["st_slope"] == pytest.approx(87.30)
    assert bound.delayed.sum() == 9


def test_the_heart_table_equals_the_public_one(data_dir):
    parquet = pytest.importorskip("pyarrow.parquet")
    public = parquet.read_table(data_dir / "heart-cleveland.parquet").to_pydict()
    X, y = load_heart(as_frame=False)
    assert public["target"] == y.tolist()
    for name, column in X.items():
        theirs = public[UCI_NAMES[name]]
        if name in HEART_NUMBERS:
            np.testing.assert_array_equal(np.array(theirs, dtype=float), column)
        else:
            assert [None if v is None else UCI_CODES[name][v] for v in theirs] == column.tolist()


def test_the_heart_prices_equal_the_uci_cost_files(data_dir):
    theirs = TestCosts.from_uci(data_dir / "costs" / "heart-disease")
    ours = heart_prices()
    assert {UCI_NAMES[name]: price for name, price in ours.prices.items()} == theirs.prices
    assert {UCI_NAMES[name] for name in ours.delayed} == set(theirs.delayed)

    def groups(costs, name_of):
        return {(g.setup, frozenset(map(name_of, g.members))) for g in costs.groups.values()}

    assert groups(ours, UCI_NAMES.get) == groups(theirs, str)
