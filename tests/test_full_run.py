"""The full run: what a plain run leaves out or skips runs there, and fails if something is missing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST, THOROUGHNESS = (Path(__file__).with_name(name) for name in ("conftest.py", "thoroughness.py"))
SUITE = """
import pytest

@pytest.mark.full
def test_marked_full(): pass

def test_needs_weka(require): require("weka")

def test_needs_data(data_dir): pass
"""


@pytest.fixture
def run_suite(tmp_path):
    """Run a small suite beside a copy of our conftest; ``weka`` is looked for where it cannot be."""
    conftest = CONFTEST.read_text(encoding="utf-8").replace("/usr/share/java/weka.jar", "/nowhere/weka.jar")
    (tmp_path / "conftest.py").write_text(conftest, encoding="utf-8")
    shutil.copy(THOROUGHNESS, tmp_path)
    (tmp_path / "test_suite.py").write_text(SUITE, encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers = full: x\n", encoding="utf-8")
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("THRIFTREE_", "PYTEST_"))}
    clean["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # plugins take longer to load than the suite

    def run(**environment: str) -> str:
        command = [sys.executable, "-m", "pytest", "-rs", "-p", "no:cacheprovider", str(tmp_path)]
        return subprocess.run(
            command, env=clean | environment, cwd=tmp_path, capture_output=True, text=True, check=False
        ).stdout

    return run


def test_a_plain_run_leaves_out_full_tests_and_counts_what_it_skips(run_suite):
    output = run_suite()
    assert "2 skipped, 1 deselected" in output
    assert "weka is missing: install one of" in output
    assert "THRIFTREE_DATA is missing: set it" in output


def test_the_full_run_fails_where_a_tool_or_the_data_is_missing(run_suite):
    output = run_suite(THRIFTREE_FULL="1")
    assert "1 passed" in output
    assert "1 failed" in output
    assert "1 error" in output
    assert "skipped" not in output


def test_data_are_taken_from_the_named_folder_and_a_wrong_name_is_an_error(run_suite, tmp_path):
    assert "1 passed, 1 skipped" in run_suite(THRIFTREE_DATA=str(tmp_path))
    assert "is not a folder" in run_suite(THRIFTREE_DATA=str(tmp_path / "absent"))
