"""The problem of the cheapest tree: what bounds it from below, and the exact optimum where it is small."""
