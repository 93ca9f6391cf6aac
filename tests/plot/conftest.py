"""Figures without a display, closed after each test."""

import pytest
from matplotlib import pyplot

pyplot.switch_backend("Agg")


@pytest.fixture(autouse=True)
def _closed():
    yield
    pyplot.close("all")
