"""The page on the architecture names files that exist, and every room of the map."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_file_it_names_is_there():
    known = [path for folder in ("cpp", "src", "tests", "tools") for path in (ROOT / folder).rglob("*.*")]
    ends = {"/".join(path.parts[-n:]) for path in known for n in range(1, 6)}
    named = set(re.findall(r"(?<![\w\\*])[a-z][\w/]*\.(?:py|hpp|cpp|js)\b", PAGE))
    assert len(named) > 60
    assert sorted(named - ends) == []


def test_every_room_of_the_package_is_on_it():
    rooms = {path.parent.name for path in (ROOT / "src" / "thriftree").glob("*/__init__.py")}
    rooms |= {path.name for path in (ROOT / "cpp").iterdir() if path.is_dir()} - {"tests"}
    assert {room for room in rooms if room not in PAGE} <= {"data", "testing"}
