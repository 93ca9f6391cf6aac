"""A tree for the heart data, written once by the command line itself."""

import pytest
from command import FREE_SETS_SET, HEART_DATA, run


@pytest.fixture(scope="session")
def heart_tree(tmp_path_factory) -> str:
    path = str(tmp_path_factory.mktemp("tree") / "tree.json")
    words = ("--method", "cart", "--set", "max_leaves=6", "--set", "pruning=none", "--test-share", "0")
    assert run("fit", *HEART_DATA, *words, *FREE_SETS_SET, "-o", path).code == 0
    return path


@pytest.fixture
def file(tmp_path):
    def write(content: str | bytes, name: str = "rows.csv") -> str:
        path = tmp_path / name
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
        return str(path)

    return write
