"""QUEST: a column by tests of significance, a split by discriminant analysis."""
