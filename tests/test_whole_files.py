"""Files are written whole or not at all, where they were asked for, and never over what must stay."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from thriftree.whole_files import whole_file, write_whole


def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    write_whole(file, "one\r\ntwo\n")
    write_whole(str(file), b"three")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]
    assert file.read_bytes() == b"three"


def test_an_error_while_writing_leaves_the_older_file(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    write_whole(file, "old")
    with pytest.raises(UnicodeEncodeError), whole_file(file) as part:
        part.write_text("half a file, and then \ud800", encoding="utf-8")
    assert file.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_link_stays_and_the_file_it_leads_to_is_written(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    link, file = tmp_path / "latest", tmp_path / "kept" / "v1"
    link.symlink_to(file)
    for content in ("first", "second"):  # the file is made, then replaced
        write_whole(link, content)
        assert link.is_symlink()
        assert file.read_text(encoding="utf-8") == content


def test_permissions_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    write_whole(file, "")
    file.chmod(0o640)
    write_whole(file, "new")
    assert file.stat().st_mode & 0o777 == 0o640


def test_a_new_file_has_the_permissions_that_open_gives(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "a.txt", "")
    finally:
        os.umask(before)
    assert (tmp_path / "a.txt").stat().st_mode & 0o777 == 0o640


def test_a_pipe_gets_the_content_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_whole(pipe, "content")
    reader.join(timeout=10)
    assert got == [b"content"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("name", "error", "complaint"),
    [
        ("folder", IsADirectoryError, r"folder is a folder: name a file in it"),
        ("none/a.txt", FileNotFoundError, r"the folder .*none does not exist: make it first"),
        ("locked.txt", PermissionError, r"locked\.txt is read-only"),
    ],
)
def test_what_cannot_be_written_is_said_before_any_work(
    tmp_path: Path, name: str, error: type[OSError], complaint: str
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "locked.txt").write_text("old", encoding="utf-8")
    (tmp_path / "locked.txt").chmod(0o444)
    with pytest.raises(error, match=complaint), whole_file(tmp_path / name):
        pytest.fail("the block was entered")
    assert (tmp_path / "locked.txt").read_text(encoding="utf-8") == "old"


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:  # root may write anywhere, so a locked folder would not do
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(PermissionError, match=f"{tmp_path.name} cannot be written to: choose another"):
        write_whole(tmp_path / "a.txt", "")


def test_a_name_of_the_greatest_length_is_written(tmp_path: Path) -> None:
    write_whole(tmp_path / ("é" * 127), "x")
    write_whole(tmp_path / ("n" * 255), "x")
    assert len(list(tmp_path.iterdir())) == 2


def test_what_a_killed_process_left_is_removed_when_the_file_is_written_again(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    long_ago = time.time() - 48 * 3600
    ours = f".a.txt.{'0' * 16}.part"
    others = {
        f".b.txt.{'0' * 16}.part": long_ago,  # of another file
        ".a.txt.mine.part": long_ago,  # not a name that we give
        f".a.txt.{'1' * 16}.part": time.time(),  # perhaps being written
    }
    for name, when in {ours: long_ago, **others}.items():
        (tmp_path / name).write_text("half", encoding="utf-8")
        os.utime(tmp_path / name, (when, when))
    write_whole(file, "new")
    assert {path.name for path in tmp_path.iterdir()} == {"a.txt", *others}


def test_a_file_that_was_killed_in_the_middle_leaves_the_old_one_and_is_swept_a_day_later(
    tmp_path: Path,
) -> None:
    file = tmp_path / "a.txt"
    write_whole(file, "old")
    program = (
        "import os, signal, sys\n"
        "from thriftree.whole_files import whole_file\n"
        "with whole_file(sys.argv[1]) as part:\n"
        "    part.write_text('half')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = subprocess.run([sys.executable, "-c", program, str(file)], check=False)
    assert killed.returncode == -signal.SIGKILL
    (left,) = [path for path in tmp_path.iterdir() if path != file]
    assert file.read_text(encoding="utf-8") == "old"
    a_day_ago = time.time() - 25 * 3600
    os.utime(left, (a_day_ago, a_day_ago))
    write_whole(file, "new")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_the_folder_is_synced_after_the_file_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    real_sync, real_replace = os.fsync, os.replace

    def sync(descriptor: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
        real_sync(descriptor)

    def replace(*paths: Path) -> None:
        done.append("replace")
        real_replace(*paths)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", replace)
    write_whole(tmp_path / "a.txt", "new")
    assert done == ["file", "replace", "folder"]


def test_a_link_that_leads_back_to_itself_is_refused_and_stays(tmp_path: Path) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.symlink_to(second)
    second.symlink_to(first)
    with pytest.raises(OSError, match="a link that leads back to itself: remove it, or name another"):
        write_whole(first, "new")
    assert first.is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {"first", "second"}
