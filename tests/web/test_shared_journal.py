"""Pages of runs that other machines do: read from the server that all of them write to, and live."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from deskcrew.facts import events as e
from deskcrew.journal.store import Store
from support.servers import PostgresServer
from support.waiting import LATEST
from web.browsing import serving

BEGUN = e.RunStarted(task="Think of it", crew="solo", model="m", mode="automatic", workspace="w", desktop="none")


@pytest.mark.deep
def test_what_another_machine_appends_comes_to_an_open_page(
    postgres: PostgresServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = postgres.journal()
    monkeypatch.setenv("DESKCREW_DATABASE", address)
    journal = Store(tmp_path / "elsewhere" / "journal.db", address=address).create(BEGUN, run="r")
    with journal.claimed(), serving(tmp_path) as link, httpx.Client(follow_redirects=True, timeout=LATEST) as person:
        person.get(link).raise_for_status()
        page = httpx.URL(link).join("/runs/r")
        assert "Think of it" in person.get(page).text
        assert "running" in person.get(httpx.URL(link).join("/")).text
        with person.stream("GET", f"{page}/live", params={"after": 1}) as stream:
            journal.append(e.RoleReplied(role="Worker", reply={"branch": "Continue", "problem": "Told elsewhere."}))
            journal.commit()
            assert any("Told elsewhere." in line for line in stream.iter_lines())
