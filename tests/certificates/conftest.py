"""Certificates without a search."""

import sys

import pytest

from thriftree import certify


@pytest.fixture
def no_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside, calls without a time limit compute the bounds that take no search, and no other."""
    monkeypatch.setattr(sys.modules[certify.__module__], "SEARCH_S", 0.0)
