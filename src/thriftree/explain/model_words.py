"""What a linear leaf says, in words, and of one row in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from thriftree.document.follow import Answer, Unknown
from thriftree.document.leaf_models import LeafModel
from thriftree.explain.words import name_words

MOST_TERMS = 4  # said of a model where there is little room


@dataclass(frozen=True)
class ModelTerm:
    """What one column adds to the mean of a linear leaf: coefficient × (value − mean); 0 if it is missing."""

    column: str
    value: float | None  # None: missing
    mean: float
    coefficient: float
    adds: float

    def __str__(self) -> str:
        if self.value is None:
            return f"{name_words(self.column)} is missing: nothing"
        return (
            f"{name_words(self.column)} is {self.value:.6g}: {self.coefficient:+.4g} × "
            f"({self.value:.6g} − {self.mean:.6g}) = {self.adds:+.4g}"
        )


def model_words(
    document: dict[str, Any], model: LeafModel, mean: float, most: int | None = MOST_TERMS
) -> str:
    """ "152.1 + 3.2 × (bmi − 26.4) − 0.51 × (age − 48.5), within 25 to 346"; of many terms the first."""
    words = [f"{mean:.6g}"]
    terms = list(zip(model.columns, model.coefficients, model.means, strict=True))
    for column, coefficient, centre in terms if most is None else terms[:most]:
        name = name_words(document["columns"][column]["name"])
        sign = "−" if coefficient < 0 else "+"
        inside = f"{name} − {centre:.5g}" if centre >= 0 else f"{name} + {-centre:.5g}"
        words.append(f"{sign} {abs(coefficient):.4g} × ({inside})")
    left = 0 if most is None else len(terms) - most
    if left > 0:
        words.append(f"+ {left} more term{'' if left == 1 else 's'}")
    return f"{' '.join(words)}, within {model.lowest:.5g} to {model.highest:.5g}"


def terms_of(document: dict[str, Any], model: LeafModel, known: dict[int, Answer]) -> tuple[ModelTerm, ...]:
    """What each column of a model adds for a row."""
    found = []
    for column, coefficient, centre in zip(model.columns, model.coefficients, model.means, strict=True):
        answer = known[column]
        value = None if isinstance(answer, Unknown) else float(answer)
        adds = 0.0 if value is None else coefficient * (value - centre)
        found.append(ModelTerm(document["columns"][column]["name"], value, centre, coefficient, adds))
    return tuple(found)
