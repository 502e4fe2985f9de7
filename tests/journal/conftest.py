"""What is tested on both kinds of database is given a ``place``."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.places import Place


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """On both kinds of database."""
    address = request.getfixturevalue("postgres").journal() if request.param == "postgresql" else ""
    return Place(tmp_path / "folder" / "journal.db", address)
