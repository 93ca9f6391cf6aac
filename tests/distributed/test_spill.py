"""What is kept of files goes to disk when memory is short, and leaves nothing there."""

from __future__ import annotations

import signal
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine_tables import CUTS, as_files, content, fit_here, fit_in_parts, table

from thriftree import CARTClassifier
from thriftree.distributed import loaded, parquet_table
from thriftree.distributed.loaded import LoadedParts
from thriftree.distributed.spill import SpillFile, load_content, save_content


@pytest.fixture
def spill_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No content stays in memory, and those in files are where this says."""
    folder = tmp_path / "spill"
    folder.mkdir()
    monkeypatch.setenv("THRIFTREE_SPILL", str(folder))
    monkeypatch.setattr(loaded, "_SHARE", 0)
    monkeypatch.setattr(parquet_table, "PART_BYTES", 1)
    return folder


def parts_of_numbers(n_parts: int = 5) -> LoadedParts:
    return LoadedParts([lambda k=k: k for k in range(n_parts)], lambda: [10] * n_parts)


def made(number: int) -> dict[str, Any]:
    return {"codes": np.full((100, 3), number, np.uint8), "none": np.empty(0), "name": f"part {number}"}


def test_what_is_written_is_read_as_it_was(spill_folder: Path) -> None:
    file = SpillFile()
    spilled = [file.write(made(number)) for number in range(4)]
    for number, one in reversed(list(enumerate(spilled))):
        read = file.read(one)
        assert read["name"] == f"part {number}"
        assert read["codes"].tolist() == made(number)["codes"].tolist()
        assert read["none"].shape == (0,)
        assert not read["codes"].flags.owndata  # mapped, not copied
    assert list(spill_folder.iterdir()) == []  # the file has no name


def test_files_of_one_content_are_read_as_they_were(tmp_path: Path) -> None:
    for name, number in (("a", 1), ("b", 2)):
        save_content(str(tmp_path / name), made(number))
    assert load_content(str(tmp_path / "b"))["codes"].tolist() == made(2)["codes"].tolist()
    save_content(str(tmp_path / "nothing"), {"x": np.empty(0)})
    assert load_content(str(tmp_path / "nothing"))["x"].shape == (0,)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "nothing"]


def test_contents_beyond_the_share_of_memory_lie_in_the_file(spill_folder: Path) -> None:
    kept = parts_of_numbers().keep(made)
    assert kept._file is not None
    assert kept._file.n_bytes > 0
    assert kept.map(lambda content: int(content["codes"].sum())) == [300 * k for k in range(5)]
    assert kept.order() == [0, 10, 20, 30, 40]


def test_contents_within_the_share_stay_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loaded, "spare_bytes", lambda: 4 * 2 * 700)  # a quarter of it, for two of 300 bytes
    kept = parts_of_numbers().keep(made)
    in_memory = kept.map(lambda content: content["codes"].flags.owndata)
    assert in_memory == [True, True, False, False, False]


def test_a_tree_from_mapped_codes_is_the_same(spill_folder: Path, tmp_path: Path) -> None:
    frame = table()
    model = CARTClassifier(max_bins=16, max_leaves=10)
    data = tmp_path / "data"
    data.mkdir()
    there = fit_in_parts(model, as_files(frame, CUTS["seven"], data, "label", "weight"))
    assert content(there) == content(
        fit_here(CARTClassifier(max_bins=16, max_leaves=10), frame, "label", "weight")
    )
    assert list(spill_folder.iterdir()) == []


def test_a_folder_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("THRIFTREE_SPILL", str(tmp_path / "nowhere"))
    with pytest.raises(OSError, match=r"nowhere.*THRIFTREE_SPILL"):
        parts_of_numbers().keep(made)


def test_an_error_in_a_part_is_raised_and_nothing_is_left(spill_folder: Path) -> None:
    def failing(number: int) -> Any:
        if number == 3:
            raise ValueError("part 3 is wrong")
        return made(number)

    with pytest.raises(ValueError, match="part 3 is wrong"):
        parts_of_numbers().keep(failing)
    assert list(spill_folder.iterdir()) == []


def test_ctrl_c_ends_the_call_while_a_part_is_at_work(spill_folder: Path) -> None:
    free = threading.Event()

    def slow(number: int) -> Any:
        free.wait(20)
        return made(number)

    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    start = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            parts_of_numbers().keep(slow)
        assert time.monotonic() - start < 15  # the part itself would have taken 20 s
    finally:
        free.set()
        timer.join()
    assert list(spill_folder.iterdir()) == []


def test_only_a_few_parts_are_in_memory_at_a_time() -> None:
    alive, most = set(), []

    class Big:
        def __init__(self, number: int) -> None:
            self.number = number
            alive.add(number)
            most.append(len(alive))

        def __del__(self) -> None:
            alive.discard(self.number)

    parts = LoadedParts([lambda k=k: Big(k) for k in range(20)], lambda: [1] * 20)
    assert parts.reduce(lambda big: big.number, lambda a, b: a + b) == sum(range(20))
    assert max(most) <= 3
