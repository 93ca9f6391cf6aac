"""From a table to a finished tree: samples, plans, growing, pruning, limits."""
