"""Time to fit against rows, on the paper's largest table: one tree of each learner, nothing tuned."""

from __future__ import annotations

SPEED_SET = "covertype-sample"
SPEED_ROWS = (1_000, 3_000, 10_000, 30_000, 90_000)
SPEED_LEARNERS = ("C4.5", "EC4.5", "ASR", "IP", "BAL")
SPEED_TRADE_OFF = 10.0
REPEATS = 3  # of each fit; the least time counts
