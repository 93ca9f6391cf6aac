"""The command line `thriftree`: one file a command."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command line and returns its exit code: 0 well, 2 bad input, 1 anything else, 130 Ctrl-C."""
    try:
        try:
            import rich  # noqa: F401
            import typer  # noqa: F401
        except ImportError as error:
            raise SystemExit(
                f"thriftree: the command line needs {error.name}: pip install 'thriftree[cli]'"
            ) from None
        from thriftree.cli.running import run

        return run(arguments)
    except KeyboardInterrupt:  # while modules are imported
        return 130
