"""How much memory this process may take, by all that limits it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

_CGROUP_FILES: Final = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
_UNKNOWN: Final = 4 << 30  # bytes, where the system does not say


def memory_bytes() -> int:
    """The memory of the machine, or of the container or the limits (ulimit) that this process is in."""
    known = [_of_machine(), *_of_container(), *_of_process()]
    return min([n for n in known if n is not None], default=_UNKNOWN)


def _of_machine() -> int | None:
    if not hasattr(os, "sysconf"):
        return None
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _of_container() -> list[int]:
    found = []
    for name in _CGROUP_FILES:
        path = Path(name)
        if path.is_file() and (text := path.read_text(encoding="ascii").strip()).isdigit():
            found.append(int(text))
    return found


def _of_process() -> list[int]:
    if sys.platform == "win32":
        return []
    import resource

    limits = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_DATA))
    return [limit for limit in limits if limit != resource.RLIM_INFINITY]
