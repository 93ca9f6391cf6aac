"""A tree in words: what each branch asks, and the rules that paths make. Reads the tree's JSON form only."""
