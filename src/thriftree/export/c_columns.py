"""The columns that exported C reads: fields of a struct, and codes for categories."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from thriftree.columns import Scalar
from thriftree.document.follow import scalar
from thriftree.explain.words import label_words
from thriftree.export.c_literals import RESERVED, comment, number_type, text
from thriftree.export.decisions import matched_codes
from thriftree.export.naming import identifiers
from thriftree.messages import printable
from thriftree.temporal.words import count_words, temporal_of

# With -ffast-math and its like isnan() is always false, and missing values would take any branch.
NEEDS_NAN = (
    "#if (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(_M_FP_FAST)",
    '#error "Missing values are NaN: compile without -ffast-math, -ffinite-math-only, /fp:fast"',
    "#endif",
)


class CColumns:
    """Of columns of a document: the field of each, and the enumerator of each code."""

    def __init__(self, name: str, columns: Sequence[dict[str, Any]], used: Sequence[int]) -> None:
        self._name = name
        self._columns = columns
        wanted = identifiers([columns[j]["name"] for j in used], RESERVED)
        self.fields = dict(zip(used, wanted, strict=True))
        self.missing, self.other = f"{name.upper()}_MISSING", f"{name.upper()}_OTHER"
        self.enumerators = self._enumerators()

    def _enumerators(self) -> dict[tuple[int, int], str]:
        """By column and code. All are made at once: enumerators share one name space."""
        wanted = {
            (column, code): f"{self._name}_{field}_{_spoken(scalar(label))}"
            for column, field in self.fields.items()
            for code, label in enumerate(self._columns[column].get("categories", ()))
        }
        made = identifiers(wanted.values(), {self.missing.lower(), self.other.lower()})
        return {key: identifier.upper() for key, identifier in zip(wanted, made, strict=True)}

    def struct(self, nothing: str) -> Iterator[str]:
        """`struct <name>_input`; `nothing` says why it may have no field."""
        yield f"struct {self._name}_input {{"
        for column, field in self.fields.items():
            schema = self._columns[column]
            words = f'"{comment(printable(schema["name"]))}"'
            if schema["kind"] == "number":
                temporal = temporal_of(schema)
                counts = "" if temporal is None else f", {count_words(temporal)}"
                yield f"    double {field}; /* {words}{counts}; NaN: missing */"
            else:
                yield f"    int {field}; /* {words}: a code, see below */"
        if not self.fields:
            yield f"    int nothing; /* {nothing} */"
        yield from ("};", "")

    def categories(self) -> Iterator[str]:
        """Enumerators for the codes, and functions that find the code of a value."""
        yield f"enum {{ {self.missing} = -1, {self.other} = -2 }};"
        for column, field in self.fields.items():
            schema = self._columns[column]
            if not schema.get("categories"):  # a number, or a category of which training saw no value
                continue
            yield from ("", f"enum {{ /* codes of {field} */")
            for code, label in enumerate(schema["categories"]):
                yield f"    {self.enumerators[column, code]} = {code}, /* {comment(label_words(label))} */"
            yield "};"
            values = {code: scalar(schema["categories"][code]) for code in sorted(matched_codes(schema))}
            texts = {code: text(value) for code, value in values.items() if isinstance(value, str)}
            numbers = {code: value for code, value in values.items() if not isinstance(value, str)}
            if texts:
                yield from self._finder(column, "from_text", "const char *", texts)
            if numbers:
                type_ = number_type(list(numbers.values()), prefer="double")
                if type_ is None:
                    raise ValueError(
                        f"column {schema['name']!r} has categories that no number type of C holds together: "
                        "make them texts before training"
                    )
                written = {code: type_.write(value) for code, value in numbers.items()}
                yield from self._finder(column, "from_number", f"{type_.name} ", written)
        yield ""

    def _finder(self, column: int, ending: str, type_: str, known: dict[int, str]) -> Iterator[str]:
        """A function from a value, as `type_` holds it, to its code."""
        is_text = ending == "from_text"
        yield from ("", f"int {self._name}_{self.fields[column]}_{ending}({type_}value) {{")
        yield f"    static const struct {{ {type_}value; int code; }} known[{len(known)}] = {{"
        yield from (
            f"        {{{value}, {self.enumerators[column, code]}}}," for code, value in known.items()
        )
        yield from ("    };", "    size_t i;")
        if is_text:
            yield f"    if (value == NULL) return {self.missing};"
        elif type_ == "double ":
            yield f"    if (isnan(value)) return {self.missing};"
        same = "strcmp(value, known[i].value) == 0" if is_text else "value == known[i].value"
        yield f"    for (i = 0; i < {len(known)}; ++i) {{"
        yield from (f"        if ({same}) return known[i].code;", "    }", f"    return {self.other};", "}")


def labels_line(name: str, labels: Sequence[Scalar]) -> str:
    """The table of the classes."""
    has_text = any(isinstance(label, str) for label in labels)
    type_ = None if has_text else number_type(labels, prefer="integer")
    written = [text(str(label)) for label in labels] if type_ is None else list(map(type_.write, labels))
    kind = "const char *const" if type_ is None else f"const {type_.name}"
    return f"{kind} {name}_labels[{len(labels)}] = {{{', '.join(written)}}};"


def _spoken(value: Scalar) -> str:
    """The category in characters that an identifier keeps: -1 must not read 1."""
    return (value or "empty") if isinstance(value, str) else str(value).replace("-", "minus ")
