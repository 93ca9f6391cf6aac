"""docs/results.md: what it says is what the results say, and every figure can be traced."""

from __future__ import annotations

import json
import re

import pytest
from made_results import kept_study, text_chunks

from studies.harness.figures import digest
from studies.papers import finding, paper_000
from studies.papers.__main__ import collected
from studies.papers.finding import FILE, ResultFile, as_text, ranges
from studies.papers.page import PAGE, PICTURES, page
from studies.papers.paper_000 import findings


@pytest.fixture(scope="module")
def results():
    return collected()


def test_the_page_in_the_docs_is_what_its_results_say(results):
    assert PAGE.read_text(encoding="utf-8") == page(*results), "run `make study-page`"


def test_the_findings_are_those_of_the_results(results):
    assert FILE.read_text(encoding="utf-8") == as_text(results[1]), "run `make study-page`"


def test_the_pictures_are_of_the_same_results():
    pictures = sorted(PICTURES.glob("enhanced_*.png"))
    assert len(pictures) == 5
    for path in pictures:
        assert text_chunks(path.read_bytes())["Source"] == digest(paper_000.FILE), "run `make study-page`"
        assert path.stat().st_size < 400_000


def test_every_finding_names_lines_of_its_file_that_are_runs(results):
    for one in results[1]:
        lines = (FILE.parent / one.file).read_text(encoding="utf-8").splitlines()
        named = [int(number) for number in re.findall(r"\d+", one.lines)]
        assert named
        assert min(named) >= 2
        assert max(named) <= len(lines)
        assert len(json.loads(lines[named[0] - 1])) == 5
        assert one.command.startswith("python -m studies.")
        assert one.holds in ("yes", "no", "in part", "no claim")


def test_every_row_of_the_page_links_its_line():
    text = PAGE.read_text(encoding="utf-8")
    n_findings = len(FILE.read_text(encoding="utf-8").splitlines())
    assert re.findall(rf"{FILE.name}#L(\d+)", text) == [str(n) for n in range(1, n_findings + 1)]


def test_results_are_small():
    for path in FILE.parent.glob("*.jsonl"):
        assert path.stat().st_size < 2_000_000


def test_a_claim_is_judged_by_the_figures(tmp_path):
    cost = {"EC4.5": 1.0, "CC4.5": 1.5, "C4.5": 10.0, "CART": 10.0, "ECART": 1.0}
    file = ResultFile(kept_study(cost), tmp_path / "enhanced.jsonl", "python -m studies.enhanced")
    said = {one.claim: one for one in findings(file)}
    cheaper = said["with random prices the enhanced trees cost up to 90 % less than the traditional ones"]
    assert cheaper.measured == (
        "33 % less (iris) to 33 % less (iris) than CC4.5, 0.67 [0.67, 0.67] on 2 sets of its cost; "
        "up to 90 % (iris) less than C4.5, which knows no prices, and ECART 90 % (iris) less than CART"
    )
    assert cheaper.holds == "no"
    assert said["EC4.5 has a lower expected cost than C4.5 (unit prices): ratio"].holds == "yes"
    assert said["EC4.5 has a lower expected cost than C4.5 (unit prices): ratio"].measured == (
        "0.100 [0.100, 0.100] on 2 sets"
    )


def test_lines_are_said_as_ranges():
    assert ranges([5, 2, 3]) == "2-3, 5"
    assert finding.ranges([]) == ""
