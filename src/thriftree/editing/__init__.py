"""Editing a tree: collapse, relabel, reorder. Every edit gives a new tree, and an `Edit` says what changed.

The functions of this package take a tree's JSON form and return a new one; nothing is changed in place.
Growing again below a node needs a learner and is in `thriftree.learning.regrowth`.
"""
