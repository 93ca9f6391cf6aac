"""Test ids must be the same in every process, or the parallel run stops before its first test.

Collects the tests in two processes with other hash seeds and other clocks, and compares the ids.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from difflib import unified_diff
from pathlib import Path

_COLLECT = """
import sys, time
shift = float(sys.argv.pop(1))
real = time.time
time.time = lambda: real() + shift
time.time_ns = lambda: int((real() + shift) * 1e9)
import pytest
sys.exit(pytest.main(["--collect-only", "-q", "-p", "no:cacheprovider", *sys.argv[1:]]))
"""
_YEAR_S = 365 * 86400.0


def main() -> int:
    """Print what differs; the exit code is 1 if anything does."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tests", nargs="*", help="files or folders; none: all that pytest finds")
    tests = parser.parse_args().tests
    running = [_collecting(seed, shift_s, tests) for seed, shift_s in ((1, 0.0), (2, _YEAR_S))]
    outputs = [process.communicate()[0] for process in running]
    for process, output in zip(running, outputs, strict=True):
        if process.returncode:
            print(output)
            print(f"check_test_ids: collecting the tests ended with exit code {process.returncode}")
            return 1
    first, second = ([line for line in output.splitlines() if "::" in line] for output in outputs)
    changes = [line for line in unified_diff(first, second, lineterm="", n=0) if line[:1] in "+-"][2:]
    if changes:
        print("\n".join(line[:200] for line in changes[:20]))
        print(
            f"check_test_ids: {len(changes)} test ids differ between two processes: give the parameters "
            "`ids` that depend on no clock, hash seed or address"
        )
        return 1
    print(f"check_test_ids: {len(first)} ids, the same in two processes")
    return 0


def _collecting(seed: int, shift_s: float, tests: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", _COLLECT, str(shift_s), *tests],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": str(seed)},
        cwd=Path.cwd(),
    )


if __name__ == "__main__":
    sys.exit(main())
