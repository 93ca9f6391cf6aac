"""SQL of every dialect, read by a parser that is not ours: names are columns, texts texts, numbers DOUBLE."""

import numpy as np
import pytest
import sqlglot
from agreement import deep_document, document_of_many_branches, mushrooms, one_leaf, random_case
from sql_agreement import query_of, read_and_compare
from sql_reading import PARSERS, Reading
from sqlglot import exp
from thoroughness import FULL

from thriftree.export.sql_dialects import ALIASES, DIALECTS
from thriftree.testing.random_documents import HOSTILE_TEXTS, random_document, random_rows
from thriftree.tree import Tree

MORE_TEXTS = (
    "a.b",
    "50% off",
    "${x}",
    "$x",
    "\\",
    "a\\\nb",
    "a\\'b",
    "'",
    "''",
    '"',
    "`",
    "[x]",
    "N'x'",
    "--",
    "/*",
    "\\n",
)


def tree_on(name="x", categories=("a", "b"), classes=("no", "yes"), to=(0,), missing=1):
    """A tree of one test on a column of categories: those in `to` against all others."""
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0, "value": [1.0, 0.0]}
    test = {
        "column": 0,
        "kind": "category",
        "keys": list(to),
        "to": [0] * len(to),
        "missing": missing,
        "other": 1,
    }
    return {
        "format": "thriftree-tree",
        "version": 1,
        "columns": [{"name": name, "kind": "category", "categories": list(categories)}],
        "classes": list(classes),
        "nodes": [
            {**leaf, "label": 0, "test": test, "children": [1, 2]},
            {**leaf, "label": 0},
            {**leaf, "label": 1},
        ],
    }


@pytest.fixture(params=DIALECTS)
def dialect(request):
    return request.param


@pytest.mark.parametrize("seed", range(6))
def test_another_parser_reads_what_predict_says(dialect, seed):
    assert read_and_compare(*random_case(seed, 300), dialect) >= 600


def test_a_deep_tree_is_read_alike_in_every_dialect(dialect):
    document = deep_document(
        20, from_above=True
    )  # a list of rules, in which conditions say that a number may be missing
    assert read_and_compare(document, random_rows(document, 0, 300), dialect) >= 600


def test_mushrooms_are_read_alike_in_every_dialect(dialect):
    document, rows = mushrooms()
    assert read_and_compare(document, rows, dialect) >= 4 * 404


@pytest.mark.parametrize("reader", ["bigquery", "spark", "databricks", "hive", "mysql"])
def test_the_reader_notices_names_that_an_engine_takes_for_texts(reader):
    document, rows = mushrooms()
    reading = Reading(reader, "ieee")
    try:
        answer = reading.expression(Tree.from_dict(document).to_sql(dialect="ansi"))
    except (sqlglot.errors.SqlglotError, AssertionError):
        return
    assert reading.columns == set()
    row = {name: values[0] for name, values in rows.items()}
    assert isinstance(answer(row), str)  # an answer that does not look at the row


def test_every_text_is_a_name_a_category_and_a_class(dialect):
    texts = (*HOSTILE_TEXTS, *MORE_TEXTS)
    first = list(DIALECTS).index(dialect)  # so that the dialects of a plain run try all texts between them
    for text in texts if FULL else texts[first % 3 :: 3]:
        categories = sorted({text, "other"})
        document = tree_on(text, categories, (text, "another class"), to=[categories.index(text)])
        rows = {text: [text, "other", None, f"{text} ", text.swapcase(), "unseen"]}
        assert read_and_compare(document, rows, dialect) > 0


def test_the_first_line_names_the_dialect_whatever_the_options(dialect):
    tree = Tree.from_dict(tree_on())
    for options in ({}, {"comments": False}, {"table": "t"}, {"table": "t", "comments": False}):
        first, *rest = tree.to_sql(dialect=dialect, **options).split("\n")
        assert first.startswith(f"-- thriftree SQL, dialect {dialect}: for ")
        assert not first.endswith("\\")
        assert rest[-1] in ("END", f"FROM {DIALECTS[dialect].quote_name('t')}")


@pytest.mark.parametrize(("alias", "own"), ALIASES.items())
def test_an_alias_is_the_dialect_itself(alias, own):
    tree = Tree.from_dict(tree_on())
    assert tree.to_sql(dialect=alias) == tree.to_sql(dialect=own)


def test_the_default_is_standard_sql():
    tree = Tree.from_dict(tree_on())
    assert tree.to_sql() == tree.to_sql(dialect="ansi") == tree.to_sql(dialect="standard")


def test_a_query_is_one_select_of_all_columns_and_the_answer(dialect):
    sql = Tree.from_dict(tree_on("x y")).to_sql(
        table=("my schema", "my table"), answer="the answer", dialect=dialect
    )
    query = query_of(sql, dialect)
    every, answer = query.expressions
    assert every.is_star
    assert isinstance(every, exp.Column) == (dialect == "oracle")  # whose "SELECT *, x" is an error
    assert answer.alias == "the answer"
    assert isinstance(answer.this, exp.Case)
    table = query.find(exp.Table)
    assert (table.db, table.name) == ("my schema", "my table")


@pytest.mark.parametrize("text", ["a\nb'); DROP TABLE x; --", "end\\", "\u2028", "*/", "a\r", "\\\n"])
def test_no_name_or_text_leaves_its_comment(dialect, text):
    document = random_document(3, n_classes=2, hostile=False, kinds=("category",), n_tests=6)
    for j, column in enumerate(document["columns"]):
        column["name"] = f"{j} {text}"
        column["categories"] = sorted(f"{k} {text}" for k in range(len(column["categories"])))
    document["classes"] = [f"0 {text}", f"1 {text}"]
    with_comments, without = (
        Tree.from_dict(document).to_sql(
            dialect=dialect,
            comments=c,
            columns={column["name"]: f"c{j}" for j, column in enumerate(document["columns"])},
        )
        for c in (True, False)
    )
    parser = PARSERS.get(dialect, dialect)
    plain = [
        sqlglot.parse_one(sql, dialect=parser).sql(dialect=parser, comments=False)
        for sql in (with_comments, without)
    ]
    assert plain[0] == plain[1]
    for line in with_comments.splitlines():
        assert not (" -- " in line and line.endswith("\\")), "Spark's comments go on after a backslash"
    assert with_comments.count("\n") - without.count("\n") == 0


def test_an_empty_category_is_refused_where_it_would_be_null():
    for document in (tree_on(categories=["", "b"]), one_leaf([""])):
        with pytest.raises(
            ValueError, match=r"the empty text is a category or class .* Oracle takes it for NULL"
        ):
            Tree.from_dict(document).to_sql(dialect="oracle")


@pytest.mark.parametrize(
    ("dialect", "name", "reason"),
    [
        ("oracle", 'say "no"', "its names hold no double quote"),
        ("hive", "a.b", "neither a full stop nor a colon"),
        ("hive", "a:b", "neither a full stop nor a colon"),
        ("bigquery", "a.b", "names hold no full stop"),
        ("hive", "${x}", "a variable's value"),
        ("spark", "a ${x}", "a variable's value"),
        ("databricks", "${x}", "a variable's value"),
        ("mysql", "trailing ", "do not end with a space"),
        ("mysql", "🌳", "no character beyond U\\+FFFF"),
        ("postgres", "", "it has no empty names"),
        ("bigquery", "", "it has no empty names"),
    ],
)
def test_a_name_that_an_engine_cannot_have_is_refused_with_the_remedy(dialect, name, reason):
    tree = Tree.from_dict(tree_on(name))
    with pytest.raises(
        ValueError, match=f"the column .* cannot be named in .*: .*{reason}.*; give .* columns="
    ):
        tree.to_sql(dialect=dialect)
    assert "renamed" in tree.to_sql(dialect=dialect, columns={name: "renamed"})
    with pytest.raises(ValueError, match=r"the answer .* cannot be named|answer must be the name"):
        tree.to_sql(dialect=dialect, table="t", answer=name, columns={name: "renamed"})


def test_a_column_that_no_test_asks_for_may_have_any_name():
    document = tree_on()
    document["columns"].append({"name": 'unused "one"', "kind": "number"})
    assert "unused" not in Tree.from_dict(document).to_sql(dialect="oracle")


@pytest.mark.parametrize("missing", [0, 1])
def test_oracle_gets_no_list_of_more_than_a_thousand_values(missing):
    categories = [f"id {i:04}" for i in range(2500)]
    document = tree_on(categories=categories, to=range(0, 2500, 2)[:1200], missing=missing)
    document["nodes"][0]["test"]["other"] = 1
    sql = Tree.from_dict(document).to_sql(dialect="oracle")
    lists = list(sqlglot.parse_one(sql, dialect=PARSERS["oracle"]).find_all(exp.In))
    assert [len(each.expressions) for each in lists] in ([1000, 200], [200, 1000])
    assert read_and_compare(document, {"x": [*categories[::50], "unseen", None]}, "oracle") > 0


def cases_within(node: exp.Expression) -> int:
    """How deep CASEs nest."""
    inner = max((cases_within(child) for child in node.iter_expressions()), default=0)
    return inner + isinstance(node, exp.Case)


def test_sql_server_gets_ten_nested_cases_at_most():
    deepest = 0
    for document in (
        deep_document(100),
        random_document(3, n_tests=250, n_columns=6, n_classes=2),
        document_of_many_branches(300),
    ):
        sql = Tree.from_dict(document).to_sql(dialect="sqlserver", what="leaf")
        deepest = max(deepest, cases_within(sqlglot.parse_one(sql, dialect="tsql")))
        assert deepest <= 10
        assert read_and_compare(document, random_rows(document, 1, 50), "sqlserver") > 0
    assert deepest > 1


SIZES = [-1.7976931348623157e308, -1e-300, -5e-324, 2.2250738585072014e-308, 1e-7, 0.1, 0.1 + 0.2, 1e22, 1e23]


def test_cuts_of_every_size_are_read_exactly(dialect):
    cuts = sorted(SIZES if dialect != "sqlserver" else [cut for cut in SIZES if cut != -5e-324])
    document = random_document(0, n_columns=1, n_tests=1, n_classes=0, kinds=("number",))
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0}
    test = {
        "column": 0,
        "kind": "ordered",
        "keys": cuts,
        "to": list(range(len(cuts) + 1)),
        "missing": 0,
        "other": 0,
    }
    document["nodes"] = [
        {**leaf, "value": [0.0, 0.0], "test": test, "children": list(range(1, len(cuts) + 2))}
    ]
    document["nodes"] += [{**leaf, "value": [(i - 8) / 3, 0.0]} for i in range(len(cuts) + 1)]
    with np.errstate(over="ignore", under="ignore"):  # beside the largest number is infinity
        rows = random_rows(document, 0, 500, infinite=False)
    assert read_and_compare(document, rows, dialect) > 0


def test_sql_server_has_no_subnormal_numbers_and_the_error_says_so():
    document = random_document(2, n_columns=1, n_tests=1, n_classes=2, kinds=("number",), hostile=False)
    document["nodes"][0]["test"]["keys"] = [5e-324]
    document["nodes"][0]["test"]["to"] = document["nodes"][0]["test"]["to"][:2]
    with pytest.raises(ValueError, match="SQL Server has no number as close to 0 as 5e-324"):
        Tree.from_dict(document).to_sql(dialect="sqlserver")


def test_a_backslash_before_the_end_of_a_line_survives_sql_server():
    # There the two are left out of a literal, which sqlglot does not know: they must not be neighbours.
    sql = Tree.from_dict(one_leaf(["a\\\nb\\\r\nc\\d"])).to_sql(dialect="sqlserver")
    assert sql.split("\n", 1)[1] == "(N'a\\' + N'\nb\\' + N'\r\nc\\d')"
    assert Reading("sqlserver", "ieee").expression(sql)({}) == "a\\\nb\\\r\nc\\d"
