"""The package as it is met first: what importing it brings, its help, its versions."""

import subprocess
import sys

import numpy as np
import pytest

import thriftree

HEAVY = {"narwhals", "pandas", "polars", "pyarrow", "matplotlib", "scipy", "sklearn"}


def test_importing_thriftree_brings_nothing_heavy():
    command = [sys.executable, "-c", "import sys, thriftree; print(*sys.modules)"]
    imported = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert "thriftree" in imported
    assert HEAVY.isdisjoint(imported)


@pytest.mark.parametrize("name", thriftree.__all__)
def test_every_public_name_exists_is_listed_and_has_a_docstring(name):
    assert name in dir(thriftree)
    assert getattr(thriftree, name).__doc__
    assert name in thriftree.__doc__


def test_a_name_that_does_not_exist_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'CARTClasifier'"):
        thriftree.CARTClasifier  # noqa: B018


def test_show_versions_prints_a_line_for_each_package(capsys):
    thriftree.show_versions()
    lines = dict(line.strip().split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert lines["thriftree"] == thriftree.__version__
    assert lines["numpy"] == np.__version__
    assert lines["python"].startswith(sys.version.split()[0])


def test_a_package_that_is_not_installed_is_said_to_be_so(monkeypatch):
    from thriftree import versions

    monkeypatch.setattr(versions, "PACKAGES", ("numpy", "no-such-package"))
    assert versions.versions()["no-such-package"] == "not installed"
