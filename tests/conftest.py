"""What every suite shares: the full run, and tools and data sets that may be missing."""

import builtins
import os
import shutil
import signal
import threading
from collections.abc import Callable
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import settings
from thoroughness import FULL, tries

# The same examples in every run, and no limit of time for one: a test that fails by chance, or because the
# machine is busy, tells nothing.
settings.register_profile("repeatable", deadline=None, derandomize=True, max_examples=tries(100, 50))
settings.load_profile("repeatable")

#: Where each tool may be found: names on the PATH, or files, with wildcards for versions.
TOOLS = {
    "browser": ["chromium", "chromium-browser", "google-chrome"],
    "node": ["node", "nodejs"],
    "java": ["java"],
    "graphviz": ["dot"],
    "office": ["soffice", "libreoffice"],
    "weka": ["/usr/share/java/weka.jar"],
    "postgres": ["/usr/lib/postgresql/*/bin/postgres", "postgres"],
    "mariadb": ["mariadbd", "/usr/sbin/mariadbd"],
}


@pytest.fixture(autouse=True)
def ctrl_c_is_heard() -> None:
    """A run that was started in the background ignores Ctrl-C, and so would all that the tests start; and
    engines that tests run within this process bring handlers of their own, or block the signal.
    """
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


@pytest.fixture(autouse=True)
def chance_is_the_same() -> None:
    """What an estimator without a random_state draws is the same in every run."""
    np.random.seed(0)


def missing(what: str, remedy: str) -> None:
    """Skip the calling test, or fail it in the full run, where nothing may be missing."""
    if FULL:
        pytest.fail(f"{what} is missing: {remedy}", pytrace=False)
    pytest.skip(f"{what} is missing: {remedy}")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if FULL:
        return
    full = [item for item in items if item.get_closest_marker("full")]
    if full:
        config.hook.pytest_deselected(items=full)
        items[:] = [item for item in items if not item.get_closest_marker("full")]


@pytest.fixture(scope="session")
def require() -> Callable[[str], Path]:
    """``require("node")`` is the path of that tool; the names are those of ``TOOLS``."""

    def find(tool: str) -> Path:
        for place in TOOLS[tool]:
            found = shutil.which(place) or next(iter(sorted(glob(place))), None)
            if found:
                return Path(found)
        missing(tool, f"install one of {', '.join(TOOLS[tool])}")
        raise AssertionError("unreachable")

    return find


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of data sets named by THRIFTREE_DATA."""
    folder = os.environ.get("THRIFTREE_DATA")
    if not folder:
        missing("THRIFTREE_DATA", "set it to the folder that holds the data sets")
    elif not Path(folder).is_dir():
        pytest.fail(f"THRIFTREE_DATA={folder} is not a folder", pytrace=False)
    return Path(str(folder))


@pytest.fixture
def without_matplotlib(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if matplotlib were not installed."""
    real = builtins.__import__

    def absent(name: str, *rest: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", absent)
