"""Models of tables with dates come back as they were."""

import datetime as dt
import pickle
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import thriftree
from thriftree.columns import Temporal
from thriftree.testing.checks import all_estimators

DAYS = [dt.date(2021, 3, 1) + dt.timedelta(days=7 * i) for i in range(12)]
X = pl.DataFrame(
    {
        "day": DAYS,
        "sent": pl.Series([dt.datetime(2021, 3, 28, i % 5, 30) for i in range(12)]).dt.replace_time_zone(
            "Asia/Tokyo"
        ),
        "took": [dt.timedelta(minutes=i * i) for i in range(12)],
    }
)
Y = [0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1]


@pytest.mark.parametrize("estimator", all_estimators(), ids=lambda one: one.__name__)
def test_a_model_of_dates_comes_back_from_its_file_and_its_pickle(estimator: Any, tmp_path: Path) -> None:
    model = estimator().fit(X, Y)
    model.save(tmp_path / "model.json")
    for back in (thriftree.load(tmp_path / "model.json"), pickle.loads(pickle.dumps(model))):
        assert back.tree_ == model.tree_
        assert [column.temporal for column in back.tree_.columns] == [
            Temporal("date"),
            Temporal("datetime", "Asia/Tokyo"),
            Temporal("duration"),
        ]
        assert back.predict(X).tolist() == model.predict(X).tolist()
