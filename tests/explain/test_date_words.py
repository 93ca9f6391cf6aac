"""Dates and the like in words: exact, brief, and read back as what they were."""

import datetime as dt
import json
import re
from math import nextafter
from typing import Any

import numpy as np
import pandas as pd
import pytest
from dated_trees import KINDS, dated_tree, ticks
from hypothesis import given
from hypothesis import strategies as st

from thriftree import CARTClassifier, Tree
from thriftree.columns import Temporal
from thriftree.document.checks import TreeFormatError
from thriftree.temporal import DAY
from thriftree.temporal.iso_texts import NotIsoError, parsed
from thriftree.temporal.words import cut_words, last_tick, tick_words

TICKS = st.sampled_from(sorted(KINDS)).flatmap(lambda kind: st.tuples(st.just(KINDS[kind]), ticks(kind)))


@given(TICKS)
def test_words_read_back_as_what_they_stand_for(case: tuple[Temporal, int]) -> None:
    temporal, tick = case
    assert parsed(temporal, tick_words(temporal, tick)) == tick


@given(st.floats(-1e18, 1e18), st.integers(-70, 70))
def test_the_last_tick_is_the_largest_that_is_not_above_the_cut(cut: float, beside: int) -> None:
    last = last_tick(cut)
    assert float(last) <= cut < float(last + 1)
    assert (float(last + beside) <= cut) == (float(last + beside) <= float(last))


@pytest.mark.parametrize(
    ("temporal", "tick", "words"),
    [
        (Temporal("date"), 0, "1970-01-01"),
        (Temporal("date"), -719162, "0001-01-01"),
        (Temporal("date"), 2932897, "2932897 days after 1970-01-01"),
        (Temporal("datetime"), 0, "1970-01-01 00:00"),
        (Temporal("datetime"), -1, "1969-12-31 23:59:59.999999"),
        (Temporal("datetime"), 250_000, "1970-01-01 00:00:00.25"),
        (Temporal("datetime"), -(10**18), f"{10**18} microseconds before 1970-01-01"),
        (Temporal("datetime", "Europe/Berlin"), 0, "1970-01-01 01:00+01:00"),
        (Temporal("datetime", "+05:30"), 0, "1970-01-01 05:30+05:30"),
        (Temporal("datetime", "Nowhere/At_all"), 0, "1970-01-01 00:00+00:00"),
        (Temporal("datetime", "America"), 0, "1970-01-01 00:00+00:00"),  # a folder of names
        (Temporal("datetime", "Asia/Tokyo"), 253402300799999999, "9999-12-31 23:59:59.999999+00:00"),
        (Temporal("time"), 45_000_000_000, "12:30"),
        (Temporal("time"), DAY, f"{DAY} microseconds after midnight"),
        (Temporal("duration"), 3 * DAY + 1_500_000, "3 days 00:00:01.5"),
        (Temporal("duration"), -DAY, "-1 day"),
        (Temporal("duration"), 60_000_000, "00:01"),
    ],
)
def test_words_are_as_brief_as_is_exact(temporal: Temporal, tick: int, words: str) -> None:
    assert tick_words(temporal, tick) == words


@pytest.mark.parametrize(
    ("what", "text", "tick"),
    [
        ("date", " 2021-03-04 ", 18690),
        ("datetime", "2021-03-04", 18690 * DAY),
        ("datetime", "2021-03-04T01:02:03.040", 18690 * DAY + 3_723_040_000),
        ("duration", "P1DT2H", DAY + 7_200_000_000),
        ("duration", "-P1W", -7 * DAY),
        ("duration", "PT0.5S", 500_000),
        ("duration", "-1 days +20:00:00", -4 * 3_600_000_000),
        ("duration", "100:00", 360_000_000_000),
    ],
)
def test_iso_texts_are_read(what: Any, text: str, tick: int) -> None:
    assert parsed(Temporal(what), text) == tick


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("date", "2021-3-4"),
        ("date", "2021-13-01"),
        ("date", "20210304"),
        ("date", "2021-03-04 12:00"),
        ("date", "٢٠٢١-03-04"),
        ("datetime", "2021-03-04 25:00"),
        ("datetime", "2021-03-04 12:00:00.1234567"),
        ("datetime", "2021-03-04 12:00Z"),
        ("time", "24:00"),
        ("time", "1:30"),
        ("duration", ""),
        ("duration", "P"),
        ("duration", "3"),
        ("duration", "1 day 25:00"),
    ],
)
def test_other_texts_are_refused(what: Any, text: str) -> None:
    with pytest.raises(NotIsoError):
        parsed(Temporal(what), text)


@given(st.sampled_from(sorted(KINDS)), st.integers(0, 2**32))
def test_rules_and_explanations_say_where_a_value_goes(kind: str, seed: int) -> None:
    temporal = KINDS[kind]
    tree, values = dated_tree(kind, seed)
    rules = tree.rules()
    for value in values:
        number = float(value)
        words = tick_words(temporal, value)
        leaf = int(tree.apply(pd.DataFrame({"t": [words]}))[0])
        told = tree.explain({"t": words})
        assert told.leaf == leaf
        for step in told.steps:
            assert holds(step.answer, temporal, number)
        assert [
            rule.leaf for rule in rules if all(holds(str(c), temporal, number) for c in rule.conditions)
        ] == [leaf]


def holds(condition: str, temporal: Temporal, number: float) -> bool:
    """Whether a condition, read as it is printed, holds of a number."""
    for part in condition.removesuffix(" or is missing").split(" or "):
        found = re.fullmatch(r"(?:(?P<low>.+) < (?:t|…) <= |(?:t )?(?P<sign><=|>) )(?P<cut>.+)", part)
        if found is None:
            assert part in ("t is known", "known", "t is missing"), part
            continue
        cut = float(parsed(temporal, found["cut"]))
        low = -np.inf if found["low"] is None else float(parsed(temporal, found["low"]))
        if (number > cut) if found["sign"] == ">" else (low < number <= cut):
            return True
    return False


@given(st.sampled_from(sorted(KINDS)), st.integers(0, 2**32))
def test_files_and_sentences_keep_what_columns_are(kind: str, seed: int) -> None:
    tree, values = dated_tree(kind, seed)
    assert Tree.from_json(tree.to_json()) == tree
    told = Tree.from_sentences(tree.to_sentences(exact=True))
    assert told.columns == tree.columns
    X = pd.DataFrame({"t": [*(tick_words(KINDS[kind], value) for value in values), None]})
    assert told.predict(X).tolist() == tree.predict(X).tolist()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"temporal": "week"}, r"\$.columns\[0\].temporal: must be one of date, datetime, time, duration"),
        ({"temporal": ["date"]}, "temporal"),
        ({"temporal": None}, "temporal"),
        ({"kind": "category", "categories": ["a"], "temporal": "date"}, "temporal"),
        ({"temporal": "date", "time_zone": "UTC"}, r"time_zone: only a column with"),
        ({"time_zone": "UTC"}, "time_zone"),
        ({"temporal": "datetime", "time_zone": "../../etc/passwd"}, "no name of a time zone"),
        ({"temporal": "datetime", "time_zone": None}, "must be a string"),
    ],
)
def test_a_file_that_says_something_else_is_refused(changed: dict[str, Any], said: str) -> None:
    document = CARTClassifier().fit([[1.0], [1.0]], [0, 1]).tree_.to_dict()
    document["columns"] = [{"name": "t", "kind": "number", **changed}]
    with pytest.raises(TreeFormatError, match=said):
        Tree.from_json(json.dumps(document))


@pytest.mark.parametrize("cut", [1e300, -1e300, nextafter(0, -1), 2.0**63])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_cuts_of_foreign_files_are_shown_whatever_they_are(kind: str, cut: float) -> None:
    assert cut_words(KINDS[kind], cut)


def test_a_questionnaire_asks_for_dates() -> None:
    X = pd.DataFrame({"born": [dt.date(2000, 1, 1), dt.date(2001, 1, 1)]})
    tree = CARTClassifier().fit(X, ["old", "young"]).tree_
    asking = tree.consult()
    question = asking.question
    assert question is not None
    assert question.text == (
        "What is born? (a date such as 2021-03-04; what counts is whether it is after 2000-07-02)"
    )
    assert question.parse("unknown") is None
    with pytest.raises(
        ValueError, match=r"'1.2.2000' is no answer to 'born': .*type a date such as 2021-03-04"
    ):
        question.parse("1.2.2000")
    asking.answer(question.parse("2000-07-03"))
    assert asking.known == {"born": "2000-07-03"}
    assert asking.result is not None
    assert str(asking.result.steps[0]) == "born is 2000-07-03 (> 2000-07-02)"


def test_cuts_can_be_stated_as_dates() -> None:
    X = pd.DataFrame({"day": [dt.date(2021, 3, day) for day in range(1, 9)]})
    y = [0, 0, 1, 1, 0, 0, 1, 1]
    model = CARTClassifier().fit(X, y)
    for cut in (dt.date(2021, 3, 4), "2021-03-04", np.datetime64("2021-03-04"), pd.Timestamp("2021-03-04")):
        edited = model.refit_below(0, X, y, feature="day", cut=cut).estimator
        assert edited.tree_.to_text().startswith("day <= 2021-03-04?")
    with pytest.raises(ValueError, match=r"day.*is from '2021-03-01' to '2021-03-08' there"):
        model.refit_below(0, X, y, feature="day", cut="2022-01-01")
    with pytest.raises(TypeError, match="'day' holds dates, but a value is 5"):
        model.refit_below(0, X, y, feature="day", cut=5)
