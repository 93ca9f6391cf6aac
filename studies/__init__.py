"""Studies that anyone can run again: learners compared on public data, every claim with its interval.

`python -m studies.which_tree --data FOLDER` compares single trees of several libraries.
`python -m studies.prices --data FOLDER` compares what trees cost and how often they are right where
tests have real prices. `python -m studies.worst_case --data FOLDER` repeats paper 001: error
against the most tests that anyone takes. `python -m studies.self_tuning --data FOLDER` repeats
paper 002: accuracy and size of trees that tune themselves. The studies need `pip install thriftree[studies]`.
"""
