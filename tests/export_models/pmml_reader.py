"""Scores rows by a PMML tree, as the PMML 4.4 standard tells it; only what tree models need."""

import re
from typing import Any
from xml.etree import ElementTree

SPACE = "{http://www.dmg.org/PMML-4_4}"
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)', re.DOTALL)


class PmmlTree:
    def __init__(self, text: str) -> None:
        root = ElementTree.fromstring(text)
        assert root.tag == f"{SPACE}PMML"
        assert root.get("version") == "4.4"
        self.fields = {field.get("name"): field for field in root.find(f"{SPACE}DataDictionary")}
        self.model = root.find(f"{SPACE}TreeModel")
        assert self.model.get("missingValueStrategy") == "none"
        assert self.model.get("splitCharacteristic") == "multiSplit"
        schema = self.model.find(f"{SPACE}MiningSchema")
        self.inputs = [f.get("name") for f in schema if f.get("usageType", "active") == "active"]
        (self.target,) = [f.get("name") for f in schema if f.get("usageType") == "target"]
        self.takes_invalid = {f.get("name") for f in schema if f.get("invalidValueTreatment") == "asIs"}
        self.outputs = list(self.model.find(f"{SPACE}Output"))

    def typed(self, field: str, text: str) -> Any:
        match self.fields[field].get("dataType"):
            case "string":
                return text
            case "boolean":
                return {"true": True, "false": False}[text]
            case "integer":
                return int(text)
            case "double":
                return float(text)
            case other:
                raise AssertionError(other)

    def leaf(self, row: dict[str, Any]) -> ElementTree.Element:
        """The node that a row ends at; None is a missing value."""
        for name in self.inputs:
            valid = [self.typed(name, v.get("value")) for v in self.fields[name].findall(f"{SPACE}Value")]
            if row[name] is not None and valid and row[name] not in valid:
                assert name in self.takes_invalid
        node = self.model.find(f"{SPACE}Node")
        assert self.holds(_predicate(node), row)
        while children := node.findall(f"{SPACE}Node"):
            fitting = [child for child in children if self.holds(_predicate(child), row)]
            assert len(fitting) == 1, "every value takes exactly one branch"
            node = fitting[0]
        return node

    def answer(self, node: ElementTree.Element) -> Any:
        return self.typed(self.target, node.get("score"))

    def shares(self, node: ElementTree.Element) -> list[float]:
        by_class = {
            d.get("value"): float(d.get("probability")) for d in node.iter(f"{SPACE}ScoreDistribution")
        }
        return [by_class[o.get("value")] for o in self.outputs if o.get("feature") == "probability"]

    def holds(self, predicate: ElementTree.Element, row: dict[str, Any]) -> bool:
        kind = predicate.tag.removeprefix(SPACE)
        if kind in ("True", "False"):
            return kind == "True"
        if kind == "CompoundPredicate":
            parts = [self.holds(part, row) for part in predicate]
            assert len(parts) > 1
            return {"or": any, "and": all}[predicate.get("booleanOperator")](parts)
        field = predicate.get("field")
        assert field in self.inputs
        value = row[field]
        operator = predicate.get("operator") or predicate.get("booleanOperator")
        if operator in ("isMissing", "isNotMissing"):
            return (value is None) == (operator == "isMissing")
        if value is None:  # "none": a comparison with a missing value is false
            return False
        if kind == "SimpleSetPredicate":
            array = predicate.find(f"{SPACE}Array")
            members = [self.typed(field, text) for text in _members(array)]
            assert len(members) == int(array.get("n"))
            return (value in members) == (operator == "isIn")
        given = self.typed(field, predicate.get("value"))
        match operator:
            case "equal":
                return value == given
            case "notEqual":
                return value != given
            case "lessOrEqual":
                return value <= given
            case "greaterThan":
                return value > given
        raise AssertionError(operator)


def _predicate(node: ElementTree.Element) -> ElementTree.Element:
    return node[0]


def _members(array: ElementTree.Element) -> list[str]:
    """Texts between blanks; in quotes they may hold blanks, and a quote after a backslash."""
    found = QUOTED.findall(array.text or "")
    if array.get("type") != "string":
        return [plain for _, plain in found]
    assert all(plain == "" for _, plain in found), "we quote every text"
    return [quoted.replace('\\"', '"') for quoted, _ in found]
