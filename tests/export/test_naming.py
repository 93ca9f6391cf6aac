"""Identifiers from any text."""

import keyword

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thriftree.export.naming import checked_name, identifiers


@given(st.lists(st.text() | st.sampled_from(["class", "a", "A", "a_2", "a 2", ""])))
def test_identifiers_are_valid_different_and_not_reserved(names):
    made = identifiers(names, keyword.kwlist)
    assert len(set(made)) == len(made) == len(names)
    for identifier in made:
        assert identifier.isascii()
        assert identifier.isidentifier()
        assert not keyword.iskeyword(identifier)


def test_a_name_that_is_an_identifier_stays_readable():
    assert identifiers(["age", "chest pain", "Ejection-Fraction (%)"], ()) == [
        "age",
        "chest_pain",
        "ejection_fraction",
    ]


@pytest.mark.parametrize("name", ["", "1a", "a-b", "x; import os", "_a", "é", "for", "a\n", None, 3])
def test_a_function_cannot_have_any_name(name):
    with pytest.raises(ValueError, match="name must be an identifier of Python"):
        checked_name(name, keyword.kwlist, "Python")
