"""How far a tree can be from the best: lower bounds that hold for every tree of a class."""
