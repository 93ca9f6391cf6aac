"""Paper 001 measured again: error against the most tests of anyone. `python -m studies.worst_case`."""
