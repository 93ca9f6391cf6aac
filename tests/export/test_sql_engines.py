"""SQL run by the engines that it is for: every answer is that of `Tree.predict`."""

from contextlib import closing

import pytest
from agreement import check_agreement, document_of_many_branches, mushrooms, one_leaf
from hive_parser import HiveParser
from sql_comparison import compare_in
from sql_engines import ClickHouse, DuckDB, MariaDB, PostgreSQL, Spark, SQLite, run_in, spark_session
from sql_servers import mariadb_server, postgres_server

from thriftree.testing.random_documents import HOSTILE_TEXTS, random_document, random_rows
from thriftree.tree import Tree

#: Engines by name, with the dialects that are run in them. Hive's SQL runs in Spark, which took it over, and
#: Redshift's in PostgreSQL, from which Redshift comes.
ENGINES = {
    "sqlite": SQLite.dialects,
    "duckdb": DuckDB.dialects,
    "clickhouse": ClickHouse.dialects,
    "postgres": PostgreSQL.dialects,
    "mariadb": MariaDB.dialects,
    "spark_ansi": Spark.dialects,
    "spark_not_ansi": Spark.dialects,
}
PLAIN = ("sqlite", "duckdb")
PAIRS = [
    pytest.param(
        engine, dialect, marks=[] if engine in PLAIN else [pytest.mark.full], id=f"{engine}-{dialect}"
    )
    for engine, dialects in ENGINES.items()
    for dialect in dialects
]


@pytest.fixture(scope="module")
def sqlite():
    with closing(SQLite()) as engine:
        yield engine


@pytest.fixture(scope="module")
def duckdb():
    with closing(DuckDB()) as engine:
        yield engine


@pytest.fixture(scope="module")
def clickhouse(tmp_path_factory):
    with closing(ClickHouse(tmp_path_factory.mktemp("clickhouse"))) as engine:
        yield engine


@pytest.fixture(scope="module")
def postgres(require):
    with postgres_server(require("postgres")) as folder, closing(PostgreSQL(folder)) as engine:
        yield engine


@pytest.fixture(scope="module")
def mariadb_socket(require):
    with mariadb_server(require("mariadb")) as socket:
        yield socket


@pytest.fixture(scope="module")
def mariadb(mariadb_socket):
    with closing(MariaDB(mariadb_socket)) as engine:
        yield engine


@pytest.fixture(scope="module")
def spark(require):
    require("java")
    with spark_session() as session:
        yield session


@pytest.fixture
def spark_ansi(spark):
    return Spark(spark, ansi=True)


@pytest.fixture
def spark_not_ansi(spark):
    return Spark(spark, ansi=False)


@pytest.mark.parametrize(("engine", "dialect"), PAIRS)
def test_the_engine_answers_as_predict_does(request, engine, dialect):
    comparison = compare_in(request.getfixturevalue(engine), dialect, n_trees=10, n_rows=1000)
    assert comparison.disagreements == []
    assert comparison.n_rows > 10_000


@pytest.mark.parametrize(("engine", "dialect"), PAIRS)
def test_all_hostile_texts_come_back(request, engine, dialect):
    expressions = [Tree.from_dict(one_leaf([text])).to_sql(dialect=dialect) for text in HOSTILE_TEXTS]
    listed = ",\n".join(f"{expression}\nAS answer_{i}" for i, expression in enumerate(expressions))
    assert request.getfixturevalue(engine).ask(f"SELECT {listed}") == [HOSTILE_TEXTS]


SIZES = [-1.7976931348623157e308, -1e-300, -5e-324, 2.2250738585072014e-308, 1e-7, 0.1, 0.1 + 0.2, 1e22, 1e23]


# In PostgreSQL the 0.5e0 of "ansi" is NUMERIC, and so is an answer: "postgres" is the dialect for DOUBLE.
@pytest.mark.parametrize(("engine", "dialect"), [pair for pair in PAIRS if pair.id != "postgres-ansi"])
def test_numbers_of_every_size_come_back(request, engine, dialect):
    documents = [one_leaf(None) for _ in SIZES]
    for document, size in zip(documents, SIZES, strict=True):
        document["nodes"][0]["value"] = [size, 0.0]
    listed = ",\n".join(
        f"{Tree.from_dict(document).to_sql(dialect=dialect)}\nAS answer_{i}"
        for i, document in enumerate(documents)
    )
    (found,) = request.getfixturevalue(engine).ask(f"SELECT {listed}")
    assert [(value, type(value)) for value in found] == [(size, float) for size in SIZES]


@pytest.mark.full
@pytest.mark.parametrize(
    "settings",
    [{"sql_mode": "NO_BACKSLASH_ESCAPES"}, {"sql_mode": "ANSI_QUOTES"}, {"charset": "latin1"}],
    ids=["no backslash escapes", "ansi quotes", "latin1"],
)
def test_settings_of_a_connection_change_nothing_in_mariadb(mariadb, mariadb_socket, settings):
    document = document_of_many_branches(6)
    document["columns"][0]["categories"] = ["a", "a ", "A", "back\\slash", "it's", "żółty"]
    rows = {"id": ["a", "a ", "A", "á", "back\\slash", "backslash", "it's", "żółty", "zolty", None]}
    check_agreement(document, rows, run_in(mariadb, document, rows, "mysql"))
    with closing(MariaDB(mariadb_socket, **settings)) as other:
        other.ask("USE trees")
        query = Tree.from_dict(document).to_sql(table="tree rows", dialect="mysql")
        found = [row[-1] for row in other.ask(f"{query} ORDER BY `row number`")]
    assert found == [row[-1] for row in mariadb.ask(f"{query} ORDER BY `row number`")]


@pytest.mark.full
def test_backslashes_in_comments_do_not_reach_the_next_line_in_spark(spark_ansi):
    document = random_document(3, n_classes=2, hostile=False, kinds=("category",), n_tests=6)
    for column in document["columns"]:
        column["categories"] = sorted(f"{k} \\" for k in range(len(column["categories"])))
    rows = random_rows(document, 0, 200)
    check_agreement(document, rows, run_in(spark_ansi, document, rows, "spark"))


@pytest.mark.full
def test_hives_own_parser_finds_the_names_and_texts_of_mushrooms(spark):
    document, rows = mushrooms()
    sql = Tree.from_dict(document).to_sql(table="mushrooms", dialect="hive")
    names, texts = HiveParser(spark).names_and_texts(sql)
    used = {node["test"]["column"] for node in document["nodes"] if "test" in node}
    assert names == {document["columns"][j]["name"] for j in used}
    known = {text for column in document["columns"] for text in column["categories"]}
    assert set(document["classes"]) < texts <= known | set(document["classes"])
    assert names <= set(rows)


@pytest.mark.full
def test_hives_own_parser_reads_every_hostile_text(spark):
    parser = HiveParser(spark)
    for text in HOSTILE_TEXTS:
        sql = Tree.from_dict(one_leaf([text])).to_sql(table="t", dialect="hive")
        assert parser.names_and_texts(sql) == (set(), {text})
