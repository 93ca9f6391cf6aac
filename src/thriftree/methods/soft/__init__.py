"""Soft trees: tests that send a row both ways, each with a probability (cpp/soft has the arithmetic)."""
