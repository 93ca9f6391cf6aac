"""Pictures of studies: figures without a screen, one look, and a digest of what they were drawn from."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any


def import_figure() -> Any:
    """matplotlib's Figure, which draws without a screen; or an error that says how to get it."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "the plot needs matplotlib, which is not installed: pip install 'thriftree[studies]'"
        ) from error
    return Figure


def new_figure(width: float, height: float) -> Any:
    """In inches."""
    return import_figure()(figsize=(width, height), dpi=100, layout="constrained")


def tidy(axes: Any) -> None:
    """Without a frame, with a faint grid."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#EEEEEE")
    axes.set_axisbelow(True)


def digest(path: Path) -> str:
    """Of the results that a picture was drawn from; it stands in the picture's file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
