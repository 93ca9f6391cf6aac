"""Trees as sentences that people write and read: "If age > 54.5, decide sick; otherwise decide healthy."

`tokens` splits a text, `grammar` reads it into steps, `meaning` says which values a condition lets pass,
`build` makes the tree, `fill` counts rows into it, `read` does all of it. The writer is
`thriftree.export.sentences`; docs/guide/explanations.md describes the language.
"""
