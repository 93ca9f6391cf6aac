"""What every fit on a large table has in common."""

MIN_LEAF = 0.005  # least share of the rows in a leaf
BINS = 255
