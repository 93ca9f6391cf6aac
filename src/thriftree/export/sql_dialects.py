"""The SQL of each engine: how it quotes, which numbers are DOUBLE, what NaN and NULL are to it.

A dialect is one entry of DIALECTS. Each entry says why it is as it is; docs/guide/exports.md says which were
run in their engine, and which were only read by another parser.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from thriftree.columns import Scalar, Temporal
from thriftree.export.sql_dates import Dates
from thriftree.export.sql_literals import (
    backslash_by_code_text,
    backtick_name,
    bracket_name,
    double,
    doubled_and_escaped_text,
    doubled_name,
    doubled_text,
    escaped_backtick_name,
    escaped_double_quote_name,
    escaped_text,
    escaped_text_without_dollar,
    explicit_escape_text,
    exponent,
    hex_text,
    national_text,
    normal_exponent,
    number_in,
)


@dataclass(frozen=True)
class Nan:
    """What NaN is in comparisons. `{x}` is a column, `{zero}` the number 0, `{t}` a cut, `{minus_t}` its
    negative.

    `holds` is the condition that a number is NaN, None where no number is; `known` that it is neither NaN nor
    NULL; `above` that it is above a cut and not NaN; `above_or_nan` that it is either.
    """

    holds: str | None
    known: str
    above: str
    above_or_nan: str


NO_NAN = Nan(None, "{x} IS NOT NULL", "{x} > {t}", "{x} > {t}")

#: True whether NaN is above every number (PostgreSQL, DuckDB, Spark, Snowflake, Oracle) or compares as false
#: (IEEE 754): "x <= t" fails for NaN in both, and so does "0 - x < -t".
_EITHER_NAN = Nan(
    "NOT ({x} <= 0 OR {zero} - {x} < 0)",
    "({x} <= 0 OR {zero} - {x} < 0)",
    "{zero} - {x} < {minus_t}",
    "NOT ({x} <= {t})",
)


def _ieee(holds: str) -> Nan:
    """NaN for which every comparison is false."""
    return Nan(holds, f"{{x}} IS NOT NULL AND NOT {holds}", "{x} > {t}", f"({{x}} > {{t}} OR {holds})")


def _largest(holds: str) -> Nan:
    """NaN above every number."""
    return Nan(holds, f"{{x}} IS NOT NULL AND NOT {holds}", "{zero} - {x} < {minus_t}", "{x} > {t}")


_EMPTY = (r"\A\Z", "it has no empty names")
_VARIABLE = (r"\$\{", "it would put a variable's value in the place of ${...}")


_DATES = Dates()


@dataclass(frozen=True)
class Dialect:
    """How an engine writes names and values, and what its limits are.

    `text_column` and `text_value` make a column of texts and a literal compare byte by byte. `refused_names`
    are patterns of names that the engine cannot have, with the reason; `refused_columns` those that no column
    can have.
    """

    engine: str
    name: Callable[[str], str]
    text: Callable[[str], str]
    number: Callable[[float], str]
    booleans: tuple[str, str] = ("FALSE", "TRUE")
    nan: Nan = _EITHER_NAN
    text_column: str = "{x}"
    text_value: str = "{text}"
    refused_names: tuple[tuple[str, str], ...] = (_EMPTY,)
    refused_columns: tuple[tuple[str, str], ...] = ()
    empty_text_is_null: bool = False
    not_in_needs_guard: bool = False  # NULL NOT IN (...) may be true
    dates: Dates = _DATES
    all_columns: str = "*"  # of a query; "{table}.*" where "*, expression" is an error
    clamp: str = "LEAST(GREATEST({x}, {low}), {high})"  # a number brought between two others
    max_list: int | None = None  # values in an IN
    max_nesting: int | None = None  # of CASE in CASE

    def quote_name(self, name: str, role: str = "column") -> str:
        """A name as the engine reads it; `role` is for the message if it cannot have such a name."""
        rules = self.refused_names + (() if role == "table" else self.refused_columns)
        reasons = [reason for pattern, reason in rules if re.search(pattern, name)]
        if reasons:
            remedy = f"columns={{{name!r}: ...}}" if role == "column" else "another name"
            raise ValueError(
                f"the {role} {name!r} cannot be named in {self.engine}: {reasons[0]}; give the name that it "
                f"has there with {remedy}"
            )
        return self.name(_checked(name, "name"))

    def literal(self, value: Scalar) -> str:
        """A label. A float is always written so that it is a DOUBLE, never a DECIMAL."""
        if isinstance(value, str):
            return self._quoted(value)
        if isinstance(value, bool):
            return self.booleans[value]
        return str(value) if isinstance(value, int) else self.number(value)

    def moment(self, temporal: Temporal, cut: float, column: str) -> str:
        """A cut of dates and the like; `column` is for the message if the engine has no such type."""
        return self.dates.literal(temporal, cut, column, self.engine)

    def compared(self, value: Scalar) -> str:
        """A label that a column is compared with."""
        literal = self.literal(value)
        return self.text_value.format(text=literal) if isinstance(value, str) else literal

    def _quoted(self, text: str) -> str:
        if self.empty_text_is_null and not text:
            raise ValueError(
                f"the empty text is a category or class of the tree, and {self.engine} takes it for NULL: "
                "give it a name before training"
            )
        return self.text(_checked(text, "text"))


def _checked(text: str, what: str) -> str:
    if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
        raise ValueError(
            f"the {what} {text!r} holds the character 0 or half of a surrogate pair, which no database "
            "takes: rename it"
        )
    return text


# Where neither LEAST nor min() is certain.
_CASE_CLAMP = "CASE WHEN {x} <= {low} THEN {low} WHEN {x} >= {high} THEN {high} ELSE {x} END"
_CAST_BOOLEANS = ("CAST(0 AS BOOLEAN)", "CAST(1 AS BOOLEAN)")

_ANSI = Dialect(
    "engines where double quotes enclose names (DuckDB, PostgreSQL, SQLite)",
    doubled_name,
    doubled_text,
    double,  # with an exponent, which is an approximate number in the standard
    booleans=_CAST_BOOLEANS,  # SQLite takes TRUE for a column, if there is one
    refused_names=(),
    clamp=_CASE_CLAMP,
)

# Double quotes enclose texts. Number literals with a point are DECIMAL, with the suffix D DOUBLE, whatever
# the settings. Texts have backslash escapes unless spark.sql.parser.escapedStringLiterals is on; before Spark
# 4 a doubled quote was lost, as between two literals. NaN equals itself and is above every number.
# ${x} is replaced by the value of a variable x before the query is read, within quotes too.
_SPARK = Dialect(
    "Spark",
    backtick_name,
    escaped_text_without_dollar,
    number_in("{number}D"),
    nan=_largest("isnan({x})"),
    refused_names=(_EMPTY, _VARIABLE),
    dates=Dates(
        naive="TIMESTAMP_NTZ '{t}'",
        zoned="TIMESTAMP '{t}Z'",
        time=None,
        days_since_1970="datediff({x}, DATE '1970-01-01')",
    ),
)

DIALECTS = {
    "ansi": _ANSI,
    # DOUBLE by a cast: 0.5e0 is NUMERIC here. NaN is above every number.
    "postgres": Dialect(
        "PostgreSQL",
        doubled_name,
        explicit_escape_text,
        number_in("{number}::float8"),
        dates=replace(_DATES, days_since_1970="({x} - DATE '1970-01-01')"),
    ),
    # 0.5 is DECIMAL, 0.5e0 DOUBLE. NaN is above every number; isnan refuses integer columns.
    "duckdb": Dialect(
        "DuckDB",
        doubled_name,
        doubled_text,
        exponent,
        dates=replace(_DATES, days_since_1970="({x} - DATE '1970-01-01')"),
    ),
    # NaN is stored as NULL. `double` says what SQLite's reading of numbers asks for. An empty name is a name.
    # Dates are texts here, and date() makes one form of all that stand for a day. Texts of datetimes have
    # several forms, which do not compare as moments do.
    "sqlite": Dialect(
        "SQLite",
        doubled_name,
        doubled_text,
        double,
        booleans=_CAST_BOOLEANS,
        nan=NO_NAN,
        refused_names=(),
        dates=Dates(
            "'{t}'",
            None,
            None,
            None,
            date_column="date({x})",
            days_since_1970="(julianday(date({x})) - 2440587.5)",
        ),
        clamp="min(max({x}, {low}), {high})",
    ),
    # A backslash in a text begins an escape, in a name it does not. A number literal is a NUMBER of at most
    # 38 digits, a cast text is read as FLOAT. NaN equals itself and is above every number.
    "snowflake": Dialect(
        "Snowflake",
        doubled_name,
        doubled_and_escaped_text,
        number_in("'{number}'::FLOAT"),
        dates=Dates(
            "'{t}'::DATE",
            "'{t}'::TIMESTAMP_NTZ",
            "'{t} +00:00'::TIMESTAMP_TZ",
            "'{t}'::TIME",
            days_since_1970="DATEDIFF(day, '1970-01-01'::DATE, {x})",
        ),
    ),
    # Trailing blanks do not count in comparisons of VARCHAR, so both sides get a full stop at the end. A
    # number literal is a DECIMAL of at most 38 digits, a cast text a double. Neither what a backslash is in a
    # literal nor how NaN compares is documented, so what is written holds either way.
    "redshift": Dialect(
        "Redshift",
        doubled_name,
        backslash_by_code_text,
        number_in("'{number}'::FLOAT8"),
        text_column="({x} || '.')",
        text_value="{text} || '.'",
        dates=replace(
            _DATES,
            zoned="TIMESTAMPTZ '{t}+00'",
            days_since_1970="DATEDIFF(day, DATE '1970-01-01', {x})",
        ),
    ),
    # 0.5 is DECIMAL, 0.5E0 DOUBLE. Comparisons with NaN are false.
    "trino": Dialect(
        "Trino",
        doubled_name,
        doubled_text,
        exponent,
        nan=_ieee("is_nan({x})"),
        dates=replace(
            _DATES,
            zoned="TIMESTAMP '{t} UTC'",
            days_since_1970="date_diff('day', DATE '1970-01-01', {x})",
        ),
    ),
    # 0.5d is BINARY_DOUBLE, and NUMBER columns are converted to it; its NaN is above every number. No BOOLEAN
    # before 23ai: 0 and 1. The empty text is NULL. No quoted name holds a double quote. "SELECT *, x" is an
    # error, and so is an IN of more than 1,000 values.
    "oracle": Dialect(
        "Oracle",
        doubled_name,
        doubled_text,
        number_in("{number}d"),
        booleans=("0", "1"),
        refused_names=(_EMPTY, ('"', "its names hold no double quote")),
        empty_text_is_null=True,
        all_columns="{table}.*",
        max_list=1000,
        dates=Dates(zoned="TIMESTAMP '{t} +00:00'", time=None),
    ),
    # Backslash escapes in texts and in names. Every literal with a point or exponent is Float64. Comparisons
    # with NaN are false. NULL NOT IN (...) is 1 in releases that evaluate IN by two-valued logic.
    "clickhouse": Dialect(
        "ClickHouse",
        escaped_double_quote_name,
        escaped_text,
        exponent,
        booleans=("false", "true"),
        nan=_ieee("isNaN({x})"),
        not_in_needs_guard=True,
        # Date ends in 2149, Date32 in 2299; a text beyond is another day, without an error. What a DateTime
        # stands for depends on the time zone of its column or server.
        dates=Dates(
            "toDate32('{t}')",
            None,
            None,
            None,
            years=(1900, 2299),
            days_since_1970="dateDiff('day', toDate32('1970-01-01'), {x})",
        ),
    ),
    # Neither NaN nor infinity. Texts compare as bytes of UTF-8: a collation may ignore case and trailing
    # blanks. BOOLEAN is an integer. An exponent makes a DOUBLE. Double quotes enclose texts.
    "mysql": Dialect(
        "MySQL and MariaDB",
        backtick_name,
        hex_text,
        double,
        booleans=("CAST(0 AS SIGNED)", "CAST(1 AS SIGNED)"),
        nan=NO_NAN,
        text_column="CAST(CONVERT({x} USING utf8mb4) AS BINARY)",
        refused_names=(
            _EMPTY,
            (r" \Z", "its names do not end with a space"),
            ("[\U00010000-\U0010ffff]", "its names hold no character beyond U+FFFF"),
        ),
        dates=Dates(zoned=None, days_since_1970="DATEDIFF({x}, DATE '1970-01-01')"),
    ),
    # Neither NaN nor infinity. "=" ignores trailing blanks under every collation, so texts compare as bytes.
    # BIT is the boolean. An exponent makes a FLOAT, and CASE nests ten deep at most.
    "sqlserver": Dialect(
        "SQL Server",
        bracket_name,
        national_text,
        normal_exponent,
        booleans=("CAST(0 AS BIT)", "CAST(1 AS BIT)"),
        nan=NO_NAN,
        text_column="CAST(CAST({x} AS NVARCHAR(MAX)) AS VARBINARY(MAX))",
        text_value="CAST({text} AS VARBINARY(MAX))",
        max_nesting=10,
        dates=Dates(
            "CAST('{t}' AS DATE)",
            "CAST('{t}' AS DATETIME2(6))",
            "CAST('{t} +00:00' AS DATETIMEOFFSET(6))",
            "CAST('{t}' AS TIME(6))",
            days_since_1970="DATEDIFF(day, CAST('1970-01-01' AS DATE), {x})",
        ),
        clamp=_CASE_CLAMP,
    ),
    # Double quotes enclose texts, backticks names; both with backslash escapes and without ends of lines.
    # Literals with a point or exponent are FLOAT64. Comparisons with NaN are false.
    "bigquery": Dialect(
        "BigQuery",
        escaped_backtick_name,
        escaped_text,
        exponent,
        nan=_ieee("IS_NAN({x})"),
        dates=Dates(
            naive="DATETIME '{t}'",
            zoned="TIMESTAMP '{t}+00:00'",
            days_since_1970="DATE_DIFF({x}, DATE '1970-01-01', DAY)",
        ),
        refused_columns=((r"\.", "its columns' names hold no full stop"),),
    ),
    "spark": _SPARK,
    "databricks": replace(_SPARK, engine="Databricks"),
    # Double quotes enclose texts. A number with a point is DOUBLE or DECIMAL, depending on the release, a
    # cast text always DOUBLE. How NaN compares is not documented, so what is written holds either way.
    "hive": Dialect(
        "Hive",
        backtick_name,
        escaped_text_without_dollar,
        number_in("CAST('{number}' AS DOUBLE)"),
        refused_names=(_EMPTY, _VARIABLE),
        refused_columns=(("[.:]", "its columns' names hold neither a full stop nor a colon"),),
        dates=Dates(zoned=None, time=None, days_since_1970="datediff({x}, DATE '1970-01-01')"),
    ),
}

#: Other names of dialects.
ALIASES = {"standard": "ansi", "mariadb": "mysql"}


def dialect_named(name: str) -> tuple[str, Dialect]:
    """The dialect and its own name."""
    own = ALIASES.get(name, name) if isinstance(name, str) else ""
    if own not in DIALECTS:
        known = ", ".join(map(repr, [*DIALECTS, *ALIASES]))
        raise ValueError(f"dialect must be one of {known}, not {name!r}")
    return own, DIALECTS[own]
