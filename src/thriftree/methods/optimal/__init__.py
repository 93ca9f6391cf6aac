"""Trees of least regularised risk: tests to choose among, outlines, and rounds of search and polish."""
