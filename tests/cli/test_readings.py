"""Learning from a file reads it once and codes it once."""

from __future__ import annotations

from collections import Counter

import pytest
from command import HEART, run

import thriftree.cli.data as cli_data
import thriftree.table.coding as coding_module


@pytest.mark.parametrize("more", [(), ("--cv", "3"), ("--method", "cart")], ids=["defaults", "folds", "cart"])
def test_fit_reads_a_csv_once_and_codes_it_once(monkeypatch, more):
    counts = Counter()
    for owner, name in (
        (cli_data, "read_table"),
        (coding_module, "read_frame"),
        (coding_module._core, "encode_columns"),
    ):
        real = getattr(owner, name)

        def counting(*arguments, real=real, name=name, **named):
            counts[name] += 1
            return real(*arguments, **named)

        monkeypatch.setattr(owner, name, counting)
    assert run("fit", HEART, "--target", "heart_disease", *more).code == 0
    assert counts == {"read_table": 1, "read_frame": 1, "encode_columns": 1}
