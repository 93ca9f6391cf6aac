"""Runs a command: exit codes, errors in one line, warnings in one line."""

from __future__ import annotations

import errno
import io
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import typer

from thriftree.cli import screen
from thriftree.cli.app import app, debugging
from thriftree.cli.errors import InputError, one_line

BAD_INPUT, UNEXPECTED, INTERRUPTED = 2, 1, 130

# typer brings its own copy of click, or takes the installed one; both derive BadParameter from it.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def run(arguments: Sequence[str] | None) -> int:
    """See `thriftree.cli.main`."""
    command = typer.main.get_command(app)
    given = sys.argv[1:] if arguments is None else list(arguments)
    _prepare_streams()
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        for kind in (DeprecationWarning, PendingDeprecationWarning, FutureWarning, ResourceWarning):
            warnings.simplefilter("ignore", kind)  # these are for developers
        warnings.showwarning = _show_warning
        try:
            code = command.main(args=given, prog_name="thriftree", standalone_mode=False)
            sys.stdout.flush()
            return code if isinstance(code, int) else 0
        except InputError as error:
            return _refused(str(error), error)
        except _UsageError as error:
            said = _usage(error)
            return _refused(said, error) if said else BAD_INPUT  # nothing to say: the help was shown
        except KeyboardInterrupt:
            return INTERRUPTED
        except typer.Abort:
            return UNEXPECTED
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python complains at its end
            return UNEXPECTED
        except OSError as error:
            if error.errno != errno.ENOSPC or error.filename is not None:
                return _unexpected(error, given)
            return _refused(f"standard output: {one_line(error)}", error)
        except MemoryError:
            return _refused("out of memory: take fewer rows or columns, or --set max_bins=255", None)
        except Exception as error:
            return _unexpected(error, given)


def _prepare_streams() -> None:
    """Opens streams that the shell closed (`>&-`): nothing is read from them, what is written is lost. Files
    and pipes get UTF-8, whatever the system's encoding is; a terminal shows ? for what it cannot show.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, Path(os.devnull).open(mode, encoding="utf-8"))  # noqa: SIM115 - to the end
        elif mode == "w" and isinstance(stream, io.TextIOWrapper) and stream.encoding.lower() != "utf-8":
            if stream.isatty():
                stream.reconfigure(errors="replace")
            else:
                stream.reconfigure(encoding="utf-8")


def _unexpected(error: Exception, given: Sequence[str]) -> int:
    if debugging():
        raise error
    screen.error(f"unexpected {type(error).__name__}: {' '.join(str(error).split())}")
    screen.remark(f"for the traceback: thriftree --debug {' '.join(given)}")
    return UNEXPECTED


def _refused(message: str, error: Exception | None) -> int:
    if debugging() and error is not None:
        raise error
    screen.error(message)
    return BAD_INPUT


def _usage(error: Any) -> str:
    message = " ".join(error.format_message().split())
    context = getattr(error, "ctx", None)
    command = "thriftree" if context is None else context.command_path
    return f"{message.rstrip('.')}; see {command} --help" if message else ""


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    screen.warning(" ".join(str(message).split()))
