"""Fingerprints of rows: the same for the same row in any table, and different for different rows."""

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from thriftree.table.fingerprints import (
    fingerprints_in_text,
    fingerprints_of,
    fingerprints_to_text,
    known_again,
)

NUMBERS = pd.DataFrame({"a": [1, 2, 2, 1], "b": ["x", None, "x", "x"]})
TARGET = np.array(["yes", "no", "yes", "yes"])


def test_rows_are_told_apart_by_every_value_and_the_target():
    found = fingerprints_of(NUMBERS, TARGET)
    assert found[0] == found[3]
    assert len(set(found.tolist())) == 3
    assert len(set(fingerprints_of(NUMBERS, np.array(["yes", "no", "yes", "no"])).tolist())) == 4
    turned = NUMBERS.assign(a=["1", "2", "2", "1"])
    assert set(fingerprints_of(turned, TARGET).tolist()).isdisjoint(found.tolist())


def test_the_type_of_a_number_and_how_a_missing_value_is_held_do_not_matter():
    for kind in (np.int8, np.float32, np.float64):
        frame = NUMBERS.astype({"a": kind})
        assert fingerprints_of(frame, TARGET).tolist() == fingerprints_of(NUMBERS, TARGET).tolist()
    categories = NUMBERS.assign(b=pd.Categorical(NUMBERS["b"], ["unused", "x"]))
    assert fingerprints_of(categories, TARGET).tolist() == fingerprints_of(NUMBERS, TARGET).tolist()
    zero = [fingerprints_of(np.array([[z]]), TARGET[:1])[0] for z in (0.0, -0.0)]
    assert zero[0] == zero[1]


def test_of_equal_rows_as_many_are_known_as_were_learnt_from():
    rng = np.random.default_rng(0)
    for _ in range(50):
        rows = rng.integers(0, 6, 30).astype(np.uint32)
        learnt = rng.integers(0, 6, 12).astype(np.uint32)
        known = known_again(rows, learnt)
        left = Counter(learnt.tolist())
        wanted = []
        for row in rows.tolist():  # the first ones, one for each that was learnt from
            wanted.append(left[row] > 0)
            left[row] -= 1
        assert known.tolist() == wanted


def test_few_of_many_random_rows_share_a_fingerprint():
    X = np.random.default_rng(0).normal(size=(20_000, 3))
    found = fingerprints_of(X, np.zeros(20_000))
    assert len(np.unique(found)) > 19_990


def test_the_text_of_fingerprints_does_not_tell_their_order():
    found = fingerprints_of(NUMBERS, TARGET)
    text = fingerprints_to_text(found)
    assert text == fingerprints_to_text(found[::-1])
    assert fingerprints_in_text(text).tolist() == sorted(found.tolist())


@pytest.mark.parametrize("text", ["%", "AAA", "AAAA"])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="fingerprints of rows must be"):
        fingerprints_in_text(text)
