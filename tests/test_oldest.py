"""tests/oldest.txt, which `make oldest` installs, and the lower bounds of pyproject.toml say the same."""

import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LINES = (ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8").splitlines()
PINS = [Requirement(line) for line in LINES if not line.startswith("#")]
REQUIREMENTS = [
    *map(Requirement, PROJECT["dependencies"]),
    *(
        need
        for text in PROJECT["optional-dependencies"]["cli"]
        if (need := Requirement(text)).name == "pyarrow"
    ),
]
OLDEST_PYTHON = PROJECT["requires-python"].removeprefix(">=")


def pinned(name: str, python: str) -> Version:
    """The one version of a package that this Python gets."""
    environment = {"python_version": python}
    pins = [
        pin for pin in PINS if pin.name == name and (pin.marker is None or pin.marker.evaluate(environment))
    ]
    (one,) = (spec for pin in pins for spec in pin.specifier)
    assert one.operator == "=="
    return Version(one.version)


@pytest.mark.parametrize("needed", REQUIREMENTS, ids=str)
def test_the_oldest_python_gets_the_lower_bound(needed):
    (bound,) = needed.specifier
    assert bound.operator == ">="
    lowest = Version(bound.version)
    assert pinned(needed.name, OLDEST_PYTHON).release[: len(lowest.release)] == lowest.release
    for python in ("3.12", "3.13"):
        assert pinned(needed.name, python) >= lowest


def test_nothing_else_is_held_back():
    assert {pin.name for pin in PINS} == {needed.name for needed in REQUIREMENTS}
