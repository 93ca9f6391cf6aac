"""Every promise of docs/guarantees.md names tests that exist."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "guarantees.md").read_text(encoding="utf-8")
PROMISES = [line.split("|")[1:3] for line in PAGE.splitlines() if line.startswith("| ")]
PROMISES = [(promise.strip(), held_by) for promise, held_by in PROMISES if promise.strip() != "promise"]


def test_there_are_promises():
    assert len(PROMISES) > 15


@pytest.mark.parametrize("held_by", [held_by for _, held_by in PROMISES], ids=range(len(PROMISES)))
def test_a_promise_is_held_by_tests_that_are_there(held_by):
    places = re.findall(r"(?:tests|tools)(?:/[\w.]+)+", held_by)
    assert places
    texts = []
    for place in places:
        assert (ROOT / place).exists(), place
        texts += [(ROOT / place).read_text(encoding="utf-8")] if place.endswith(".py") else []
    for name in re.findall(r"`(test_\w+)`", held_by):
        assert any(f"def {name}(" in text for text in texts), name
