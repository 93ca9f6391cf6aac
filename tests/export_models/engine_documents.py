"""Random trees and rows that an engine can be given."""

from typing import Any

from thriftree.document.follow import scalar
from thriftree.testing.random_documents import random_document

Rows = dict[str, list[Any]]


def columns_asked(document: dict[str, Any]) -> list[dict[str, Any]]:
    """The columns that the tree tests, in the order of the table."""
    positions = {node["test"]["column"] for node in document["nodes"] if "test" in node}
    return [document["columns"][position] for position in sorted(positions)]


def with_heaviest_labels(document: dict[str, Any]) -> dict[str, Any]:
    """The document, with every label the first of the heaviest classes."""
    for node in document["nodes"]:
        if "label" in node:
            node["label"] = node["value"].index(max(node["value"]))
    if "shrinkage" in document and document["classes"] is not None:
        document["shrinkage"]["keeps_labels"] = True
    return document


def is_text(column: dict[str, Any]) -> bool:
    """Whether the column's categories are texts."""
    return "categories" in column and isinstance(scalar(column["categories"][0]), str)


def numeric_document(seed: int, **options: Any) -> dict[str, Any]:
    """A tree that scikit-learn's trees can express: no test of texts, labels that are heaviest classes."""
    for tried in range(seed * 1000, (seed + 1) * 1000):
        document = with_heaviest_labels(random_document(tried, **options))
        if not any(is_text(column) for column in columns_asked(document)):
            return document
    raise AssertionError("every tree tests texts")
