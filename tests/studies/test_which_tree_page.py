"""The page "Which tree should I pick": what it says is what its results say."""

from __future__ import annotations

import json
import re

import pytest
from made_results import text_chunks

from studies.harness.figures import digest
from studies.which_tree import kept, markdown, picture
from studies.which_tree.claims import claims
from studies.which_tree.kept import KeptRun, KeptStudy
from studies.which_tree.learners import CLASSIFIERS, OURS, TUNED
from studies.which_tree.page import PAGE, PICTURE, page
from studies.which_tree.picture import draw
from studies.which_tree.scores import PartScores

FACTS = {"rows": 10, "all_rows": 20, "columns": 3, "classes": 2}


def study(values, sets=("iris", "wdbc"), splits=2, quick=False, numbers=None, prices=None):
    """Made results: `values[learner]` has an accuracy for each set and split, or an error."""
    runs = [
        _run("classes", name, split, learner, of_sets[i][split])
        for learner, of_sets in values.items()
        for i, name in enumerate(sets)
        for split in range(splits)
    ]
    for part, of_part, data in (("numbers", numbers, "boston"), ("prices", prices, "heart")):
        for learner, each in (of_part or {}).items():
            runs += [_run(part, data, split, learner, each[split]) for split in range(splits)]
    about = {
        **{"study": kept.NAME, "quick": quick, "splits": splits, "max_rows": 10_000, "test_share": 0.3},
        **{"first": "2026-01-01", "last": "2026-01-02", "missing": {"FIGS": "imodels"}},
        "sets": {
            "classes": dict.fromkeys(sets, FACTS),
            "numbers": {"boston": FACTS} if numbers else {},
            "prices": {"heart": {**FACTS, "real": True, "everything": 9.0}} if prices else {},
        },
        "learners": {
            part: {
                run.learner: {"group": group_of(run.learner), "summary": "…", "versions": {"a": "1"}}
                for run in runs
                if run.part == part
            }
            for part in ("classes", "numbers", "prices")
        },
    }
    return KeptStudy(about, runs)


def group_of(learner):
    return "ceiling" if learner == "LightGBM" else "peer"


def _run(part, name, split, learner, value):
    if isinstance(value, str):
        return KeptRun(part, name, split, learner, None, value)
    measures = {
        "classes": {"accuracy": value, "log_loss": 1 - value, "auc": value, "questions": 2.5, "fit_s": 0.1},
        "numbers": {"r2": value, "questions": 2.5, "fit_s": 0.1},
        "prices": {"hypervolume": value, "mean_accuracy": value, "fit_s": 0.1},
    }[part]
    return KeptRun(part, name, split, learner, {**measures, "leaves": 10 * value}, None)


MADE = study(
    {
        OURS: [[0.8, 0.9], [0.7, 0.7]],
        TUNED: [[0.7, 0.8], [0.7, 0.7]],
        "C5.0": [[0.9, 0.9], ["ValueError: too\nwide", 0.9]],
        "LightGBM": [[1.0, 1.0], [0.9, 0.9]],
    },
    numbers={OURS: [0.5, 0.5], TUNED: [0.49, 0.49]},
    prices={OURS: [0.5, 0.7], "Cheapest columns": [0.6, 0.7]},
)


def test_means_are_over_sets_and_differences_over_those_that_both_finished():
    scores = PartScores(MADE, "classes")
    assert scores.mean(OURS, "accuracy").mean == pytest.approx(0.775)
    assert scores.finished("C5.0") == ["iris"]
    gap = scores.difference("C5.0", OURS, "accuracy")
    assert (gap.mean, gap.n_sets) == (pytest.approx(0.05), 1)
    gap = scores.difference(TUNED, OURS, "accuracy")
    assert (gap.mean, gap.n_sets) == (pytest.approx(-0.05), 2)
    ranks = scores.ranks([OURS, TUNED, "C5.0"], "accuracy")
    assert dict(zip(ranks.names, ranks.ranks, strict=True)) == {OURS: 1.25, TUNED: 1.75}


def test_the_claims_say_what_holds_and_what_was_not_measured():
    found = {one.text: (one.measured, one.holds) for one in claims(MADE)}
    assert found == {
        "no single tree is more than 0.2 points of accuracy ahead of ThriftTree": (
            "C5.0: +5.00 points on 1 set",
            False,
        ),
        "ThriftTree is more accurate than scikit-learn tuned": (
            "+5.00 points [+0.00, +10.00] on 2 sets",
            True,
        ),
        "ThriftTree has fewer leaves than scikit-learn tuned": (
            "+0.50 leaves [+0.00, +1.00] on 2 sets",
            False,
        ),
        "ThriftTree has fewer leaves than C5.0": ("-0.50 leaves on 1 set", True),
        "the log loss of ThriftTree is at most that of HSTreeCV": ("HSTreeCV was not measured", None),
        "the R² of ThriftTree is at least 0.02 above that of scikit-learn tuned": ("+0.010 on 1 set", False),
        "with prices ThriftTree or its frontier has the best hypervolume": (
            "ThriftTree less Cheapest columns: -0.0500 on 1 set",
            False,
        ),
        "with prices ThriftTree or its frontier has the best mean accuracy over budgets": (
            "ThriftTree less Cheapest columns: -0.0500 on 1 set",
            False,
        ),
    }


def test_the_table_marks_who_did_not_finish_and_names_why():
    lines = list(markdown.classes(MADE))
    assert lines[2].startswith("| *LightGBM* | 95.0 ")
    assert next(line for line in lines if "C5.0" in line).startswith(
        "| C5.0 \\* | 90.0 ± 0.0 | +5.0 | – | 0.100 |"
    )
    assert next(line for line in lines if "tuned" in line).split(" | ")[2] == "-5.0 [-10.0, +0.0]"
    assert list(markdown.failures(MADE)) == ["- C5.0: ValueError: too wide: wdbc (1)"]
    assert "Not installed where this was measured, and so left out: FIGS (imodels)." in page(MADE)


def test_rows_that_were_left_out_are_said():
    assert "| iris | 10 of 20 | 3 | 2 |" in page(MADE)
    assert "at most 10,000 rows of each set" in page(MADE)


def test_a_quick_run_says_so():
    assert "**A quick run.**" not in page(MADE)
    assert "**A quick run.**" in page(study({OURS: [[0.8], [0.7]]}, splits=1, quick=True))


def test_kept_results_read_back_as_they_were_written(tmp_path):
    path = tmp_path / "kept.jsonl"
    kept.write(MADE, path)
    again = kept.read(path)
    assert page(again) == page(MADE)
    written = path.read_bytes()
    kept.write(again, path)
    assert path.read_bytes() == written
    path.write_text('{"study": "another"}\n')
    with pytest.raises(ValueError, match="no results of the study 'which tree'"):
        kept.read(path)


def test_the_picture_draws_every_learner_that_finished(tmp_path):
    path = tmp_path / "picture.png"
    draw(MADE, path, "the digest")
    assert text_chunks(path.read_bytes())["Source"] == "the digest"
    assert path.stat().st_size > 10_000
    assert {learner.group for learner in CLASSIFIERS.values()} == set(picture.LOOKS)


def test_the_page_in_the_docs_is_what_its_results_say():
    assert PAGE.read_text(encoding="utf-8") == page(kept.read()), "run `make study-page`"


def test_the_picture_in_the_docs_is_of_the_same_results():
    assert text_chunks(PICTURE.read_bytes())["Source"] == digest(kept.FILE), "run `make study-page`"
    assert PICTURE.stat().st_size < 200_000


def test_the_results_are_small_and_every_line_is_a_run():
    assert kept.FILE.stat().st_size < 1_000_000
    lines = kept.FILE.read_text(encoding="utf-8").splitlines()
    assert len(lines) == 1 + len(kept.read().runs)
    assert all(len(json.loads(line)) == 5 for line in lines[1:])


def test_every_guide_that_the_page_names_is_there():
    named = re.findall(r"\(guide/([\w.]+)\)", page(MADE))
    assert len(named) >= 5
    for name in named:
        assert (PAGE.parent / "guide" / name).is_file()
