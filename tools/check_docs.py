"""Run the Python examples of README.md and docs/, and check that links within the repository lead somewhere.

The blocks of one page are taken in order, in an empty folder:

- ``python`` runs, all in one namespace; ``python needs=pyspark,java`` only where these packages and programs
  are installed;
- ``text`` straight after it must be what the example printed;
- ``toml`` that starts with a comment such as ``# prices.toml`` is written to the file of that name.

Other blocks are left alone.
"""

import re
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import chdir, redirect_stdout
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from shutil import which

BLOCK = re.compile(r"^```(python|text|toml)(?: needs=([\w,]+))?\n(.*?)^```$\n?", re.MULTILINE | re.DOTALL)
FILE_NAME = re.compile(r"# ([\w-]+\.toml)\n")
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
    """Yield one report for each page with an example that raises or prints something else than is shown."""
    for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
        with tempfile.TemporaryDirectory() as folder, chdir(folder):
            problem = first_failure(page)
        if problem:
            yield f"{page.relative_to(root)}{problem}"


def first_failure(page: Path) -> str:
    """Run a page's blocks in the current folder; return what went wrong first, or an empty text."""
    text = page.read_text(encoding="utf-8")
    namespace: dict[str, object] = {"__name__": "__main__"}
    printed, printed_at = "", len(text)
    for block in BLOCK.finditer(text):
        kind, needs, body = block.groups()
        above = text.count("\n", 0, block.start(3))
        if needs and not all(map(is_installed, needs.split(","))):
            printed_at = len(text)  # and what it would print is not compared
        elif kind == "python":
            with redirect_stdout(StringIO()) as output:
                try:
                    exec(compile("\n" * above + body, str(page), "exec"), namespace)
                except Exception:
                    return f": an example fails\n{traceback.format_exc()}"
            printed, printed_at = output.getvalue(), block.end()
        elif kind == "toml" and (name := FILE_NAME.match(body)):
            Path(name[1]).write_text(body, encoding="utf-8")
        elif kind == "text" and text[printed_at : block.start()].isspace() and body != printed:
            return f":{above}: the example above prints something else\n{printed}"
    return ""


def is_installed(name: str) -> bool:
    """Whether there is a package or a program of this name."""
    return find_spec(name) is not None or which(name) is not None


def main() -> int:
    """Check the checkout this file is in."""
    root = Path(__file__).resolve().parent.parent
    problems = [*broken_links(root), *failing_examples(root)]
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
