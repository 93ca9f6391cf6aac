"""Optimal trees beside other solvers: the same tables, equal objectives, whole fits in CPU time."""
