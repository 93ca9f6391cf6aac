"""The tree's JSON form, version 1: docs/spec/tree-v1.md in code. `write` makes it, `read` checks it.

A file holds a tree, or an estimator with its tree (docs/spec/model-v1.md, `thriftree.model_files`).
"""

from __future__ import annotations

FORMAT = "thriftree-tree"
VERSION = 1
SOFT_FORMAT = "thriftree-soft-tree"  # thriftree.methods.soft
MODEL_FORMAT = "thriftree-model"
MODEL_VERSION = 1

MAX_BYTES = 2**30
MAX_NODES = 2**24
MAX_PRICES = 2**20  # values in `prices`, arrays and objects among them
MAX_SETTINGS = 2**17  # the same of `settings`
MAX_NESTING = 32  # where values are free: `prices`, `settings`, parameters
