"""The tree as PMML 4.4, for the scoring engines of databases and Java programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from thriftree import __version__
from thriftree.export.codes import codes_of
from thriftree.export.labels import fresh_name, refuse_texts
from thriftree.export.leaves import refuse_linear_leaves
from thriftree.export.pmml_fields import Field, input_fields, target_field
from thriftree.export.pmml_nodes import add_nodes
from thriftree.export.xml_text import NOT_XML, XmlText


def pmml_of(document: dict[str, Any], *, target: str = "target") -> str:
    """The tree as a PMML 4.4 TreeModel.

    The data dictionary holds the columns that the tree tests, under their names (`column_3` for column 3 if
    its name is empty), and `target`, the name of what is predicted (`target_2` if a column has that name).
    Number columns are doubles, and so are dates (in days) and datetimes, times and durations (in
    microseconds), whose `displayName` says since when; categories are strings, integers, doubles or booleans.
    Each branch has a predicate of its own, which says where missing values go; a category that the tree does
    not know is taken as it is and follows the "other" branch.

    Outputs: the target; `probability(<class>)` for each class; and `node`, the number of the leaf.

    Raises ValueError where a text holds a character that XML cannot, such as a control character, and where a
    column's categories, or the classes, have no common type.
    """
    refuse_linear_leaves(document, "to_pmml")
    if not isinstance(target, str) or target == "" or NOT_XML.search(target):
        raise ValueError(f"target must be a name that XML can hold, not {target!r}")
    tested = codes_of(document)
    columns = [codes.column for codes in tested]
    refuse_texts(document, columns, NOT_XML, "holds a character that XML 1.0 cannot hold")
    fields = input_fields(tested)
    answer = target_field(document, target, fields.values())
    xml = XmlText()
    xml.open("PMML", {"xmlns": "http://www.dmg.org/PMML-4_4", "version": "4.4"})
    xml.open("Header")
    xml.add("Application", {"name": "thriftree", "version": __version__})
    xml.close()
    xml.open("DataDictionary", {"numberOfFields": len(fields) + 1})
    for field in (*fields.values(), answer):
        field.add_to_dictionary(xml)
    xml.close()
    xml.open(
        "TreeModel",
        {
            "functionName": "regression" if document["classes"] is None else "classification",
            "missingValueStrategy": "none",  # a missing value makes every predicate false but isMissing
            "noTrueChildStrategy": "returnNullPrediction",  # never needed: the predicates leave nothing out
            "splitCharacteristic": "multiSplit",
        },
    )
    _add_schema(xml, fields.values(), answer)
    _add_outputs(xml, fields.values(), answer)
    add_nodes(xml, document, fields, answer)
    xml.close()
    xml.close()
    return str(xml)


def _add_schema(xml: XmlText, fields: Iterable[Field], answer: Field) -> None:
    xml.open("MiningSchema")
    for field in fields:
        xml.add("MiningField", {"name": field.name, "invalidValueTreatment": "asIs"})
    xml.add("MiningField", {"name": answer.name, "usageType": "target"})
    xml.close()


def _add_outputs(xml: XmlText, fields: Iterable[Field], answer: Field) -> None:
    taken = {answer.name, *(field.name for field in fields)}
    xml.open("Output")
    for label in answer.labels:
        name = fresh_name(f"probability({label})", taken)
        taken.add(name)
        probability = {"name": name, "optype": "continuous", "dataType": "double", "feature": "probability"}
        xml.add("OutputField", {**probability, "value": label})
    node = {"name": fresh_name("node", taken), "optype": "categorical", "dataType": "string"}
    xml.add("OutputField", {**node, "feature": "entityId"})
    xml.close()
