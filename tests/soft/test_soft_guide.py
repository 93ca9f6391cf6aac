"""The defaults on the page about soft trees are those of the code."""

from __future__ import annotations

from ast import literal_eval
from pathlib import Path

from thriftree.testing.checks import soft_estimators

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "soft.md"


def test_the_page_has_every_parameter_with_its_default_and_a_reason() -> None:
    rows = [line.strip("|").split("|") for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    stated = {word.strip().strip("`"): literal_eval(value.strip().strip("`")) for word, value, _ in rows}
    assert all(len(reason.strip()) > 10 for _, _, reason in rows)
    for cls in soft_estimators():
        own = cls().get_params()
        assert own == {word: stated[word] for word in own}
    assert set(stated) == set().union(*(cls().get_params() for cls in soft_estimators()))
