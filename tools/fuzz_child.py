"""What a fuzzer says of a child process that did not end well."""

import subprocess
from collections.abc import Iterable


def report_of(child: "subprocess.CompletedProcess[str]", last: str, facts: Iterable[str], again: str) -> str:
    """How the child ended and what it did `last`, further facts, what it printed, and how to repeat it."""
    how = f"signal {-child.returncode}" if child.returncode < 0 else f"exit code {child.returncode}"
    said = [child.stdout.strip(), child.stderr[-4000:]]
    return "\n".join([f"the child ended with {how}; {last}", *facts, *said, f"to repeat: {again}"])
