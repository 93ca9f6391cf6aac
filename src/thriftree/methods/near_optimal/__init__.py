"""Sets of nearly best trees: which tests, the core's set, and its trees as outlines."""
