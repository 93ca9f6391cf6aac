"""Results of runs in a file that only grows: JSON, one line a run; a study goes on where it stopped.

Several processes may add to one file. A line that was torn, because the machine or the process stopped while
it was written, counts as not there: its run is done again.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class RunKey:
    """What makes a run the same as another."""

    study: str
    data: str  # the set's name
    split: int
    learner: str
    settings: Mapping[str, Any]  # whatever changes the result: of the learner, and of the study
    versions: Mapping[str, str]  # of the packages that the learner uses

    def __str__(self) -> str:
        """The same text for the same key, in every process."""
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False, allow_nan=False)


@dataclass(frozen=True)
class StudyRun:
    """One run: its measures, or the error for which it has none."""

    key: RunKey
    measures: Mapping[str, Any] | None
    error: str | None
    limit_s: float | None  # the time limit, if that is why there are no measures
    seconds: float  # of the whole run, on the clock
    when: str  # UTC, ISO 8601

    @property
    def failed(self) -> bool:
        """Whether there are no measures."""
        return self.measures is None

    def line(self) -> str:
        """The run as it stands in a file, with its line break."""
        document = {**asdict(self.key), **asdict(self)}
        del document["key"]
        return json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"

    @classmethod
    def of_line(cls, line: str) -> StudyRun:
        """The run of a line; ValueError if it is none."""
        document = json.loads(line)
        if not isinstance(document, dict):
            raise ValueError("a run is a JSON object")
        names = {field.name for field in fields(RunKey)}
        try:
            key = RunKey(**{name: document.pop(name) for name in names})
            run = cls(key, **document)
        except (KeyError, TypeError) as error:
            raise ValueError(f"no run of a study: {error}") from error
        if (run.measures is None) == (run.error is None):
            raise ValueError("a run has either measures or an error")
        return run

    def _rank(self) -> tuple[bool, str, str]:
        """Of runs with one key the largest counts, in whatever order they stand in the file."""
        return not self.failed, self.when, self.line()


class RunRecord:
    """The runs of a file. What other processes add to it is seen by `refresh`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.torn = 0  # lines that could not be read
        self._runs: dict[str, StudyRun] = {}  # by the text of their keys
        self._read_to = 0  # bytes; the end of a line
        path.parent.mkdir(parents=True, exist_ok=True)
        self.refresh()
        if self.torn and not self._runs:
            raise ValueError(f"{path} has lines, but none is a run of a study: name another file")

    def __len__(self) -> int:
        return len(self._runs)

    def __iter__(self) -> Iterator[StudyRun]:
        """In the order of their keys."""
        return (self._runs[key] for key in sorted(self._runs))

    def find(self, key: RunKey) -> StudyRun | None:
        """The run of this key, if there is one."""
        return self._runs.get(str(key))

    def refresh(self) -> None:
        """Read the whole lines that were added since."""
        if not self.path.is_file():
            return
        with self.path.open("rb") as file:
            file.seek(self._read_to)
            added = file.read()
        whole = added.rfind(b"\n") + 1  # a line that is not yet ended may still be written
        self._read_to += whole
        for line in added[:whole].split(b"\n"):
            if line.strip():
                self._take(line)

    def add(self, run: StudyRun) -> None:
        """Write one more line, whole, and after a torn one on a line of its own."""
        line = run.line().encode()
        with os.fdopen(os.open(self.path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o644), "r+b", 0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # until the file is closed
            size = os.fstat(file.fileno()).st_size
            if size and os.pread(file.fileno(), 1, size - 1) != b"\n":
                line = b"\n" + line
            if file.write(line) != len(line):
                raise OSError(f"{self.path}: only part of a line could be written; is the disk full?")
            os.fsync(file.fileno())
        self.refresh()

    def _take(self, line: bytes) -> None:
        try:
            run = StudyRun.of_line(line.decode())
        except ValueError:  # JSON and UTF-8 errors are ValueErrors
            self.torn += 1
            return
        key = str(run.key)
        known = self._runs.get(key)
        if known is None or run._rank() > known._rank():
            self._runs[key] = run
