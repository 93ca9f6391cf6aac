"""Where the numbers come from: processor and versions."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from thriftree import _core

_LIBRARIES = ("thriftree", "scikit-learn", "lightgbm", "xgboost", "numpy")


def facts() -> dict[str, str]:
    return {
        "processor": _processor(),
        "instructions": _core.cpu_level,
        "cores": str(os.cpu_count()),
        "python": platform.python_version(),
        **{library: _version(library) for library in _LIBRARIES},
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(library: str) -> str:
    try:
        return version(library)
    except PackageNotFoundError:
        return "not installed"
