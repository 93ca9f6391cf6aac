"""Run the Python examples of README.md and docs/, and check that links within the repository lead somewhere.

The ``python`` blocks of one page run in order in one namespace, in an empty folder. Other blocks are not run.
"""

import re
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from io import StringIO
from pathlib import Path

BLOCK = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)#\s]+)(?:#[^)]*)?\)")


def pages(root: Path) -> list[Path]:
    """Return the pages whose links are checked."""
    return sorted([*root.glob("*.md"), *(root / "docs").rglob("*.md")])


def broken_links(root: Path) -> Iterator[str]:
    """Yield one line for each link to a file that does not exist."""
    for page in pages(root):
        for number, line in enumerate(page.read_text(encoding="utf-8").split("\n"), start=1):
            for target in LINK.findall(line):
                if "://" not in target and not (page.parent / target).exists():
                    yield f"{page.relative_to(root)}:{number}: the link leads nowhere: {target}"


def failing_examples(root: Path) -> Iterator[str]:
    """Yield one line for each page whose examples raise."""
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        text = page.read_text(encoding="utf-8")
        namespace: dict[str, object] = {"__name__": "__main__"}
        with tempfile.TemporaryDirectory() as folder, chdir(folder), redirect_stdout(StringIO()):
            for block in BLOCK.finditer(text):
                above = text.count("\n", 0, block.start(1))
                try:
                    exec(compile("\n" * above + block[1], str(page), "exec"), namespace)
                except Exception:
                    yield f"{page.relative_to(root)}: an example fails\n{traceback.format_exc()}"
                    break


def main() -> int:
    """Check the checkout this file is in."""
    root = Path(__file__).resolve().parent.parent
    problems = [*broken_links(root), *failing_examples(root)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
