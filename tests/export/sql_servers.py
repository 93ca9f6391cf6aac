"""Database servers for a while: in a folder of their own, on a socket in it, without a network."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

_START_S = 60
_STOP_S = 60


@contextmanager
def postgres_server(postgres: Path) -> Iterator[Path]:
    """PostgreSQL, whose server this program is; the folder of its socket. As root it runs as "postgres"."""
    with _folder("postgres") as (folder, user):
        data = folder / "data"
        initdb = [str(postgres.with_name("initdb")), "-D", str(data), "-U", "postgres"]
        _run([*initdb, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"], user)
        command = [str(postgres), "-D", str(data), "-k", str(folder)]
        command += ["-c", "listen_addresses=", "-c", "fsync=off"]
        socket = folder / ".s.PGSQL.5432"
        ready = [str(postgres.with_name("pg_isready")), "-h", str(folder), "-q"]
        with _running(command, user, lambda: socket.exists() and _succeeds(ready), signal.SIGINT):
            yield folder


@contextmanager
def mariadb_server(mariadbd: Path) -> Iterator[Path]:
    """MariaDB, whose server this program is; its socket. As root it runs as "mysql"."""
    with _folder("mysql") as (folder, user):
        data, socket = folder / "data", folder / "socket"
        install = shutil.which("mariadb-install-db") or "mariadb-install-db"
        _run(
            [install, "--no-defaults", f"--datadir={data}", "--auth-root-authentication-method=normal"], user
        )
        command = [str(mariadbd), "--no-defaults", f"--datadir={data}", f"--socket={socket}"]
        command += ["--skip-networking", f"--pid-file={folder / 'pid'}", "--innodb-flush-log-at-trx-commit=0"]
        ready = ["mariadb-admin", "--no-defaults", f"--socket={socket}", "--user=root", "ping"]
        with _running(command, user, lambda: socket.exists() and _succeeds(ready), signal.SIGTERM):
            yield socket


@contextmanager
def _folder(server_user: str) -> Iterator[tuple[Path, str | None]]:
    """A folder that the server's user owns, and that user; None if it is who we are. Servers refuse root."""
    user = server_user if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="thriftree-"))
    try:
        if user is not None:
            shutil.chown(folder, user, pwd.getpwnam(user).pw_gid)
        yield folder, user
    finally:
        shutil.rmtree(folder)


@contextmanager
def _running(
    command: Sequence[str], user: str | None, is_ready: Callable[[], bool], stop: signal.Signals
) -> Iterator[None]:
    with tempfile.TemporaryFile() as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, **_as(user))
        try:
            ends = time.monotonic() + _START_S
            while not is_ready():
                if server.poll() is not None or time.monotonic() > ends:
                    log.seek(0)
                    raise RuntimeError(f"{command[0]} did not start:\n{log.read().decode(errors='replace')}")
                time.sleep(0.1)
            yield
        finally:
            server.send_signal(stop)
            try:
                server.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _run(command: Sequence[str], user: str | None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **_as(user))
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stdout}\n{done.stderr}")


def _succeeds(command: Sequence[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _as(user: str | None) -> dict[str, object]:
    return (
        {}
        if user is None
        else {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": [], "cwd": "/"}
    )
