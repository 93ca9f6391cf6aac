"""What a report of a problem should say about the machine."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version

#: What thriftree needs, then what it reads if it is installed.
PACKAGES = ("thriftree", "numpy", "scipy", "scikit-learn", "narwhals", "pandas", "polars", "pyarrow")


def versions() -> dict[str, str]:
    """The versions of Python, the system and the packages that matter, or "not installed"."""
    found = {
        "python": sys.version.replace("\n", " "),
        "system": platform.platform(),
        "machine": f"{platform.machine()}, {os.cpu_count()} processors",
    }
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "not installed"
    return found


def show_versions() -> None:
    """Print the versions to copy into a report of a problem."""
    found = versions()
    width = max(map(len, found))
    for name, value in found.items():
        print(f"{name:>{width}}: {value}")
