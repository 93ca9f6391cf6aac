"""Exports of trees with linear leaves answer as `Tree.predict` does: programs to all digits, SQL to 1e-9."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agreement import Answers, oracle
from programs import run_c, run_node, run_python
from sql_agreement import in_table, names_there, without_empty_texts
from sql_engines import run_duckdb, run_sqlite
from sql_reading import NAN_ORDER, NAN_ORDERS, WITHOUT_NAN, Reading

from thriftree import CARTRegressor
from thriftree.export.sql_dialects import DIALECTS
from thriftree.testing.random_documents import Columns, random_document, random_rows
from thriftree.tree import Tree

N_ROWS = 2_000


def case(seed: int, *, infinite: bool = True, **options: Any) -> tuple[dict[str, Any], Columns]:
    document = random_document(seed, n_classes=0, linear=True, prices=seed % 2 == 0, **options)
    return document, random_rows(document, seed + 1, N_ROWS, infinite=infinite)


def compare(document: dict[str, Any], rows: Columns, got: Answers, rtol: float) -> None:
    wanted = oracle(document, rows)
    assert any("linear" in node for node in document["nodes"])
    np.testing.assert_allclose(got.label, wanted.label, rtol=rtol, atol=rtol)
    assert got.leaf == wanted.leaf
    if got.cost:
        np.testing.assert_allclose(got.cost, wanted.cost, rtol=1e-12)


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_python_and_c_agree(seed: int, tmp_path: Path) -> None:
    document, rows = case(seed)
    compare(document, rows, run_python(document, rows), 0)
    compare(document, rows, run_c(document, rows, tmp_path), 1e-12)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(200, 230))
def test_many_trees_agree_in_python_c_and_javascript(seed: int, tmp_path: Path, require: Any) -> None:
    document, rows = case(seed)
    if any("linear" in node for node in document["nodes"]):
        compare(document, rows, run_python(document, rows), 0)
        compare(document, rows, run_c(document, rows, tmp_path), 1e-12)
        compare(document, rows, run_node(document, rows, tmp_path, require("node")), 0)


@pytest.mark.full
@pytest.mark.parametrize("seed", [0, 1, 4])
def test_javascript_agrees(seed: int, tmp_path: Path, require: Any) -> None:
    document, rows = case(seed)
    compare(document, rows, run_node(document, rows, tmp_path, require("node")), 0)


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_sql_agrees_where_it_is_run(seed: int) -> None:
    document, rows = case(seed, infinite=False)
    compare(document, rows, run_sqlite(document, rows), 1e-9)
    compare(document, rows, run_duckdb(document, rows), 1e-9)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_sql_of_every_dialect_is_read_as_it_is_meant(dialect: str) -> None:
    document, rows = case(4, infinite=False)
    rows = {name: values[:60] for name, values in rows.items()}
    writer = DIALECTS[dialect]
    if writer.empty_text_is_null:
        document, rows = without_empty_texts(document, rows)
    columns = names_there(document, writer)
    text = Tree.from_dict(document).to_sql(dialect=dialect, columns=columns)
    for nan in NAN_ORDER.get(dialect, NAN_ORDERS):
        read = Reading(dialect, nan).expression(text)
        given = in_table(document, rows, columns, has_nan=dialect not in WITHOUT_NAN)
        wanted = oracle(document, rows).label
        np.testing.assert_allclose([float(read(row)) for row in given], wanted, rtol=1e-9, atol=1e-9)


def test_a_tree_of_sql_server_nests_no_deeper_than_it_may() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 2)), rng.normal(size=400)
    tree = CARTRegressor(leaves="linear", alpha=0.0, min_leaf=5, cv=3, random_state=0).fit(X, y).tree_
    assert tree.depth > 8
    deepest = depth = 0
    for word in tree.to_sql(dialect="sqlserver", comments=False).replace("(", " ").replace(")", " ").split():
        depth += (word == "CASE") - (word == "END")
        deepest = max(deepest, depth)
    assert deepest <= 10


def test_what_cannot_say_linear_leaves_refuses_in_one_sentence() -> None:
    document, _ = case(3, hostile=False)
    tree = Tree.from_dict(document)
    for name in ("to_pmml", "to_sklearn", "to_sentences", "to_excel"):
        with pytest.raises(ValueError, match=f"^{name} cannot say linear leaves"):
            getattr(tree, name)()
    assert tree.with_leaf_models(None).to_sentences()


@pytest.mark.parametrize("seed", [1, 4])
def test_texts_and_pictures_speak_of_linear_leaves(seed: int) -> None:
    document, _ = case(seed)
    tree = Tree.from_dict(document)
    linear = sum("linear" in node for node in document["nodes"])
    assert tree.to_text().count(" × (") >= linear
    assert sum(" × (" in rule.text for rule in tree.rules()) == linear
    assert tree.to_rules(simplify="paths").count(", within ") == linear
    assert tree.to_dot().count("linear term") == linear
    assert "linear term" in tree.to_svg()
