"""What studies share as programs: kept results, and runs that failed."""

from __future__ import annotations

import pytest

from studies.harness import kept, program
from studies.harness.record import RunKey, StudyRun


def run(learner, measures, *, part="a", data="iris", split=0, when="2026-01-02T00:00"):
    key = RunKey(f"made: {part}", data, split, learner, {}, {"thriftree": "1"})
    return StudyRun(key, measures, None if measures else "ValueError: no", None, 1.0, when)


def test_kept_runs_are_in_order_rounded_and_know_their_lines(tmp_path):
    runs = [
        run("B", {"x": 1 / 3, "warnings": ["w"], "each": [2 / 3, 1]}, when="2026-01-05T00:00"),
        run("A", None),
        run("A", {"x": 1.0}, part="b"),
    ]
    study = kept.keep({"study": "made"}, runs)
    assert [one.learner for one in study.runs] == ["A", "B", "A"]
    assert study.runs[1].measures == {"x": 0.33333, "each": [0.66667, 1]}
    assert (study.about["first"], study.about["last"]) == ("2026-01-02", "2026-01-05")
    assert study.about["versions"] == {"thriftree": "1"}
    path = tmp_path / "made.jsonl"
    kept.write(study, path)
    again = kept.read(path, "made")
    assert again == study
    lines = path.read_text().splitlines()
    (number,) = again.lines(again.of("b"))
    assert lines[number - 1].startswith('["b", "iris", 0, "A"')


def test_a_study_with_a_run_that_failed_says_which():
    assert program.all_measures([run("A", {"x": 1})]) == [{"x": 1}]
    with pytest.raises(SystemExit, match=r"1 of 2 runs failed(.|\n)*iris, B, split 1: ValueError: no"):
        program.all_measures([run("A", {"x": 1}), run("B", None)])


def test_an_argument_that_offers_nothing_takes_anything():
    parser = program.parser("made", "…", ())
    assert parser.parse_args(["--data", "."]).sets == []
    assert parser.parse_args(["--data", ".", "--sets", "a", "b"]).sets == ["a", "b"]
    with pytest.raises(SystemExit):
        program.parser("made", "…", ["iris"]).parse_args(["--data", ".", "--sets", "a"])
