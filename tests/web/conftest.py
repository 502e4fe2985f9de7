"""The web application over a journal of its own, and a browser's side of it without a browser."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from deskcrew.settings import Settings
from deskcrew.ways_in.web.access import Access
from deskcrew.ways_in.web.app import create_app
from support.crew import settings_in
from support.runs import own_runtime, there

__all__ = ["own_runtime", "there"]

ORIGIN = "http://127.0.0.1:8700"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return settings_in(tmp_path)


@pytest.fixture
def access() -> Access:
    return Access(b"k" * 32)


@pytest.fixture
def stranger(settings: Settings, access: Access, tmp_path: Path) -> Generator[TestClient]:
    """Somebody who has no link."""
    app = create_app(settings, access, [ORIGIN, "http://localhost:8700"], folder=tmp_path / "sockets")
    with TestClient(app, base_url=ORIGIN, follow_redirects=False) as client:
        yield client


@pytest.fixture
def person(stranger: TestClient, access: Access) -> TestClient:
    """The person whose runs these are: let in, and on a page of ours."""
    assert stranger.get("/enter", params={"token": access.link()}).status_code == 200
    stranger.headers["origin"] = ORIGIN
    return stranger
