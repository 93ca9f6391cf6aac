"""The layer check holds for this repository, and it sees each kind of offence."""

from pathlib import Path

import check_layers
import pytest

ROOT = Path(__file__).resolve().parent.parent


def rules_broken(root: Path, path: str, text: str, rows: str | None = None) -> list[str]:
    """What the check says of one file under the map of this repository, or under these rows."""
    map_text = (ROOT / "CONTRIBUTING.md").read_text("utf-8") if rows is None else f"## The map\n\n{rows}\n"
    (root / "CONTRIBUTING.md").write_text(map_text, encoding="utf-8")
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
    line = statement.count(chr(10)) + 1
    assert offence.startswith(f"src/thriftree/export/sql.py:{line}: imports thriftree._core")
    assert "export may not use _core" in offence
    assert "Remedy: " in offence


@pytest.mark.parametrize(
    ("path", "text", "rule"),
    [
        ("src/thriftree/costs/files.py", "import pandas as pd", "costs may not use pandas"),
        ("src/thriftree/tree.py", "from polars.datatypes import Enum", "tree.py may not use polars"),
        ("src/thriftree/cli/predict.py", "import pyarrow.csv", "cli may not use pyarrow"),
        ("src/thriftree/table/frames.py", "import narwhals as nw", "table may not use narwhals"),
        ("src/thriftree/report/facts.py", "from ..estimators.cart import A", "report may not use estimators"),
        ("src/thriftree/plot/svg.py", "from thriftree import estimators", "plot may not use estimators"),
        ("src/thriftree/plot/svg.py", "from thriftree.export.text import a", "plot may not use export"),
        ("src/thriftree/methods/chaid/a.py", "import sklearn", "methods may not use sklearn"),
        (
            "src/thriftree/tuning/a.py",
            "from thriftree.tuning import frontier",
            "tuning may not use tuning/frontier",
        ),
        ("src/thriftree/learning/a.py", "from thriftree import CARTClassifier", "may not use __init__.py"),
        (
            "src/thriftree/explain/a.py",
            "def f():\n    import thriftree.export",
            "may not use export when called",
        ),
        ("src/thriftree/long.py", "x = 1", "is in no room of the map"),
        ("src/thriftree/costs/long.py", "x = 1\n" * 501, "501 lines"),
        ("tests/test_long.py", "x = 1\n" * 501, "501 lines"),
        ("cpp/grow/a.cpp", "#include <Python.h>\n", "only cpp/bindings knows Python"),
        ("cpp/tests/a.cpp", "#include <nanobind/nanobind.h>\n", "only cpp/bindings knows Python"),
        ("cpp/grow/a.cpp", '\nvoid f() { printf("x"); }\n', "a.cpp:2: prints"),
        ("cpp/grow/a.cpp", "auto& out = std::cerr;\n", "prints"),
        ("cpp/bindings/a.cpp", "#include <iostream>\n", "never prints"),
        ("cpp/grow/a.cpp", "void f() { std::abort(); }\n", "ends the process"),
        ("cpp/grow/a.cpp", "void f() { if (true) exit(1); }\n", "ends the process"),
        ("cpp/run/a.hpp", '#include "table/table.hpp"\n', "cpp/run may not use table"),
        ("cpp/criterion/a.hpp", '#include "grow/loop.hpp"\n', "cpp/criterion may not use grow"),
        ("cpp/prune/a.hpp", '#include "bindings/control.hpp"\n', "cpp/prune may not use bindings"),
        ("cpp/misc/a.hpp", "\n", "is in no room of the map"),
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
        ("src/thriftree/table/frames.py", "def f():\n    import narwhals as nw"),
        (
            "src/thriftree/plot/front.py",
            "if TYPE_CHECKING:\n    from thriftree.tuning.frontier import Frontier",
        ),
        ("src/thriftree/export/sql.py", "from ..document.follow import scalar"),
        ("tests/tree/test_tree.py", "import pandas\nfrom thriftree import _core"),
        ("cpp/tests/main.cpp", '#include <cstdio>\nint main() { std::printf("x"); std::exit(0); }\n'),
        ("cpp/grow/a.cpp", '// exit(1) and printf(\nconst char* s = "abort()";\n/* std::cout\n exit(0) */\n'),
        ("cpp/grow/a.cpp", "void f() { loop.exit(); char b[9]; snprintf(b, 9, fmt); }\n"),
        ("cpp/grow/a.cpp", '#include "criterion/gini.hpp"\n#include "rows/sums.hpp"\n#include <cstdint>\n'),
        ("cpp/bindings/a.cpp", '#include <Python.h>\n#include "grow/loop.hpp"\n'),
        ("cpp/grow/a.cpp", "const int n = 1'000'000; const char c = '\"';\n"),
    ],
)
def test_what_a_layer_may_do_is_no_offence(tmp_path, path, text):
    assert rules_broken(tmp_path, path, text) == []


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("| `cpp/run` | a | nothing |\n| `cpp/table` | b | run |", []),
        ("| `cpp/run` | a | nothing |\n| `cpp/table` | b | nothing |", ["cpp/table may not use run"]),
        (
            "| `cpp/run` | a | nothing |\n| `cpp/table` | b | rum |",
            ["names 'rum', which has no row", "may not use run"],
        ),
        ("| `cpp/table` | b | everything |", []),
        ("", ["is in no room of the map"]),
    ],
    ids=["allowed", "not allowed", "misspelt", "everything", "no rows"],
)
def test_the_check_reads_the_rows_of_the_map(tmp_path, rows, said):
    found = rules_broken(tmp_path, "cpp/table/a.hpp", '#include "run/control.hpp"\n', rows)
    assert len(found) == len(said)
    assert all(words in offence for words, offence in zip(said, found, strict=True))
