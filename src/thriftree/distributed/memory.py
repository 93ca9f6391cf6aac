"""How much memory this process may take, and how much of it is left, by all that limits it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

_CGROUP_FILES: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_UNKNOWN: Final = 4 << 30  # bytes, where the system does not say


_STATUS: Final = Path("/proc/self/status")  # of Linux: what the process takes, by several measures


def memory_bytes() -> int:
    """The memory of the machine, or of the container or the limits (ulimit) that this process is in."""
    return min((limit for limit, _ in _limits()), default=_UNKNOWN)


def spare_bytes() -> int:
    """What is left of it: each limit less what the process has of what it limits; 0 where nothing is."""
    taken = _taken()
    return max(0, min((limit - taken.get(what, 0) for limit, what in _limits()), default=_UNKNOWN))


def _limits() -> list[tuple[int, str]]:
    """Each limit in bytes, and the line of /proc/self/status that counts what it limits."""
    found = [*_of_machine(), *_of_container()]
    return [(limit, "VmRSS") for limit in found] + _of_process()


def _taken() -> dict[str, int]:
    """Bytes by the name of the line; none where the system does not say."""
    if not _STATUS.is_file():
        return {}
    lines = (line.split() for line in _STATUS.read_text(encoding="utf-8").splitlines())
    return {words[0].rstrip(":"): int(words[1]) << 10 for words in lines if words[-1:] == ["kB"]}


def _of_machine() -> list[int]:
    if not hasattr(os, "sysconf"):
        return []
    return [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]


def _of_container() -> list[int]:
    found = []
    for name in _CGROUP_FILES:
        path = Path(name)
        if path.is_file() and (text := path.read_text(encoding="ascii").strip()).isdigit():
            found.append(int(text))
    return found


def _of_process() -> list[tuple[int, str]]:
    if sys.platform == "win32":
        return []
    import resource

    limits = [(resource.getrlimit(resource.RLIMIT_AS)[0], "VmSize")]
    limits.append((resource.getrlimit(resource.RLIMIT_DATA)[0], "VmData"))
    return [(limit, what) for limit, what in limits if limit != resource.RLIM_INFINITY]
