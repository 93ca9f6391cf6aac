"""The pictures of docs/guide/pictures.md are there, and small."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "guide"
NAMED = re.findall(r"!\[[^\]]+\]\(([^)]+)\)", (GUIDE / "pictures.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", NAMED)
def test_a_picture_exists_and_takes_less_than_200_kb(name):
    assert 1000 < (GUIDE / name).stat().st_size < 200_000
    assert f'"{Path(name).name}"' in (GUIDE.parents[1] / "tools" / "make_pictures.py").read_text(
        encoding="utf-8"
    )
