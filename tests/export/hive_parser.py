"""Hive's own parser, which Spark brings along: the names and texts that it finds in a query."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


class HiveParser:
    """Reads with the default settings of Hive, in the Java of a Spark session."""

    def __init__(self, session: Any) -> None:
        java = session._jvm
        self._parse = java.org.apache.hadoop.hive.ql.parse
        settings = java.org.apache.hadoop.hive.conf.HiveConf()
        for place in ("hdfs", "local"):  # of a session, which parsing does not need
            settings.set(f"_hive.{place}.session.path", "/nowhere")
        self._context = java.org.apache.hadoop.hive.ql.Context(settings)

    def names_and_texts(self, query: str) -> tuple[set[str], set[str]]:
        """Columns and text literals, without quotes and escapes."""
        names, texts = set(), set()
        tree = self._parse.ParseDriver().parse(query, self._context)
        for node in self._nodes(tree):
            written = node.getText() or ""  # the root has none
            if written == "TOK_TABLE_OR_COL":
                names.add(self._parse.BaseSemanticAnalyzer.unescapeIdentifier(node.getChild(0).getText()))
            elif written.startswith("'"):
                texts.add(self._parse.BaseSemanticAnalyzer.unescapeSQLString(written))
        return names, texts

    def _nodes(self, node: Any) -> Iterator[Any]:
        yield node
        for i in range(node.getChildCount()):
            yield from self._nodes(node.getChild(i))
