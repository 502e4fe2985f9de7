"""What an append takes is measured on a real server and a real file, and what was appended is whole."""

from __future__ import annotations

from pathlib import Path

from deskcrew_bench.performance.appends import measure
from support.servers import PostgresServer


def test_every_append_of_every_writer_is_measured(tmp_path: Path, postgres: PostgresServer) -> None:
    found = measure(tmp_path, postgres.journal(), writers=2, samples=5, pause=0.001)
    assert found.figure.n == 10
    assert min(found.figure.figure, found.besides, found.disk, found.figure.alternative.figure) > 0
