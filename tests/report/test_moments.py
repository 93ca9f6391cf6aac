"""The page's own reading and writing of dates against those of Python."""

import datetime as dt
import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from dated_trees import KINDS, RANGES

import thriftree.report
from thriftree import CARTClassifier
from thriftree.columns import Temporal
from thriftree.temporal.iso_texts import NotIsoError, parsed
from thriftree.temporal.words import tick_words

pytestmark = pytest.mark.full

SOURCE = Path(thriftree.report.__file__).parent / "page" / "moments.js"
ODD = [
    "",
    "soon",
    "2021-02-30",
    "2021-03-04",
    "2021-03-04 24:00",
    "2021-03-04T12:30",
    "12:30",
    "12:60",
    "3 days",
]
ODD += [
    "-1 day 12:30:00.5",
    "2021-03-04 12:30Z",
    "2021-03-04 12:30+05:30",
    "2021-03-04 12:30:00.000001-00:30",
]


def answers(node: Path, folder: Path, expression: str, given: Any) -> list[Any]:
    script = folder / "ask.js"
    script.write_text(
        f"{SOURCE.read_text()}\nconst given = {json.dumps(given)};\nconsole.log({expression});\n"
    )
    said = subprocess.run([node, script], capture_output=True, text=True, check=True).stdout
    found: list[Any] = json.loads(said)
    return found


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_page_shows_and_reads_dates_as_python_does(kind: str, require: Any, tmp_path: Path) -> None:
    temporal = KINDS[kind]
    rng = np.random.default_rng(1)
    low, high = (max(RANGES[kind][0], -(2**53)), min(RANGES[kind][1], 2**53))
    ticks = [low, high, 0, *(int(tick) for tick in rng.integers(low, high, 300))]
    column = json.dumps({"temporal": temporal.what, "zoned": temporal.time_zone is not None})
    shown = f"JSON.stringify(given.map((n) => momentWords({column}, n)))"
    words = answers(require("node"), tmp_path, shown, ticks)
    in_utc = Temporal(temporal.what, "UTC" if temporal.time_zone else None)
    assert words == [tick_words(in_utc, tick) for tick in ticks]
    texts = [*words, *(tick_words(temporal, tick) for tick in ticks), *ODD]
    read = f"JSON.stringify(given.map((text) => momentNumber({column}, text)))"
    assert answers(require("node"), tmp_path, read, texts) == [number(temporal, text) for text in texts]


def number(temporal: Temporal, text: str) -> int | None:
    try:
        return parsed(temporal, text)
    except NotIsoError:
        return None


def test_a_person_answers_with_a_date_and_follows_a_row(open_report: Any) -> None:
    days = [dt.date(2021, 3, 1) + dt.timedelta(days=i) for i in range(20)]
    X = pl.DataFrame({"day": [*days[:19], None], "clock": [dt.time(i, 30) for i in range(20)]})
    y = ["late" if i > 9 else "early" for i in range(20)]
    tree = CARTClassifier(max_leaves=2).fit(X, y).tree_
    asked = tree.columns[int(tree.core.column[0])].name
    page = open_report(tree, X, y)
    page.fill("#questionnaire input", "soon")
    page.locator("#questionnaire button", has_text="Answer").click()
    assert page.locator("#questionnaire .conclusion").count() == 0
    page.fill("#questionnaire input", {"day": "2021-03-11", "clock": "10:00"}[asked])
    page.locator("#questionnaire button", has_text="Answer").click()
    assert page.inner_text("#questionnaire .conclusion") == "late"
    page.select_option("#row-number", label="3")
    assert page.input_value(".follow-fields input") == {"day": "2021-03-04", "clock": "03:30"}[asked]
    assert "early" in page.inner_text(".follow-result")
    assert "2021-03-01 to 2021-03-19, median 2021-03-10" in page.inner_text("body")
