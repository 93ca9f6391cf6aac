"""`thriftree ask` on a real terminal: what the screen shows, and that answer and price are the tree's."""

import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time

import pandas
import pytest
from command import FREE_SETS_SET, HEART_DATA, run

from thriftree import Tree
from thriftree.datasets import load_heart

_WAIT_S = 60.0


class Terminal:
    """A program on a pseudo-terminal of 80 columns."""

    def __init__(self, *arguments: str, program: tuple[str, ...] = ("-m", "thriftree"), **environment: str):
        self._master, slave = pty.openpty()
        settings = {"TERM": "xterm", "COLUMNS": "80", "LINES": "40", **environment}
        self.process = subprocess.Popen(
            [sys.executable, *program, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, **settings},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),  # so that it hears of Ctrl-C
        )
        os.close(slave)
        self.screen = self.raw = ""
        self._seen = 0

    def wait_for(self, words: str) -> str:
        """What the screen shows from the last wait to these words."""
        until = time.monotonic() + _WAIT_S
        while words not in self.screen[self._seen :]:
            assert time.monotonic() < until, f"no {words!r} after: {self.screen}"
            if not self._read():
                raise AssertionError(f"the program ended without {words!r}: {self.screen}")
        start, self._seen = self._seen, self.screen.index(words, self._seen) + len(words)
        return self.screen[start : self._seen]

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> tuple[int, str]:
        """The exit code, and what was shown since the last wait."""
        while self._read():
            pass
        os.close(self._master)
        return self.process.wait(_WAIT_S), self.screen[self._seen :]

    def _read(self) -> bool:
        if not select.select([self._master], [], [], _WAIT_S)[0]:
            return False
        try:
            part = os.read(self._master, 65536)
        except OSError:  # Linux says so when the other end is closed
            return False
        self.raw += part.decode("utf-8")
        plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", part.decode("utf-8"))
        self.screen += plain.replace("\r\n", "\n")
        return bool(part)


@pytest.fixture(scope="module")
def thrifty_tree(tmp_path_factory):
    """The demo's tree: several tests of real prices, some of them delayed."""
    path = str(tmp_path_factory.mktemp("ask") / "tree.json")
    assert run("fit", *HEART_DATA, "-s", "repeats=1", "-o", path).code == 0
    return path


def consulted(path, row):
    """Answers the program's questions about a row as they come; the exit code and what it says at the end."""
    tree, asked = Tree.load(path), {}
    terminal = Terminal("ask", path, "--order", "tree")
    while tree.consult(asked, order="tree").question is not None:
        name = re.search(r"What is (\w+)\?", terminal.wait_for("> "))[1]
        asked[name] = row[name].iloc[0]
        unknown = asked[name] is None or asked[name] != asked[name]
        terminal.type("unknown\n" if unknown else f"{asked[name]}\n")
    terminal.wait_for("The tree says: ")
    return terminal.end()


# Of this tree no two leaves side by side say the same, so that every question on the path matters.
@pytest.mark.parametrize("number", [0, 2, 266])  # row 266 has no scan
def test_a_patient_who_answers_gets_the_trees_answer_at_the_trees_price(heart_tree, number):
    tree, row = Tree.load(heart_tree), load_heart()[0].iloc[[number]]
    code, said = consulted(heart_tree, row)
    assert code == 0
    assert said.startswith(str(tree.predict(row)[0]))
    assert f"In all this cost {tree.predict_cost(row)[0]:.2f};" in said


def test_a_question_that_can_change_nothing_is_neither_asked_nor_paid(tmp_path):
    path = str(tmp_path / "tree.json")
    assert run("fit", *HEART_DATA, "-s", "repeats=1", "-s", "metric=auc", "-o", path).code == 0
    tree, row = Tree.load(path), load_heart()[0].iloc[[0]]
    _, said = consulted(path, row)
    paid = float(re.search(r"In all this cost ([\d.]+);", said)[1])
    assert said.startswith(str(tree.predict(row)[0]))
    assert paid < tree.predict_cost(row)[0]


def test_bad_answers_are_asked_again_and_back_takes_an_answer_back(thrifty_tree):
    terminal = Terminal("ask", thrifty_tree)
    first = terminal.wait_for("> ")
    assert "unknown (or ?), back and quit are understood" in " ".join(first.split())
    assert "paid so far 0.00; this adds 1.00" in first
    assert "1. What is chest_pain?" in first
    assert " 1 asymptomatic\n" in first
    terminal.type("back\n")
    assert "there is no answer to take back" in terminal.wait_for("> ")
    terminal.type("\n")
    assert "type an answer, unknown, back or quit" in terminal.wait_for("> ")
    terminal.type("a bit\n")
    assert "'a bit' is no answer to 'chest_pain': type one of asymptomatic" in terminal.wait_for("> ")
    terminal.type("1\n")
    second = terminal.wait_for("> ")
    assert "paid so far 1.00; this adds " in second
    assert "2. What is " in second
    terminal.type("back\n")
    assert "1. What is chest_pain?" in terminal.wait_for("> ")
    terminal.type("1\n")
    assert "paid so far 1.00; this adds " in terminal.wait_for("> ")
    terminal.type("quit\n")
    code, _ = terminal.end()
    assert code == 1
    terminal = Terminal("ask", thrifty_tree)
    terminal.wait_for("> ")
    terminal.type("UNKNOWN\n")
    terminal.wait_for("chest_pain is missing")
    assert terminal.end()[0] == 0


def test_ctrl_c_and_the_end_of_input_end_the_conversation_cleanly(thrifty_tree):
    terminal = Terminal("ask", thrifty_tree)
    terminal.wait_for("> ")
    terminal.type("\x03")
    code, said = terminal.end()
    assert (code, "Traceback" in said) == (130, False)
    terminal = Terminal("ask", thrifty_tree)
    terminal.wait_for("> ")
    terminal.type("\x04")
    code, said = terminal.end()
    assert code == 1
    assert "the answers ended before the tree's answer was settled" in said


_HEARD_BY_A_THREAD = """
import signal, sys, threading
from thriftree.cli import main
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
def hear():
    signal.sigwait({signal.SIGUSR1})
    signal.pthread_kill(threading.get_ident(), signal.SIGINT)
threading.Thread(target=hear, daemon=True).start()
sys.exit(main(sys.argv[1:]))
"""


def test_a_ctrl_c_that_does_not_wake_the_waiting_program_is_heard_all_the_same(thrifty_tree):
    # As when it comes between the program's last look at signals and its wait: nothing but a look finds it.
    terminal = Terminal("ask", thrifty_tree, program=("-c", _HEARD_BY_A_THREAD))
    terminal.wait_for("> ")
    terminal.process.send_signal(signal.SIGUSR1)
    code, said = terminal.end()
    assert (code, "Traceback" in said) == (130, False)


def test_scripts_answer_by_lines_and_read_one_json_document(thrifty_tree):
    tree = Tree.load(thrifty_tree)
    result = run("ask", thrifty_tree, "--json", stdin=b"?\n" * tree.depth * 3)
    assert result.code == 0
    facts = result.json
    row = pandas.DataFrame({column.name: [None] for column in tree.columns})
    assert facts["label"] == tree.predict(row)[0]
    assert facts["paid"] == pytest.approx(tree.predict_cost(row)[0])
    assert set(facts["answers"].values()) == {None}


def test_what_is_known_is_not_asked(thrifty_tree):
    assert Tree.load(thrifty_tree).consult().question.column == "chest_pain"
    result = run("ask", thrifty_tree, "--set", "chest_pain=asymptomatic", stdin=b"")
    assert result.code == 1
    assert "What is chest_pain?" not in result.err
    assert "What is " in result.err


def test_a_terminal_of_80_columns_shows_colour_unless_told_not_to_and_no_line_is_too_long(heart_tree):
    for words, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
        terminal = Terminal("explain", heart_tree, "--set", "chest_pain=asymptomatic", **words)
        code, said = terminal.end()
        assert code == 0
        assert max(map(len, said.split("\n"))) <= 80
        terminal = Terminal("ask", heart_tree, **words)
        terminal.wait_for("> ")
        terminal.type("quit\n")
        terminal.end()
        assert ("\x1b[36m" in terminal.raw) == coloured


def test_long_lines_of_a_tree_are_folded_beside_its_branches():
    words = ("-m", "cart", "-s", "max_leaves=6", "-s", "pruning=none", "--test-share", "0")
    code, said = Terminal("fit", *HEART_DATA, *words, *FREE_SETS_SET).end()
    assert code == 0
    start = said.index("thallium_scan is one of: ")
    assert said[start:].split("\n")[:3] == [
        "thallium_scan is one of: fixed defect, reversible defect? (missing: yes)",
        "│      [203.80 for 2 tests]",
        "├─ yes: chest_pain is asymptomatic? [1.00]",
    ]


def test_long_lines_of_a_soft_tree_are_folded_and_its_report_has_the_others():
    code, said = Terminal("fit", *HEART_DATA, "-m", "soft", "--test-share", "0").end()
    assert code == 0
    begin = said.index("gate 0: ")
    shown = said[begin : said.index("… ")].splitlines()
    assert all(re.match(r"[│ ]*[├└]─ (left|right): \S", line) for line in shown if "─" in line)
    assert any(line.startswith("│  │  ") and "─" not in line for line in shown)
    assert "more lines: write it with -o, then thriftree report\n" in said.replace("\r", "")


def test_a_name_with_brackets_is_asked_for_whole(tmp_path):
    path = str(tmp_path / "tree.json")
    Tree.from_sentences('If "side (left)" is sore, decide a; otherwise decide b.').save(path)
    assert "1. What is side (left)?\n" in run("ask", path, stdin=b"1\n").err
