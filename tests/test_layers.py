"""The layer check holds for this repository, and it sees each kind of offence."""

from pathlib import Path

import check_layers
import pytest

ROOT = Path(__file__).resolve().parent.parent


def rules_broken(root: Path, path: str, text: str) -> list[str]:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return [str(offence) for offence in check_layers.check(root)]


def test_every_file_of_the_repository_keeps_to_its_layer():
    assert [str(offence) for offence in check_layers.check(ROOT)] == []


@pytest.mark.parametrize(
    "statement",
    [
        "import thriftree._core",
        "from thriftree import _core",
        "from thriftree._core import Table",
        "from .. import _core",
        "def f():\n    from .._core import Table",
        "import importlib\nimportlib.import_module('thriftree._core')",
    ],
)
def test_an_exporter_that_imports_the_core_is_named_with_its_line(tmp_path, statement):
    (offence,) = rules_broken(tmp_path, "src/thriftree/export/sql.py", statement)
    assert offence.startswith(
        f"src/thriftree/export/sql.py:{statement.count(chr(10)) + 1}: imports the compiled core"
    )
    assert "Remedy: " in offence


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        ("src/thriftree/costs.py", "import pandas as pd", "only frames.py and table_files/ know"),
        (
            "src/thriftree/table.py",
            "from polars.datatypes import Enum",
            "only frames.py and table_files/ know",
        ),
        ("src/thriftree/cli/predict.py", "import pyarrow.csv", "only frames.py and table_files/ know"),
        (
            "src/thriftree/report/facts.py",
            "from ..estimators.cart import CARTClassifier",
            "sees only the tree",
        ),
        ("src/thriftree/plot/svg.py", "from thriftree import estimators", "sees only the tree"),
        ("src/thriftree/long.py", "x = 1\n" * 501, "501 lines"),
        ("tests/test_long.py", "x = 1\n" * 501, "501 lines"),
        ("cpp/grow/a.cpp", "#include <Python.h>\n", "only cpp/bindings knows Python"),
        ("cpp/tests/a.cpp", "#include <nanobind/nanobind.h>\n", "only cpp/bindings knows Python"),
        ("cpp/grow/a.cpp", '\nvoid f() { printf("x"); }\n', "a.cpp:2: prints"),
        ("cpp/grow/a.cpp", "auto& out = std::cerr;\n", "prints"),
        ("cpp/bindings/a.cpp", "#include <iostream>\n", "never prints"),
        ("cpp/grow/a.cpp", "void f() { std::abort(); }\n", "ends the process"),
        ("cpp/grow/a.cpp", "void f() { if (true) exit(1); }\n", "ends the process"),
        ("cpp/run/a.hpp", '#include "table/table.hpp"\n', "of a higher layer"),
        ("cpp/criterion/a.hpp", '#include "grow/loop.hpp"\n', "of a higher layer"),
        ("cpp/prune/a.hpp", '#include "bindings/control.hpp"\n', "of a higher layer"),
        ("cpp/misc/a.hpp", "\n", "has no layer"),
        ("cpp/grow/a.cpp", "int x;\n" * 501, "501 lines"),
    ],
)
def test_each_rule_is_seen_when_broken(tmp_path, path, text, rule):
    (offence,) = rules_broken(tmp_path, path, text)
    assert rule in offence
    assert offence.startswith(path + ":")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("src/thriftree/estimators/cart.py", "from .. import _core"),
        ("src/thriftree/tree.py", "from ._core import Tree"),
        ("src/thriftree/frames.py", "import narwhals as nw"),
        ("src/thriftree/export/sql.py", "from ..tree import Tree"),
        ("tests/tree/test_tree.py", "import pandas\nfrom thriftree import _core"),
        ("cpp/tests/main.cpp", '#include <cstdio>\nint main() { std::printf("x"); std::exit(0); }\n'),
        ("cpp/grow/a.cpp", '// exit(1) and printf(\nconst char* s = "abort()";\n/* std::cout\n exit(0) */\n'),
        ("cpp/grow/a.cpp", "void f() { loop.exit(); char b[9]; snprintf(b, 9, fmt); }\n"),
        ("cpp/grow/a.cpp", '#include "criterion/gini.hpp"\n#include "prune/cut.hpp"\n#include <cstdint>\n'),
        ("cpp/bindings/a.cpp", '#include <Python.h>\n#include "grow/loop.hpp"\n'),
        ("cpp/grow/a.cpp", "const int n = 1'000'000; const char c = '\"';\n"),
    ],
)
def test_what_a_layer_may_do_is_no_offence(tmp_path, path, text):
    assert rules_broken(tmp_path, path, text) == []
