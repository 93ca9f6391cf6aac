"""The program as a shell sees it: exit codes, streams, interrupts, completion, and what it imports."""

import io
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command import HEART, HEART_DATA, run

from thriftree import Tree
from thriftree.cli import main

THRIFTREE = [sys.executable, "-m", "thriftree"]


def shell(*arguments, **words):
    return subprocess.run([*THRIFTREE, *arguments], capture_output=True, text=True, **words)


def test_the_version_and_the_help_are_printed_without_heavy_imports():
    code = (
        "import sys; from thriftree.cli import main; codes = main(['--version']), main(['fit', '--help']);"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pandas', 'pyarrow', 'matplotlib', 'narwhals'};"
        "print(codes, sorted(heavy & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.startswith("thriftree 0.")
    assert "--target" in printed
    assert printed.endswith("(0, 0) []\n")


def test_predict_imports_neither_scikit_learn_nor_pandas(heart_tree):
    code = (
        f"import sys; from thriftree.cli import main; main(['predict', {heart_tree!r}, {HEART!r}, '--cost']);"
        "print(sorted({'sklearn', 'pandas', 'matplotlib', 'narwhals'} & set(sys.modules)))"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines()[-1] == "[]"


def test_bad_input_exits_with_2_and_one_line():
    done = shell("fit", "absent.csv", "--target", "y")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "thriftree: absent.csv: there is no such file: check the name and the folder\n"


def cpu_seconds(pid):
    """What the process has worked so far: on a busy machine nothing else tells how far it is."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_ctrl_c_exits_with_130_and_leaves_a_whole_file_or_none(tmp_path):
    command = [*THRIFTREE, "fit", *HEART_DATA, "-s", "repeats=2000", "-o", str(tmp_path / "tree.json")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 120
    while cpu_seconds(process.pid) < 4 and time.monotonic() < until:  # by then it learns, for minutes
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said
    assert ("wrote the tree so far" in said) == (tmp_path / "tree.json").exists()
    assert [Tree.load(file).n_leaves > 0 for file in tmp_path.iterdir()] == [True] * len(os.listdir(tmp_path))


def test_a_reader_that_leaves_early_gets_no_traceback(heart_tree, tmp_path):
    with open(HEART, encoding="utf-8") as file:
        header, *rows = file.read().splitlines()
    many = tmp_path / "many.csv"
    many.write_text("\n".join([header, *(rows * 300)]) + "\n", encoding="utf-8")
    command = [*THRIFTREE, "predict", heart_tree, str(many), "--proba", "--cost"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"prediction,probability_absent,probability_present,cost\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) == 1
    process.stderr.close()


def test_colour_is_for_terminals_only(heart_tree):
    plain = shell("export", heart_tree, "--to", "text")
    assert "\x1b" not in plain.stdout


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("thriftree fit --method wor", "worst-case"),
        ("thriftree export --to java", "javascript"),
        ("thriftree fr", "frontier"),
    ],
)
def test_the_shell_completes_commands_methods_and_forms(typed, offered):
    words = typed.split(" ")
    environment = {
        **os.environ,
        "_THRIFTREE_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(words) - 1),
    }
    assert offered in shell(env=environment).stdout.split()


def test_without_the_extra_the_command_says_how_to_get_it(monkeypatch):
    from thriftree.cli import main

    monkeypatch.setitem(sys.modules, "typer", None)
    with pytest.raises(SystemExit, match=r"the command line needs typer: pip install 'thriftree\[cli\]'"):
        main(["--version"])


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is always full")
def test_a_full_disk_is_named_in_one_line(heart_tree):
    for arguments in (["predict", heart_tree, HEART], ["fit", HEART, "-t", "heart_disease", "-m", "cart"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([*THRIFTREE, *arguments], stdout=full, stderr=subprocess.PIPE, check=False)
        assert done.returncode == 2
        assert done.stderr.startswith(b"thriftree: standard output: No space left on device: make room")
        assert done.stderr.count(b"\n") == 1


def test_streams_that_the_shell_closed_are_empty(heart_tree):
    words = " ".join(shlex.quote(word) for word in THRIFTREE)
    for closed, code in ((">&-", 0), ("<&-", 2)):
        table = HEART if code == 0 else "-"
        done = subprocess.run(
            f"{words} predict {shlex.quote(heart_tree)} {shlex.quote(table)} {closed}",
            shell=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == code, done
        assert b"unexpected" not in done.stderr


def test_pipes_get_utf_8_whatever_the_encoding_of_the_system_is(heart_tree):
    command = [*THRIFTREE, "export", heart_tree, "--to", "text"]
    done = subprocess.run(
        command, capture_output=True, check=True, env={**os.environ, "PYTHONIOENCODING": "ascii"}
    )
    assert "└─" in done.stdout.decode("utf-8")


def test_streams_of_texts_in_place_of_the_standard_ones_are_written_and_read(heart_tree, monkeypatch):
    def run_in_texts(*arguments: str, given: str = "") -> tuple[int, str]:
        out = io.StringIO()
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        monkeypatch.setattr(sys, "stdin", io.StringIO(given))
        return main(list(arguments)), out.getvalue()

    rows = Path(HEART).read_text(encoding="utf-8")
    code, said = run_in_texts("predict", heart_tree, "-", given=rows)
    assert (code, said) == (0, run("predict", heart_tree, HEART).out)
    code, said = run_in_texts("export", heart_tree, "--to", "sql")
    assert (code, said) == (0, run("export", heart_tree, "--to", "sql").out)
    assert run_in_texts("export", heart_tree, "--to", "onnx") == (2, "")
