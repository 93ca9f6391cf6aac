"""Where the tables of studies come from, which of their rows are taken, and how they are divided."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from studies.harness import tables, versions
from studies.harness.tables import divide, load_table


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "number": np.arange(50.0),
            "name": ["a", None] * 25,
            "id": np.arange(50),
            "target": [0, 1, 1, 2, 2] * 10,
        }
    )


def test_a_file_of_the_folder_a_path_and_a_csv_are_the_same_table(frame, tmp_path):
    frame.to_parquet(tmp_path / "made.parquet")
    frame.to_csv(tmp_path / "made.csv", index=False)
    for source in ("made", str(tmp_path / "made.parquet"), str(tmp_path / "made.csv")):
        table = load_table(source, tmp_path, left_out=("id",))
        assert list(table.X.columns) == ["number", "name"]
        assert table.y.tolist() == [str(label) for label in frame["target"]]
        assert table.facts == {"rows": 50, "all_rows": 50, "columns": 2, "classes": 3}
        assert table.X["name"].isna().sum() == 25


def test_without_a_column_called_target_the_last_is_the_label(frame, tmp_path):
    frame.rename(columns={"target": "sick"}).to_csv(tmp_path / "made.csv", index=False)
    assert load_table(str(tmp_path / "made.csv"), kind="numbers").y.tolist() == frame["target"].tolist()


def test_rows_without_a_label_are_left_out(frame, tmp_path):
    frame["target"] = frame["target"].where(frame["target"] != 1)
    frame.to_parquet(tmp_path / "holes.parquet")
    table = load_table("holes", tmp_path, kind="numbers")
    assert table.all_rows == 30
    assert not np.isnan(table.y).any()


def test_of_a_large_table_the_same_rows_are_taken_in_their_order(frame, tmp_path):
    frame.to_parquet(tmp_path / "large.parquet")
    table = load_table("large", tmp_path, max_rows=20)
    load_table.cache_clear()
    again = load_table("large", tmp_path, max_rows=20)
    assert table.facts == {"rows": 20, "all_rows": 50, "columns": 3, "classes": 3}
    kept = table.X["id"].tolist()
    assert kept == sorted(set(kept)) == again.X["id"].tolist()
    assert table.y.tolist() == [str(frame["target"][i]) for i in kept]


@pytest.mark.parametrize(
    ("name", "shape"), [("wine", (178, 13)), ("diabetes", (442, 10)), ("heart", (303, 13))]
)
def test_bundled_sets_need_no_folder(name, shape):
    assert load_table(f"bundled:{name}", kind="numbers" if name == "diabetes" else "classes").X.shape == shape


def test_openml_is_asked_by_name_and_version(monkeypatch, frame):
    from sklearn import datasets
    from sklearn.utils import Bunch

    asked = []

    def fetch(name, **how):
        asked.append((name, how["version"]))
        return Bunch(data=frame.drop(columns="target"), target=frame["target"].rename("class"))

    monkeypatch.setattr(datasets, "fetch_openml", fetch)
    assert load_table("openml:credit-g:2").y.tolist() == [str(label) for label in frame["target"]]
    load_table("openml:sonar")
    assert asked == [("credit-g", 2), ("sonar", "active")]


@pytest.mark.parametrize(
    ("source", "folder", "error", "message"),
    [
        ("iris", None, ValueError, "name the folder that has iris.parquet"),
        ("nowhere.csv", None, FileNotFoundError, "nowhere.csv is missing"),
        ("bundled:mars", None, ValueError, "no bundled set 'mars': there are breast_cancer"),
    ],
)
def test_what_is_not_there_is_named(source, folder, error, message):
    with pytest.raises(error, match=message):
        load_table(source, folder)


def test_splits_are_by_class_disjoint_and_the_same_for_all():
    y = np.array(["a"] * 60 + ["b"] * 30 + ["c"] * 10)
    train, test = divide(y, 3, "classes")
    assert sorted([*train, *test]) == list(range(100))
    assert {label: int((y[test] == label).sum()) for label in "abc"} == {"a": 18, "b": 9, "c": 3}
    assert all((a == b).all() for a, b in zip((train, test), divide(y, 3, "classes"), strict=True))
    assert set(divide(y, 4, "classes")[1]) != set(test)


def test_classes_of_one_row_are_divided_by_chance():
    train, test = divide(np.array(["a"] * 9 + ["b"]), 0, "classes")
    assert (len(train), len(test)) == (7, 3)
    assert len(divide(np.arange(10.0), 0, "numbers", test_share=0.2)[1]) == 2


def test_the_version_of_the_library_changes_with_its_sources(tmp_path):
    for name in ("src/thriftree/a.py", "cpp/grow/b.cpp", "cpp/tests/c_test.cpp"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("1")

    def version():
        versions.of_sources.cache_clear()
        return versions.of_sources(tmp_path)

    first = version()
    assert version() == first
    (tmp_path / "cpp/tests/c_test.cpp").write_text("2")
    assert version() == first
    seen = {first}
    for name in ("src/thriftree/a.py", "cpp/grow/b.cpp"):
        (tmp_path / name).write_text("2")
        seen.add(version())
    (tmp_path / "src/thriftree/a.py").rename(tmp_path / "src/thriftree/z.py")
    seen.add(version())
    assert len(seen) == 4
    versions.of_sources.cache_clear()


def test_packages_are_known_by_their_versions():
    import sklearn

    assert versions.of(["scikit-learn"]) == {"scikit-learn": sklearn.__version__}
    assert versions.of(["thriftree"])["thriftree"].endswith(f"+{versions.of_sources()}")
    assert versions.installed("no-such-package") is None
    with pytest.raises(ModuleNotFoundError, match="not installed: no-such-package"):
        versions.of(["numpy", "no-such-package"])
    assert tables.MOST_ROWS == 10_000
