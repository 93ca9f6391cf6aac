"""Which code a result is of: versions of packages, and of thriftree what its sources are."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@cache
def of_sources(root: Path = ROOT) -> str:
    """A short digest of all that makes a tree: the package and the core, without its tests.

    Between releases the version number stays, and the trees may not.
    """
    digest = hashlib.sha256()
    package = (root / "src" / "thriftree").rglob("*.py")
    core = (p for p in (root / "cpp").rglob("*.[ch]pp") if "tests" not in p.relative_to(root).parts)
    for path in sorted([*package, *core]):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:10]


@cache
def installed(package: str) -> str | None:
    """The version of an installed package, or None."""
    try:
        found = version(package)
    except PackageNotFoundError:
        return None
    return f"{found}+{of_sources()}" if package == "thriftree" else found


def of(packages: Iterable[str]) -> dict[str, str]:
    """The versions of packages, all of which are installed."""
    versions = {package: installed(package) for package in packages}
    missing = [package for package, found in versions.items() if found is None]
    if missing:
        raise ModuleNotFoundError(f"not installed: {', '.join(missing)}")
    return {package: str(found) for package, found in versions.items()}
