"""Soft and neural trees beside hard ones and what is no tree, on the same folds.

`python -m studies.soft --data FOLDER` measures, `python -m studies.soft.page` writes docs/soft_study.md.
"""
