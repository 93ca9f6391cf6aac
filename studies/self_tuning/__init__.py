"""Paper 002 measured again: trees that tune themselves, beside others. `python -m studies.self_tuning`."""
