"""The page about neural trees: its defaults are those of the code, and its examples run."""

from __future__ import annotations

import re
from ast import literal_eval
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from thriftree.testing.checks import neural_estimators

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "neural.md"


def test_the_page_has_every_parameter_with_its_default_and_a_reason() -> None:
    rows = [line.strip("|").split("|") for line in PAGE.read_text().splitlines() if line.startswith("| `")]
    stated = {word.strip().strip("`"): literal_eval(value.strip().strip("`")) for word, value, _ in rows}
    assert all(len(reason.strip()) > 10 for _, _, reason in rows)
    for cls in neural_estimators():
        own = cls().get_params()
        assert own == {word: stated[word] for word in own}
    assert set(stated) == set().union(*(cls().get_params() for cls in neural_estimators()))


@pytest.mark.full
def test_the_examples_of_the_page_run() -> None:
    names: dict[str, Any] = {}
    said = StringIO()
    with redirect_stdout(said):
        for block in re.findall(r"^```py\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL):
            exec(block, names)
    soft, neural, n_units = said.getvalue().splitlines()
    assert float(neural.split()[-1]) > float(soft.split()[-1]) > 0.8
    assert n_units == "8"
