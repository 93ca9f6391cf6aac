"""The pictures of the guide are as wide as a page and not heavy."""

import struct
from pathlib import Path

import pytest

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


@pytest.mark.parametrize("name", ["report", "report_tree", "report_print"])
def test_a_picture_of_the_report_is_1280_pixels_wide_and_below_300_kb(name):
    content = (PICTURES / f"{name}.png").read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">I", content[16:20]) == (1280,)
    assert len(content) < 300_000
