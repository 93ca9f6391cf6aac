"""The report: facts of a tree and its rows, then a page of them. `thriftree.write_report` writes it."""

from thriftree.report.writing import write_report

__all__ = ["write_report"]
