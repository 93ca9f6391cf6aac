"""Paper 000 measured again: trees that are accurate and cheap (EC4.5, ECART) beside the learners it names.

`sets` has the paper's 20 tables and what it says of each, `encoding` its pre-processing, `learners` its
methods, `measures` what one run measures, `published` its figures; `python -m studies.enhanced` runs it.
"""
