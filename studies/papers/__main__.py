"""`python -m studies.papers`: docs/results.md and its pictures, from the kept results alone."""

from __future__ import annotations

import sys

from studies.enhanced import pictures
from studies.enhanced.scores import EnhancedScores
from studies.harness.figures import digest
from studies.papers import finding, paper_000, paper_001, paper_002
from studies.papers.finding import PaperFinding, ResultFile
from studies.papers.page import PAGE, PICTURES, page


def collected() -> tuple[ResultFile, list[PaperFinding]]:
    """The results of paper 000, and the findings of all papers."""
    file = paper_000.result_file()
    return file, [
        *paper_000.findings(file),
        *paper_001.findings(paper_001.result_file()),
        *paper_002.findings(paper_002.result_file()),
    ]


def main() -> int:
    """Write the findings, the page and its pictures."""
    file, findings = collected()
    finding.write(findings)
    PAGE.write_text(page(file, findings), encoding="utf-8")
    drawn = pictures.draw(EnhancedScores(file.study), PICTURES, digest(file.path))
    print(f"Written: {finding.FILE}, {PAGE}, {', '.join(str(path) for path in drawn)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
