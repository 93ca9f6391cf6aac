"""The tree's JSON form, version 1: docs/spec/tree-v1.md in code. `write` makes it, `read` checks it."""

from __future__ import annotations

FORMAT = "thriftree-tree"
VERSION = 1

MAX_BYTES = 2**30
MAX_NODES = 2**24
MAX_NESTING = 32  # of `prices` and `settings`; the rest of a document is never deeper than 5
