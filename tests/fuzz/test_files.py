"""Mutated files do not crash, hang or run code; and the fuzz itself sees when one does."""

import contextlib
import os
import pickle
import random
import socket
import subprocess
import sys
from pathlib import Path

import file_mutations
import fuzz_files
import pytest
from thoroughness import tries


def test_no_mutated_file_crashes_hangs_or_runs_code():
    n_files = tries(400, 100)
    passed, report = fuzz_files.fuzz(seed=21, n_files=n_files)
    assert passed, report
    assert report.startswith(f"{n_files} mutated files with seed 21: ")


def test_the_watch_ends_a_process_that_does_more_than_read():
    tools = str(Path(fuzz_files.__file__).parent)
    program = (
        f"import sys; sys.path.insert(0, {tools!r}); import fuzz_files; watch = fuzz_files.Watch(); "
        "sys.addaudithook(watch); exec('1'); watch.on = True; open('/dev/null').close(); print('read'); "
        "exec('1')"
    )
    child = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert child.returncode == 3
    assert child.stdout.startswith("read\nloading set off the audit event ")


@pytest.mark.parametrize(
    ("deed", "event"),
    [
        (lambda: exec("1"), "exec"),
        (lambda: compile("1", "x", "eval"), "compile"),
        (lambda: __import__("nobody_wrote_this"), "import"),
        (lambda: os.system("true"), "os.system"),
        (lambda: subprocess.run(["true"], check=True), "subprocess.Popen"),
        (lambda: Path(os.devnull).write_bytes(b""), "open"),
        (lambda: os.remove("/nowhere/at/all"), "os.remove"),
        (lambda: pickle.loads(b"cbuiltins\nlen\n."), "pickle.find_class"),
        (lambda: socket.socket().close(), "socket.__new__"),
    ],
)
def test_more_than_reading_is_not_allowed(audited, deed, event):
    events = audited(deed)
    assert event in {name for name, _ in events}
    assert not all(fuzz_files.only_reads(*one) for one in events)


def test_reading_is_allowed(audited):
    assert all(fuzz_files.only_reads(*one) for one in audited(Path(os.devnull).read_bytes))


class Recorder:
    """An audit hook, which cannot be taken away again; it is off but for a call."""

    def __init__(self):
        self.events = None
        sys.addaudithook(self)

    def __call__(self, event, arguments):
        if self.events is not None:
            self.events.append((event, arguments))


@pytest.fixture(scope="module")
def audited():
    """The audit events that a call sets off."""
    recorder = Recorder()

    def events_of(deed):
        recorder.events = found = []
        with contextlib.suppress(ImportError, OSError):
            deed()
        recorder.events = None
        return found

    return events_of


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (KeyError("label"), "label"),
        (RecursionError("deep"), "deep"),
        (MemoryError("full"), "full"),
        (ValueError("no place"), "the error names no JSON path"),
    ],
)
def test_a_fault_of_the_loader_is_seen(monkeypatch, fault, said):
    def load(_path):
        raise fault

    monkeypatch.setattr(fuzz_files.thriftree, "load", load)
    with pytest.raises(Exception, match=said) as error:
        fuzz_files.loads(Path("any"), fuzz_files.Watch())
    assert error.type is (AssertionError if isinstance(fault, ValueError) else type(fault))


def test_a_file_that_is_refused_with_its_place_is_as_it_should_be(tmp_path):
    (tmp_path / "file").write_text("[]", encoding="ascii")
    assert not fuzz_files.loads(tmp_path / "file", fuzz_files.Watch())


def test_a_child_that_ends_is_reported_with_its_file_and_how_to_repeat(monkeypatch, tmp_path):
    ends = "import sys; print('bad'); open(sys.argv[-1], 'w').write('it'); sys.exit(3)"
    program = f"#!{sys.executable}\n{ends}\n"
    (tmp_path / "python").write_text(program, encoding="utf-8")
    (tmp_path / "python").chmod(0o755)
    monkeypatch.setattr(fuzz_files.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setattr(fuzz_files.tempfile, "tempdir", str(tmp_path))
    passed, report = fuzz_files.fuzz(seed=5, n_files=7)
    assert not passed
    assert "exit code 3" in report
    assert "bad" in report
    assert "to repeat: python fuzz_files.py --seed 5 --files 7" in report
    assert (tmp_path / "fuzz_files_seed_5.json").read_text(encoding="ascii") == "it"


def test_the_same_seed_makes_the_same_files_and_most_differ_from_the_original():
    texts = fuzz_files.texts()
    first, second = (
        [file_mutations.mutated(texts[i % 3], texts, random.Random(i)) for i in range(60)] for _ in range(2)
    )
    assert first == second
    assert len(set(first)) > 55


def test_every_change_changes_something():
    text = '{"a": [1, 2, {"b": 0.5}], "c": {"d": "x", "e": [3]}}'
    for change in file_mutations.CHANGES:
        results = set()
        for seed in range(40):
            document = file_mutations.json.loads(text)
            change(document, random.Random(seed), [text])
            results.add(repr(document))
        assert len(results) > 3, change
