"""PUBLIC: the tree of fewest bits, pruned while it is built."""
