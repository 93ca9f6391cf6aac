"""`thriftree export`: a tree in another form."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer

from thriftree.cli import options, output, screen
from thriftree.cli.errors import InputError, input_errors
from thriftree.export import EXPORTERS

_JSON = "json"


def _forms() -> dict[str, str]:
    """Every form with what it is: the tree's own, and those of the registry."""
    return {_JSON: "The tree's documented JSON form.", **{name: e.summary for name, e in EXPORTERS.items()}}


def _complete(incomplete: str) -> list[tuple[str, str]]:
    return [(name, summary) for name, summary in _forms().items() if name.startswith(incomplete)]


def export(
    tree_file: options.TreePath,
    to: Annotated[
        str,
        typer.Option("--to", help=f"{', '.join(_forms())}.", autocompletion=_complete, show_default=False),
    ],
    output_file: Annotated[
        str, typer.Option("--output", "-o", help="The file to write; - is standard output.")
    ] = "-",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", "-s", metavar="NAME=VALUE", help="An option of the exporter: -s table=patients."
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Write the tree as SQL, C, Python, JavaScript, a picture and more.

    thriftree export tree.json --to sql -o tree.sql
    """
    from thriftree.cli.trees import load_tree
    from thriftree.messages import did_you_mean

    forms = _forms()
    if to not in forms:
        raise InputError(f"--to is {to!r}{did_you_mean(to, forms)}: there are {', '.join(forms)}")
    output.check_writable(output_file)
    tree = load_tree(tree_file)
    given = options.settings_of(settings)
    _check_options(to, given)
    with input_errors():
        content = _exported(tree, to, given)
    if output_file == "-":
        _print(content, to, as_json)
        return
    from thriftree.whole_files import write_whole

    with input_errors(output_file):
        write_whole(output_file, content)
    if as_json:
        screen.json_document({"to": to, "output": output_file, "bytes": len(_bytes(content))})
    else:
        screen.remark(f"wrote {output_file}")


def _check_options(to: str, given: dict[str, Any]) -> None:
    from inspect import signature

    from thriftree.messages import did_you_mean

    _, *own = signature(EXPORTERS[to].load()).parameters if to in EXPORTERS else ("tree",)
    for option in given:
        if option not in own:
            there = f"its options are {', '.join(own)}" if own else "it has no options"
            raise InputError(f"--to {to} has no option {option!r}{did_you_mean(option, own)}: {there}")


def _exported(tree: Any, to: str, settings: dict[str, Any]) -> str | bytes:
    """Text or bytes; an object that knows its bytes, such as an ONNX model, is asked for them."""
    made = getattr(tree, f"to_{to}")(**settings)
    if isinstance(made, (str, bytes)):
        return made
    if hasattr(made, "SerializeToString"):
        serialized: bytes = made.SerializeToString()
        return serialized
    raise ValueError(
        f"--to {to} makes a Python object ({type(made).__name__}), which no file holds: use Tree.to_{to}"
    )


def _print(content: str | bytes, to: str, as_json: bool) -> None:
    if isinstance(content, bytes):
        if as_json or sys.stdout.isatty() or not hasattr(sys.stdout, "buffer"):
            raise InputError(f"--to {to} makes bytes, which are not for the screen: name a file with -o")
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
    elif as_json:
        screen.json_document({"to": to, "content": content})
    else:
        sys.stdout.write(content if content.endswith("\n") else content + "\n")


def _bytes(content: str | bytes) -> bytes:
    return content.encode("utf-8") if isinstance(content, str) else content
