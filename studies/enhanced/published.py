"""The figures that the authors of paper 000 published: in its text, and in their public notebooks."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from studies.enhanced.sets import TABLES

FILE = Path(__file__).with_name("published.json")
THEIR_NAMES = {"BAL": "Bal", "IP weighted": "IP"}  # their program's IP is the weighted one


@cache
def _figures() -> Any:
    return json.loads(FILE.read_text(encoding="utf-8"))


def figure(kind: str, data: str, learner: str) -> float | None:
    """ "auc", "cost" or "seconds" with unit prices; None if there is none."""
    found = _figures()[kind][TABLES[data].published].get(THEIR_NAMES.get(learner, learner))
    return None if found is None else float(found)


def of_sweep(kind: str, data: str, trade_off: float) -> float:
    """ "auc" of validation rows or "cost" of training rows of EC4.5 with this λ, at unit prices."""
    return float(_figures()[f"sweep_{kind}"][f"{trade_off:.2f}"][TABLES[data].published])


def average_rank(kind: str, learner: str) -> float:
    """ "AUC" or "cost" of random prices, among CCART, ECART, ASR, IP, BAL, pCCART and pECART."""
    return float(_figures()["ranks_random_cart"][kind][THEIR_NAMES.get(learner, learner)])
