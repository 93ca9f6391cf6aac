"""docs/results.md: the claims of the papers beside what was measured here. `python -m studies.papers`."""
