"""docs/defaults.md is complete and true."""

from __future__ import annotations

from ast import literal_eval
from pathlib import Path

from thriftree.testing.checks import all_estimators

PAGE = Path(__file__).parents[2] / "docs" / "defaults.md"


def documented() -> tuple[list[str], dict[str, dict[str, str]]]:
    """Estimators by column, and for each word what the page says of each estimator and why."""
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    names = cells[0][1:-1]
    return names, {
        row[0].strip("`"): dict(zip([*names, "reason"], row[1:], strict=True)) for row in cells[2:]
    }


def test_the_page_has_every_estimator_and_every_parameter_with_its_default() -> None:
    names, parameters = documented()
    estimators = {cls.__name__: cls().get_params() for cls in all_estimators()}
    assert sorted(names) == sorted(estimators)
    for name, params in estimators.items():
        stated = {
            parameter: literal_eval(row[name].strip("`"))
            for parameter, row in parameters.items()
            if row[name] != "—"
        }
        assert stated == params, name


def test_every_default_has_a_reason() -> None:
    for parameter, row in documented()[1].items():
        assert len(row["reason"]) > 10, parameter
