"""Codes: the tables that ONNX models and workbooks look answers up in."""

from bisect import bisect_left

import pytest

from thriftree.document.follow import MISSING, answer_of, branch_of
from thriftree.export.codes import codes_of
from thriftree.testing.random_documents import random_document, random_rows


@pytest.mark.parametrize("seed", range(20))
def test_a_code_takes_the_branch_of_every_value_that_it_stands_for(seed):
    document = random_document(seed)
    rows = random_rows(document, seed, 200)
    for codes in codes_of(document):
        tests = [
            node["test"]
            for node in document["nodes"]
            if "test" in node and node["test"]["column"] == codes.position
        ]
        assert tests
        for value in rows[codes.column["name"]]:
            answer = answer_of(codes.column, value)
            if answer is MISSING:
                code = codes.missing
            elif codes.is_number:
                code = bisect_left(codes.cuts, answer)
            else:
                code = answer if isinstance(answer, int) else codes.other
            assert [codes.branches(test)[code] for test in tests] == [
                branch_of(test, answer) for test in tests
            ]


def test_columns_that_no_test_asks_have_no_codes():
    document = random_document(3, n_columns=8, n_tests=2)
    asked = {node["test"]["column"] for node in document["nodes"] if "test" in node}
    assert [codes.position for codes in codes_of(document)] == sorted(asked)
    assert len(asked) < 8
