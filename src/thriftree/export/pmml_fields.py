"""The fields of a PMML document: names, types, and labels as text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from thriftree.columns import Scalar
from thriftree.document.follow import scalar
from thriftree.export.codes import ColumnCodes
from thriftree.export.labels import LARGEST_EXACT_INTEGER, common_type, fresh_name
from thriftree.export.xml_text import XmlText
from thriftree.temporal.words import count_words, temporal_of

_DATA_TYPES: dict[type[Scalar], str] = {str: "string", bool: "boolean", int: "integer", float: "double"}
_OPTYPES = {"number": "continuous", "ordered": "ordinal", "category": "categorical"}


@dataclass(frozen=True)
class Field:
    """A field, with its labels as PMML writes them; a continuous field has none."""

    name: str
    optype: str
    type: type[Scalar]
    labels: tuple[str, ...] = ()
    counts: str | None = None  # what a number of it counts, if it stands for a date or the like

    def add_to_dictionary(self, xml: XmlText) -> None:
        """Writes the field's entry in the data dictionary."""
        described = {} if self.counts is None else {"displayName": f"{self.name}, {self.counts}"}
        typed = {"optype": self.optype, "dataType": self.data_type}
        xml.open("DataField", {"name": self.name, **described, **typed})
        for label in self.labels:
            xml.add("Value", {"value": label})
        xml.close()

    @property
    def data_type(self) -> str:
        """PMML's name of the type."""
        return _DATA_TYPES[self.type]


def input_fields(tested: Sequence[ColumnCodes]) -> dict[int, Field]:
    """The fields of the columns that a tree tests, by the column's position."""
    fields: dict[int, Field] = {}
    names = {codes.column["name"] for codes in tested}
    for codes in tested:
        column = codes.column
        name = column["name"] or fresh_name(f"column_{codes.position}", names)
        optype = _OPTYPES[column["kind"]]
        if codes.is_number:
            temporal = temporal_of(column)
            counts = None if temporal is None else count_words(temporal)
            fields[codes.position] = Field(name, optype, float, counts=counts)
        else:
            kind = _field_type(column["categories"], f"column {column['name']!r}")
            fields[codes.position] = Field(name, optype, kind, _label_texts(column["categories"], kind))
    return fields


def target_field(document: dict[str, Any], wanted: str, fields: Iterable[Field]) -> Field:
    """The field of what is predicted."""
    name = fresh_name(wanted, {field.name for field in fields})
    classes = document["classes"]
    if classes is None:
        return Field(name, "continuous", float)
    kind = _field_type(classes, "the target")
    return Field(name, "categorical", kind, _label_texts(classes, kind))


def _field_type(labels: Sequence[Any], what: str) -> type[Scalar]:
    """The type of a field with these labels. Engines read PMML's integer as one of 32 bits, so larger ones
    are doubles.
    """
    kind = common_type(labels, what)
    if kind is not int or all(-(2**31) <= label < 2**31 for label in labels):
        return kind
    if any(abs(label) > LARGEST_EXACT_INTEGER for label in labels):
        raise ValueError(
            f"{what} has integer labels beyond 2^53, which PMML has no type for: make them texts"
        )
    return float


def _label_texts(labels: Sequence[Any], kind: type[Scalar]) -> tuple[str, ...]:
    texts = tuple(str(kind(scalar(label))) for label in labels)
    return tuple(text.lower() for text in texts) if kind is bool else texts
