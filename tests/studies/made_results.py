"""Made results of studies, and what stands in a picture's file."""

from __future__ import annotations

import struct
import zlib

from studies.enhanced.learners import LEARNERS, TRADE_OFFS
from studies.harness.kept import KeptRun, KeptStudy


def kept_study(cost, sets=("iris", "ilpd")):
    """Made results: `cost[learner]` at unit prices, twice that at random ones."""
    runs = []
    for data in sets:
        for name, learner in LEARNERS.items():
            for part in learner.prices:
                value = cost.get(name, 2.0) * (2 if part == "random" else 1)
                measures = {
                    **{"auc": 0.8, "auc_raw": 0.85, "cost": value, "test_cost": value},
                    **{"leaves": 4, "fit_s": 0.1},
                }
                if learner.prunes:
                    measures["pruned"] = {**measures, "cost": value / 2, "alpha": 0.1}
                if learner.enhanced:
                    measures["path"] = [[one, 0.8, value, 4] for one in (1e4, 1e3, *TRADE_OFFS)]
                runs += [KeptRun(part, data, split, name, measures, None) for split in range(2)]
    facts = {"rows": 150, "all_rows": 150, "tests": 20, "classes": 3}
    about = {
        **{"study": "enhanced", "quick": False, "splits": 2, "max_rows": 10_000, "planned": len(runs)},
        "sets": dict.fromkeys(sets, facts),
    }
    return KeptStudy(about, runs)


def text_chunks(png):
    """The texts of a PNG file, by name."""
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    found, at = {}, 8
    while at < len(png):
        (length,) = struct.unpack(">I", png[at : at + 4])
        kind, data = png[at + 4 : at + 8], png[at + 8 : at + 8 + length]
        assert struct.unpack(">I", png[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + data)
        if kind == b"tEXt":
            name, _, text = data.partition(b"\0")
            found[name.decode()] = text.decode("latin-1")
        at += length + 12
    return found
