import os
from pathlib import Path

import pytest


@pytest.fixture
def shared_data():
    """The folder of full data sets; tests that need it are skipped, and counted as such, without it."""
    folder = os.environ.get("THRIFTREE_DATA")
    if not folder:
        pytest.skip("THRIFTREE_DATA is not set")
    return Path(folder)
