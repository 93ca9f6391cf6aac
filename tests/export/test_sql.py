"""SQL: options, names, NaN, and texts that would be statements."""

import re
import sqlite3

import numpy as np
import pytest
from agreement import check_agreement, deep_document, one_leaf, random_case
from sql_engines import ask_duckdb, run_duckdb, run_sqlite

from thriftree.export.sql_blocks import SqlBlock, SqlBlocks
from thriftree.export.sql_dialects import double
from thriftree.testing.random_documents import HOSTILE_TEXTS, random_document
from thriftree.tree import Tree


@pytest.fixture
def tree():
    document = random_document(2, n_classes=2, hostile=False, kinds=("number",))
    document["classes"] = ["no", "yes"]
    return Tree.from_dict(document)


def two_leaves(column, test, classes=("no", "yes")):
    leaf = {"rows": 1, "objects": 1, "weight": 1.0, "impurity": 0.0, "value": [1.0, 0.0]}
    return {
        "format": "thriftree-tree",
        "version": 1,
        "columns": [column],
        "classes": list(classes),
        "nodes": [
            {**leaf, "label": 0, "test": {"column": 0, "other": 0, **test}, "children": [1, 2]},
            {**leaf, "label": 0},
            {**leaf, "label": 1},
        ],
    }


def test_a_small_tree_reads_like_its_questions():
    column = {"name": "thal", "kind": "category", "categories": ["fixed", "normal"]}
    test = {"kind": "category", "keys": [1], "to": [0], "missing": 1, "other": 1}
    tree = Tree.from_dict(two_leaves(column, test))
    assert tree.to_sql(table=("clinic", "patients"), answer="sick").splitlines() == [
        "-- thriftree SQL, dialect ansi: for engines where double quotes enclose names "
        "(DuckDB, PostgreSQL, SQLite)",
        "-- A decision tree: 2 leaves, at most 1 test. Written by thriftree.",
        "SELECT *,",
        "  CASE",
        "    WHEN \"thal\" = 'normal' THEN 'no' -- no, 100 percent of 1 row",
        "    ELSE 'yes' -- yes, 0 percent of 1 row",
        "  END",
        '  AS "sick"',
        'FROM "clinic"."patients"',
    ]


@pytest.mark.parametrize("missing", [0, 1])
def test_nan_counts_as_missing_unless_there_is_none(missing):
    document = two_leaves(
        {"name": "x", "kind": "number"}, {"kind": "ordered", "keys": [0.5], "to": [0, 1], "missing": missing}
    )
    tree = Tree.from_dict(document)
    values = "(VALUES (0.5::DOUBLE), (0.75), ('NaN'), (NULL), ('inf'), ('-inf')) AS rows(x)"
    wanted = ["no", "yes", *[["no", "yes"][missing]] * 2, "yes", "no"]

    def answers(**options):
        return [row[0] for row in ask_duckdb(f"SELECT {tree.to_sql(**options)} FROM {values}")]

    assert answers() == wanted
    without = answers(nan=False)
    assert without[:2] + without[3:] == wanted[:2] + wanted[3:]
    assert ('"x" > 0.5e0' if missing == 0 else '"x" <= 0.5e0') in tree.to_sql(nan=False)
    assert "0e0 -" not in tree.to_sql(nan=False)


@pytest.mark.parametrize("run", [run_sqlite, run_duckdb])
def test_without_the_guard_a_table_without_nan_is_answered_alike(run):
    document, rows = random_case(5, 2000, kinds=("number", "ordered"))
    rows = {name: [0.0 if value is None else value for value in values] for name, values in rows.items()}
    check_agreement(document, rows, run(document, rows, nan=False, comments=False))


def test_a_text_that_is_a_statement_drops_no_table():
    attacks = [
        "'); DROP TABLE rows;--",
        '"; DROP TABLE rows;--',
        "*/ DROP TABLE rows; --",
        "a\n; DROP TABLE rows;",
    ]
    column = {"name": attacks[1], "kind": "category", "categories": sorted(attacks)}
    test = {"kind": "category", "keys": [1, 2], "to": [0, 0], "missing": 1, "other": 1}
    tree = Tree.from_dict(two_leaves(column, test, (attacks[0], attacks[3])))
    query = tree.to_sql(table="rows", answer=attacks[1])
    with sqlite3.connect(":memory:") as connection:
        connection.execute('CREATE TABLE "rows" ("""; DROP TABLE rows;--" TEXT)')
        connection.executemany('INSERT INTO "rows" VALUES (?)', [(text,) for text in attacks])
        connection.executescript(f"{query};")  # runs every statement there is
        found = dict(connection.execute(query).fetchall())
        assert connection.execute('SELECT COUNT(*) FROM "rows"').fetchone() == (4,)
    assert found == {text: tree.predict([[text]])[0] for text in attacks}


@pytest.mark.parametrize("seed", range(20))
def test_beside_names_texts_and_comments_there_are_only_words_of_ours(seed):
    document, _ = random_case(seed, 1)
    names_texts_and_comments = r"""'(?:''|[^'])*'|"(?:""|[^"])*"|--[^\n]*"""
    rest = re.sub(names_texts_and_comments, " ", Tree.from_dict(document).to_sql(table="rows"))
    ours = {"SELECT", "FROM", "CASE", "WHEN", "THEN", "ELSE", "END", "CAST", "AS", "BOOLEAN", "e"}
    ours |= {"AND", "OR", "NOT", "IN", "IS", "NULL"}
    assert set(re.findall(r"[^\W\d]+", rest)) <= ours
    assert set(re.findall(r"[^\w\s]", rest)) <= set("*,.()<>=-/")


def test_columns_can_have_other_names_in_the_database(tree):
    name = next(iter(tree.columns)).name
    assert '"patient age"' in tree.to_sql(columns={c.name: "patient age" for c in tree.columns})
    with pytest.raises(ValueError, match="columns renames 'age', which the tree does not have"):
        tree.to_sql(columns={"age": "x"})
    with pytest.raises(ValueError, match=r"must give column .* a name, not 3"):
        tree.to_sql(columns={name: 3})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"what": "class"}, "what must be one of 'label', 'probability', 'cost', 'leaf', not 'class'"),
        ({"dialect": "db2"}, r"dialect must be one of 'ansi', 'postgres', .*'hive', 'standard'.*, not 'db2'"),
        ({"dialect": ["ansi"]}, "dialect must be one of"),
        ({"of": "yes"}, 'of names the class of a probability; with what="label" leave it out'),
        ({"what": "probability", "of": "maybe"}, "of must be a class of the tree, not 'maybe'"),
        ({"table": ""}, "table must be a name"),
        ({"table": ("a", 1)}, "table must be a name"),
        ({"table": 5}, "table must be a name"),
        ({"columns": ["x"]}, "columns must be a dict of new names by column"),
        ({"table": "t", "answer": ""}, "answer must be the name of the added column"),
        ({"table": "nul\0"}, "holds the character 0"),
        ({"smoothing": float("inf")}, "smoothing must be a finite number >= 0"),
    ],
)
def test_options_that_make_no_sense_are_refused(tree, options, message):
    with pytest.raises(ValueError, match=message):
        tree.to_sql(**options)


def test_what_a_database_cannot_hold_is_refused():
    number = Tree.from_dict(one_leaf(None))
    with pytest.raises(ValueError, match="no class probabilities"):
        number.to_sql(what="probability")
    with pytest.raises(ValueError, match="differ in type, and a column of a database has one"):
        Tree.from_dict(one_leaf(["a", 1])).to_sql()
    with pytest.raises(ValueError, match="differ in type"):
        Tree.from_dict(one_leaf([True, 1])).to_sql()
    assert Tree.from_dict(one_leaf(["a", 1])).to_sql(what="leaf").splitlines()[1:] == ["0"]
    column = {"name": "x", "kind": "category", "categories": [1, "one"]}
    test = {"kind": "category", "keys": [0], "to": [0], "missing": 1, "other": 1}
    with pytest.raises(ValueError, match="column 'x' has texts and numbers among its categories"):
        Tree.from_dict(two_leaves(column, test)).to_sql()


def test_a_probability_is_of_the_predicted_class_if_none_is_named(tree):
    query = f"SELECT {tree.to_sql(what='probability')} FROM (SELECT NULL::DOUBLE AS {{}})"
    names = ", NULL::DOUBLE AS ".join(f'"{column.name}"' for column in tree.columns)
    shares = tree.predict_proba([[float("nan")] * len(tree.columns)])[0]
    assert ask_duckdb(query.format(names))[0] == (shares.max(),)


def test_prices_that_depend_on_outcomes_are_refused(tree):
    document = tree.to_dict()
    by_outcome = {"up_to": [0.0], "prices": [1.0, 2.0]}
    document["prices"] = {"prices": [{"feature": c.name, **by_outcome} for c in tree.columns], "pay": "once"}
    with pytest.raises(ValueError, match="depends on the outcomes of its tests"):
        Tree.from_dict(document).to_sql(what="cost")


@pytest.mark.parametrize(
    "value", [0.1, 1.55, 1 / 3, 5e-324, -2.5e-310, 1e-290, 1e23, 1.7976931348623157e308, -0.0]
)
def test_numbers_are_doubles_that_read_back_as_themselves(value):
    text = double(value)
    assert sqlite3.connect(":memory:").execute(f"SELECT {text}").fetchone()[0].hex() == value.hex()
    assert ask_duckdb(f"SELECT {text}, typeof({text})")[0] == (value, "DOUBLE")


def test_numbers_that_sqlite_would_read_as_their_neighbour_get_more_digits():
    rng = np.random.default_rng(0)
    numbers = (rng.integers(1, 10**15, 3000) / 10.0 ** rng.integers(0, 22, 3000)).tolist()
    longer = [number for number in numbers if double(number) not in (repr(number), f"{number!r}e0")]
    assert 0 < len(longer) < 1000
    with sqlite3.connect(":memory:") as connection:
        for number in numbers:
            assert connection.execute(f"SELECT {double(number)}").fetchone() == (number,)


def nesting(block: SqlBlock) -> int:
    return 1 + max((nesting(rule.block) for rule in block.rules if rule.block is not None), default=0)


@pytest.mark.parametrize("n_levels", [100, 3000])
def test_sql_nests_little_however_deep_the_tree_is(n_levels):
    assert nesting(SqlBlocks(deep_document(n_levels)).whole()) <= 12


@pytest.mark.parametrize(
    ("dialect", "name", "text"),
    [
        ("standard", '"it\'s ""x`]"', "'back\\sl''ash'"),
        (
            "mysql",
            "CAST(CONVERT(`it's \"x``]` USING utf8mb4) AS BINARY)",
            "_utf8mb4 X'6261636B5C736C27617368'",
        ),
        (
            "sqlserver",
            "CAST(CAST([it's \"x`]]] AS NVARCHAR(MAX)) AS VARBINARY(MAX))",
            "CAST(N'back\\sl''ash' AS VARBINARY(MAX))",
        ),
    ],
)
def test_dialects_quote_in_their_own_way(dialect, name, text):
    column = {"name": "it's \"x`]", "kind": "category", "categories": ["back\\sl'ash", "b"]}
    test = {"kind": "category", "keys": [0], "to": [0], "missing": 1, "other": 1}
    sql = Tree.from_dict(two_leaves(column, test)).to_sql(dialect=dialect, comments=False)
    assert f"WHEN {name} = {text} THEN" in sql


def test_all_hostile_texts_come_back_from_both_databases():
    answers = ", ".join(Tree.from_dict(one_leaf([text])).to_sql() for text in HOSTILE_TEXTS)
    assert sqlite3.connect(":memory:").execute(f"SELECT {answers}").fetchone() == HOSTILE_TEXTS
    assert ask_duckdb(f"SELECT {answers}") == [HOSTILE_TEXTS]
