"""The example of the written spec, as every tree test can use it."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from thriftree.tree import Tree

HERE = Path(__file__).parent
SPEC = HERE.parent.parent / "docs" / "spec" / "tree-v1.md"

sys.path.insert(0, str(HERE))  # for tree_documents.py, under any import mode


@pytest.fixture(scope="session")
def spec_text() -> str:
    return SPEC.read_text(encoding="utf-8")


@pytest.fixture
def spec_document(spec_text: str) -> dict[str, Any]:
    example = re.search(r"```json\n(.*?)```", spec_text, re.DOTALL)
    assert example is not None
    document: dict[str, Any] = json.loads(example[1])
    return document


@pytest.fixture
def spec_tree(spec_document: dict[str, Any]) -> Tree:
    return Tree.from_dict(spec_document)
