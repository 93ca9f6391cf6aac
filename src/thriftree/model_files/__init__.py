"""Estimators as files: docs/spec/model-v1.md in code. `write` makes a document, `read` checks it.

Loading runs no code: a file names an estimator of a fixed list, and its values are of a closed set of types.
"""

from thriftree.model_files.read import load

__all__ = ["load"]
