"""What is tested on all kinds of database is given a ``place``."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.places import Place


@pytest.fixture(params=["sqlite", "postgresql", "pgvector"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """A file, a server, and a server whose vectors are in pgvector."""
    servers = {"postgresql": "postgres", "pgvector": "pgvector"}
    address = request.getfixturevalue(servers[request.param]).journal() if request.param in servers else ""
    return Place(tmp_path / "data" / "journal.db", address)
