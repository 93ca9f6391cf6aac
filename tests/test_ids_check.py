"""The check that test ids are the same in every process."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TOOL = Path(__file__).parents[1] / "tools" / "check_test_ids.py"
SUITE = """
import time

import pytest

@pytest.mark.parametrize("value", {values})
def test_something(value): pass
"""


@pytest.mark.parametrize(
    ("values", "code", "said"),
    [
        ("[1, 2]", 0, "2 ids, the same in two processes"),
        ("[str(time.time() // 86400)]", 1, "differ between two processes"),
        ("[str(time.time_ns() // 10**14)]", 1, "differ between two processes"),
        ("sorted({'a', 'b'}, key=hash) * 9", 1, "differ between two processes"),
        ("1 / 0", 1, "collecting the tests ended with exit code 2"),
    ],
    ids=["plain", "clock", "nanoseconds", "hash", "broken"],
)
def test_ids_that_depend_on_the_process_are_found(tmp_path, values, code, said):
    (tmp_path / "test_suite.py").write_text(SUITE.format(values=values), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    bare = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # plugins take longer to load than the suite
    found = subprocess.run(
        [sys.executable, str(TOOL)], cwd=tmp_path, env=bare, capture_output=True, text=True, check=False
    )
    assert found.returncode == code, found.stdout
    assert said in found.stdout
