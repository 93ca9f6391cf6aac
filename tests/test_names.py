"""The check of names holds for this repository, and it sees each kind of offence."""

from pathlib import Path

import check_names
import pytest

ROOT = Path(__file__).resolve().parent.parent


def said_of(root: Path, files: dict[str, str]) -> list[str]:
    """What the check says of these files, and not of its own lists."""
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return [line for line in check_names.offences(root) if not line.startswith("tools/check_names.py")]


def test_every_class_of_the_repository_has_a_name_of_its_own():
    assert list(check_names.offences(ROOT)) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"src/a.py": "class Plan: ..."}, {"tools/b.py": "import a\n\nclass Plan: ..."}),
        ({"cpp/a/a.hpp": "struct Plan {\n};"}, {"cpp/b/b.cpp": "\n\nclass Plan final : public Base {\n};"}),
        ({"tests/a.py": "class Plan: ..."}, {"tests/b.py": "\n\nclass Plan: ..."}),
    ],
    ids=["python", "core", "tests"],
)
def test_a_name_that_two_classes_have_is_told_with_both_places(tmp_path, one, other):
    (offence,) = said_of(tmp_path, {**one, **other})
    assert offence.startswith(f"{next(iter(other))}:3: Plan is a class of {next(iter(one))}:1 too")


def test_a_class_of_the_library_and_of_the_core_must_be_said_to_be_one_thing(tmp_path):
    (offence,) = said_of(tmp_path, {"src/a.py": "class Plan: ...", "cpp/a.hpp": "struct Plan {\n};"})
    assert offence.startswith("src/a.py:1: Plan is a class of the core, cpp/a.hpp:1")


def test_private_classes_inner_classes_and_slow_definitions_may_share_a_name(tmp_path):
    files = {
        "src/a.py": "class _Seen: ...\n\nclass Outer:\n    class Inner: ...",
        "src/b.py": "class _Seen: ...\n\nclass Inner: ...",
        "tests/oracle.py": "class Inner: ...",
        "cpp/a.hpp": "struct Held {\n  struct Inner {\n  };\n};\nclass Other;\n",
    }
    assert said_of(tmp_path, files) == []
