"""Which tree should I pick? Single trees of this and other libraries on many public tables.

`python -m studies.which_tree --data FOLDER` measures, `python -m studies.which_tree.page` writes
docs/which_tree.md from what was kept.
"""
